/** Who does the jobs of analyses, and where what they finish is kept. */

import type { Archive, Executor } from "../sweep/gather.js";
import { inMemory, inProcess } from "../sweep/in-process.js";
import type { Session } from "./session.js";
import { type Chosen, workContext } from "./work-context.js";

export interface Crew {
  readonly executorFor: (chosen: Chosen) => Executor;
  readonly archive: Archive;
}

/** This thread alone, and nothing outlives it. */
export const alone = (session: Session): Crew => ({
  executorFor: (chosen) => inProcess(workContext(chosen), () => session.goesOn()),
  archive: inMemory(),
});
