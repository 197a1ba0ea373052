/** The registry of agents: the key is the file name and the name on the command line. */

import { type AgentEntry, type AnyAgent, isFormula, isTunable, tuned } from "../src/agents/agent.js";
import { unknownName } from "../src/lib/errors.js";
import { bestResponder } from "./best-responder.js";
import { colluders } from "./colluders.js";
import { freeloader } from "./freeloader.js";
import { interimResponder } from "./interim-responder.js";
import { latecomer } from "./latecomer.js";
import { learner } from "./learner.js";
import { lowBaller } from "./low-baller.js";
import { noisy } from "./noisy.js";
import { overbid } from "./overbid.js";
import { priceAndDelay } from "./price-and-delay.js";
import { shirker } from "./shirker.js";
import { startBlocker } from "./start-blocker.js";
import { startForcer } from "./start-forcer.js";
import { truthful } from "./truthful.js";
import { underbid } from "./underbid.js";
import { whitewasher } from "./whitewasher.js";

export const agents = {
  truthful,
  overbid,
  underbid,
  latecomer,
  "price-and-delay": priceAndDelay,
  "low-baller": lowBaller,
  "start-blocker": startBlocker,
  "start-forcer": startForcer,
  "interim-responder": interimResponder,
  "best-responder": bestResponder,
  colluders,
  noisy,
  learner,
  shirker,
  freeloader,
  whitewasher,
} as const satisfies Record<string, AgentEntry>;

/** Every registered agent as listed: those with options at their defaults. */
export const builtInAgents = (): AnyAgent[] =>
  Object.values<AgentEntry>(agents).map((entry) => (isTunable(entry) ? entry() : entry));

/** `overbid`, `overbid:factor=1.5` or `price = 1.2*cost; arrival = arrival + 1`; the source starts every message. */
export async function agentNamed(spec: string, source = "agent"): Promise<AnyAgent> {
  if (isFormula(spec)) return (await import("../src/agents/formula.js")).formulaAgent(spec, source);
  const [, name = "", settings] = /^([^:]*)(?::(.*))?$/s.exec(spec) ?? [];
  const registry: Readonly<Record<string, AgentEntry>> = agents;
  if (!Object.hasOwn(registry, name)) throw unknownName(source, name, { names: Object.keys(registry) });
  return tuned(registry[name]!, `${source} ${name}`, settings);
}
