/** The board in sentences. */

import { listed, many, percent, threeDigits, whole } from "../../src/lib/format.js";
import type { AnyMechanism } from "../../src/mechanisms/mechanism.js";
import { regimes } from "../../src/mechanisms/outcome.js";
import type { Exhibit, Finding, Table } from "../../src/report/result.js";
import type { Judged, Scene } from "../shared/gains/scoreboard.js";
import { drawnAs, type Family, families } from "./draws.js";
import type { Cell } from "./tables.js";
import type { Place } from "./tallies.js";

export function exhibitOf(
  { claim, family }: Place,
  { market, found }: Scene,
  mechanism: AnyMechanism,
): Exhibit {
  const { regime, worker, lie } = found;
  const who = worker === null ? "the payments" : `worker ${worker}`;
  return {
    name: [claim.label, regime, family, market.rules.reading].join(" ").replace(/[^A-Za-z0-9]+/g, "-"),
    title: `${claim.label}, ${regime}: ${who} ${amountText(found)} (${many(market.workers.length, "worker")}, ${market.rules.reading})`,
    market,
    mechanism: mechanism.name,
    lie,
  };
}

function amountText({ property, amount }: Scene["found"]): string {
  if (property === "P1") return `is paid ${threeDigits(amount)} less than its cost`;
  if (property === "P2") return `exceed the budget by ${threeDigits(amount)}`;
  if (property === "P4") return "is never selected and paid, whatever it bids";
  return `gains ${threeDigits(amount)}`;
}

/** All of the prose; the paper's markets and random ones in a sentence each. */
export function boardFindings(cells: readonly Cell[]): Finding[] {
  const told = (sentence: (find: Find) => string): string =>
    families.map((family) => sentence(findIn(cells, family))).join(" ");
  return [
    { text: told(keptSentence), weight: 100 },
    { text: told(movedSentence), weight: 85 },
    { text: told(tightSentence), weight: 90 },
    { text: told(lateSentence), weight: 40 },
    { text: told(sovereigntySentence), weight: 50 },
  ];
}

/** Looks up a judgement in one family of markets, and says how that is drawn. */
interface Find {
  (label: string, regime: string): Judged;
  readonly drawn: string;
}

function findIn(cells: readonly Cell[], family: Family): Find {
  const here = cells.filter((cell) => cell.family === family && cell.reading === "prose");
  const find = (label: string, regime: string): Judged =>
    here.find((cell) => cell.claim.label === label && cell.regime === regime)!.judged;
  return Object.assign(find, { drawn: `${drawnAs[family]} (prose)` });
}

/** The paper's own ground: started on time, money never bound, and the lie leaves the start where it is. */
function keptSentence(find: Find): string {
  const kept = find("joint, start kept", "sufficient");
  if (kept.markets === 0) return `No market ${find.drawn} had a worker in the sufficient regime.`;
  const ground = `In ${many(kept.markets, "market")} ${find.drawn} with ${many(kept.workers, "worker")} of the sufficient regime`;
  return kept.brokenMarkets === 0
    ? `${ground} no lie about price or arrival that keeps the start ${nothingText(kept)}.`
    : `${ground} ${many(kept.brokenWorkers, "worker")} could gain by a lie that keeps the start, at most ${mostOf(kept)}.`;
}

/** Only where every market was decided exactly do many of them bound the rest. */
const nothingText = ({ exact, share }: Judged): string =>
  exact
    ? `gained anything (with 95 % confidence at most ${percent(share.high)} of such markets have one)`
    : "was found to gain anything (lies were searched for, and a search can miss in every market)";

function movedSentence(find: Find): string {
  const [price, time, joint] = (["P5", "P6", "joint"] as const).map((property) =>
    find(`${property}, start moved`, "sufficient"),
  ) as [Judged, Judged, Judged];
  if (joint.brokenMarkets === 0)
    return `No lie that moves the start ${joint.exact ? "paid" : "was found to pay"} in ${many(joint.markets, "sufficient market")} ${find.drawn}.`;
  const alone = `${whole(price.brokenMarkets)} by the price alone, ${whole(time.brokenMarkets)} by the arrival alone`;
  return `The proofs overlook the start: in ${whole(joint.brokenMarkets)} of ${many(joint.markets, "sufficient market")} ${find.drawn} a worker gains by moving it (${alone}), at most ${mostOf(joint)}.`;
}

/** "7.25, 27 % of the budget". */
function mostOf({ worst }: Judged): string {
  const { found, market } = worst!;
  return `${threeDigits(found.amount)}, ${percent(found.amount / market.rules.budget)} of the budget`;
}

function tightSentence(find: Find): string {
  return regimeSentence("Once the group's money binds", "tight", find);
}

function lateSentence(find: Find): string {
  return regimeSentence("Where the start is late", "late start", find);
}

function regimeSentence(when: string, regime: (typeof regimes)[number], find: Find): string {
  const [price, time, both] = [
    find("P5 cost truthfulness", regime),
    find("P6 time truthfulness", regime),
    find("joint: P5×P6", regime),
  ];
  if (both.markets === 0) return `No market ${find.drawn} had a worker in the regime ${regime}.`;
  const markets = `${many(both.markets, "market")} ${find.drawn}`;
  if (both.brokenMarkets === 0)
    return `${when}, no lie ${both.exact ? "gained" : "was found to gain"} anything in ${markets}.`;
  const [pays, can] = both.exact ? ["pays", "can"] : ["was found to pay", "were found to"];
  return `${when}, lying ${pays} in ${percent(both.share.mean)} of ${markets}: ${percent(both.brokenWorkers / both.workers)} of workers ${can} gain, ${percent(price.brokenWorkers / price.workers)} by price alone and ${percent(time.brokenWorkers / time.workers)} by arrival alone, at most ${mostOf(both)}.`;
}

function sovereigntySentence(find: Find): string {
  const judged = regimes
    .map((regime) => find("P4 consumer sovereignty", regime))
    .filter(({ markets }) => markets > 0);
  const parts = judged.map(
    ({ regime, brokenWorkers, workers }) => `${percent(brokenWorkers / workers)} (${regime})`,
  );
  if (judged.every(({ brokenWorkers }) => brokenWorkers === 0))
    return judged.every(({ exact }) => exact)
      ? `In markets ${find.drawn} every worker with a reputation had a bid that got it selected and paid.`
      : `In markets ${find.drawn} no worker with a reputation was shown to be without a bid that gets it selected and paid; where none was found, one may exist.`;
  return `Consumer sovereignty fails: in markets ${find.drawn} no bid at all gets ${listed(parts)} of the workers with a reputation selected and paid.`;
}

export function shareSummary({ rows }: Table): string {
  const drawn = rows.filter(
    ({ family, reading, markets }) => family === "paper" && reading === "prose" && Number(markets) > 0,
  );
  const broken = drawn.filter((row) => Number(row.broken) > 0);
  const cells = `${drawn.length} combinations of a claim and a regime, of markets drawn as in the paper, read as in the prose`;
  if (broken.length === 0) return `No break was found in any of ${cells}.`;
  const top = broken.reduce((a, b) => (Number(b.share) > Number(a.share) ? b : a));
  return `Of ${cells}, ${broken.length} break in some market; most often ${top.claim} in the regime ${top.regime}, in ${percent(Number(top.share))} of markets.`;
}
