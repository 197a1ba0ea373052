import type { AnalysisContext, AnalysisResult, Row } from "../../src/analysis.js";
import type { AnyMechanism } from "../../src/mechanism.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { stream } from "../../src/random.js";

/** A context that works one piece after the other in this thread. */
export const contextOf = (
  seed: string | number,
  mechanism: AnyMechanism = mechanisms.online,
  compared: readonly AnyMechanism[] = Object.values(mechanisms),
): AnalysisContext => ({
  stream: stream(seed),
  profile: "quick",
  mechanism,
  mechanisms: compared,
  agents: [],
  pool: { map: (inputs, work) => Promise.all(inputs.map(work)) },
});

export const rowsOf = ({ tables }: AnalysisResult, name: string): readonly Row[] =>
  tables.find((table) => table.name === name)!.rows;
