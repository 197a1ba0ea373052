/** Figure 2 of the paper: publisher utility per unit paid against the budget, 100 workers. */

import type { Profile } from "../src/study/analysis.js";
import { type Figure, type FigureSizes, figureAnalysis } from "./shared/auctions/figure.js";
import { budgetAxis } from "./shared/auctions/words.js";

const values = [25, 50, 75, 100, 125, 150, 175, 200, 225, 250, 275, 300];

export const paperBudgetSizes = {
  quick: { values, markets: 100 },
  full: { values, markets: 400 },
} as const satisfies Record<Profile, FigureSizes>;

export const paperBudgetFigure: Figure = {
  name: "paper-budget",
  question: "What does the publisher get per unit paid, and how does it change with the budget?",
  axis: budgetAxis,
  sizes: paperBudgetSizes,
  settingAt: (budget) => ({ workers: 100, budget }),
};

export const paperBudget = figureAnalysis(paperBudgetFigure);
