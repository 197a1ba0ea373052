/** Runs analyses one after another: one that fails does not lose the others. */

import { builtInAgents } from "../../agents/index.js";
import type { Analysis, AnalysisContext, Pool, Profile } from "../analysis.js";
import type { AnyMechanism } from "../mechanism.js";
import { mechanisms } from "../mechanisms/index.js";
import { stream } from "../random.js";
import type { Section } from "../report/data.js";
import { checkedResult } from "../report/validate.js";
import { oneLine } from "./extension.js";
import type { Session } from "./session.js";

export interface Study {
  readonly analyses: readonly Analysis[];
  readonly seed: string;
  readonly profile: Profile;
  readonly mechanism: AnyMechanism;
}

/** Thrown out of an analysis when Ctrl-C was pressed. */
class Interrupted extends Error {}

export async function runAnalyses(study: Study, session: Session): Promise<Section[]> {
  const gauge = session.gauge();
  const sections: Section[] = [];
  for (const [k, analysis] of study.analyses.entries()) {
    const tell = (share: number) => gauge.show((k + share) / study.analyses.length, analysis.name);
    tell(0);
    sections.push(
      await runAnalysis(analysis, contextFor(analysis, study, countingPool(session, tell)), session),
    );
  }
  gauge.clear();
  return sections;
}

function contextFor({ name }: Analysis, { seed, profile, mechanism }: Study, pool: Pool): AnalysisContext {
  const known: readonly AnyMechanism[] = Object.values(mechanisms);
  return {
    stream: stream(seed).fork(name),
    profile,
    mechanism,
    mechanisms: known.includes(mechanism) ? known : [mechanism, ...known],
    agents: builtInAgents(),
    pool,
  };
}

async function runAnalysis(analysis: Analysis, context: AnalysisContext, session: Session): Promise<Section> {
  const { name, question, timed } = analysis;
  const known = { name, question, ...(timed && { timed }) };
  const lost = { ...known, error: null, result: null };
  if (!(await session.goesOn())) return { ...lost, state: "interrupted" };
  try {
    const result = checkedResult(await analysis.run(context));
    return { ...known, state: "done", error: null, result };
  } catch (error) {
    if (error instanceof Interrupted || session.signal.aborted) return { ...lost, state: "interrupted" };
    if (process.env.CANDOR_DEBUG === "1") console.error(error);
    return { ...lost, state: "failed", error: oneLine(error) };
  }
}

type Work<In, Out> = (input: In, index: number) => Out | Promise<Out>;

/** In this process, one after another; tells the share of the inputs known so far that are done. */
function countingPool(session: Session, tell: (share: number) => void): Pool {
  let [done, known] = [0, 0];
  return {
    async map<In, Out>(inputs: readonly In[], work: Work<In, Out>): Promise<Out[]> {
      known += inputs.length;
      const results: Out[] = [];
      for (const [index, input] of inputs.entries()) {
        if (!(await session.goesOn())) throw new Interrupted();
        results.push(await work(input, index));
        tell(++done / known);
      }
      return results;
    },
  };
}
