/** What the truthfulness map says in words. */

import type { Finding } from "../../src/analysis.js";
import { type Regime, regimes } from "../../src/regime.js";
import { grouped } from "../../src/survey/over-markets.js";
import { lies, type Sight, type Summary, summed } from "../../src/survey/sights.js";
import { capital, many, money, percent, whole } from "../../src/survey/words.js";
import { type Cell, chosen, placeOf, worstCell } from "./cells.js";

export function findingsOf(sights: readonly Sight[], cells: readonly Cell[], exact: boolean): Finding[] {
  return [
    { text: byRegimeText(sights, exact), weight: 80 },
    ...worstText(cells),
    { text: byLieText(sights, exact), weight: 40 },
    ...sizeText(sights),
  ];
}

function byRegimeText(sights: readonly Sight[], exact: boolean): string {
  const parts = regimes.flatMap((regime) => {
    const part = chosen(sights, regime, "joint");
    return part.length === 0 ? [] : [regimeText(regime, part, exact)];
  });
  const bound = exact ? "" : " These are lower bounds: lies were searched, not proved absent.";
  return `${capital(parts.join("; "))}.${bound}`;
}

const settingWords: Readonly<Record<Regime, string>> = {
  sufficient: "where the budget was sufficient",
  tight: "where it was tight",
  "late start": "where the start was late",
};

function regimeText(regime: Regime, part: readonly Sight[], exact: boolean): string {
  const { share, seen, gained, moving, most } = summed(part);
  const where = `${settingWords[regime]} (${many(share.n, "market")}),`;
  if (!most) return `${where} no worker of ${whole(seen)} ${exact ? "could gain" : "was found to gain"}`;
  const could = exact ? "could gain" : `${gained === 1 ? "was" : "were"} found to gain`;
  const start = moving === gained ? ", always by moving the start" : "";
  return `${where} ${whole(gained)} of ${many(seen, "worker")} ${could} (${percent(share.mean)} in the average market), at most ${money(most.gain)} on top of ${money(most.truthful)}${start}`;
}

function worstText(cells: readonly Cell[]): Finding[] {
  const worst = worstCell(cells, "all");
  if (!worst) return [];
  const { mean, low, high } = summed(worst.sights).share;
  const text = `Lying pays most often with ${placeOf(worst)}: ${percent(mean)} of workers can gain (95 %: ${percent(low)} to ${percent(high)}).`;
  return [{ text, weight: 48 }];
}

function byLieText(sights: readonly Sight[], exact: boolean): string {
  const [price, time, joint] = lies.map((lie) => summed(chosen(sights, "all", lie))) as [
    Summary,
    Summary,
    Summary,
  ];
  if (joint.gained === 0)
    return `No lie about price, arrival or both ${exact ? "gains" : "was found to gain"} anything.`;
  const of = (part: Summary) => percent(part.gained / joint.gained);
  const both = `${many(joint.onlyBoth, "worker")} (${percent(joint.onlyBoth / joint.gained)})`;
  const start = `${percent(joint.moving / joint.gained)} of the best lies move the start`;
  return `Of ${many(joint.gained, "worker")} who can gain, ${of(price)} can by price alone, ${of(time)} by coming late alone, and ${both} only by misstating both; ${start}.`;
}

function sizeText(sights: readonly Sight[]): Finding[] {
  const sizes = [...grouped(chosen(sights, "all", "joint"), ({ workers }) => String(workers)).values()];
  const [small, large] = [sizes[0], sizes.at(-1)];
  if (!small || !large || small === large) return [];
  const [few, lots] = [summed(small).share.mean, summed(large).share.mean];
  const trend = few > lots ? "rarer" : "more frequent";
  if (few === lots) return [];
  const text = `Lies that pay get ${trend} as markets grow: ${percent(few)} of workers with ${small[0]!.workers}, ${percent(lots)} with ${large[0]!.workers}, over all budgets looked at.`;
  return [{ text, weight: 32 }];
}
