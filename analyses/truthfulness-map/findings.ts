/** What the truthfulness map says in words. */

import { capital, many, percent, percents, threeDigits, whole } from "../../src/lib/format.js";
import { pooledShare } from "../../src/lib/summaries.js";
import { type Regime, regimes } from "../../src/mechanisms/outcome.js";
import type { Finding } from "../../src/report/result.js";
import { lies } from "../shared/gains/gain-counts.js";
import type { Summary } from "../shared/gains/summary.js";
import { type Cell, everything, gaining, overall, placeOf, type Sized, worstCell } from "./cells.js";
import { partOf } from "./survey.js";

export function findingsOf(sizes: readonly Sized[], cells: readonly Cell[], exact: boolean): Finding[] {
  return [
    { text: byRegimeText(sizes, exact), weight: 80 },
    ...worstText(cells, exact),
    { text: byLieText(sizes, exact), weight: 40 },
    ...sizeText(sizes, exact),
  ];
}

function byRegimeText(sizes: readonly Sized[], exact: boolean): string {
  const parts = regimes.flatMap((regime) => {
    const part = overall(sizes, regime, "joint");
    return part ? [regimeText(regime, part, exact)] : [];
  });
  const bound = exact ? "" : " These are lower bounds: lies were searched, not proved absent.";
  return `${capital(parts.join("; "))}.${bound}`;
}

const settingWords: Readonly<Record<Regime, string>> = {
  sufficient: "where the budget was sufficient",
  tight: "where it was tight",
  "late start": "where the start was late",
};

function regimeText(regime: Regime, part: Summary, exact: boolean): string {
  const { share, moving, most } = part;
  const { markets, hits: gained, size: seen } = share;
  const where = `${settingWords[regime]} (${many(markets, "market")}),`;
  if (!most) return `${where} no worker of ${whole(seen)} ${exact ? "could gain" : "was found to gain"}`;
  const could = exact ? "could gain" : `${gained === 1 ? "was" : "were"} found to gain`;
  const start = moving === gained ? ", always by moving the start" : "";
  return `${where} ${whole(gained)} of ${many(seen, "worker")} ${could} (${percent(gained / seen)}), ${exact ? "at most" : "the largest found gain"} ${threeDigits(most.gain)} on top of ${threeDigits(most.truthful)}${start}`;
}

/** The largest of many cells is large by luck too: its interval is one of those that hold for all cells together. */
function worstText(cells: readonly Cell[], exact: boolean): Finding[] {
  const worst = worstCell(cells, "all");
  if (!worst) return [];
  const together = everything(cells).length;
  const [share, low, high] = percents(pooledShare(worst.seen.share, together));
  const all = together === 1 ? "95 %" : `95 % for all ${together} cells together`;
  const told = exact
    ? `Lying pays most often with ${placeOf(worst)}: ${share} of workers can gain (${all}: ${low} to ${high}).`
    : `Lies that pay were found most often with ${placeOf(worst)}: for ${share} of the workers asked (${all}: at least ${low}).`;
  return [{ text: told, weight: 48 }];
}

function byLieText(sizes: readonly Sized[], exact: boolean): string {
  const [price, time, joint] = lies.map((lie) => overall(sizes, "all", lie)) as [Summary, Summary, Summary];
  const [byPrice, byTime, gained] = [price, time, joint].map(({ share }) => share.hits) as [
    number,
    number,
    number,
  ];
  if (gained === 0)
    return `No lie about price, arrival or both ${exact ? "gains" : "was found to gain"} anything.`;
  const of = (part: number) => percent(part / gained);
  const start = `${of(joint.moving)} of the best lies move the start`;
  const who = `Of ${many(gained, "worker")} ${exact ? "who can gain" : `found to gain`}`;
  const both = `${many(joint.onlyBoth, "worker")} (${of(joint.onlyBoth)}) only by misstating both`;
  return exact
    ? `${who}, ${of(byPrice)} can by price alone, ${of(byTime)} by coming late alone, and ${both}; ${start}.`
    : `${who}, ${of(byPrice)} were found to by price alone, ${of(byTime)} by coming late alone, and ${both}; ${start}.`;
}

/** From the smallest markets to the largest, where their intervals are apart. */
function sizeText(sizes: readonly Sized[], exact: boolean): Finding[] {
  const rated = sizes.flatMap(({ workers, summary }) => {
    const part = partOf(summary, { ratio: "all", regime: "all", lie: "joint" });
    return part ? [{ workers, share: gaining({ seen: part }), ...pooledShare(part.share, 2) }] : [];
  });
  const [small, large] = [rated[0], rated.at(-1)];
  if (!small || !large || (small.low <= large.high && large.low <= small.high)) return [];
  const trend = small.share > large.share ? "rarer" : "more frequent";
  const text = `Lies that pay ${exact ? "get" : "are found to get"} ${trend} as markets grow: ${percent(small.share)} of workers with ${small.workers}, ${percent(large.share)} with ${large.workers}, over all budgets looked at.`;
  return [{ text, weight: 32 }];
}
