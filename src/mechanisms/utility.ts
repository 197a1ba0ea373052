/** From an outcome to utilities ([M12]). */

import type { Worker } from "../market/market.js";
import type { Allotment, Outcome } from "./mechanism.js";

/** p_i − c_i · r_i, with the true cost. */
export const workerUtility = ({ cost }: Pick<Worker, "cost">, { payment, rounds }: Allotment): number =>
  payment - cost * rounds;

export interface PublisherAccount {
  readonly spent: number;
  /** Σ Re_i · r_i. */
  readonly publisherUtility: number;
  /** Null when nothing was paid. */
  readonly utilityPerUnitPaid: number | null;
}

export function publisherAccount(
  workers: readonly Pick<Worker, "id" | "reputation">[],
  outcome: Outcome,
): PublisherAccount {
  const reputation = new Map(workers.map((worker) => [worker.id, worker.reputation]));
  let spent = 0;
  let publisherUtility = 0;
  for (const { id, payment, rounds } of outcome.workers) {
    spent += payment;
    publisherUtility += reputation.get(id)! * rounds;
  }
  return { spent, publisherUtility, utilityPerUnitPaid: spent > 0 ? publisherUtility / spent : null };
}
