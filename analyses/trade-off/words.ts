/** What the trade-off says, in words. */

import { listed, many, percent, percents, signed, threeDigits, whole } from "../../src/lib/format.js";
import type { Estimate } from "../../src/lib/statistics.js";
import type { Finding, MechanismNote } from "../../src/report/result.js";
import { repairs } from "../shared/publisher.js";
import { type Auction, asked, type Gains, type Trade, type TradeOff } from "./trade.js";

export function findingsOf({ trades, ours }: TradeOff): Finding[] {
  const [first] = trades;
  return [
    ...trades.flatMap((trade) =>
      asked(trade)
        .filter(({ name }) => name === ours)
        .map((own) => ownFinding(own, trade)),
    ),
    ...(first ? [...repairFindings(first, ours), ...truthfulFinding(first)] : []),
  ];
}

const where = ({ workers, budget }: Trade): string => `With ${workers} workers and a budget of ${budget}`;

/** "3.3 % (2.1 % to 4.4 %) of 2,000 workers in 100 markets can gain by lying". */
export function gainersText({ gains, exact, truthful }: Auction): string {
  const { share, workers, markets, gainers } = gains;
  if (truthful && gainers === 0) return "nobody can gain by lying";
  const people = `${many(workers, "worker")} in ${many(markets, "market")}`;
  if (!exact)
    return gainers === 0
      ? `no gain was found for any of ${people}`
      : `a gain was found for ${whole(gainers)} of ${people}`;
  const known = Number.isFinite(share.high);
  if (gainers === 0)
    return `none of ${people} can gain by lying${known ? ` (at most ${percent(share.high)} with 95 %)` : ""}`;
  const [middle, low, high] = percents(share);
  return `${middle}${known ? ` (${low} to ${high})` : ""} of ${people} can gain by lying`;
}

const intervalText = ({ low, high }: Estimate): string =>
  Number.isFinite(low) ? ` (${threeDigits(low)} to ${threeDigits(high)})` : "";

function ownFinding(own: Auction, trade: Trade): Finding {
  const gaining = own.byRegime.filter(({ gainers }) => gainers > 0);
  const regimes =
    gaining.length === 1
      ? `, all of them in ${regimeName(gaining[0]!.regime)} runs (${whole(gaining[0]!.gainers)} of ${whole(gaining[0]!.workers)})`
      : gaining.map((one) => `, ${regimeText(one)}`).join("");
  const unit = `${threeDigits(own.unit.mean)}${intervalText(own.unit)}`;
  const text = `${where(trade)}, ${own.name} gives ${unit} per unit paid, and ${gainersText(own)}${regimes}.`;
  return { text, weight: 50 };
}

/** "65 of 830 in tight runs". */
const regimeText = ({ regime, gainers, workers }: Auction["byRegime"][number]): string =>
  `${whole(gainers)} of ${whole(workers)} in ${regimeName(regime)} runs`;

const regimeName = (regime: string): string => regime.replace("late start", "late-start");

/** Where the workers of the auction in question can gain. */
export function regimeGains(trade: Trade, ours: string): string {
  const own = asked(trade).find(({ name }) => name === ours);
  if (!own) return `nobody was asked in ${ours}`;
  const each = own.byRegime.filter(({ workers }) => workers > 0);
  return `in ${ours} ${own.exact ? "" : "at least "}${listed(each.map((one) => `${shareText(one)} of ${many(one.workers, "worker")} in ${regimeName(one.regime)} runs`))} can gain`;
}

const shareText = ({ gainers, share }: Gains): string => (gainers === 0 ? "none" : percent(share.mean));

/** What a repair costs the publisher. */
function repairFindings(trade: Trade, ours: string): Finding[] {
  const { comparisons } = trade;
  return asked(trade)
    .filter(({ name }) => repairs.includes(name) && name !== ours)
    .map((repair) => {
      const own = comparisons.filter(({ auction }) => auction === repair.name);
      const changes = own.map(({ measure, gap }) => `by ${changeText(gap)} ${measure}`);
      const text = `${where(trade)}, ${gainersText(repair)} in the repair ${repair.name}; compared with ${ours} it changes the publisher's utility ${listed(changes)} (95 % for all ${comparisons.length} comparisons together).`;
      return { text, weight: 40 };
    });
}

/** "−5.4 % (−6.9 % to −3.9 %)". */
function changeText({ mean, low, high }: Estimate): string {
  const ends = [low, high].map((end) => signed(end, percent));
  const interval = Number.isFinite(low) ? ends.join(" to ") : "too few markets for an interval";
  return `${signed(mean, percent)} (${interval})`;
}

/** Who gives the publisher most among those where nobody can gain. */
function truthfulFinding(trade: Trade): Finding[] {
  const honest = asked(trade).filter(
    ({ exact, gains, informed }) => exact && gains.gainers === 0 && !informed,
  );
  const named = [false, true].flatMap((offline) => {
    const best = honest.find((one) => one.offline === offline);
    const kind = offline ? "that see all bids at once" : "that decide online";
    return best
      ? [`${threeDigits(best.unit.mean)}${intervalText(best.unit)} by ${best.name} among those ${kind}`]
      : [];
  });
  if (named.length === 0) return [];
  const text = `${where(trade)}, the most per unit paid by auctions in which none of the workers asked can gain is ${listed(named)} (${trade.markets} markets).`;
  return [{ text, weight: 30 }];
}

/** What was established about each auction, for its card. */
export const notesOf = ({ trades: [first] }: TradeOff): MechanismNote[] =>
  first
    ? asked(first).map((auction) => ({
        mechanism: auction.name,
        text: `${auction.exact ? "Computed" : "Searched"}: ${gainersText({ ...auction, truthful: false })} (${first.size}, drawn as in the paper).`,
      }))
    : [];
