/** The registry of analyses: the key is the file name and the name on the command line. */

import type { Analysis } from "../src/analysis.js";

export const analyses = {} as const satisfies Record<string, Analysis>;
