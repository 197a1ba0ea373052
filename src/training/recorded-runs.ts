/** Repeated tasks that were trained for real once: the paper's Tables 1 and 2, and liars. */

import type { DatasetName } from "./files.js";
import lies from "./recorded/lies-mnist.json" with { type: "json" };
import fashion from "./recorded/tables-fashion.json" with { type: "json" };
import mnist from "./recorded/tables-mnist.json" with { type: "json" };
import type { RecordedRuns } from "./recorded-run.js";

/** One run under each of the paper's mechanisms, as far as there was time. */
export const recordedTables: Readonly<Record<DatasetName, RecordedRuns>> = { mnist, fashion };

/** One run for each agent that everybody played. */
export const recordedLies: RecordedRuns = lies;
