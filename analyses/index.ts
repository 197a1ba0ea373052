/** The registry of analyses: the key is the file name and the name on the command line. */

import type { Analysis } from "../src/analysis.js";
import { costGrowth } from "./cost-growth.js";
import { properties } from "./properties.js";
import { tournament } from "./tournament.js";
import { truthfulnessMap } from "./truthfulness-map.js";

export const analyses = {
  "truthfulness-map": truthfulnessMap,
  properties,
  tournament,
  "cost-growth": costGrowth,
} as const satisfies Record<string, Analysis>;
