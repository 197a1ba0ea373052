/** Records that the terminal and the live bench both show: their fields and their sentences, each once. */

import type { RunRecord } from "../auction/run-record.js";
import { brief, counted, type TextColumn, table } from "../lib/format.js";

/** What a record's items have in one column. */
export interface Field<Item> {
  readonly head: string;
  readonly text: (item: Item) => string;
}

/** Items as a table of text, a column for each field. */
export const textTable = <Item>(fields: readonly Field<Item>[], items: readonly Item[]): string =>
  table(fields.map(({ head, text }): TextColumn => ({ head, cells: items.map(text) })));

type WorkerRecord = RunRecord["workers"][number];

type Got = Pick<WorkerRecord, "selectedAt" | "rounds" | "payment" | "utility">;

/** What a worker gets; `amount` writes the numbers. */
export const outcomeFields = (amount: (x: number) => string): Field<Got>[] => [
  { head: "selected in", text: ({ selectedAt }) => (selectedAt === null ? "-" : String(selectedAt)) },
  { head: "rounds", text: ({ rounds }) => String(rounds) },
  { head: "payment", text: ({ payment }) => amount(payment) },
  { head: "utility", text: ({ utility }) => amount(utility) },
];

/** When the task started, and with whom. */
export function startSentence({ started, startDelay, workers }: RunRecord): string {
  if (!started) return "The task never started.";
  const selected = workers.filter(({ selectedAt }) => selectedAt !== null).length;
  const when = startDelay === 0 ? "on time" : `${counted(startDelay ?? 0, "clock tick")} late`;
  return `Started ${when}; ${selected} of ${counted(workers.length, "worker")} selected.`;
}

/** What the publisher paid, and got. */
export function moneySentence(
  { spent, publisherUtility, utilityPerUnitPaid }: RunRecord,
  budget: number,
): string {
  const rate = utilityPerUnitPaid === null ? "" : `, ${brief(utilityPerUnitPaid)} per unit paid`;
  return `Spent ${brief(spent)} of ${brief(budget)}; publisher's utility ${brief(publisherUtility)}${rate}.`;
}

interface Gains {
  readonly workers: readonly { readonly id: number; readonly gain: number }[];
  /** Whether lies were searched for, so that there may be better ones. */
  readonly searched: boolean;
  /** What the others do, where they do not all tell the truth. */
  readonly given?: string;
}

/** Who can gain by a lie, and the most that one can. */
export function gainsSentence({ workers, searched, given = "" }: Gains): string {
  const all = counted(workers.length, "worker");
  const gainers = workers.filter(({ gain }) => gain > 0);
  if (gainers.length === 0)
    return searched
      ? `No lie that gains was found for ${all}${given}.`
      : `None of ${all} can gain by any lie about price or arrival${given}.`;
  const most = gainers.reduce((a, b) => (b.gain > a.gain ? b : a));
  return `${gainers.length} of ${all} can gain${given}; the most is ${brief(most.gain)} (worker ${most.id}).`;
}

interface HowFound {
  readonly method: "exact" | "computed" | "search";
  readonly exact: boolean;
  readonly evaluations: number;
}

/** How best lies were found; `whose` as in "any price and any arrival". */
export function methodText(
  { method, exact, evaluations }: HowFound,
  { whose, search }: { readonly whose: string; readonly search: string },
): string {
  const most = `the most that ${whose} can gain`;
  if (method === "exact") return `exact: ${most}`;
  if (method === "search") return `search, ${evaluations} evaluations: ${search}`;
  return `computed in floating point${exact ? "" : ", not in exact fractions"}: ${most}`;
}

/** The price of a best lie; that of a supremum needs all its digits to be of use. */
export const priceText = (price: number): string =>
  price === Number(brief(price)) ? brief(price) : String(price);
