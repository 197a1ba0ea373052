/** The names under which candor keeps things in Redis. */

/** What BullMQ puts before the names of its own. */
export const PREFIX = "candor:queue";

/** Ids of the studies that are being done. */
export const STUDIES = "candor:studies";

/** Ids of workers, some of which may be gone. */
export const WORKERS = "candor:workers";

/** What a worker says of itself; goes when it is not said again. */
export const workerKey = (id: string): string => `candor:worker:${id}`;

/** Of one study. */
export const studyKeys = (id: string) => ({
  /** The study itself and how far it is. */
  study: `candor:study:${id}`,
  /** Results that nobody has taken yet, by the numbers of their chunks. */
  results: `candor:results:${id}`,
  /** Holds something when a result has come. */
  bell: `candor:bell:${id}`,
  /** Who hands out the chunks and takes the results; goes when it is not said again. */
  coordinator: `candor:coordinator:${id}`,
});

/** BullMQ takes no numbers as names of jobs. */
export const jobId = (chunk: number): string => `chunk-${chunk}`;

export const chunkOf = (job: string): number => Number(job.slice("chunk-".length));
