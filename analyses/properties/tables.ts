/** The board as tables: verdicts in words, counts, and shares with their intervals. */

import { rounded, whole } from "../../src/lib/format.js";
import { type Regime, regimes } from "../../src/mechanisms/regime.js";
import type { Column, Row, Table } from "../../src/report/result.js";
import { brokenShare, type Judged, type Tally } from "../shared/gains/scoreboard.js";
import { board, type Claim } from "./claims.js";
import type { DrawName } from "./draws.js";

/** One cell of the board; `reading` is "all" where a break in either counts. */
export interface Cell {
  readonly claim: Claim;
  readonly reading: string;
  readonly judged: Judged;
  /** The exhibit that shows the break. */
  readonly exhibit: string | null;
}

const text = (name: string, label: string): Column => ({ name, label, kind: "text" });
const count = (name: string, label: string): Column => ({ name, label, kind: "count" });
const part = (name: string, label: string): Column => ({ name, label, kind: "share" });

/** What a cell says: nothing is proved over a sample, so "holds" counts the markets it was seen to hold in. */
export function verdictText({ judgement, markets, brokenMarkets }: Judged): string {
  if (judgement === null) return "not met";
  if (judgement === "breaks") return `breaks in ${whole(brokenMarkets)} of ${whole(markets)}`;
  if (judgement === "holds") return `holds in all ${whole(markets)}`;
  return brokenMarkets > 0
    ? `undecided: rounding in ${whole(brokenMarkets)}`
    : `undecided in ${whole(markets)}`;
}

export function verdictTable(cells: readonly Cell[], readings: readonly string[]): Table {
  const rows = readings.flatMap((reading) =>
    board
      .filter(({ headline }) => headline)
      .map((claim): Row => {
        const mine = cells.filter((cell) => cell.claim === claim && cell.reading === reading);
        const word = (regime: Regime) => {
          const cell = mine.find(({ judged }) => judged.regime === regime);
          return cell ? verdictText(cell.judged) : "measured: see cost-growth";
        };
        return { claim: claim.label, reading, ...Object.fromEntries(regimes.map((r) => [key(r), word(r)])) };
      }),
  );
  return {
    name: "verdicts",
    title: "Verdicts, with the number of markets looked at",
    columns: [text("claim", "claim"), ...regimes.map((r) => text(key(r), r)), text("reading", "reading")],
    rows,
  };
}

/** Regimes as columns: not to be taken for the facet. */
const key = (regime: Regime): string => (regime === "late start" ? "lateStart" : regime);

export function scoreTable(cells: readonly Cell[]): Table {
  return {
    name: "scoreboard",
    title: "The whole board: counts, worst breaks and witnesses",
    columns: [
      text("claim", "claim"),
      text("regime", "regime"),
      text("reading", "reading"),
      text("verdict", "verdict"),
      count("markets", "markets"),
      count("brokenMarkets", "broken"),
      part("bound", "share broken at most (95 %), where decided exactly"),
      count("workers", "workers"),
      count("brokenWorkers", "of them broken"),
      { name: "worst", label: "worst amount", kind: "amount" },
      part("worstPart", "worst, of the budget"),
      text("certified", "confirmed in exact fractions"),
      text("exhibit", "exhibit"),
    ],
    rows: cells.map(scoreRow),
  };
}

function scoreRow({ claim, reading, judged, exhibit }: Cell): Row {
  const { regime, markets, brokenMarkets, workers, brokenWorkers, share, witness } = judged;
  const certified = witness === null ? null : witness.certified === null ? "no twin to ask" : "yes";
  return {
    claim: claim.label,
    regime,
    reading,
    verdict: judged.judgement ?? "not met",
    markets,
    brokenMarkets,
    bound: markets === 0 ? null : rounded(share.high),
    workers,
    brokenWorkers: claim.property === "P2" ? null : brokenWorkers,
    ...worstOf(judged),
    certified,
    exhibit,
  };
}

function worstOf({ worst }: Tally): { worst: number | null; worstPart: number | null } {
  if (worst === null || worst.found.property === "P4") return { worst: null, worstPart: null };
  const { found, market } = worst;
  return { worst: rounded(found.amount), worstPart: rounded(found.amount / market.rules.budget) };
}

export interface ShareCell {
  readonly claim: Claim;
  readonly reading: string;
  readonly draw: DrawName;
  readonly tally: Tally;
}

export function shareTable(cells: readonly ShareCell[]): Table {
  return {
    name: "shares",
    title: "Shares of markets in which a claim breaks, by how they were drawn",
    columns: [
      text("claim", "claim"),
      text("regime", "regime"),
      text("reading", "reading"),
      text("draw", "drawn"),
      count("markets", "markets"),
      count("broken", "broken"),
      part("share", "share broken"),
      part("low", "95 % from"),
      part("high", "to"),
    ],
    rows: cells.map(({ claim, reading, draw, tally }) => {
      const { regime, markets, brokenMarkets } = tally;
      const { mean, low, high } = brokenShare(tally);
      const shares = { share: rounded(mean), low: rounded(low), high: rounded(high) };
      return { claim: claim.label, regime, reading, draw, markets, broken: brokenMarkets, ...shares };
    }),
  };
}
