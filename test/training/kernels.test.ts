import type { Rank, Tensor, Tensor4D } from "@tensorflow/tfjs-core";
import { describe, expect, it } from "vitest";
import { type Stream, stream } from "../../src/lib/random.js";
import { PIXELS } from "../../src/training/datasets.js";
import {
  createNet,
  disposeBatches,
  initialWeights,
  scoreOf,
  toBatches,
  train,
} from "../../src/training/tfjs/models.js";
import { loadTensorFlow } from "../../src/training/tfjs/tensorflow.js";

const tensorFlow = await loadTensorFlow();
const { core } = tensorFlow;

const draw = (shape: readonly number[], draws: Stream): Float32Array =>
  Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, () => 2 * draws.next() - 1);

/** The slope of f in each of its arguments; f is linear here, so that a step as wide as 1 is exact. */
function slopes(f: (at: Float32Array) => number, at: Float32Array): number[] {
  const moved = (k: number, by: number) => f(at.map((value, i) => (i === k ? value + by : value)));
  return Array.from(at, (_, k) => moved(k, 0.5) - moved(k, -0.5));
}

describe.each(["same", "valid"] as const)("gradients of a convolution, padding %s", (pad) => {
  const input: [number, number, number, number] = [2, 7, 6, 3];
  const filter: [number, number, number, number] = [3, 4, 3, 2];
  const draws = stream("convolution").fork(pad);
  const [x, w] = [draw(input, draws.fork("x")), draw(filter, draws.fork("w"))];
  const convolve = (a: Tensor, b: Tensor) => core.conv2d(a as Tensor4D, b as Tensor4D, 1, pad);
  const outputShape = core.tidy(() => convolve(core.tensor(x, input), core.tensor(w, filter)).shape);
  const weighing = draw(outputShape, draws.fork("weighing"));
  const value = (a: Tensor, b: Tensor) =>
    core.sum(core.mul(convolve(a, b), core.tensor(weighing, outputShape)));
  const number = (a: Float32Array, b: Float32Array) =>
    core.tidy(() => value(core.tensor(a, input), core.tensor(b, filter)).dataSync()[0]!);
  const byKernel = () => {
    const result = core.tidy(() => core.grads(value)([core.tensor(x, input), core.tensor(w, filter)]));
    const arrays = result.map((tensor) => [...tensor.dataSync()]);
    core.dispose(result);
    return arrays;
  };

  it("agree with differences, in the filter and in the input", () => {
    const [ofInput, ofFilter] = byKernel();
    const inFilter = slopes((b) => number(x, b), w);
    const inInput = slopes((a) => number(a, w), x);
    expect(Math.max(...inFilter.map((slope, k) => Math.abs(slope - ofFilter![k]!)))).toBeLessThan(1e-4);
    expect(Math.max(...inInput.map((slope, k) => Math.abs(slope - ofInput![k]!)))).toBeLessThan(1e-4);
    expect(Math.max(...inFilter.map(Math.abs))).toBeGreaterThan(1);
  });

  it("leave no tensor behind", () => {
    const count = () => ({ tensors: core.memory().numTensors, buffers: core.backend().numDataIds() });
    const before = count();
    byKernel();
    expect(count()).toEqual(before);
  });
});

it.each([
  [[2, 6, 4, 3], 2, 2, "valid"],
  [[1, 7, 5, 2], 2, 2, "valid"],
  [[1, 6, 9, 1], 3, 3, "valid"],
] as const)(
  "the gradient of maximum pooling of %j by %d in steps of %d, %s, agrees with differences",
  (shape, size, step, pad) => {
    const draws = stream("pooling");
    const x = draw(shape, draws.fork("x"));
    const value = (a: Tensor) => {
      const pooled = core.maxPool(a as Tensor4D, size, step, pad);
      return core.sum(
        core.mul(pooled, core.tensor(draw(pooled.shape, draws.fork("weighing")), pooled.shape)),
      );
    };
    const at = (values: Float32Array) => core.tensor(values, [...shape]);
    const number = (values: Float32Array) => core.tidy(() => value(at(values)).dataSync()[0]!);
    const found = core.tidy(() => [
      ...core
        .grad(value as (a: Tensor) => Tensor)(at(x))
        .dataSync(),
    ]);
    const near = 1e-4;
    const moved = (k: number, by: number) => number(x.map((one, i) => (i === k ? one + by : one)));
    const expected = found.map((_, k) => (moved(k, near) - moved(k, -near)) / (2 * near));
    expect(Math.max(...expected.map((slope, k) => Math.abs(slope - found[k]!)))).toBeLessThan(0.02);
    expect(Math.max(...expected)).toBeGreaterThan(0.3);
  },
);

