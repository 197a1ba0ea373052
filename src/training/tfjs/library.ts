/** Loads TensorFlow.js when it is asked for: its packages are optional. */

import { plainError } from "../../lib/errors.js";
import { registerKernels } from "./kernels.js";

export interface TensorFlow {
  readonly core: typeof import("@tensorflow/tfjs-core");
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
