/** What the trade-off says, in words. */

import { listed, many, percent, threeDigits } from "../../../src/lib/format.js";
import type { Finding } from "../../../src/report/result.js";
import { gapOf, perUnit, utility } from "./accounts.js";
import { repairsIn } from "./held.js";
import { type Dot, examined, type Trade } from "./trade.js";
import { sizeText } from "./trade-tables.js";

export function tradeFindings(trade: Trade): Finding[] {
  const dots = examined(trade);
  return [
    ...dots.filter(({ auction }) => auction === trade.ours).map((dot) => ownFinding(dot, trade)),
    ...repairFindings(trade),
    ...truthfulFinding(trade),
    ...boundFinding(trade),
  ];
}

const where = ({ sizes }: Trade): string => `With ${sizeText(sizes).replace(", ", " and ")}`;

/** "3.1 % of 2,000 workers can gain by lying, 0.02 on average and 1.54 at most". */
function gainText({ reading: { share, gain, most, workers, gainers, certainty } }: Dot): string {
  const searched = certainty === "lower bound";
  if (gainers === 0)
    return `${searched ? "no gain was found for any" : "none"} of ${many(workers, "worker")}${searched ? "" : " can gain by lying"}`;
  const can = searched ? (gainers === 1 ? "was found to" : "were found to") : "can";
  return `${percent(share.mean)} of ${many(workers, "worker")} ${can} gain by lying, ${threeDigits(gain.mean)} on average and ${threeDigits(most)} at most`;
}

function ownFinding(dot: Dot, trade: Trade): Finding {
  const { truthful, gainers, gainingRegimes, certainty } = dot.reading;
  const beside =
    gainers > 0
      ? `, where the truth brings ${threeDigits(truthful)} on average; whoever can gain is in a run that is ${either(gainingRegimes)}`
      : "";
  const text = `${where(trade)}, ${dot.auction} gives ${threeDigits(dot.unit.mean)} per unit paid, and ${gainText(dot)}${beside} (${certainty}).`;
  return { text, weight: 50 };
}

const either = (regimes: readonly string[]): string => listed(regimes).replace(" and ", " or ");

/** What a repair costs the publisher. */
function repairFindings(trade: Trade): Finding[] {
  const { dots, ours, ledgers } = trade;
  const repairs = repairsIn({ auctions: dots.map(({ auction }) => auction), ours });
  const together = 2 * repairs.length;
  return repairs.map((name) => {
    const gap = (measure: typeof perUnit) => gapOf(ledgers, [name, ours], { measure, together }).relative;
    const sized = ({ mean, low, high }: ReturnType<typeof gap>) => {
      const side = mean < 0 ? "less" : "more";
      if (!Number.isFinite(low)) return `${percent(Math.abs(mean))} ${side} (too few markets to tell)`;
      const size =
        low < 0 && high > 0 ? "an amount not shown to differ" : `${percent(Math.abs(mean))} ${side}`;
      return `${size} (95 %, all such comparisons together: ${percent(low)} to ${percent(high)})`;
    };
    const text =
      `${where(trade)}, the repair ${name} (${gainText(dots.find(({ auction }) => auction === name)!)}) gives the publisher, compared with ${ours}, ${sized(gap(perUnit))} ` +
      `per unit paid and ${sized(gap(utility))} in all.`;
    return { text, weight: 40 };
  });
}

/** Who gives the publisher most among those where nobody can gain. */
function truthfulFinding(trade: Trade): Finding[] {
  const honest = examined(trade)
    .filter(({ reading, informed }) => reading.certainty === "exact" && reading.gainers === 0 && !informed)
    .sort((a, b) => b.unit.mean - a.unit.mean);
  const named = [false, true].flatMap((offline) => {
    const best = honest.find((dot) => dot.offline === offline);
    const kind = offline ? "that see everybody at once" : "that decide online";
    return best ? [`${best.auction} (${threeDigits(best.unit.mean)}) among those ${kind}`] : [];
  });
  const most = "of auctions in which nobody can gain by a lie, most per unit paid is given by";
  return named.length > 0 ? [{ text: `${where(trade)}, ${most} ${listed(named)}.`, weight: 30 }] : [];
}

function boundFinding(trade: Trade): Finding[] {
  const found = examined(trade).filter(({ reading }) => reading.certainty === "lower bound");
  const tried = found.reduce((sum, { reading }) => sum + reading.evaluations, 0);
  const each = found.map((dot) => `in ${dot.auction} ${gainText(dot)}`).join("; ");
  const text = `${where(trade)}, ${each}. These are lower bounds, from a search that can miss, of ${threeDigits(tried)} lies.`;
  return found.length > 0 ? [{ text, weight: 30 }] : [];
}
