/** `candor report`: all analyses into one HTML file. */

import type { Command } from "commander";
import { allAnalyses } from "./analyses.js";
import { addReportOptions, makeReport, type ReportFlags } from "./report-command.js";
import type { Session } from "./session.js";

const examples = `
Writes report.html, data.json and a CSV for each table. A failed analysis is shown as failed in the report, and the
exit code is 1.

Examples:
  candor report
  candor report --seed 2 --out reports/second --diff reports/data.json`;

export function define(command: Command, session: Session): void {
  addReportOptions(command)
    .addHelpText("after", examples)
    .action((flags: ReportFlags) =>
      makeReport({ called: "report", analyses: allAnalyses(), flags }, session),
    );
}
