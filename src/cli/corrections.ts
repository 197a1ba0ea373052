/** Tells a user which bids of an agent were not legal, and what became of them. */

import type { Correction } from "../agents/play.js";

/** Counts corrections, and remembers the first. */
export class Corrections {
  private first: Correction | undefined;
  private count = 0;

  readonly add = (correction: Correction): void => {
    this.first ??= correction;
    this.count++;
  };

  /** One line, whatever their number; null if there are none. */
  get line(): string | null {
    if (this.first === undefined) return null;
    const { agent, worker, said, used } = this.first;
    const changes = (["price", "arrival"] as const)
      .filter((field) => said[field] !== used[field])
      .map((field) => `${field} ${said[field]} became ${used[field]}`)
      .join(", ");
    return this.count === 1
      ? `agent ${agent}: the bid of worker ${worker} was not legal and was corrected: ${changes}`
      : `agent ${agent}: ${this.count} bids were not legal and were corrected, such as that of worker ${worker}: ${changes}`;
  }
}
