/** Figure 3 of the paper: publisher utility per unit paid against the number of workers, at budget 125. */

import type { Profile } from "../src/study/analysis.js";
import { type Figure, type FigureSizes, figureAnalysis } from "./shared/auctions/figure.js";
import { workersAxis } from "./shared/auctions/words.js";

const values = [10, 20, 40, 60, 80, 100, 150, 200, 250, 300];

export const paperWorkersSizes = {
  quick: { values, markets: 100 },
  full: { values, markets: 400 },
} as const satisfies Record<Profile, FigureSizes>;

export const paperWorkersFigure: Figure = {
  name: "paper-workers",
  question: "What does the publisher get per unit paid, and how does it change with the number of workers?",
  axis: workersAxis,
  sizes: paperWorkersSizes,
  settingAt: (workers) => ({ workers, budget: 125 }),
};

export const paperWorkers = figureAnalysis(paperWorkersFigure);
