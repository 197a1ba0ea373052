/**
 * The rules of a market, each once: its range, its name on the command line and what it is about. Schemas, options of commands,
 * what may stand behind a mechanism's or a CSV file's name, and the controls of the live bench follow from it.
 */

import { dashed } from "../lib/format.js";
import type { Option, Settable } from "../lib/options.js";
import { delays, firstSteps, paperRules, type Rules, readings } from "./market.js";

/** The largest T: a trace or a table of more rounds helps nobody. */
export const MOST_ROUNDS = 10_000;

interface Rule {
  /** Of its option: minWorkers is --min-workers, and min-workers behind the name of a CSV file. */
  readonly flag: string;
  /** What stands for its value in the help. */
  readonly hint: string;
  readonly about: string;
  readonly range: Settable[string];
}

export const ruleTable = {
  budget: { flag: "budget", hint: "<b>", about: "the budget", range: { from: 0 } },
  rounds: {
    flag: "rounds",
    hint: "<t>",
    about: "how many rounds",
    range: { from: 1, to: MOST_ROUNDS, whole: true },
  },
  firstRoundRatio: {
    flag: "ratio",
    hint: "<r>",
    about: "the share of the budget for the first step",
    range: { from: 0, to: 1 },
  },
  minWorkers: {
    flag: "minWorkers",
    hint: "<m>",
    about: "fewest workers to start with",
    range: { from: 0, whole: true },
  },
  reading: { flag: "reading", hint: "<name>", about: "prose or pseudocode", range: { among: readings } },
  firstStep: {
    flag: "firstStep",
    hint: "<name>",
    about: "what the first step's condition is read from: algorithm or prose",
    range: { among: firstSteps },
  },
  delay: {
    flag: "delay",
    hint: "<name>",
    about: "what a delayed start does: postpone, shorten or concentrate",
    range: { among: delays },
  },
} as const satisfies Record<keyof Rules, Rule>;

export type RuleName = keyof Rules;

export const ruleNames = Object.keys(ruleTable) as readonly RuleName[];

/** Rules that have a default: a mechanism's name may set them in place of the market's. */
const usualRules = ["reading", "firstStep", "delay", "firstRoundRatio", "minWorkers"] as const;

/** As options behind a mechanism's name. */
export const ruleOptions: Readonly<Record<string, Option>> = Object.fromEntries(
  usualRules.map((name) => [name, { default: paperRules[name], ...ruleTable[name].range } as Option]),
);

/** As options behind a CSV file's name, as in "bids.csv:budget=12,min-workers=2". */
export const rulesBehindFile: Settable = Object.fromEntries(
  ruleNames.map((name) => [dashed(ruleTable[name].flag), ruleTable[name].range]),
);

/** What stands behind a CSV file's name, under the names of a market. */
export const rulesFromFile = (given: Readonly<Record<string, unknown>>): Partial<Rules> =>
  Object.fromEntries(
    ruleNames.flatMap((name) => {
      const value = given[dashed(ruleTable[name].flag)];
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** Rules as options of a command; those that are the paper's are left out. */
export function ruleFlags(rules: Rules): string {
  const usual: Partial<Rules> = paperRules;
  return ruleNames
    .filter((name) => rules[name] !== usual[name])
    .map((name) => `--${dashed(ruleTable[name].flag)} ${rules[name]}`)
    .join(" ");
}
