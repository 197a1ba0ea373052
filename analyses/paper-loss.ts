/** Table 2 of the paper: the loss of the models that each mechanism leads to. */

import { type TableQuestion, tableAnalysis } from "./shared/paper-tables/paper-table.js";
import { paperLosses } from "./shared/paper-tables/paper-tables.js";

export const paperLossQuestion: TableQuestion = {
  name: "paper-loss",
  question: "Which mechanisms lead to good models?",
  table: paperLosses,
  sizes: {
    quick: { seeds: 6, tasks: 70, live: 0, again: 3 },
    full: { seeds: 100, tasks: 70, live: 70, again: 5 },
  },
};

export const paperLoss = tableAnalysis(paperLossQuestion);
