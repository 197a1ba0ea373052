/** Best responses as text: what `best-response` prints for people. */

import type { Response, Responses } from "../best-response/index.js";
import { brief, type Column, counted, table } from "../lib/format.js";

export function responsesText(source: string, responses: Responses): string {
  return `${[title(source, responses), responsesTable(responses.workers), summary(responses)].join("\n\n")}\n`;
}

function title(source: string, { mechanism, exact, evaluations, seeds }: Responses): string {
  if (seeds !== undefined)
    return `${source}: mechanism ${mechanism}\n  estimated over ${seeds} seeds, for the best lies a search found: never exact`;
  const how = exact
    ? "exact: the most that any price and any arrival can gain"
    : `search, ${evaluations} evaluations: gains are lower bounds; for exact ones, write it as a text (CONTRIBUTING, "Add a mechanism")`;
  return `${source}: mechanism ${mechanism}\n  ${how}`;
}

function responsesTable(workers: readonly Response[]): string {
  const column = (head: string, cell: (response: Response) => string): Column => ({
    head,
    cells: workers.map(cell),
  });
  return table([
    column("worker", ({ id }) => String(id)),
    column("truthful", ({ truthful }) => brief(truthful)),
    column("gain", ({ gain }) => brief(gain)),
    column("by price", ({ priceGain }) => brief(priceGain)),
    column("by time", ({ timeGain }) => brief(timeGain)),
    column("best price", ({ gain, best }) =>
      gain > 0 ? `${best.attained ? "" : "→ "}${price(best.price)}` : "truth",
    ),
    column("arrival", ({ best }) => String(best.arrival)),
    column("utility", ({ best }) => brief(best.utility)),
    column("regime", ({ regime }) => regime),
    column("", ({ pivotal }) => (pivotal ? "moves the start" : "")),
  ]);
}

/** A supremum's price needs all its digits to be of use. */
const price = (value: number): string => (value === Number(brief(value)) ? brief(value) : String(value));

function summary({ workers, exact }: Responses): string {
  const liars = workers.filter(({ gain }) => gain > 0);
  if (liars.length === 0)
    return exact
      ? `None of ${counted(workers.length, "worker")} can gain by any lie about price or arrival.`
      : `No lie that gains was found for ${counted(workers.length, "worker")}.`;
  const most = liars.reduce((a, b) => (b.gain > a.gain ? b : a));
  const open = liars.some(({ best }) => !best.attained)
    ? "\n→ a price toward which the gain rises without being attained; the one shown comes within 1e-9 of it."
    : "";
  return `${liars.length} of ${counted(workers.length, "worker")} can gain; the most is ${brief(most.gain)} (worker ${most.id}).${open}`;
}
