/** The registry of analyses: the key is the file name and the name on the command line. */

import type { Analysis } from "../src/analysis.js";
import { paperBudget } from "./paper-budget.js";
import { paperWorkers } from "./paper-workers.js";
import { tradeOff } from "./trade-off.js";

export const analyses = {
  "paper-budget": paperBudget,
  "paper-workers": paperWorkers,
  "trade-off": tradeOff,
} as const satisfies Record<string, Analysis>;
