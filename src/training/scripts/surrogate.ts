/**
 * `npm run record:curves -- mnist|fashion` trains for real and writes down what the surrogate is fitted to; `npm run fit` fits it,
 * and writes down its parameters and how far off it is.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { stream } from "../../lib/random.js";
import { type DatasetName, datasetNames, datasets } from "../datasets.js";
import {
  type Composition,
  type CurveSettings,
  compositions,
  type Plan,
  type RecordedCurves,
  type RecordedRound,
  type RecordedTask,
  recordedCurves,
  selectedIn,
} from "../recordings.js";
import { estimate, residualsBySet } from "../surrogate-fit.js";
import { readDataset } from "../tfjs/read-dataset.js";
import { loadTensorFlow } from "../tfjs/tensorflow.js";
import { tfjs } from "../tfjs.js";
import type { RoundResult, Trainer } from "../trainer.js";

/** Fewer workers and tasks where training is slower. */
const plans: Readonly<Record<DatasetName, Omit<Plan, "rounds">>> = {
  mnist: { tasks: 29, most: 18, large: 25, even: [2, 2, 2, 2], paper: [3, 1, 1, 1] },
  fashion: { tasks: 10, most: 8, large: 20, even: [], paper: [] },
};

/** The paper's. */
const LEARNING = {
  rounds: 10,
  samples: 1000,
  epochs: 1,
  rate: 0.05,
  batch: 128,
  validation: 5000,
  test: 5000,
};

const root = new URL("../../../../", import.meta.url);
const version = JSON.parse(readFileSync(new URL("package.json", root), "utf8")).version as string;

async function recordAll(name: DatasetName): Promise<void> {
  const { model } = datasets[name];
  const settings: CurveSettings = { dataset: name, model, ...LEARNING };
  const trainer = tfjs({ dataset: readDataset(name), model, ...LEARNING });
  const { core } = await loadTensorFlow();
  const started = Date.now();
  const earlier = recordedEarlier(name, settings);
  const tasks: RecordedTask[] = [];
  const all = compositions({ ...plans[name], rounds: settings.rounds }, stream("curves").fork(name));
  for (const composition of all) {
    const known = earlier?.tasks.find((task) => isOf(task, composition));
    tasks.push(known ?? (await record(trainer, composition, settings)));
    if (known !== undefined) continue;
    const seconds = Math.round((Date.now() - started) / 1000) + (earlier?.provenance.seconds ?? 0);
    process.stderr.write(`${name}: task ${tasks.length} of ${all.length}, ${seconds} s\n`);
    const command = `npm run record:curves -- ${name}`;
    const made = { candor: version, node: process.version, tfjs: core.version_core, seconds };
    const date = new Date().toISOString().slice(0, 10);
    write(name, { provenance: { date, command, ...made }, settings, tasks });
  }
}

/** What an interrupted recording with the same settings has left. */
function recordedEarlier(name: DatasetName, settings: CurveSettings): RecordedCurves | undefined {
  if (!existsSync(pathOf(name))) return undefined;
  const earlier = JSON.parse(readFileSync(pathOf(name), "utf8")) as RecordedCurves;
  return isDeepStrictEqual(earlier.settings, settings) ? earlier : undefined;
}

const isOf = ({ before: _, rounds: __, ...task }: RecordedTask, composition: Composition): boolean =>
  isDeepStrictEqual(task, composition);

/** In the fixed mixes workers keep their data from task to task. */
async function record(
  trainer: Trainer,
  composition: Composition,
  { dataset, rounds, samples }: CurveSettings,
): Promise<RecordedTask> {
  const { design, seed, accuracies } = composition;
  const own = stream("curves").fork(dataset).fork(seed);
  const data =
    design === "random" ? own.fork("data") : stream("curves").fork(dataset).fork(design).fork("data");
  const workers = accuracies.map((accuracy, id) => ({ id, samples, accuracy }));
  const training = await trainer.start({ workers, data, training: own.fork("training") });
  const before = await training.round([]);
  const results: RecordedRound[] = [];
  for (let round = 1; round <= rounds; round++)
    results.push(rounded(await training.round(selectedIn(composition, round))));
  training.end();
  const first = { loss: fixed(before.loss), accuracy: fixed(before.accuracy) };
  return { ...composition, before: first, rounds: results };
}

const fixed = (value: number): number => Number(value.toFixed(4));

function rounded({ loss, accuracy, worths }: RoundResult): RecordedRound {
  const gains = worths.map(({ gain }) => Number(gain.toPrecision(3)));
  const cosines = worths.map(({ cosine }) => Number(cosine.toFixed(3)));
  return { loss: fixed(loss), accuracy: fixed(accuracy), gains, cosines };
}

const inFolder = (name: string): string => fileURLToPath(new URL(`src/training/recorded/${name}.json`, root));

const pathOf = (name: DatasetName): string => inFolder(`curves-${name}`);

/** One line per task, for small differences between versions. */
function write(name: DatasetName, { provenance, settings, tasks }: RecordedCurves): void {
  const lines = tasks.map((task) => `    ${JSON.stringify(task)}`).join(",\n");
  const head = `  "provenance": ${JSON.stringify(provenance)},\n  "settings": ${JSON.stringify(settings)},\n`;
  writeFileSync(pathOf(name), `{\n${head}  "tasks": [\n${lines}\n  ]\n}\n`);
}

function fitAll(): void {
  const fits = datasetNames.map((name) => [name, estimate(recordedCurves[name])] as const);
  writeParts("surrogate-parameters", Object.fromEntries(fits));
  const all = fits.map(([name, parameters]) => [name, residualsBySet(recordedCurves[name], parameters)]);
  writeParts("surrogate-residuals", Object.fromEntries(all));
}

/** A line for each part of each data set: small, and still readable in a diff. */
function writeParts(name: string, value: Readonly<Record<string, object>>): void {
  const sets = Object.entries(value).map(([dataset, parts]) => {
    const lines = Object.entries(parts).map(([part, numbers]) => `  "${part}": ${JSON.stringify(numbers)}`);
    return ` "${dataset}": {\n${lines.join(",\n")}\n }`;
  });
  writeFileSync(inFolder(name), `{\n${sets.join(",\n")}\n}\n`);
}

const asked = process.argv[2] ?? "";
if (asked === "fit") fitAll();
else if (Object.hasOwn(plans, asked)) await recordAll(asked as DatasetName);
else {
  process.stderr.write(`name a data set: ${Object.keys(plans).join(" or ")}\n`);
  process.exitCode = 2;
}
