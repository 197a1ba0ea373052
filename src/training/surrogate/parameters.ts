/** The surrogate's fitted numbers, by data set. */

import type { DatasetName } from "../files.js";
import type { ModelParameters } from "./model.js";
import fitted from "./parameters.json" with { type: "json" };

/** Standard deviations of the surrogate's noise. */
export interface Spread {
  /** Of the logarithm of a task's losses: one for all rounds, one for each. */
  readonly taskLoss: number;
  readonly roundLoss: number;
  readonly accuracy: number;
  /** Of a gain, times the number of workers; with right labels, and the more of it with wrong ones. */
  readonly gain: number;
  readonly wrongGain: number;
  readonly cosine: number;
}

export interface Parameters extends ModelParameters {
  readonly spread: Spread;
}

export const parameters: Readonly<Record<DatasetName, Parameters>> = fitted;
