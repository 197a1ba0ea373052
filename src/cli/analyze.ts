/** `candor analyze`: chosen analyses, or a user's own, into a report. */

import type { Command } from "commander";
import { quoted } from "../verdicts/explain.js";
import { resolveAnalyses } from "./analyses.js";
import { addReportOptions, makeReport, type ReportFlags } from "./report-command.js";
import { needRows } from "./row-files.js";
import type { Session } from "./session.js";

const examples = `
NAME is one of those that candor list shows, or a file of your own such as ./mine.ts.
A failed analysis is shown as failed in the report, and the exit code is 1.

Examples:
  candor analyze truthfulness-map --seed 7 --out reports/map
  candor analyze truthfulness-map --data parquet
  candor analyze landscape --format svg --out figures`;

export function define(command: Command, session: Session): void {
  addReportOptions(command.argument("<name...>", "analyses, or files"))
    .addHelpText("after", examples)
    .action(async (names: string[], flags: ReportFlags) => {
      const called = `analyze ${names.map(quoted).join(" ")}`;
      const analyses = await resolveAnalyses(names);
      if (flags.data !== undefined) needRows(analyses);
      await makeReport({ called, analyses, flags }, session);
    });
}
