/** What a lie does on average, where the worker does not see the others: by what it changes in each draw, and by cause. */

import { mean } from "d3-array";
import { type AnyMechanism, runAuction } from "../auction/mechanism.js";
import { utilityNoise } from "../auction/response.js";
import { percent, signed } from "../lib/format.js";
import type { Bid, Market } from "../market/market.js";
import { online } from "../mechanisms/online/online.js";
import { type Causes, causesText, type LieKind, lieKinds, sameResult, sideBySide } from "./explain.js";

/** Draws in which a lie changes the same thing. */
export interface AverageChange {
  readonly kind: LieKind;
  /** Of all draws. */
  readonly share: number;
  /** Of these draws: where the lie gains, and what it gains on average. */
  readonly gains: number;
  readonly gain: number;
}

interface AverageExplanation {
  /** Shares of draws in which the lie gains, loses, and changes nothing for the worker. */
  readonly gains: number;
  readonly loses: number;
  readonly unchanged: number;
  /** The most frequent change first. */
  readonly changes: readonly AverageChange[];
  /** On average, adding up to the gain; null where the mechanism is not the paper's. */
  readonly causes: Causes | null;
}

/** Explains a bid in every one of some markets, in all of which the worker has the same type. */
export function explainOnAverage(
  markets: readonly Market[],
  bid: Bid,
  mechanism: AnyMechanism = online,
): AverageExplanation {
  const runs = markets.map((market) => compare(market, bid, mechanism));
  const part = (holds: (run: Comparison) => boolean) => runs.filter(holds).length / runs.length;
  const kinds = [...new Set(runs.flatMap(({ kind }) => kind ?? []))];
  const changes = kinds.map((kind): AverageChange => {
    const those = runs.filter((run) => run.kind === kind);
    const gaining = those.filter(({ sign }) => sign > 0).length / those.length;
    const gain = mean(those, (run) => run.gain)!;
    return { kind, share: those.length / runs.length, gains: gaining, gain };
  });
  return {
    gains: part(({ sign }) => sign > 0),
    loses: part(({ sign }) => sign < 0),
    unchanged: part(({ kind }) => kind === null),
    changes: changes.sort((a, b) => b.share - a.share),
    causes: meanCauses(runs.map(({ causes }) => causes)),
  };
}

type Comparison = ReturnType<typeof compare>;

/** The gain and its sign, rounding aside; no kind where nothing changes for the worker. */
function compare(market: Market, bid: Bid, mechanism: AnyMechanism) {
  const runs = { mechanism, truth: runAuction(mechanism, market), lie: runAuction(mechanism, market, [bid]) };
  const { worker, truth, lie, gain, kind, causes } = sideBySide(market, bid, runs);
  const sign = Math.abs(gain) > utilityNoise(market, worker) ? Math.sign(gain) : 0;
  return { gain, sign, kind: sameResult(truth, lie) ? null : kind, causes };
}

function meanCauses(all: readonly (Causes | null)[]): Causes | null {
  const known = all.filter((causes) => causes !== null);
  if (known.length < all.length) return null;
  const of = (field: keyof Causes) => mean(known, (causes) => causes[field]) ?? Number.NaN;
  return { rounds: of("rounds"), price: of("price"), budget: of("budget"), start: of("start") };
}

/** What the lie does, change by change and by cause. */
export function averageText(explanation: AverageExplanation, gain: number): string {
  const { gains, loses, unchanged, changes, causes } = explanation;
  const shares = `It gains in ${percent(gains)} of draws, loses in ${percent(loses)}, and changes nothing in ${percent(unchanged)}.`;
  if (changes.length === 0) return shares;
  const lines = changes.map(
    (change) =>
      `  in ${percent(change.share)} of draws, ${signed(change.share * change.gain)} of the gain (gains in ${percent(change.gains)} of them): ${lieKinds[change.kind]}`,
  );
  const parts = [shares, ["What it does:", ...lines].join("\n")];
  if (causes) parts.push(causesText(causes, gain));
  return parts.join("\n\n");
}
