/** The registry of analyses: the key is the file name and the name on the command line. Each is loaded when it is asked for. */

import type { Analysis } from "../src/study/analysis.js";

export const analyses: Readonly<Record<string, () => Promise<Analysis>>> = {
  "truthfulness-map": async () => (await import("./truthfulness-map.js")).truthfulnessMap,
  "critical-budget": async () => (await import("./critical-budget.js")).criticalBudget,
  landscape: async () => (await import("./landscape.js")).landscape,
  "who-lies": async () => (await import("./who-lies.js")).whoLies,
  "interim-lies": async () => (await import("./interim-lies.js")).interimLies,
  properties: async () => (await import("./properties.js")).properties,
  proofs: async () => (await import("./proofs.js")).proofs,
  readings: async () => (await import("./readings.js")).readings,
  tournament: async () => (await import("./tournament.js")).tournament,
  equilibrium: async () => (await import("./equilibrium.js")).equilibrium,
  coalitions: async () => (await import("./coalitions.js")).coalitions,
  "cost-growth": async () => (await import("./cost-growth.js")).costGrowth,
  witnesses: async () => (await import("./witnesses.js")).witnesses,
  "paper-figures": async () => (await import("./paper-figures.js")).paperFigures,
  "trade-off": async () => (await import("./trade-off.js")).tradeOff,
  published: async () => (await import("./published.js")).published,
  frontier: async () => (await import("./frontier.js")).frontier,
  "paper-tables": async () => (await import("./paper-tables.js")).paperTables,
  "lies-and-models": async () => (await import("./lies-and-models.js")).liesAndModels,
  "many-tasks": async () => (await import("./many-tasks.js")).manyTasks,
  "surrogate-fidelity": async () => (await import("./surrogate-fidelity.js")).surrogateFidelity,
  "own-markets": async () => (await import("./own-markets.js")).ownMarkets,
};
