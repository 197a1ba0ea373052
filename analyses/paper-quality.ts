/** Table 1 of the paper: the share of good workers among those whom each mechanism selects. */

import { type TableQuestion, tableAnalysis } from "./shared/paper-tables/paper-table.js";
import { paperQualities } from "./shared/paper-tables/paper-tables.js";

export const paperQualityQuestion: TableQuestion = {
  name: "paper-quality",
  question:
    "Which mechanisms select the workers whose labels are right, once reputation follows from training?",
  table: paperQualities,
  sizes: {
    quick: { seeds: 6, tasks: 70, live: 0, again: 1 },
    full: { seeds: 100, tasks: 70, live: 70, again: 1 },
  },
};

export const paperQuality = tableAnalysis(paperQualityQuestion);
