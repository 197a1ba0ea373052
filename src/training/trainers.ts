/** The registry of trainers: the key is the name on the command line. Each is loaded only when it is asked for. */

import { InputError, plainError, unknownName } from "../lib/errors.js";
import { defaultsOf, type Options, parseSettings, type Settings } from "../lib/options.js";
import { stream } from "../lib/random.js";
import { type DatasetName, datasets, isFolder } from "./datasets.js";
import type { Trainer } from "./trainer.js";

/** What every trainer is given. */
export interface TrainerOptions {
  /** A name, or a folder of IDX files such as ./mine. */
  readonly dataset: string;
  /** Where the data set's files are, if not where its package puts them. */
  readonly folder?: string | undefined;
  /** How many may compute at once, one if left out; the results are the same. */
  readonly threads?: number | undefined;
  /** Of a Dirichlet distribution over labels, from which each worker's mix of pictures is drawn; all alike if left out. */
  readonly concentration?: number | undefined;
}

export interface TrainerEntry<O extends Options = Options> {
  /** One sentence for lists. */
  readonly about: string;
  /** What `name:option=value` may set; nothing if left out. */
  readonly options?: O;
  create(given: TrainerOptions, settings: Settings<O>): Promise<Trainer>;
}

const isDataset = (name: string): name is DatasetName => Object.hasOwn(datasets, name);

const entry = <const O extends Options>(made: TrainerEntry<O>): TrainerEntry<O> => made;

const tfjs = entry({
  about:
    "Trains real models on real pictures with TensorFlow.js: 784-50-10 on MNIST, LeNet on Fashion-MNIST; the first, or the model named, on a folder of yours.",
  options: {
    validation: { default: 5000, from: 1, to: 10_000, whole: true },
    test: { default: 5000, from: 1, to: 10_000, whole: true },
    epochs: { default: 1, from: 1, to: 1000, whole: true },
    rate: { default: 0.05, from: 0, to: 10 },
    batch: { default: 128, from: 1, to: 60_000, whole: true },
    model: { default: "paper", among: ["paper", "mlp", "lenet"] },
  },
  async create({ dataset, folder, threads = 1, concentration }, { model: chosen, ...settings }) {
    const [trainer, reader] = await Promise.all([import("./tfjs.js"), import("./tfjs/read-dataset.js")]);
    const named = isDataset(dataset) ? datasets[dataset].model : "mlp";
    const model = chosen === "paper" ? named : chosen;
    const read = isFolder(dataset) ? reader.readFolder(dataset) : reader.readDataset(dataset, folder);
    return trainer.tfjs({ dataset: read, model, threads, concentration, ...settings });
  },
});

const surrogate = entry({
  about: "A learning curve fitted to real runs: needs no TensorFlow, and milliseconds a task.",
  async create({ dataset, folder, concentration }) {
    if (!isDataset(dataset))
      throw plainError(
        "--dataset",
        "the surrogate was fitted to mnist and fashion only; --trainer tfjs takes a folder",
      );
    if (folder !== undefined)
      throw plainError("--data", "the surrogate reads no pictures; --trainer tfjs takes a folder");
    if (concentration !== undefined)
      throw plainError(
        "--split",
        "the surrogate was fitted to workers with alike pictures; --trainer tfjs takes a split",
      );
    return (await import("./surrogate.js")).surrogate({ dataset });
  },
});

/** The first is the one that runs unless another is named. */
export const trainers = { surrogate, tfjs } as const;

export const defaultTrainer = Object.keys(trainers)[0]!;

/** "tfjs", or "tfjs:validation=1000,rate=0.1"; the source starts every message. */
export async function trainerNamed(
  text: string,
  given: TrainerOptions,
  source = "trainer",
): Promise<Trainer> {
  const [, name = "", settings] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? [];
  const registry: Readonly<Record<string, TrainerEntry>> = trainers;
  if (!Object.hasOwn(registry, name)) throw unknownName(source, name, { names: Object.keys(registry) });
  const { options = {}, create } = registry[name]!;
  const chosen = settings === undefined ? {} : parseSettings(settings, options, `${source} ${name}`);
  const all = { ...defaultsOf(options), ...chosen } as Settings;
  return { ...(await create(given, all)), name: text };
}

/** What a trainer lacks to train here, as a sentence without its end; null where it can train. */
export async function missingFor(trainer: string, given: TrainerOptions): Promise<string | null> {
  try {
    const nobody = { workers: [], data: stream(0), training: stream(0) };
    (await (await trainerNamed(trainer, given)).start(nobody)).end();
    return null;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}
