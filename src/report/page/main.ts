/** The page: theme, tables, charts and the live bench, all from the data in the file. */

import "./no-eval.js";
import { drawCharts } from "./charts.js";
import { followLinks, scrollToPlace, watchTheme } from "./choices.js";
import { startBench } from "./live-bench/bench.js";
import { fillTables } from "./tables.js";

async function start(): Promise<void> {
  watchTheme();
  followLinks();
  fillTables();
  const bench = startBench();
  await drawCharts();
  await bench;
  scrollToPlace();
  document.documentElement.dataset.ready = "yes";
}

void start();
