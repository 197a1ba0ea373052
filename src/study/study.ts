/** A study: names and parameters that say what to compute, never code. Whoever knows them all computes the same. */

import { createHash } from "node:crypto";
import type { Cells, Profile } from "./job.js";

/** Something named on a command line; a user's file is the same only if its content is. */
export interface Named {
  /** As typed: "online:reading=pseudocode", "./mine.ts". */
  readonly spec: string;
  /** Of the user's file and what it imports beside it; null for what is built in. */
  readonly checksum: string | null;
}

export interface Study {
  /** This program's version and a digest of its code. */
  readonly program: string;
  readonly analysis: Named;
  readonly mechanism: Named;
  /** Which of the analysis's jobs. */
  readonly job: string;
  readonly seed: string;
  readonly profile: Profile;
  readonly cells: readonly Cells<unknown>[];
  /** Whether row-level data are wanted. */
  readonly rows: boolean;
}

/** The same for the same study, on every machine. */
export const studyId = (study: Study): string => checksumOf(JSON.stringify(study)).slice(0, 16);

export const checksumOf = (text: string | Uint8Array): string =>
  createHash("sha256").update(text).digest("hex");
