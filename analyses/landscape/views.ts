/** The workers chosen to be looked at, and what is seen of them. */

import { bestResponses, isExact, type Response } from "../../src/best-response/index.js";
import { capital, threeDigits } from "../../src/lib/format.js";
import { atRelativeBudget, surveyed } from "../../src/market/draw.js";
import { type Bid, type Market, type Worker, workerOf } from "../../src/market/market.js";
import type { AnyMechanism } from "../../src/mechanisms/mechanism.js";
import { type Regime, regimes } from "../../src/mechanisms/outcome.js";
import type { AnalysisContext } from "../../src/study/analysis.js";
import { listing } from "../../src/study/job.js";
import { explain, type LieKind, lieKinds } from "../../src/verdicts/explain.js";
import type { LandscapeSettings } from "../landscape.js";
import { askingCost, drawingCost } from "../shared/gains/cost.js";
import { ask } from "../shared/gains/sampled-responses.js";
import { heightsIn, type Outline, outline } from "../shared/gains/utility-curve.js";

/** A worker that was looked at, small enough to be kept of every market. */
export interface Candidate {
  readonly workers: number;
  /** Which of the markets of this size. */
  readonly k: number;
  readonly ratio: number;
  readonly worker: number;
  readonly regime: Regime;
  readonly truthful: number;
  /** How much a picture of it shows; 0 where the truth is best. */
  readonly interest: number;
}

/** Markets of one size to choose from. */
export interface LandscapeCell extends Looking {
  readonly workers: number;
  readonly rounds: number;
  readonly ratios: readonly number[];
}

interface Looking {
  readonly asked: number | null;
  readonly samples: number;
}

/** Of every market, the candidate of each regime at each budget. */
export const landscapeJob = listing<LandscapeCell, Candidate[]>(
  (cell, k, { stream, mechanism }) => {
    const { workers, ratios } = cell;
    const drawn = surveyed(cell, k, stream);
    return ratios.flatMap((ratio) => {
      const found = candidatesIn(atRelativeBudget(drawn, ratio), mechanism, cell);
      const candidates = found.map((one) => ({ workers, k, ratio, ...one }));
      return regimes.flatMap((regime) => chosenIn(candidates, regime) ?? []);
    });
  },
  ({ workers, ratios, asked }) => drawingCost(workers) + ratios.length * askingCost(workers, asked),
);

/** Of each regime that occurs: the liar whose picture shows most, or else one hired with a typical utility. */
export async function choose({ pool }: AnalysisContext, given: LandscapeSettings): Promise<Candidate[]> {
  const { sizes, rounds, ratios, markets, asked, samples } = given;
  const cells = sizes.map((workers) => ({ cell: { workers, rounds, ratios, asked, samples }, markets }));
  const found = (await pool.gather(landscapeJob, cells)).flatMap((lists) => lists?.flat() ?? []);
  return regimes.flatMap((regime) => chosenIn(found, regime) ?? []);
}

function candidatesIn(market: Market, mechanism: AnyMechanism, looking: Looking) {
  return ask(market, { ...looking, mechanism }).workers.map((response) => {
    const { id, regime, truthful, gain } = response;
    const interest = gain > 0 ? interestOf(market, response, { ...looking, mechanism }) : 0;
    return { worker: id, regime, truthful, interest };
  });
}

/** Heights to see, times the part of the best utility that the lie brings; where pieces are not known, the gain. */
function interestOf(
  market: Market,
  { id, best, gain }: Response,
  { mechanism, samples }: Looking & { readonly mechanism: AnyMechanism },
): number {
  if (!isExact(mechanism)) return gain;
  const lie = { worker: id, price: best.price, arrival: best.arrival };
  const heights = heightsIn(outline(market, id, { mechanism, lie, samples }));
  return best.utility > 0 ? (heights * gain) / best.utility : 0;
}

function chosenIn(candidates: readonly Candidate[], regime: Regime): Candidate | null {
  const there = candidates.filter((one) => one.regime === regime);
  if (there.length === 0) return null;
  const best = there.reduce((a, b) => (b.interest > a.interest ? b : a));
  return best.interest > 0 ? best : typical(there);
}

/** The median of those who earn something, early ones first; of everybody where nobody does. */
function typical(candidates: readonly Candidate[]): Candidate {
  const earning = candidates.filter(({ truthful }) => truthful > 0);
  const sorted = [...(earning.length > 0 ? earning : candidates)].sort((a, b) => a.truthful - b.truthful);
  return sorted[Math.floor(sorted.length / 2)]!;
}

export interface View {
  readonly market: Market;
  readonly ratio: number;
  readonly response: Response;
  readonly regime: Regime;
  readonly key: string;
  readonly worker: Worker;
  readonly lie: Bid;
  readonly kind: LieKind | null;
  /** Whether no lie can be better than the best one. */
  readonly proved: boolean;
  readonly outline: Outline;
}

/** Looks again at one that was chosen. */
export function viewOf(
  { workers, k, ratio, worker: id }: Candidate,
  { stream, mechanism }: AnalysisContext,
  { rounds, samples }: LandscapeSettings,
): View {
  const market = atRelativeBudget(surveyed({ workers, rounds }, k, stream), ratio);
  const response = bestResponses(market, { mechanism, workers: [id] }).workers[0]!;
  const { best, regime } = response;
  const lie = { worker: id, price: best.price, arrival: best.arrival };
  return {
    ...{ market, ratio, response, regime, lie },
    key: regime.replace(" ", "-"),
    worker: workerOf(market, id),
    kind: response.gain > 0 ? explain(market, lie, { mechanism }).kind : null,
    proved: isExact(mechanism),
    outline: outline(market, id, { mechanism, lie, samples }),
  };
}

export function inWords({ regime, worker, response, lie, kind, ratio, proved }: View): string {
  const who = `worker ${worker.id} (cost ${threeDigits(worker.cost)}, arrival ${worker.arrival}, relative budget ${ratio})`;
  const truth = `gets ${threeDigits(response.truthful)} by the truth`;
  const found = proved ? "and no lie brings it more" : "and no better lie was found";
  if (kind === null) return `${capital(regime)}: ${who} ${truth}, ${found}.`;
  const change = [
    ...(lie.price === worker.cost ? [] : [`bidding ${threeDigits(lie.price)}`]),
    ...(lie.arrival === worker.arrival ? [] : [`arriving at ${lie.arrival}`]),
  ].join(" and ");
  const least = proved ? "at most" : "at least";
  return `${capital(regime)}: ${who} ${truth} and ${least} ${threeDigits(response.best.utility)} by ${change}: ${lieKinds[kind]}.`;
}
