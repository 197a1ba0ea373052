/** The workers chosen to be looked at, and what is seen of them. */

import type { AnalysisContext } from "../../src/analysis.js";
import { workerOf } from "../../src/best-response/deviation.js";
import type { Response } from "../../src/best-response/index.js";
import { isExact } from "../../src/best-response/index.js";
import { explain, type LieKind, lieKinds } from "../../src/explain.js";
import type { Bid, Market, Worker } from "../../src/market.js";
import type { AnyMechanism } from "../../src/mechanism.js";
import { type Regime, regimes } from "../../src/regime.js";
import { ask } from "../../src/survey/inquiry.js";
import { heightsIn, type Outline, outline } from "../../src/survey/outline.js";
import { atRelativeBudget, drawForSurvey } from "../../src/survey/relative-budget.js";
import { capital, money } from "../../src/survey/words.js";
import type { LandscapeSettings } from "../landscape.js";

interface Choice {
  readonly market: Market;
  readonly ratio: number;
  readonly response: Response;
  /** How much a picture of it shows; 0 where the truth is best. */
  readonly interest: number;
}

/** Of each regime that occurs: the liar whose picture shows most, or else one hired with a typical utility. */
export async function choose(context: AnalysisContext, given: LandscapeSettings): Promise<Choice[]> {
  const { stream, pool } = context;
  const { sizes, rounds, ratios, markets } = given;
  const inputs = sizes.flatMap((workers) => Array.from({ length: markets }, (_, k) => ({ workers, k })));
  const found = await pool.map(inputs, ({ workers, k }) => {
    const drawn = drawForSurvey({ workers, rounds }, stream.fork(workers).fork(k));
    return ratios.flatMap((ratio) => {
      const choices = choicesIn(atRelativeBudget(drawn, ratio), ratio, { ...given, ...context });
      return regimes.flatMap((regime) => chosenIn(choices, regime) ?? []);
    });
  });
  return regimes.flatMap((regime) => chosenIn(found.flat(), regime) ?? []);
}

function choicesIn(market: Market, ratio: number, options: Looking): Choice[] {
  return ask(market, options).workers.map((response) => {
    const interest = response.gain > 0 ? interestOf(market, response, options) : 0;
    return { market, ratio, response, interest };
  });
}

interface Looking {
  readonly mechanism: AnyMechanism;
  readonly asked: number | null;
  readonly samples: number;
}

/** Heights to see, times the part of the best utility that the lie brings; where pieces are not known, the gain. */
function interestOf(market: Market, { id, best, gain }: Response, { mechanism, samples }: Looking): number {
  if (!isExact(mechanism)) return gain;
  const lie = { worker: id, price: best.price, arrival: best.arrival };
  return (heightsIn(outline(market, id, { mechanism, lie, samples })) * gain) / best.utility;
}

function chosenIn(choices: readonly Choice[], regime: Regime): Choice | null {
  const there = choices.filter(({ response }) => response.regime === regime);
  if (there.length === 0) return null;
  const best = there.reduce((a, b) => (b.interest > a.interest ? b : a));
  return best.interest > 0 ? best : typical(there);
}

/** The median of those who earn something, early ones first; of everybody where nobody does. */
function typical(choices: readonly Choice[]): Choice {
  const earning = choices.filter(({ response }) => response.truthful > 0);
  const sorted = [...(earning.length > 0 ? earning : choices)].sort(
    (a, b) => a.response.truthful - b.response.truthful,
  );
  return sorted[Math.floor(sorted.length / 2)]!;
}

export interface View extends Choice {
  readonly regime: Regime;
  readonly key: string;
  readonly worker: Worker;
  readonly lie: Bid;
  readonly kind: LieKind | null;
  /** Whether no lie can be better than the best one. */
  readonly proved: boolean;
  readonly outline: Outline;
}

export function viewOf(choice: Choice, mechanism: AnyMechanism, { samples }: LandscapeSettings): View {
  const { market, response } = choice;
  const { id, best, regime } = response;
  const lie = { worker: id, price: best.price, arrival: best.arrival };
  return {
    ...choice,
    regime,
    key: regime.replace(" ", "-"),
    worker: workerOf(market, id),
    lie,
    kind: response.gain > 0 ? explain(market, lie, { mechanism }).kind : null,
    proved: isExact(mechanism),
    outline: outline(market, id, { mechanism, lie, samples }),
  };
}

export function inWords({ regime, worker, response, lie, kind, ratio, proved }: View): string {
  const who = `worker ${worker.id} (cost ${money(worker.cost)}, arrival ${worker.arrival}, relative budget ${ratio})`;
  const truth = `gets ${money(response.truthful)} by the truth`;
  const found = proved ? "and no lie brings it more" : "and no better lie was found";
  if (kind === null) return `${capital(regime)}: ${who} ${truth}, ${found}.`;
  const change = [
    ...(lie.price === worker.cost ? [] : [`bidding ${money(lie.price)}`]),
    ...(lie.arrival === worker.arrival ? [] : [`arriving at ${lie.arrival}`]),
  ].join(" and ");
  const least = proved ? "at most" : "at least";
  return `${capital(regime)}: ${who} ${truth} and ${least} ${money(response.best.utility)} by ${change}: ${lieKinds[kind]}.`;
}
