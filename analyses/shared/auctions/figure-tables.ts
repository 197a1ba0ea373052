/** Estimates as cells of a table. */

import type { Estimate } from "../../../src/lib/statistics.js";
import type { Cell } from "../../../src/report/result.js";

/** JSON knows no NaN. */
export const finite = (x: number): number | null => (Number.isFinite(x) ? x : null);

export const interval = ({ mean, low, high }: Estimate): { mean: Cell; low: Cell; high: Cell } => ({
  mean: finite(mean),
  low: finite(low),
  high: finite(high),
});
