/** `npm run fit`: fits the surrogate to what was recorded, and writes down its parameters and how far off it is. */

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { datasetNames } from "../datasets.js";
import { recordedCurves } from "../recordings.js";
import { estimate, residualsBySet } from "../surrogate-fit.js";

const folder = new URL("../../../../src/training/recorded/", import.meta.url);

/** A line for each part of each data set: small, and still readable in a diff. */
function write(name: string, value: Readonly<Record<string, object>>): void {
  const sets = Object.entries(value).map(([dataset, parts]) => {
    const lines = Object.entries(parts).map(([part, numbers]) => `  "${part}": ${JSON.stringify(numbers)}`);
    return ` "${dataset}": {\n${lines.join(",\n")}\n }`;
  });
  writeFileSync(fileURLToPath(new URL(name, folder)), `{\n${sets.join(",\n")}\n}\n`);
}

const fits = datasetNames.map((name) => [name, estimate(recordedCurves[name])] as const);
write("surrogate-parameters.json", Object.fromEntries(fits));
const all = fits.map(([name, parameters]) => [name, residualsBySet(recordedCurves[name], parameters)]);
write("surrogate-residuals.json", Object.fromEntries(all));
