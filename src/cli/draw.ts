/** `candor draw`: markets as in the paper's Figures 2 and 3, or from distributions given as expressions. */

import type { Command } from "commander";
import { stream } from "../lib/random.js";
import { type Distributions, type DrawOptions, drawMarkets } from "../market/draw.js";
import { paperRules, type Reading } from "../market/market.js";
import { MOST_ROUNDS } from "../market/parse.js";
import type { Session } from "./session.js";
import { amountOption, integerOption, numberOption, required, wordOption } from "./values.js";

/** Expressions in place of the paper's distributions. */
interface DistributionFlags {
  readonly reputation?: string | undefined;
  readonly cost?: string | undefined;
  readonly arrival?: string | undefined;
}

interface Flags extends DistributionFlags {
  readonly workers?: number;
  readonly budget?: number;
  readonly rounds: number;
  readonly seed: string;
  readonly count: number;
  readonly firstRoundRatio: number;
  readonly minWorkers: number;
  readonly reading: Reading;
}

const examples = `
Expressions may use u (uniform in [0, 1), drawn anew), T, B, n (workers), id and, but for --reputation, re.

Examples:
  candor draw --workers 100 --budget 125 --seed 7 --count 1000 > markets.jsonl
  candor draw --workers 20 --budget 30 --cost "re/3 + 1/15 + u/5" --arrival "ceil(T * u^2 + 1e-9)"`;

export function define(command: Command, session: Session): void {
  command
    .option("--workers <n>", "how many workers (required)", integerOption("--workers", { from: 1, to: 1e7 }))
    .option("--budget <B>", "the budget B (required)", amountOption("--budget"))
    .option("--rounds <T>", "rounds T", integerOption("--rounds", { from: 1, to: MOST_ROUNDS }), 10)
    .option("--seed <s>", "the seed, any text; it fixes everything", "1")
    .option("--count <k>", "how many markets", integerOption("--count", { from: 1 }), 1)
    .option(
      "--first-round-ratio <r>",
      "share of the budget for the first step",
      numberOption("--first-round-ratio", { from: 0, to: 1 }),
      paperRules.firstRoundRatio,
    )
    .option(
      "--min-workers <m>",
      "fewest workers to start with",
      integerOption("--min-workers", { from: 0 }),
      paperRules.minWorkers,
    )
    .option(
      "--reading <name>",
      "prose or pseudocode",
      wordOption("--reading", ["prose", "pseudocode"]),
      paperRules.reading,
    )
    .option("--reputation <expression>", "reputations (the paper's: u)")
    .option("--cost <expression>", "costs (the paper's: re/3 + 1/15 + u/5)")
    .option("--arrival <expression>", "arrivals (the paper's: t with probability ∝ 1/t)")
    .option("--json", "one JSON object per line, as without it")
    .addHelpText("after", examples)
    .action((flags: Flags) => draw(flags, session));
}

async function draw(flags: Flags, session: Session): Promise<void> {
  const distributions = await distributionsOf(flags);
  // A formula may fail at the last market; the paper's distributions never do.
  const certain = Object.keys(distributions).length === 0;
  const workers = required(flags.workers, "--workers", "an integer ≥ 1");
  const budget = required(flags.budget, "--budget", "a number ≥ 0");
  const { rounds, firstRoundRatio, minWorkers, reading } = flags;
  const rules = { budget, rounds, firstRoundRatio, minWorkers, reading };
  const options: DrawOptions = { workers, rules, distributions };
  for (const market of drawMarkets(options, flags.count, stream(flags.seed))) {
    const line = `${JSON.stringify(market)}\n`;
    if (certain) await session.print(line);
    else session.spool.write(line);
    if (!(await session.goesOn())) return;
  }
}

/** The distributions given as expressions; mathjs is loaded only if there are any. */
export async function distributionsOf(
  flags: DistributionFlags,
  arrivalFlag = "--arrival",
): Promise<Partial<Distributions>> {
  const given = (["reputation", "cost", "arrival"] as const).filter((name) => flags[name] !== undefined);
  if (given.length === 0) return {};
  const { parseExpression } = await import("../lib/expression.js");
  const always = ["u", "T", "B", "n", "id"];
  return Object.fromEntries(
    given.map((name) => {
      const variables = name === "reputation" ? always : [...always, "re"];
      const source = name === "arrival" ? arrivalFlag : `--${name}`;
      return [name, parseExpression(flags[name]!, variables, source)];
    }),
  );
}
