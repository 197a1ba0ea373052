/** `npm run fit`: fits the surrogate to what was recorded, and writes down its parameters and how far off it is. */

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { datasetNames } from "../files.js";
import type { Recording } from "../recording.js";
import { recordings } from "../recordings.js";
import type { Parameters } from "../surrogate/parameters.js";
import { replay } from "../surrogate/replay.js";
import { type Residuals, residualsOf } from "../surrogate/residuals.js";
import { estimate } from "./estimate.js";

const folder = new URL("../../../../src/training/surrogate/", import.meta.url);

const write = (name: string, value: object): void =>
  writeFileSync(fileURLToPath(new URL(name, folder)), `${JSON.stringify(value, null, 2)}\n`);

/** Of the tasks it was fitted to, of drawn ones kept away from it, and of the fixed mixes. */
function residuals({ tasks, settings }: Recording, parameters: Parameters): Record<string, Residuals> {
  const of = (chosen: Recording["tasks"]) =>
    residualsOf(chosen.map((task) => replay(task, settings, parameters)));
  return {
    fitted: of(tasks.filter(({ heldOut }) => !heldOut)),
    heldOut: of(tasks.filter(({ heldOut, design }) => heldOut && design === "random")),
    even: of(tasks.filter(({ design }) => design === "even")),
    paper: of(tasks.filter(({ design }) => design === "paper")),
  };
}

const fits = datasetNames.map((name) => [name, estimate(recordings[name])] as const);
write("parameters.json", Object.fromEntries(fits));
const all = fits.map(([name, parameters]) => [name, residuals(recordings[name], parameters)]);
write("residuals.json", Object.fromEntries(all));
