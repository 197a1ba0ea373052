/** What users' mechanisms were asked, kept in small so that copies of their files that remember nothing can be asked the same. */

import type { Bidder, Rules } from "../market/market.js";

export interface Asked {
  readonly rules: Rules;
  readonly bids: readonly Bidder[];
}

/** So many questions are kept: the first, and those after 2, 4, 8, … others, the latest of them. */
const KEPT = 4;

/** As much of a mechanism as questions are put to. */
interface Decider {
  readonly program?: object | undefined;
  readonly decide: object;
}

interface Kept {
  count: number;
  readonly questions: Asked[];
}

const kept = new WeakMap<object, Kept>();

/** Of a program or a plain decision, which the question was put to. */
export function noteAsked(of: object, question: Asked): void {
  const known = kept.get(of) ?? { count: 0, questions: [] };
  kept.set(of, known);
  const { count, questions } = known;
  known.count++;
  if ((count & (count - 1)) !== 0) return;
  if (questions.length === KEPT) questions.splice(1, 1);
  questions.push(question);
}

/** How many questions a mechanism was asked. */
export const timesAsked = ({ program, decide }: Decider): number =>
  [program, decide].reduce((sum, of) => sum + (of === undefined ? 0 : (kept.get(of)?.count ?? 0)), 0);

export const askedOf = ({ program, decide }: Decider): readonly Asked[] =>
  [program, decide].flatMap((of) => (of === undefined ? [] : (kept.get(of)?.questions ?? [])));
