/**
 * Kernels that the wasm backend of TensorFlow.js lacks or has only slow, composed of those it has.
 *
 * - The gradient of a convolution's filter is itself a convolution: of the input by the output's gradient, with batch and
 *   channels changing places.
 * - The gradient of its input is one too: of the padded output's gradient by the filter turned around.
 * - A product of matrices is fast only if nothing has to be transposed on the way: so transpose first.
 * - The gradient of maximum pooling is in pooling.ts.
 */

import type { KernelBackend, KernelConfig, NamedAttrMap, TensorInfo } from "@tensorflow/tfjs-core";

import { poolingGradient } from "./pooling.js";

type Core = typeof import("@tensorflow/tfjs-core");
type Shape4D = [number, number, number, number];
type Inputs = Readonly<Record<string, TensorInfo>>;

/** Runs kernels by name and remembers what they made. */
interface Bench {
  run(kernel: string, inputs: Inputs, attrs: NamedAttrMap): TensorInfo;
}

/** A kernel as a function of its inputs and attributes; whatever it makes on the way is given back. */
type Recipe = (bench: Bench, inputs: Inputs, attrs: NamedAttrMap) => TensorInfo;

const WASM = "wasm";
/** The convolution itself pads for free. */
const padded = ([top, bottom, left, right]: Shape4D): NamedAttrMap => {
  const pad = [
    [0, 0],
    [top, bottom],
    [left, right],
    [0, 0],
  ];
  return { strides: 1, dilations: 1, pad, dataFormat: "NHWC" };
};

export function registerKernels(core: Core): void {
  register(core, "Conv2DBackpropFilter", filterGradient(core));
  register(core, "Conv2DBackpropInput", inputGradient(core));
  const product = core.getKernel("BatchMatMul", WASM);
  register(core, "BatchMatMul", transposedFirst, product);
  const pooling = core.getKernel("MaxPoolGrad", WASM);
  core.unregisterKernel(pooling.kernelName, WASM);
  core.registerKernel({ ...pooling, kernelFunc: poolingGradient(core) });
}

function register(core: Core, kernelName: string, recipe: Recipe, within?: KernelConfig): void {
  const runs = (name: string) =>
    (name === within?.kernelName ? within : core.getKernel(name, WASM)).kernelFunc;
  const kernelFunc: KernelConfig["kernelFunc"] = ({ inputs, attrs = {}, backend }) => {
    const made: TensorInfo[] = [];
    const run: Bench["run"] = (name, ingredients, attributes) => {
      const tensor = runs(name)({ inputs: { ...ingredients }, attrs: attributes, backend }) as TensorInfo;
      made.push(tensor);
      return tensor;
    };
    const result = recipe({ run }, inputs as Inputs, attrs as NamedAttrMap);
    for (const { dataId } of made)
      if (dataId !== result.dataId) (backend as KernelBackend).disposeData(dataId);
    return result;
  };
  if (core.getKernel(kernelName, WASM) !== undefined) core.unregisterKernel(kernelName, WASM);
  core.registerKernel({ ...within, kernelName, backendName: WASM, kernelFunc });
}

const filterGradient =
  (core: Core): Recipe =>
  (bench, { x, dy }, attrs) => {
    const { top, bottom, left, right } = padding(core, [x!.shape, attrs.filterShape], attrs);
    const filter = transpose(bench, dy!, [1, 2, 0, 3]);
    const turned = transpose(bench, x!, [3, 1, 2, 0]);
    const gradient = bench.run("Conv2D", { x: turned, filter }, padded([top, bottom, left, right]));
    return transpose(bench, gradient, [1, 2, 0, 3]);
  };

const inputGradient =
  (core: Core): Recipe =>
  (bench, { dy, filter }, attrs) => {
    const { top, bottom, left, right } = padding(core, [attrs.inputShape, filter!.shape], attrs);
    const [height, width] = filter!.shape as Shape4D;
    const sides = padded([height - 1 - top, height - 1 - bottom, width - 1 - left, width - 1 - right]);
    const reversed = bench.run("Reverse", { x: filter! }, { dims: [0, 1] });
    const turned = transpose(bench, reversed, [0, 1, 3, 2]);
    return bench.run("Conv2D", { x: dy!, filter: turned }, sides);
  };

const transposedFirst: Recipe = (bench, { a, b }, { transposeA, transposeB }) => {
  const [left, right] = [transposeA ? swapLast(bench, a!) : a!, transposeB ? swapLast(bench, b!) : b!];
  return bench.run("BatchMatMul", { a: left, b: right }, { transposeA: false, transposeB: false });
};

function swapLast(bench: Bench, x: TensorInfo): TensorInfo {
  const axes = [...x.shape.keys()];
  return transpose(bench, x, [...axes.slice(0, -2), axes.at(-1)!, axes.at(-2)!]);
}

const transpose = (bench: Bench, x: TensorInfo, perm: number[]): TensorInfo =>
  bench.run("Transpose", { x }, { perm });

/** How much a convolution padded its input; only steps of 1 have a gradient here. */
function padding(
  core: Core,
  [input, filter]: [unknown, unknown],
  { strides, pad, dataFormat }: NamedAttrMap,
) {
  const step = core.backend_util.tupleValuesAreOne(strides as number | number[]);
  if (!step || dataFormat !== "NHWC")
    throw new Error("gradients of convolutions are there for strides of 1 and channels last only");
  return core.backend_util.computeConv2DInfo(
    input as Shape4D,
    filter as Shape4D,
    1,
    1,
    pad as "same" | "valid",
  ).padInfo;
}
