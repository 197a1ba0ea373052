/**
 * TensorFlow.js on its wasm backend. Its packages are optional and loaded when they are asked for. The kernels that the backend
 * lacks, or has only slow, are composed here of those it has:
 *
 * - The gradient of a convolution's filter is itself a convolution: of the input by the output's gradient, with batch and
 *   channels changing places.
 * - The gradient of its input is one too: of the padded output's gradient by the filter turned around.
 * - A product of matrices is fast only if nothing has to be transposed on the way: so transpose first.
 * - The gradient of maximum pooling is a loop, which takes a third of the time of the backend's own kernel; that one is wrong
 *   where there is padding.
 */

import type { KernelBackend, KernelConfig, NamedAttrMap, TensorInfo } from "@tensorflow/tfjs-core";
import { plainError } from "../../lib/errors.js";

export interface TensorFlow {
  readonly core: Core;
  readonly layers: typeof import("@tensorflow/tfjs-layers");
}

const INSTALL =
  "npm install @tensorflow/tfjs-core@4.22.0 @tensorflow/tfjs-layers@4.22.0 @tensorflow/tfjs-backend-wasm@4.22.0";

let loading: Promise<TensorFlow> | undefined;

/** TensorFlow.js on its wasm backend, with the kernels it lacks; or one line that says what to install. */
export function loadTensorFlow(): Promise<TensorFlow> {
  loading ??= load();
  return loading;
}

async function load(): Promise<TensorFlow> {
  const tensorFlow = await importPackages();
  registerKernels(tensorFlow.core);
  if (await tensorFlow.core.setBackend("wasm")) return tensorFlow;
  throw plainError("trainer tfjs", "the wasm backend of TensorFlow.js does not start on this machine");
}

async function importPackages(): Promise<TensorFlow> {
  try {
    const core = await import("@tensorflow/tfjs-core");
    const layers = await import("@tensorflow/tfjs-layers");
    await import("@tensorflow/tfjs-backend-wasm");
    return { core, layers };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw plainError("trainer tfjs", `needs packages that are not installed: run "${INSTALL}"`);
  }
}

type Core = typeof import("@tensorflow/tfjs-core");
type Shape4D = [number, number, number, number];
type Inputs = Readonly<Record<string, TensorInfo>>;

/** Runs a kernel by name. */
type Run = (kernel: string, inputs: Inputs, attrs: NamedAttrMap) => TensorInfo;

/** A kernel as a function of its inputs and attributes; whatever it makes on the way is freed. */
type ComposedKernel = (run: Run, inputs: Inputs, attrs: NamedAttrMap) => TensorInfo;

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

function registerKernels(core: Core): void {
  register(core, "Conv2DBackpropFilter", filterGradient(core));
  register(core, "Conv2DBackpropInput", inputGradient(core));
  const product = core.getKernel("BatchMatMul", WASM);
  register(core, "BatchMatMul", transposedFirst, product);
  const pooling = core.getKernel("MaxPoolGrad", WASM);
  core.unregisterKernel(pooling.kernelName, WASM);
  core.registerKernel({ ...pooling, kernelFunc: poolingGradient(core) });
}

function register(core: Core, kernelName: string, composed: ComposedKernel, within?: KernelConfig): void {
  const runs = (name: string) =>
    (name === within?.kernelName ? within : core.getKernel(name, WASM)).kernelFunc;
  const kernelFunc: KernelConfig["kernelFunc"] = ({ inputs, attrs = {}, backend }) => {
    const made: TensorInfo[] = [];
    const run: Run = (name, given, attributes) => {
      const tensor = runs(name)({ inputs: { ...given }, attrs: attributes, backend }) as TensorInfo;
      made.push(tensor);
      return tensor;
    };
    const result = composed(run, inputs as Inputs, attrs as NamedAttrMap);
    for (const { dataId } of made)
      if (dataId !== result.dataId) (backend as KernelBackend).disposeData(dataId);
    return result;
  };
  if (core.getKernel(kernelName, WASM) !== undefined) core.unregisterKernel(kernelName, WASM);
  core.registerKernel({ ...within, kernelName, backendName: WASM, kernelFunc });
}

