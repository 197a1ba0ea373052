#!/usr/bin/env node
/** The command line. A command is loaded only when it is called, so that each starts as fast as it can. */

import { isMainThread, parentPort, workerData } from "node:worker_threads";
import type { CommandEntry } from "./program.js";

const commands: readonly CommandEntry[] = [
  { name: "run", summary: "run the auction on markets", load: () => import("./run.js") },
  {
    name: "try",
    summary: "what an agent's lie gets each worker among truthful others",
    load: () => import("./try.js"),
  },
  {
    name: "best-response",
    summary: "the best lie of every worker and what it gains",
    load: () => import("./best-response.js"),
  },
  {
    name: "explain",
    summary: "truthful and lying run side by side: why a lie pays",
    load: () => import("./explain.js"),
  },
  {
    name: "check",
    summary: "verdicts P1–P6 and joint, with witnesses",
    load: () => import("./check.js"),
  },
  {
    name: "prove",
    summary: "settle the claims for all costs, budgets and arrivals of a shape",
    load: () => import("./prove.js"),
  },
  {
    name: "hunt",
    summary: "search for a market that breaks a property, and shrink it",
    load: () => import("./hunt.js"),
  },
  {
    name: "design",
    summary: "choose a mechanism's setting: most for the publisher, no lie that gains",
    load: () => import("./design.js"),
  },
  {
    name: "gate",
    summary: "hold mechanisms to the claims written down for them",
    load: () => import("./gate.js"),
  },
  {
    name: "draw",
    summary: "draw markets as in the paper's Figures 2 and 3",
    load: () => import("./draw.js"),
  },
  {
    name: "analyze",
    summary: "run analyses, or your own; data and one HTML report",
    load: async () => ({ define: (await import("./report.js")).defineAnalyze }),
  },
  {
    name: "report",
    summary: "the main job: all analyses, one HTML report",
    load: () => import("./report.js"),
  },
  {
    name: "train",
    summary: "repeated federated tasks: auction, training, reputation",
    load: () => import("./train.js"),
  },
  {
    name: "worker",
    summary: "compute parts of studies that others start with --redis",
    load: () => import("./worker.js"),
    listens: true,
  },
  {
    name: "status",
    summary: "studies and workers at a Redis server, and how far they are",
    load: () => import("./status.js"),
    listens: true,
  },
  {
    name: "list",
    summary: "list what can be named on the command line",
    load: () => import("./list.js"),
    listens: true,
  },
  {
    name: "init",
    summary: "write a small mechanism, agent or analysis of your own, with its test",
    load: () => import("./init.js"),
    listens: true,
  },
  {
    name: "completion",
    summary: "print what bash, zsh or fish need to complete commands and names",
    load: async () => ({ define: (await import("./completion.js")).completionOf(commands) }),
    listens: true,
  },
];

process.exitCode = isMainThread ? await begin(process.argv.slice(2)) : await runInThread();

async function begin(args: readonly string[]): Promise<number> {
  const [{ calledAs, firstThread, supervise }, { INTERRUPTED }] = await Promise.all([
    import("./supervise.js"),
    import("./session.js"),
  ]);
  const command = commands.find(({ name }) => name === args[0]);
  if (command === undefined || command.listens) {
    const { runProgram } = await import("./program.js");
    const code = await runProgram(commands, args, firstThread());
    // A server that does not answer may keep its connection open for seconds.
    return code === INTERRUPTED ? process.exit(code) : code;
  }
  return supervise(new URL(import.meta.url), { args, calledAs: calledAs(), columns: process.stdout.columns });
}

async function runInThread(): Promise<number> {
  const [{ callerAt }, { runProgram }] = await Promise.all([
    import("./supervise.js"),
    import("./program.js"),
  ]);
  const caller = callerAt(parentPort!, workerData);
  const code = await runProgram(commands, workerData.args, caller);
  caller.end(code);
  return code;
}
