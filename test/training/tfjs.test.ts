import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { stream } from "../../src/lib/random.js";
import { afterTask } from "../../src/training/reputation.js";
import { average } from "../../src/training/tfjs/jobs.js";
import { createNet, drawOrders, initialWeights, train } from "../../src/training/tfjs/models.js";
import { readDataset } from "../../src/training/tfjs/read-dataset.js";
import { pick, scaleOf } from "../../src/training/tfjs/samples.js";
import { loadTensorFlow } from "../../src/training/tfjs/tensorflow.js";
import { tfjs } from "../../src/training/tfjs.js";
import type { RoundResult, Trainer } from "../../src/training/trainer.js";
import { isLong } from "../long.js";

const mnist = readDataset("mnist");
const small = { validation: 1000, test: 1000 };
const perceptron = tfjs({ dataset: mnist, model: "mlp", ...small });

const workersOf = (accuracies: readonly number[], samples = 1000) =>
  accuracies.map((accuracy, id) => ({ id, samples, accuracy }));

/** A task in which these ids work in each round. */
async function play(
  trainer: Trainer,
  accuracies: readonly number[],
  rounds: readonly (readonly number[])[],
  seed = 1,
): Promise<RoundResult[]> {
  const workers = workersOf(accuracies);
  const training = await trainer.start({ workers, data: stream(seed).fork("data"), training: stream(seed) });
  const results: RoundResult[] = [];
  for (const selected of rounds) results.push(await training.round(selected));
  training.end();
  return results;
}

const times = <T>(n: number, value: T): T[] => Array.from({ length: n }, () => value);

describe("real MNIST", () => {
  it("is learned by the perceptron to a loss below 0.6 in one small task", async () => {
    const results = await play(perceptron, [1, 1, 1], times(8, [0, 1, 2]));
    expect(results.at(-1)!.loss).toBeLessThan(0.6);
    expect(results.at(-1)!.accuracy).toBeGreaterThan(0.8);
    expect(results[0]!.loss).toBeGreaterThan(results.at(-1)!.loss);
  });

  it("tells good workers from bad ones: by what the model loses without them, by direction, by reputation", async () => {
    const results = await play(perceptron, [1, 1, 0.4, 0.1], times(3, [3, 2, 1, 0]));
    for (const { worths } of results) {
      expect(worths.map(({ id }) => id)).toEqual([0, 1, 2, 3]);
      expect(Math.min(worths[0]!.gain, worths[1]!.gain)).toBeGreaterThan(0);
      expect(worths[3]!.gain).toBeLessThan(0);
      expect(worths[0]!.cosine).toBeGreaterThan(worths[3]!.cosine);
    }
    const reputations = afterTask(
      new Map(),
      results.map(({ worths }) => worths),
    );
    expect(reputations.get(0)).toBeGreaterThan(0.5);
    expect(reputations.get(3)).toBeLessThan(0.5);
  });
});

it.runIf(isLong)(
  "five tasks of the paper's mix tell workers of accuracy 1.0 from all others: they rise, the others lose all",
  async () => {
    const accuracies = [1, 1, 1, 0.7, 0.4, 0.1];
    let reputations: ReadonlyMap<number, number> = new Map();
    for (let task = 0; task < 5; task++) {
      const results = await play(perceptron, accuracies, times(3, [...accuracies.keys()]), task);
      const worths = results.map((result) => result.worths);
      reputations = afterTask(reputations, worths);
    }
    const after = [...accuracies.keys()].map((id) => reputations.get(id)!);
    expect(Math.min(...after.slice(0, 3))).toBeGreaterThan(0.7);
    expect(Math.max(...after.slice(3))).toBeLessThan(0.1);
  },
);

it.runIf(isLong)("LeNet learns real Fashion-MNIST", async () => {
  const lenet = tfjs({ dataset: readDataset("fashion"), model: "lenet", validation: 500, test: 1000 });
  const results = await play(lenet, [1, 1], times(4, [0, 1]));
  expect(results.at(-1)!.loss).toBeLessThan(1.6);
  expect(results.at(-1)!.accuracy).toBeGreaterThan(0.4);
});

describe("a task", () => {
  it("gives the same numbers for the same seed, in whatever order workers are named, and others for another", async () => {
    const first = await play(perceptron, [1, 0.7, 1], [[0, 1, 2], [2]]);
    expect(await play(perceptron, [1, 0.7, 1], [[2, 0, 1, 0], [2]])).toEqual(first);
    expect(await play(perceptron, [1, 0.7, 1], [[0, 1, 2], [2]], 2)).not.toEqual(first);
  });

  it("leaves no tensor behind", async () => {
    const { core } = await loadTensorFlow();
    const count = () => ({ tensors: core.memory().numTensors, buffers: core.backend().numDataIds() });
    const before = count();
    await play(perceptron, [1, 0.1], [[0, 1], [], [1]]);
    expect(count()).toEqual(before);
  });

  it("keeps its model in a round with nobody", async () => {
    const [before, idle] = await play(perceptron, [1], [[0], []]);
    expect(idle).toEqual({ loss: before!.loss, accuracy: before!.accuracy, worths: [] });
  });

  it("values the only worker against the model from before, and along with itself", async () => {
    const [{ worths }] = (await play(perceptron, [1], [[0]])) as [RoundResult];
    expect(worths[0]!.gain).toBeGreaterThan(0.2);
    expect(worths[0]!.cosine).toBeCloseTo(1, 6);
  });

  it("says in one line when a worker has no data in it", async () => {
    await expect(play(perceptron, [1], [[7]])).rejects.toThrow(
      "trainer tfjs: worker 7 has no data in this task",
    );
  });
});

it("federated averaging of workers with the same data and stream is what one of them alone would do", async () => {
  const net = createNet(await loadTensorFlow(), "mlp", scaleOf(mnist.training));
  const samples = pick(
    mnist.training,
    Array.from({ length: 300 }, (_, k) => k),
  );
  const weights = initialWeights(net, stream("first"));
  const learning = { epochs: 1, rate: 0.05, batch: 128 };
  const alone = () =>
    train(net, weights, { samples, learning, orders: drawOrders(300, learning, stream("order")) });
  const together = average(times(3, 0).map(() => ({ weights: alone(), samples: 300 })));
  expect(together).toEqual(alone());
  expect(together).not.toEqual(weights);
  net.model.dispose();
});

it("without the packages of TensorFlow.js there is one line that says what to install", () => {
  const dist = fileURLToPath(new URL("../../dist/src/", import.meta.url));
  const elsewhere = mkdtempSync(join(tmpdir(), "candor-bare-"));
  try {
    for (const file of ["lib/errors.js", "training/tfjs/tensorflow.js"]) {
      mkdirSync(join(elsewhere, file, ".."), { recursive: true });
      cpSync(join(dist, file), join(elsewhere, file));
    }
    writeFileSync(join(elsewhere, "package.json"), '{"type":"module"}');
    const script = `import { loadTensorFlow } from "./training/tfjs/tensorflow.js";
      await loadTensorFlow().catch(({ name, message }) => console.log(name + "|" + message));`;
    const said = execFileSync(process.execPath, ["--input-type=module", "-e", script], { cwd: elsewhere });
    expect(String(said)).toMatch(
      /^InputError\|trainer tfjs: needs packages that are not installed: run "npm install @tensorflow\/tfjs-core@4\.22\.0 .*"\n$/,
    );
  } finally {
    rmSync(elsewhere, { recursive: true });
  }
});
