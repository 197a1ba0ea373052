/** `candor draw`: markets as in the paper's Figures 2 and 3, or from distributions given as expressions. */

import { stream } from "../lib/random.js";
import { type Distributions, type DrawOptions, drawMarkets, groupsDrawn } from "../market/draw.js";
import { paperRules } from "../market/market.js";
import { marketToWrite } from "../market/words.js";
import { ruleOption } from "./rules.js";
import type { Session } from "./session.js";
import * as option from "./values.js";

/** Expressions in place of the paper's distributions. */
interface DistributionFlags {
  readonly reputation?: string | undefined;
  readonly cost?: string | undefined;
  readonly arrival?: string | undefined;
}

const examples = `
Expressions may use u (uniform in [0, 1), drawn anew), T, B, n (workers), id and, but for --reputation, re.

Examples:
  candor draw --workers 100 --budget 125 --seed 7 --count 1000 > markets.jsonl
  candor draw --workers 5 --budget 10 --groups hash --delay shorten
  candor draw --workers 20 --budget 30 --cost "re/3 + 1/15 + u/5" --arrival "ceil(T * u^2 + 1e-9)"`;

const options = {
  workers: option.integer("<n>", "how many workers (required)", { from: 1, to: 1e7 }),
  budget: ruleOption("budget", "the budget B (required)"),
  rounds: ruleOption("rounds").default(10),
  seed: option.text("<s>", "the seed, any text; it fixes everything").default("1"),
  count: option.integer("<k>", "how many markets", { from: 1 }).default(1),
  ratio: ruleOption("firstRoundRatio").default(paperRules.firstRoundRatio),
  /** What --ratio was called before. */
  firstRoundRatio: { ...ruleOption("firstRoundRatio"), hidden: true, conflicts: "ratio" },
  minWorkers: ruleOption("minWorkers").default(paperRules.minWorkers),
  reading: ruleOption("reading").default(paperRules.reading),
  firstStep: ruleOption("firstStep").default(paperRules.firstStep),
  delay: ruleOption("delay").default(paperRules.delay),
  groups: option
    .word(
      "<how>",
      "ids 0, 1, … that alternate between the groups, or as a hash gives them: alternate or hash",
      groupsDrawn,
    )
    .default("alternate"),
  reputation: option.text("<expression>", "reputations (the paper's: u)"),
  cost: option.text("<expression>", "costs (the paper's: re/3 + 1/15 + u/5)"),
  arrival: option.text("<expression>", "arrivals (the paper's: t with probability ∝ 1/t)"),
  json: option.flag("one JSON object per line, as without it"),
};

type Flags = option.FlagsOf<typeof options>;

export const define = option.command({ options, help: examples }, draw);

async function draw(flags: Flags, session: Session): Promise<void> {
  const distributions = await distributionsOf(flags);
  // A formula may fail at the last market; the paper's distributions never do.
  const certain = Object.keys(distributions).length === 0;
  const workers = option.required(flags.workers, "--workers", "an integer ≥ 1");
  const budget = option.required(flags.budget, "--budget", "a number ≥ 0");
  const { rounds, ratio, firstRoundRatio = ratio, minWorkers, reading, firstStep, delay } = flags;
  const rules = { budget, rounds, firstRoundRatio, minWorkers, reading, firstStep, delay };
  const options: DrawOptions = { workers, rules, distributions, groups: flags.groups };
  for (const market of drawMarkets(options, flags.count, stream(flags.seed))) {
    const line = `${JSON.stringify(marketToWrite(market))}\n`;
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
