/** Runs in a thread of its own: finds out whether a study can be done here, and says why not. */

import { parentPort, workerData } from "node:worker_threads";
import { oneLine } from "../lib/errors.js";
import { prepare } from "./prepare.js";

const reason: string | null = await prepare(workerData).then(() => null, oneLine);
parentPort?.postMessage(reason);
