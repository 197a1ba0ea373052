/** `candor list`: everything that can be named on the command line, with a sentence each, or one of them in full. */

import type { Command } from "commander";
import { type AgentEntry, isTunable, type Traits } from "../agents/agent.js";
import type { AnyMechanism, MechanismClaim } from "../auction/mechanism.js";
import { unknownName } from "../lib/errors.js";
import { listed, wrapped } from "../lib/format.js";
import { describeOption, type Settable } from "../lib/options.js";
import { ruleOptions } from "../market/rules.js";
import { mechanisms } from "../mechanisms/index.js";
import type { Session } from "./session.js";

/** Each with its heading. */
type Facts = readonly (readonly [heading: string, text: string])[];

interface Listed {
  readonly name: string;
  readonly about: string;
  /** What `name:option=value` may set. */
  readonly options?: Settable | undefined;
  readonly more?: Facts;
  /** In place of facts, as data. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** A command that uses it. */
  readonly example: string;
}

/** "name:option=default" for the first option that has a default. */
function tried(name: string, options: Settable = {}): string {
  const [first] = Object.entries(options).filter(([, option]) => "default" in option);
  return first === undefined ? name : `${name}:${first[0]}=${Reflect.get(first[1], "default")}`;
}

const aboutMechanism = (mechanism: AnyMechanism): Facts => {
  const { rule, promise, source, year, adapted, claims = [] } = mechanism;
  return [
    ...(rule ? [["Rule", rule.join(" ")] as const] : []),
    ...(promise ? [["Promise", promise] as const] : []),
    ...(source ? [["Source", source] as const] : []),
    ...(year ? [["Year", String(year)] as const] : []),
    ...(adapted ? [["Adapted", adapted] as const] : []),
    ...claims.map((claim) => ["Claim", claimedText(claim)] as const),
  ];
};

/** As in `P5 holds: "truthful" (Abstract.)`. */
function claimedText({ property, regime, says = "holds", quote, where }: MechanismClaim): string {
  const whom = regime === undefined ? "" : ` in regime ${regime}`;
  return `${property} ${says}${whom}: ${quote === undefined ? "" : `"${quote}" `}(${where})`;
}

function aboutAgent({ lies, sees, stochastic, learns }: Traits): Facts {
  const does = [
    lies.length === 0 ? "never lies" : `may lie about the ${listed(lies)}`,
    sees === "bids" ? "sees the others' bids" : "sees only its own type, the rules and its past tasks",
    ...(stochastic ? ["draws"] : []),
    ...(learns ? ["learns from past tasks"] : []),
  ];
  return [["Traits", `${listed(does)}.`]];
}

/** One line for every kind of thing there is. */
const kinds: Readonly<Record<string, () => Promise<readonly Listed[]>>> = {
  mechanisms: async () =>
    Object.values<AnyMechanism>(mechanisms).map((mechanism) => ({
      ...mechanism,
      more: aboutMechanism(mechanism),
      data: { year: mechanism.year, adapted: mechanism.adapted, claims: mechanism.claims },
      example: `candor check market.json --mechanism ${tried(mechanism.name, mechanism.options)}`,
    })),
  agents: async () =>
    Object.values<AgentEntry>((await import("../../agents/index.js")).agents).map((entry) => {
      const { name, about, traits } = isTunable(entry) ? entry() : entry;
      const options: Settable | undefined = isTunable(entry) ? entry.options : undefined;
      const example = `candor try market.json --agent ${tried(name, options)}`;
      return { name, about, options, more: aboutAgent(traits), example };
    }),
  analyses: async () =>
    (await (await import("./resolve.js")).allAnalyses()).map(
      ({ analysis: { name, question, options, ...one } }) => ({
        name,
        about: question,
        options,
        example: `candor analyze ${name}${one.needsMarkets ? " --markets markets.jsonl" : ""} --out reports/${name}`,
      }),
    ),
  trainers: async () =>
    Object.entries((await import("../training/trainers.js")).trainers).map(([name, { about, options }]) => ({
      name,
      about,
      options,
      example: `candor train --tasks 3 --trainer ${tried(name, options)}`,
    })),
};

const examples = `
An option is set behind the name, as in fixed-threshold:density=0.5.

Examples:
  candor list
  candor list fixed-threshold`;

export function define(command: Command, session: Session): void {
  command
    .argument("[name]", "this one in full")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples)
    .action(async (name: string | undefined, { json = false }: { json?: boolean }) => {
      const lists = await everything();
      const chosen = name === undefined ? lists : named(lists, name);
      const full = name !== undefined;
      session.spool.write(
        json
          ? `${JSON.stringify(Object.fromEntries(chosen.map(([kind, all]) => [kind, all.map((one) => asData(one, full))])))}\n`
          : chosen.map(full ? fullText(session.columns) : listText(session.columns)).join("\n"),
      );
    });
}

type List = readonly [kind: string, items: readonly Listed[]];

/** All that can be named, by kind. */
export const everything = (): Promise<List[]> =>
  Promise.all(Object.entries(kinds).map(async ([kind, load]): Promise<List> => [kind, await load()]));

function named(lists: readonly List[], name: string): List[] {
  const found = lists.flatMap(([kind, items]): List[] => {
    const those = items.filter((item) => item.name === name);
    return those.length === 0 ? [] : [[kind, those]];
  });
  if (found.length > 0) return found;
  throw unknownName("list", name, { names: lists.flatMap(([, items]) => items.map((item) => item.name)) });
}

const asData = ({ name, about, options, more = [], data, example }: Listed, full: boolean) => ({
  name,
  about,
  ...(options && { options }),
  ...(full && {
    ...Object.fromEntries(
      more.filter(([heading]) => heading !== "Claim").map(([heading, text]) => [heading.toLowerCase(), text]),
    ),
    ...data,
    example,
  }),
});

/** "density (0.75): a number ≥ 0". */
const optionTexts = (options: Settable = {}): string[] =>
  Object.entries(options).map(([name, option]) => {
    const usual = "default" in option ? ` (${option.default})` : "";
    return `${name}${usual}: ${describeOption(option)}`;
  });

const listText =
  (columns: number) =>
  ([kind, items]: List): string => {
    const width = Math.max(...items.map(({ name }) => name.length));
    const lines = items.flatMap(({ name, about, options }) => [
      wrapped(about, columns, `  ${name.padEnd(width)}  `),
      ...optionTexts(options).map((text) => wrapped(text, columns, `  ${" ".repeat(width)}    `)),
    ]);
    const common = kind === "mechanisms" ? `  of each also ${optionTexts(ruleOptions).join("; ")}` : "";
    return [kind, ...lines, ...(common === "" ? [] : [wrapped(common, columns, "  ")]), ""].join("\n");
  };

const fullText =
  (columns: number) =>
  ([kind, [item]]: List): string => {
    const { name, about, options, more = [], example } = item!;
    const facts = [
      ...more,
      ...[...optionTexts(options), ...(kind === "mechanisms" ? optionTexts(ruleOptions) : [])].map(
        (text) => ["Option", text] as const,
      ),
    ];
    const lines = facts.map(([heading, text]) => wrapped(text, columns, `${heading.padEnd(8)}  `));
    const one = kind === "analyses" ? "analysis" : kind.slice(0, -1);
    return [`${name} (${one})`, wrapped(about, columns), "", ...lines, `Example   ${example}`, ""].join("\n");
  };
