/** The rules of a market as options of commands. */

import { paperRules, type Rules } from "../market/market.js";
import { type RuleName, ruleNames, ruleTable } from "../market/rules.js";
import * as option from "./values.js";

type FlagOf<Name extends RuleName> = (typeof ruleTable)[Name]["flag"];

/** The option of a rule: its range and its words are those of the table. */
export function ruleOption<Name extends RuleName>(name: Name, about: string = ruleTable[name].about) {
  const { hint, range } = ruleTable[name];
  const made = name === "budget" ? option.amount(hint, about) : option.ranged(hint, about, range);
  return made as unknown as ReturnType<typeof option.value<Rules[Name]>>;
}

/** A rule whose default the help names, but which is undefined unless it is given. */
export const unsetRule = <Name extends keyof typeof paperRules>(name: Name, before = "") =>
  ruleOption(name, `${before}${ruleTable[name].about} (${paperRules[name]})`);

const FOR = "of a CSV file: ";

/** The rules of markets that are a table of workers. */
export const csvRules = {
  budget: ruleOption("budget", `${FOR}${ruleTable.budget.about}`),
  rounds: ruleOption("rounds", `${FOR}${ruleTable.rounds.about}`),
  ratio: unsetRule("firstRoundRatio", FOR),
  minWorkers: unsetRule("minWorkers", FOR),
  reading: unsetRule("reading", FOR),
  firstStep: unsetRule("firstStep", FOR),
  delay: unsetRule("delay", FOR),
} satisfies { [Name in RuleName as FlagOf<Name>]: option.Entry<Rules[Name]> };

export type RuleFlags = option.FlagsOf<typeof csvRules>;

/** The rules that were given, as they are written behind a CSV file's name. */
export const givenRules = (flags: RuleFlags): (readonly [flag: FlagOf<RuleName>, value: number | string])[] =>
  ruleNames.flatMap((name) => {
    const { flag } = ruleTable[name];
    const value = flags[flag];
    return value === undefined ? [] : [[flag, value] as const];
  });
