/** What the truthfulness map says in words. */

import { type Regime, regimes } from "../../src/mechanisms/regime.js";
import type { Finding } from "../../src/report/result.js";
import { lies } from "../shared/gains/gain-counts.js";
import { capital, many, money, percent, percents, whole } from "../shared/gains/number-words.js";
import { shareFrom } from "../shared/gains/over-markets.js";
import type { Summary } from "../shared/gains/summary.js";
import { type Cell, overall, placeOf, type Sized, worstCell } from "./cells.js";
import { partOf } from "./survey.js";

export function findingsOf(sizes: readonly Sized[], cells: readonly Cell[], exact: boolean): Finding[] {
  return [
    { text: byRegimeText(sizes, exact), weight: 80 },
    ...worstText(cells),
    { text: byLieText(sizes, exact), weight: 40 },
    ...sizeText(sizes),
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
  const { share, seen, gained, moving, most } = part;
  const where = `${settingWords[regime]} (${many(share.n, "market")}),`;
  if (!most) return `${where} no worker of ${whole(seen)} ${exact ? "could gain" : "was found to gain"}`;
  const could = exact ? "could gain" : `${gained === 1 ? "was" : "were"} found to gain`;
  const start = moving === gained ? ", always by moving the start" : "";
  return `${where} ${whole(gained)} of ${many(seen, "worker")} ${could} (${percent(share.mean)} in the average market), at most ${money(most.gain)} on top of ${money(most.truthful)}${start}`;
}

function worstText(cells: readonly Cell[]): Finding[] {
  const worst = worstCell(cells, "all");
  if (!worst) return [];
  const [share, low, high] = percents(shareFrom(worst.seen.share));
  const text = `Lying pays most often with ${placeOf(worst)}: ${share} of workers can gain (95 %: ${low} to ${high}).`;
  return [{ text, weight: 48 }];
}

function byLieText(sizes: readonly Sized[], exact: boolean): string {
  const [price, time, joint] = lies.map((lie) => overall(sizes, "all", lie)) as [Summary, Summary, Summary];
  if (joint.gained === 0)
    return `No lie about price, arrival or both ${exact ? "gains" : "was found to gain"} anything.`;
  const of = (part: Summary) => percent(part.gained / joint.gained);
  const both = `${many(joint.onlyBoth, "worker")} (${percent(joint.onlyBoth / joint.gained)})`;
  const start = `${percent(joint.moving / joint.gained)} of the best lies move the start`;
  return `Of ${many(joint.gained, "worker")} who can gain, ${of(price)} can by price alone, ${of(time)} by coming late alone, and ${both} only by misstating both; ${start}.`;
}

function sizeText(sizes: readonly Sized[]): Finding[] {
  const rated = sizes.flatMap(({ workers, summary }) => {
    const part = partOf(summary, { ratio: "all", regime: "all", lie: "joint" });
    return part ? [{ workers, share: part.share.mean }] : [];
  });
  const [small, large] = [rated[0], rated.at(-1)];
  if (!small || !large || small.share === large.share) return [];
  const trend = small.share > large.share ? "rarer" : "more frequent";
  const text = `Lies that pay get ${trend} as markets grow: ${percent(small.share)} of workers with ${small.workers}, ${percent(large.share)} with ${large.workers}, over all budgets looked at.`;
  return [{ text, weight: 32 }];
}
