/** `npm run bench`: each speed the project promises, measured in one run on input drawn beforehand. */

import { benchAnyMechanism } from "./any-mechanism.js";
import { benchAuction } from "./auction.js";
import { benchBestResponse } from "./best-response.js";
import { benchStudy } from "./study.js";

const round = (value: number): number => Number(value.toPrecision(4));

const rounded = <Row extends object>(row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === "number" ? round(value) : value]),
  ) as Row;

const results = {
  auction: [100, 1_000, 10_000, 100_000].map((workers) => rounded(benchAuction(workers))),
  bestResponse: [20, 100, 500].map((workers) => rounded(benchBestResponse(workers))),
  anyMechanism: [20, 100].flatMap((workers) => benchAnyMechanism(workers).map(rounded)),
  study: rounded(await benchStudy()),
};

if (process.argv.includes("--json")) console.log(JSON.stringify(results));
else
  for (const [name, rows] of Object.entries(results)) {
    console.log(name);
    console.table(rows);
  }
