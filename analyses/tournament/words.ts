/** The tournament in sentences. */

import { type AnyAgent, isInformed } from "../../src/agents/agent.js";
import { listed, many, signed, threeDigits } from "../../src/lib/format.js";
import type { Estimate } from "../../src/lib/statistics.js";
import { estimateFrom } from "../../src/lib/summaries.js";
import { regimes } from "../../src/mechanisms/outcome.js";
import type { Finding } from "../../src/report/result.js";
import { ALONE, EVERYBODY, MIXED } from "./populations.js";
import { gainOf, type Standing, type Standings, standingOf, type Where } from "./standings.js";

export interface Tournament {
  readonly agents: readonly AnyAgent[];
  readonly standings: Standings;
  /** In the order of their size, the mixed one last. */
  readonly populations: readonly string[];
  readonly tasks: number;
}

export const findingsOf = (result: Tournament): Finding[] => [
  ...result.agents.filter(isInformed).flatMap((agent) => informedFinding(agent, result)),
  ...worstFinding(result),
  ...selfDefeatFinding(result),
  ...result.agents.filter(({ traits }) => traits.learns).flatMap((agent) => learnerFinding(agent, result)),
  ...worldsFinding(result),
];

/** In these populations, all regimes of the markets drawn. */
const inAll = ({ standings }: Tournament, agent: string, population: string): Standing | null =>
  standingOf(standings, { agent, population, regime: "all" });

/** "+0.02 (+0.01 to +0.03; 48 markets)". */
function amountText(estimate: Estimate, show: (x: number) => string = signed): string {
  const { mean, low, high, n } = estimate;
  if (low === 0 && high === 0) return `nothing (${many(n, "market")})`;
  const interval = Number.isFinite(low) ? `${show(low)} to ${show(high)}` : "no interval";
  return `${show(mean)} (${interval}; ${many(n, "market")})`;
}

/** " in late-start runs", nothing for all regimes. */
const runsText = (regime: Where["regime"]): string =>
  regime === "all" ? "" : ` in ${regime.replace("late start", "late-start")} runs`;

function informedFinding({ name }: AnyAgent, { standings }: Tournament): Finding[] {
  const parts = regimes.flatMap((regime) => {
    const where: Where = { agent: name, population: ALONE, regime };
    const standing = standingOf(standings, where);
    return standing ? [`${amountText(gainOf(standing))}${runsText(regime)}`] : [];
  });
  if (parts.length === 0) return [];
  return [
    { text: `Shown all bids, the ${name} alone among the truthful gains ${listed(parts)}.`, weight: 65 },
  ];
}

/** Gains of all agents in a population, least first. */
const ordered = (result: Tournament, population: string) =>
  result.agents
    .flatMap(({ name }) => {
      const standing = inAll(result, name, population);
      return standing ? [{ name, standing, gain: gainOf(standing) }] : [];
    })
    .sort((a, b) => a.gain.mean - b.gain.mean);

function worstFinding(result: Tournament): Finding[] {
  const [worst] = ordered(result, ALONE);
  if (!worst || worst.gain.mean >= 0) return [];
  const truth = threeDigits(worst.standing.truthful.mean);
  const text = `Alone among the truthful the ${worst.name} loses most: ${amountText(worst.gain)} a worker, where the truth earns ${truth}.`;
  return [{ text, weight: 40 }];
}

/** Where a strategy that all play makes the truth worth most. */
function selfDefeatFinding(result: Tournament): Finding[] {
  const [worst] = ordered(result, EVERYBODY);
  if (!worst || worst.gain.mean >= 0) return [];
  const { mean, low, high, n } = worst.gain;
  const better = amountText({ mean: -mean, low: -high, high: -low, n }, threeDigits);
  const text = `Where all workers play ${worst.name}, one of them would earn ${better} more by telling the truth.`;
  return [{ text, weight: 35 }];
}

function learnerFinding({ name }: AnyAgent, result: Tournament): Finding[] {
  const standing = inAll(result, name, ALONE);
  if (!standing) return [];
  const text = `After ${many(result.tasks, "task")} the ${name}, alone among the truthful, earns ${amountText(gainOf(standing))} a worker compared with the truth.`;
  return [{ text, weight: 30 }];
}

/** What truthful workers earn in the mixed population, the same workers where all tell the truth, and the difference. */
export function worldsOf(result: Tournament): { world: string; utility: Estimate }[] {
  const honest = result.agents.find(({ traits }) => traits.lies.length === 0);
  const standing = honest && inAll(result, honest.name, MIXED);
  if (!standing) return [];
  const { truthful, before, drift } = standing;
  return [
    { world: "mixed population", utility: estimateFrom(truthful) },
    { world: "all tell the truth", utility: estimateFrom(before) },
    { world: "difference", utility: estimateFrom(drift) },
  ];
}

function worldsFinding(result: Tournament): Finding[] {
  const [mixed, truthful, difference] = worldsOf(result).map(({ utility }) => utility);
  if (!mixed || !truthful || !difference) return [];
  const earned = (utility: Estimate) => amountText(utility, threeDigits);
  const text = `Truthful workers earn ${earned(mixed)} a worker in the mixed population; the same workers earn ${earned(truthful)} where all tell the truth, a difference of ${amountText(difference)}.`;
  return [{ text, weight: 45 }];
}

/** Who earns most and least in a regime, alone. */
export function captionOf({ standings, agents }: Tournament, regime: Where["regime"]): string {
  const gains = agents
    .flatMap(({ name }) => {
      const standing = standingOf(standings, { agent: name, population: ALONE, regime });
      return standing ? [{ name, gain: gainOf(standing) }] : [];
    })
    .sort((a, b) => b.gain.mean - a.gain.mean);
  const [best, worst] = [gains[0], gains.at(-1)];
  if (!best || !worst) return `Nobody was asked${runsText(regime)}.`;
  const most =
    best.gain.mean > 0
      ? `the ${best.name} earns most (${signed(best.gain.mean)} a worker)`
      : "no agent earned more than the truth";
  return `Alone among the truthful${runsText(regime)}, ${most}; the ${worst.name} earns least (${signed(worst.gain.mean)}; ${many(best.gain.n, "market")}).`;
}