const filterGradient =
  (core: Core): ComposedKernel =>
  (run, { x, dy }, attrs) => {
    const { top, bottom, left, right } = padding(core, [x!.shape, attrs.filterShape], attrs);
    const filter = transpose(run, dy!, [1, 2, 0, 3]);
    const turned = transpose(run, x!, [3, 1, 2, 0]);
    const gradient = run("Conv2D", { x: turned, filter }, padded([top, bottom, left, right]));
    return transpose(run, gradient, [1, 2, 0, 3]);
  };

const inputGradient =
  (core: Core): ComposedKernel =>
  (run, { dy, filter }, attrs) => {
    const { top, bottom, left, right } = padding(core, [attrs.inputShape, filter!.shape], attrs);
    const [height, width] = filter!.shape as Shape4D;
    const sides = padded([height - 1 - top, height - 1 - bottom, width - 1 - left, width - 1 - right]);
    const reversed = run("Reverse", { x: filter! }, { dims: [0, 1] });
    const turned = transpose(run, reversed, [0, 1, 3, 2]);
    return run("Conv2D", { x: dy!, filter: turned }, sides);
  };

const transposedFirst: ComposedKernel = (run, { a, b }, { transposeA, transposeB }) => {
  const [left, right] = [transposeA ? swapLast(run, a!) : a!, transposeB ? swapLast(run, b!) : b!];
  return run("BatchMatMul", { a: left, b: right }, { transposeA: false, transposeB: false });
};

function swapLast(run: Run, x: TensorInfo): TensorInfo {
  const axes = [...x.shape.keys()];
  return transpose(run, x, [...axes.slice(0, -2), axes.at(-1)!, axes.at(-2)!]);
}

const transpose = (run: Run, x: TensorInfo, perm: number[]): TensorInfo => run("Transpose", { x }, { perm });

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

type Kernel = KernelConfig["kernelFunc"];

/** The part of the wasm backend that lets a kernel be written here. */
interface Heap {
  makeOutput(shape: readonly number[], dtype: "float32"): TensorInfo;
  typedArrayFromHeap(tensor: TensorInfo): Float32Array;
}

/** The gradient of maximum pooling, for windows side by side without padding only. */
const poolingGradient =
  (core: Core): Kernel =>
  (call) => {
    const { input, dy } = call.inputs as unknown as Readonly<Record<"input" | "dy", TensorInfo>>;
    const { filterSize, strides, pad } = call.attrs as unknown as Record<string, [number, number]>;
    const shape = input.shape as Shape4D;
    const info = core.backend_util.computePool2DInfo(
      shape,
      filterSize!,
      strides!,
      1,
      pad as unknown as "valid",
    );
    const { filterHeight, filterWidth, strideHeight, strideWidth, padInfo } = info;
    const apart = filterHeight === strideHeight && filterWidth === strideWidth;
    if (!apart || padInfo.type !== "VALID")
      throw new Error(
        "the gradient of maximum pooling is there for windows side by side without padding only",
      );
    const heap = call.backend as Heap;
    const made = heap.makeOutput(shape, "float32");
    // Views come last: making a tensor may move the heap.
    const [values, slopes, result] = [input, dy, made].map((tensor) => heap.typedArrayFromHeap(tensor));
    assignSlopes([values!, slopes!], result!, { shape, window: [filterHeight, filterWidth] });
    return made;
  };

/** Each slope goes to the first place of its window that holds the maximum; everywhere else is 0. */
function assignSlopes(
  [values, slopes]: [Float32Array, Float32Array],
  result: Float32Array,
  sides: { readonly shape: Shape4D; readonly window: [tall: number, wide: number] },
): void {
  const [, height, width, channels] = sides.shape;
  const [tall, wide] = sides.window;
  const row = width * channels;
  const [rows, columns] = [Math.floor(height / tall), Math.floor(width / wide)];
  result.fill(0);
  for (let k = 0, line = 0; k < slopes.length; line++) {
    let corner = (Math.floor(line / rows) * height + (line % rows) * tall) * row;
    for (let column = 0; column < columns; column++, corner += wide * channels)
      for (let channel = 0; channel < channels; channel++) {
        let best = corner + channel;
        for (let y = corner + channel; y < corner + tall * row; y += row)
          for (let x = y; x < y + wide * channels; x += channels) if (values[x]! > values[best]!) best = x;
        result[best] = slopes[k++]!;
      }
  }
}
