/** How rules are said, and written down. */

import { type Market, paperRules, type Rules, type Worker } from "./market.js";

type Switches = Pick<Rules, "reading" | "firstStep" | "delay">;

/** How the paper is read, as in "reading prose"; of the first step and the delay only what is not the default. */
export const readingFacts = ({ reading, firstStep, delay }: Switches): string[] => [
  `reading ${reading}`,
  ...(firstStep === paperRules.firstStep ? [] : [`first step ${firstStep}`]),
  ...(delay === paperRules.delay ? [] : [`delay ${delay}`]),
];

/** Rules as they are written: what may be left out, and is the paper's then, need not be there. */
export type WrittenRules = Pick<Rules, "budget" | "rounds"> & Partial<Rules>;

/**
 * A market to write down, its rules in their usual order: the first step and the delay stand there only where they are not
 * the default, so that an option of a mechanism may still choose them.
 */
export function marketToWrite({ rules, workers }: Market): {
  readonly rules: WrittenRules;
  readonly workers: readonly Worker[];
} {
  const { budget, rounds, firstRoundRatio, minWorkers, reading, firstStep, delay } = rules;
  const unusual = {
    ...(firstStep !== paperRules.firstStep && { firstStep }),
    ...(delay !== paperRules.delay && { delay }),
  };
  return { rules: { budget, rounds, firstRoundRatio, minWorkers, reading, ...unusual }, workers };
}
