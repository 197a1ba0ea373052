/** What a journal is the journal of: only a study that has all of it in common may go on with it. */

import { basename } from "node:path";
import type { Profile } from "./job.js";
import type { Named } from "./study.js";

export interface Heading {
  /** This program's version and a digest of its code: other code may compute something else. */
  readonly program: string;
  readonly analyses: readonly Named[];
  readonly mechanism: Named;
  readonly seed: string;
  readonly profile: Profile;
  /** Whether row-level data are kept. */
  readonly rows: boolean;
}

/** What sets an earlier study apart from this one, in words; null if nothing does. */
export function difference(earlier: Heading, now: Heading): string | null {
  if (earlier.program !== now.program)
    return `the program is another: ${earlier.program ?? "one without a digest"} then, ${now.program} now`;
  const parts = (heading: Heading): Record<string, string> => ({
    analyses: heading.analyses.map(({ spec }) => spec).join(" "),
    mechanism: heading.mechanism.spec,
    seed: heading.seed,
    profile: heading.profile,
    "row-level data": heading.rows ? "yes" : "no",
  });
  const [before, after] = [parts(earlier), parts(now)];
  const other = Object.keys(after).filter((name) => before[name] !== after[name]);
  if (other.length > 0) return other.map((name) => `${name} ${before[name]}, not ${after[name]}`).join(", ");
  const files = (heading: Heading) => [...heading.analyses, heading.mechanism];
  const changed = files(now).find(({ checksum }, k) => checksum !== files(earlier)[k]!.checksum);
  return changed === undefined ? null : `${basename(changed.spec)} has changed since`;
}