it.each([
  [3, 2, "valid"],
  [2, 2, "same"],
] as const)(
  "maximum pooling by %d in steps of %d, %s, says that it has no gradient rather than give a wrong one",
  (size, step, pad) => {
    const pooled = (x: Tensor<Rank>) => core.sum(core.maxPool(x as Tensor4D, size, step, pad));
    expect(() => core.tidy(() => core.grad(pooled)(core.ones([1, 5, 5, 1])))).toThrow(/side by side/);
  },
);

it("a convolution with wider steps says that it has no gradient rather than give a wrong one", () => {
  const step = (w: Tensor<Rank>) =>
    core.sum(core.conv2d(core.ones([1, 5, 5, 1]) as Tensor4D, w as Tensor4D, 2, "valid"));
  expect(() => core.tidy(() => core.grad(step)(core.ones([3, 3, 1, 1])))).toThrow(/strides of 1/);
});

it.each([
  [false, false],
  [true, false],
  [false, true],
  [true, true],
])("a product of matrices is right whichever is transposed (%s, %s)", (transposeA, transposeB) => {
  const draws = stream("product");
  const [a, b] = [draw([4, 4], draws.fork("a")), draw([4, 4], draws.fork("b"))];
  const entry = (m: Float32Array, turned: boolean, row: number, column: number) =>
    turned ? m[4 * column + row]! : m[4 * row + column]!;
  const expected = Array.from({ length: 16 }, (_, k) =>
    [0, 1, 2, 3].reduce(
      (sum, i) => sum + entry(a, transposeA, k >> 2, i) * entry(b, transposeB, i, k & 3),
      0,
    ),
  );
  const found = core.tidy(() =>
    core.matMul(core.tensor2d(a, [4, 4]), core.tensor2d(b, [4, 4]), transposeA, transposeB).dataSync(),
  );
  expect(Math.max(...expected.map((value, k) => Math.abs(value - found[k]!)))).toBeLessThan(1e-6);
});

it.each(["mlp", "lenet"] as const)(
  "the gradient of %s agrees with differences of its loss, weight by weight",
  (name) => {
    const draws = stream("net").fork(name);
    const net = createNet(tensorFlow, name, { mean: 0, deviation: 255 });
    const pixels = Uint8Array.from({ length: 8 * PIXELS }, () => draws.below(256));
    const samples = { pixels, labels: Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7) };
    const weights = initialWeights(net, draws.fork("weights"));
    // One step of training at rate 1, on all pictures in one batch, goes down by the gradient.
    const learning = { epochs: 1, rate: 1, batch: 8 };
    const orders = [Uint32Array.from({ length: 8 }, (_, k) => k)];
    const after = train(net, weights, { samples, learning, orders });
    const slope = weights.map((weight, k) => weight - after[k]!);
    const batches = toBatches(net, samples);
    const strongest = [...slope.keys()].sort((a, b) => Math.abs(slope[b]!) - Math.abs(slope[a]!));
    // In single precision only steep slopes can be told from rounding: the steepest 40, and 20 of the steeper half.
    const tested = [...strongest.slice(0, 40), ...strongest.slice(40, 400).filter((_, k) => k % 18 === 0)];
    const step = 2e-3;
    const errors = tested.map((k) => {
      const loss = (by: number) =>
        scoreOf(
          net,
          weights.map((w, i) => (i === k ? w + by : w)),
          batches,
        ).loss;
      return Math.abs((loss(step) - loss(-step)) / (2 * step) - slope[k]!);
    });
    disposeBatches(batches);
    net.model.dispose();
    expect(Math.max(...errors)).toBeLessThan(0.05 * Math.abs(slope[strongest[0]!]!));
  },
);
