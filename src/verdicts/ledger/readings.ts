/** How the rules may be read: every choice of the three switches. */

import { delays, firstSteps, paperRules, type Rules, readings } from "../../market/market.js";

export type ReadingChoice = Pick<Rules, "reading" | "firstStep" | "delay">;

export const usualReading: ReadingChoice = {
  reading: paperRules.reading,
  firstStep: paperRules.firstStep,
  delay: paperRules.delay,
};

/** All twelve, the usual one first. */
export const readingChoices: readonly ReadingChoice[] = readings.flatMap((reading) =>
  firstSteps.flatMap((firstStep) => delays.map((delay) => ({ reading, firstStep, delay }))),
);

/** What differs from the usual reading: "firstStep: prose, delay: shorten". */
export function readingText(choice: ReadingChoice): string {
  const names = ["reading", "firstStep", "delay"] as const;
  const changed = names.filter((name) => choice[name] !== usualReading[name]);
  return changed.length === 0 ? "as usual" : changed.map((name) => `${name}: ${choice[name]}`).join(", ");
}

type PartOfChoice = Partial<ReadingChoice>;

/** Some choices in the fewest words: "delay: shorten" stands for all choices with it. */
export function choicesText(choices: readonly ReadingChoice[]): string[] {
  const left = new Set(choices.map(readingText));
  const covered = new Set<string>();
  const found: string[] = [];
  for (const part of partsBySize) {
    const matching = readingChoices
      .filter((choice) =>
        Object.entries(part).every(([name, value]) => choice[name as keyof ReadingChoice] === value),
      )
      .map(readingText);
    if (!matching.every((one) => left.has(one)) || matching.every((one) => covered.has(one))) continue;
    for (const one of matching) covered.add(one);
    found.push(
      Object.entries(part)
        .map(([name, value]) => `${name}: ${value}`)
        .join(", "),
    );
  }
  return found;
}

/** Every choice of one switch, then of two, then of all three. */
const partsBySize: readonly PartOfChoice[] = readingChoices
  .flatMap((choice) =>
    [1, 2, 3, 4, 5, 6, 7].map((bits) => {
      const names = (["reading", "firstStep", "delay"] as const).filter((_, k) => (bits >> k) % 2 === 1);
      return Object.fromEntries(names.map((name) => [name, choice[name]])) as PartOfChoice;
    }),
  )
  .sort((a, b) => Object.keys(a).length - Object.keys(b).length);
