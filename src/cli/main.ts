#!/usr/bin/env node
/** The command line. A command is loaded only when it is called, so that each starts as fast as it can. */

import { type CommandEntry, runProgram } from "./program.js";

const commands: readonly CommandEntry[] = [
  { name: "run", summary: "run the auction on markets", load: () => import("./run.js") },
  {
    name: "try",
    summary: "what an agent's lie gets each worker among truthful others",
    load: () => import("./try.js"),
  },
  {
    name: "draw",
    summary: "draw markets as in the paper's Figures 2 and 3",
    load: () => import("./draw.js"),
  },
  { name: "list", summary: "list what can be named on the command line", load: () => import("./list.js") },
];

process.exitCode = await runProgram(commands, process.argv.slice(2));
