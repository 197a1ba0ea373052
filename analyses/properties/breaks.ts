/** All that breaks in a market, worker by worker, by lies that move the start and by lies that keep it. */

import { bestResponses, type Response } from "../../src/best-response/index.js";
import type { Market } from "../../src/market/market.js";
import { type AnyMechanism, hold } from "../../src/mechanisms/mechanism.js";
import { type Regime, regimesIn } from "../../src/mechanisms/outcome.js";
import {
  FLOOR,
  type HuntedProperty,
  type Violation,
  violations,
} from "../../src/verdicts/counterexamples/violations.js";
import { examine } from "../../src/verdicts/properties.js";

export interface Examined {
  readonly market: Market;
  readonly regimeOf: (worker: number) => Regime;
  /** What was looked for. */
  readonly properties: readonly HuntedProperty[];
  /** Whether what was not found is not there. */
  readonly exact: boolean;
  /** Of a worker's lies about one thing, the best that moves the start and the best that keeps it. */
  readonly breaks: readonly Violation[];
}

export interface Examining {
  readonly mechanism: AnyMechanism;
  readonly properties: readonly HuntedProperty[];
}

const gains = { P5: "priceGain", P6: "timeGain", joint: "gain" } as const;

type Truthfulness = keyof typeof gains;

const isTruthfulness = (property: string): property is Truthfulness => property in gains;

export function breaksIn(market: Market, { mechanism, properties }: Examining): Examined {
  const regimeOf = regimesIn(hold(mechanism, market));
  const lies = properties.filter(isTruthfulness);
  const others = properties.filter((property) => !isTruthfulness(property));
  const faults = faultsIn(market, { mechanism, properties: others });
  if (lies.length === 0) return { market, regimeOf, properties, ...faults };
  const responses = bestResponses(market, { mechanism });
  const paying = responses.workers.flatMap((response) => liesOf(response, market, { mechanism, lies }));
  const exact = faults.exact && responses.exact;
  return { market, regimeOf, properties, exact, breaks: [...faults.breaks, ...paying] };
}

/** P1, P2 and P4. That reputation 0 is never selected is a rule ([M1]), not a break. */
function faultsIn(
  market: Market,
  { mechanism, properties }: Examining,
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

function liesOf(
  response: Response,
  market: Market,
  { mechanism, lies }: { readonly mechanism: AnyMechanism; readonly lies: readonly Truthfulness[] },
): Violation[] {
  const { id, regime } = response;
  const paying = lies.filter((property) => response[gains[property]] > FLOOR * market.rules.budget);
  return paying.flatMap((property) => {
    const found = violations(market, { property, regime, start: "any", mechanism }, id);
    const best = (moved: boolean) => found.find(({ startMoved }) => startMoved === moved) ?? [];
    return [best(true), best(false)].flat();
  });
}
