/** The registry of analyses: the key is the file name and the name on the command line. */

import type { Analysis } from "../src/study/analysis.js";
import { coalitions } from "./coalitions.js";
import { costGrowth } from "./cost-growth.js";
import { criticalBudget } from "./critical-budget.js";
import { equilibrium } from "./equilibrium.js";
import { frontier } from "./frontier.js";
import { interimLies } from "./interim-lies.js";
import { landscape } from "./landscape.js";
import { liesAndModels } from "./lies-and-models.js";
import { manyTasks } from "./many-tasks.js";
import { ownMarkets } from "./own-markets.js";
import { paperFigures } from "./paper-figures.js";
import { paperTables } from "./paper-tables.js";
import { proofs } from "./proofs.js";
import { properties } from "./properties.js";
import { surrogateFidelity } from "./surrogate-fidelity.js";
import { tournament } from "./tournament.js";
import { tradeOff } from "./trade-off.js";
import { truthfulnessMap } from "./truthfulness-map.js";
import { whoLies } from "./who-lies.js";
import { witnesses } from "./witnesses.js";

/** Their names are known to the compiler; what one hands from step to step is its own affair. */
const registry = <Name extends string>(all: Readonly<Record<Name, Analysis>>) => all;

export const analyses = registry({
  "truthfulness-map": truthfulnessMap,
  "critical-budget": criticalBudget,
  landscape,
  "who-lies": whoLies,
  "interim-lies": interimLies,
  properties,
  proofs,
  tournament,
  equilibrium,
  coalitions,
  "cost-growth": costGrowth,
  witnesses,
  "paper-figures": paperFigures,
  "trade-off": tradeOff,
  frontier,
  "paper-tables": paperTables,
  "lies-and-models": liesAndModels,
  "many-tasks": manyTasks,
  "surrogate-fidelity": surrogateFidelity,
  "own-markets": ownMarkets,
});
