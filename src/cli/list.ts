/** `candor list`: everything that can be named on the command line, with a sentence each. */

import type { Command } from "commander";
import { mechanisms } from "../mechanisms/index.js";
import type { Session } from "./session.js";

interface Listed {
  readonly name: string;
  readonly about: string;
}

/** One line for every kind of thing there is. */
const kinds: Readonly<Record<string, () => Promise<readonly Listed[]>>> = {
  mechanisms: async () => Object.values(mechanisms),
  agents: async () => (await import("../../agents/index.js")).builtInAgents(),
  analyses: async () =>
    (await (await import("./resolve.js")).allAnalyses()).map(({ analysis }) => ({
      name: analysis.name,
      about: analysis.question,
    })),
  trainers: async () =>
    Object.entries((await import("../training/trainers.js")).trainers).map(([name, { about }]) => ({
      name,
      about,
    })),
};

export function define(command: Command, session: Session): void {
  command
    .option("--json", "print one JSON object")
    .addHelpText("after", "\nExample:\n  candor list")
    .action(async ({ json = false }: { json?: boolean }) => {
      const lists = await Promise.all(
        Object.entries(kinds).map(
          async ([kind, load]) => [kind, (await load()).map(nameAndSentence)] as const,
        ),
      );
      session.spool.write(
        json ? `${JSON.stringify(Object.fromEntries(lists))}\n` : lists.map(listText).join("\n"),
      );
    });
}

const nameAndSentence = ({ name, about }: Listed): Listed => ({ name, about });

function listText([kind, items]: readonly [string, readonly Listed[]]): string {
  const width = Math.max(...items.map(({ name }) => name.length));
  return [kind, ...items.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`), ""].join("\n");
}
