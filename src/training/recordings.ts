/** What was recorded of real training, by data set. */

import type { DatasetName } from "./files.js";
import fashion from "./recorded/curves-fashion.json" with { type: "json" };
import mnist from "./recorded/curves-mnist.json" with { type: "json" };
import type { Recording } from "./recording.js";

export const recordings: Readonly<Record<DatasetName, Recording>> = {
  mnist: mnist as Recording,
  fashion: fashion as Recording,
};
