/** The commands. Each is loaded only when it is called, so that all start as fast as they can. */

import type { Commands } from "./program.js";

export const commands: Commands = {
  audit: [
    "every property of a mechanism, its smallest counterexamples, and what the publisher gets",
    () => import("./audit.js"),
  ],
  run: ["run the auction on markets", () => import("./run.js")],
  try: ["what an agent's lie gets each worker among truthful others", () => import("./try.js")],
  "best-response": ["the best lie of every worker and what it gains", () => import("./best-response.js")],
  explain: ["truthful and lying run side by side: why a lie pays", () => import("./explain.js")],
  check: ["verdicts P1–P6 and joint, with witnesses", () => import("./check.js")],
  prove: ["settle the claims for all costs, budgets and arrivals of a shape", () => import("./prove.js")],
  hunt: ["search for a market that breaks a property, and shrink it", () => import("./hunt.js")],
  design: [
    "choose a mechanism's setting: most for the publisher, no lie that gains",
    () => import("./design.js"),
  ],
  gate: ["hold mechanisms to the claims written down for them", () => import("./gate.js")],
  ledger: ["the paper's claims in its words, with verdicts and evidence", () => import("./ledger.js")],
  draw: ["draw markets as in the paper's Figures 2 and 3", () => import("./draw.js")],
  analyze: [
    "run analyses, or your own; data and one HTML report",
    async () => ({ define: (await import("./report.js")).defineAnalyze }),
  ],
  report: ["the main job: all analyses, one HTML report", () => import("./report.js")],
  train: ["repeated federated tasks: auction, training, reputation", () => import("./train.js")],
  worker: ["compute parts of studies that others start with --redis", () => import("./worker.js")],
  status: ["studies and workers at a Redis server, and how far they are", () => import("./status.js")],
  list: ["list what can be named on the command line", () => import("./list.js")],
  init: ["write a small mechanism, agent or analysis of your own, with its test", () => import("./init.js")],
  completion: [
    "print what bash, zsh or fish need to complete commands and names",
    async () => ({ define: (await import("./completion.js")).completionOf(commands) }),
  ],
};
