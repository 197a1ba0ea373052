/** All that breaks in a market, worker by worker, by lies that move the start and by lies that keep it. */

import { bestResponses, type Response } from "../../../src/best-response/index.js";
import type { Market } from "../../../src/market/market.js";
import { type AnyMechanism, hold, type Outcome } from "../../../src/mechanisms/mechanism.js";
import { type Regime, regimesIn } from "../../../src/mechanisms/outcome.js";
import {
  FLOOR,
  type HuntedProperty,
  huntedProperties,
  type Violation,
  violations,
} from "../../../src/verdicts/counterexamples/violations.js";
import { examine } from "../../../src/verdicts/properties.js";

export interface Look {
  readonly market: Market;
  /** Who is in which regime, by id. */
  readonly inRegime: Readonly<Record<Regime, readonly number[]>>;
  /** What was looked for. */
  readonly properties: readonly HuntedProperty[];
  /** Whether what was not found is not there. */
  readonly exact: boolean;
  /** Of a worker's lies about one thing, the best that moves the start and the best that keeps it. */
  readonly breaks: readonly Violation[];
}

export interface LookOptions {
  readonly mechanism: AnyMechanism;
  readonly properties?: readonly HuntedProperty[];
}

export function lookAt(market: Market, { mechanism, properties = huntedProperties }: LookOptions): Look {
  const outcome = hold(mechanism, market);
  const inRegime = sorted(market, outcome);
  const lies = properties.filter(isTruthfulness);
  const faults = faultsIn(market, {
    mechanism,
    properties: properties.filter((p) => !isTruthfulness(p)),
  });
  if (lies.length === 0) return { market, inRegime, properties, ...faults };
  const responses = bestResponses(market, { mechanism });
  const told = responses.workers.flatMap((response) => liesOf(response, market, { mechanism, lies }));
  const exact = faults.exact && responses.exact;
  return { market, inRegime, properties, exact, breaks: [...faults.breaks, ...told] };
}

function sorted({ workers }: Market, outcome: Outcome): Look["inRegime"] {
  const ids = { sufficient: [] as number[], tight: [] as number[], "late start": [] as number[] };
  const regimeOf = regimesIn(outcome);
  for (const { id } of workers) ids[regimeOf(id)].push(id);
  return ids;
}

const gains = { P5: "priceGain", P6: "timeGain", joint: "gain" } as const;

type Truthfulness = keyof typeof gains;

export const isTruthfulness = (property: string): property is Truthfulness => property in gains;

/** P1, P2 and P4. That reputation 0 is never selected is a rule ([M1]), not a find. */
function faultsIn(
  market: Market,
  { mechanism, properties = [] }: LookOptions,
): { exact: boolean; breaks: Violation[] } {
  const reputed = new Set(market.workers.flatMap(({ id, reputation }) => (reputation > 0 ? [id] : [])));
  const floor = FLOOR * market.rules.budget;
  const found = examine(market, { mechanism, properties });
  const breaks = found
    .flatMap(({ witnesses }) => witnesses)
    .filter(({ property, amount }) => property === "P4" || amount > floor)
    .filter(({ worker }) => worker === null || reputed.has(worker))
    .map((witness) => ({
      ...witness,
      property: witness.property as HuntedProperty,
      startMoved: false,
    }));
  return { exact: found.every(({ otherwise }) => otherwise === "holds"), breaks };
}

interface Told {
  readonly mechanism: AnyMechanism;
  readonly lies: readonly Truthfulness[];
}

function liesOf(response: Response, market: Market, { mechanism, lies }: Told): Violation[] {
  const { id, regime } = response;
  const paying = lies.filter((property) => response[gains[property]] > FLOOR * market.rules.budget);
  return paying.flatMap((property) => {
    const found = violations(market, { property, regime, start: "any", mechanism }, id);
    const best = (moved: boolean) => found.find(({ startMoved }) => startMoved === moved) ?? [];
    return [best(true), best(false)].flat();
  });
}
