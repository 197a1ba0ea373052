/** The board in sentences. */

import { listed, many, percent, threeDigits, whole } from "../../src/lib/format.js";
import type { AnyMechanism } from "../../src/mechanisms/mechanism.js";
import { regimes } from "../../src/mechanisms/regime.js";
import type { Exhibit, Finding, Table } from "../../src/report/result.js";
import type { Judged, Scene } from "../shared/gains/scoreboard.js";
import type { Claim } from "./claims.js";
import type { Cell } from "./tables.js";

export function exhibitOf(claim: Claim, { market, found }: Scene, mechanism: AnyMechanism): Exhibit {
  const { regime, worker, lie } = found;
  const who = worker === null ? "the payments" : `worker ${worker}`;
  return {
    name: [claim.label, regime, market.rules.reading].join(" ").replace(/[^A-Za-z0-9]+/g, "-"),
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

export function boardFindings(cells: readonly Cell[]): Finding[] {
  const find = (label: string, regime: string, reading = "all"): Judged =>
    cells.find(
      (cell) => cell.claim.label === label && cell.judged.regime === regime && cell.reading === reading,
    )!.judged;
  const findings = [
    {
      text: keptSentence(find("joint, start kept", "sufficient"), find("joint, purse empty", "sufficient")),
      weight: 100,
    },
    { text: movedSentence(find), weight: 85 },
    { text: tightSentence(find), weight: 90 },
    { text: lateSentence(find), weight: 40 },
    { text: sovereigntySentence(find), weight: 50 },
  ];
  return findings;
}

type Find = (label: string, regime: string) => Judged;

/** The paper's own ground: started on time, money never bound, and the lie leaves the start where it is. */
function keptSentence(kept: Judged, empty: Judged): string {
  if (kept.markets === 0) return "No market had a worker in the sufficient regime.";
  const ground = `In ${many(kept.markets, "market")} with ${many(kept.workers, "worker")} of the sufficient regime`;
  const found =
    kept.brokenMarkets === 0
      ? `no lie about price or arrival that keeps the start ${nothingText(kept)}`
      : `${many(kept.brokenWorkers, "worker")} could gain by a lie that keeps the start, at most ${mostOf(kept)}`;
  return `${ground} ${found}${emptyClause(empty)}.`;
}

/** Only where every market was decided exactly do many of them bound the rest. */
const nothingText = ({ exact, share }: Judged): string =>
  exact
    ? `gained anything (with 95 % confidence at most ${percent(share.high)} of such markets have one)`
    : "was found to gain anything (lies were searched for, and a search can miss in every market)";

function emptyClause({ brokenWorkers, brokenMarkets }: Judged): string {
  if (brokenMarkets === 0) return "";
  return `; lies pay for ${many(brokenWorkers, "worker")} in ${many(brokenMarkets, "market")} whose group's purse was exactly empty, which the rules do not count as a budget event`;
}

function movedSentence(find: Find): string {
  const [price, time, joint] = (["P5", "P6", "joint"] as const).map((property) =>
    find(`${property}, start moved`, "sufficient"),
  ) as [Judged, Judged, Judged];
  if (joint.brokenMarkets === 0)
    return `No lie that moves the start ${joint.exact ? "paid" : "was found to pay"} in ${many(joint.markets, "sufficient market")}.`;
  const alone = `${whole(price.brokenMarkets)} by the price alone, ${whole(time.brokenMarkets)} by the arrival alone`;
  return `The proofs overlook the start: in ${whole(joint.brokenMarkets)} of ${many(joint.markets, "sufficient market")} a worker gains by moving it (${alone}), at most ${mostOf(joint)}.`;
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
  if (both.markets === 0) return `No market had a worker in the regime ${regime}.`;
  if (both.brokenMarkets === 0)
    return `${when}, no lie ${both.exact ? "gained" : "was found to gain"} anything in ${many(both.markets, "market")}.`;
  const [pays, can] = both.exact ? ["pays", "can"] : ["was found to pay", "were found to"];
  return `${when}, lying ${pays} in ${percent(both.share.mean)} of ${many(both.markets, "market")}: ${percent(both.brokenWorkers / both.workers)} of workers ${can} gain, ${percent(price.brokenWorkers / price.workers)} by price alone and ${percent(time.brokenWorkers / time.workers)} by arrival alone, at most ${mostOf(both)}.`;
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
      ? "Every worker with a reputation had a bid that got it selected and paid."
      : "No worker with a reputation was shown to be without a bid that gets it selected and paid; where none was found, one may exist.";
  return `Consumer sovereignty fails: no bid at all gets ${listed(parts)} of the workers with a reputation selected and paid.`;
}

export function shareSummary({ rows }: Table): string {
  const drawn = rows.filter(
    ({ draw, markets, reading }) => draw === "paper" && reading === "prose" && Number(markets) > 0,
  );
  const broken = drawn.filter((row) => Number(row.broken) > 0);
  const cells = `${drawn.length} combinations of a claim and a regime, read as in the prose`;
  if (broken.length === 0) return `No break was found in any of ${cells}.`;
  const top = broken.reduce((a, b) => (Number(b.share) > Number(a.share) ? b : a));
  return `Of ${cells}, ${broken.length} break in some market; most often ${top.claim} in the regime ${top.regime}, in ${percent(Number(top.share))} of markets.`;
}
