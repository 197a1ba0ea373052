/** The page: theme, choice, tables, charts and the live bench, all from the data in the file. */

import { startBench } from "./bench/bench.js";
import { drawCharts } from "./charts.js";
import { watchChoice } from "./choice.js";
import { followLinks, scrollToPlace } from "./hash.js";
import { fillTables } from "./tables.js";
import { watchTheme } from "./theme-toggle.js";

async function start(): Promise<void> {
  watchTheme();
  followLinks();
  watchChoice();
  fillTables();
  const bench = startBench();
  await drawCharts();
  await bench;
  scrollToPlace();
  document.documentElement.dataset.ready = "yes";
}

void start();
