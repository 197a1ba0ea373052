/** The board as tables: verdicts in words, counts, and shares with their intervals. */

import { rounded, whole } from "../../src/lib/format.js";
import { type Regime, regimes } from "../../src/mechanisms/outcome.js";
import type { Column, Row, Table } from "../../src/report/result.js";
import { brokenShare, type Judged, type Tally } from "../shared/gains/scoreboard.js";
import { board } from "./claims.js";
import { families, readings } from "./draws.js";
import type { Place } from "./tallies.js";

/** One cell of the board. */
export interface Cell extends Place {
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

/** Of the prose, and of markets drawn as in the paper, unless the reader chooses others. */
const opensWith = { reading: readings[0]!, family: families[0] } as const;

const facets = [text("reading", "reading"), text("family", "markets drawn")];

export function verdictTable(cells: readonly Cell[]): Table {
  const headlines = board.filter(({ headline }) => headline);
  const rows = readings.flatMap((reading) =>
    families.flatMap((family) =>
      headlines.map((claim): Row => {
        const word = (regime: Regime) => {
          const here = { claim, regime, reading, family };
          const cell = cells.find((one) =>
            Object.entries(here).every(([k, v]) => one[k as keyof Cell] === v),
          );
          return cell ? verdictText(cell.judged) : "measured: see cost-growth";
        };
        const words = Object.fromEntries(regimes.map((regime) => [key(regime), word(regime)]));
        return { claim: claim.label, ...words, reading, family };
      }),
    ),
  );
  return {
    name: "verdicts",
    title: "Verdicts, with the number of markets looked at",
    columns: [text("claim", "claim"), ...regimes.map((r) => text(key(r), r)), ...facets],
    rows,
    opensWith,
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
      ...facets,
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
    opensWith,
  };
}

function scoreRow({ claim, reading, family, judged, exhibit }: Cell): Row {
  const { regime, markets, brokenMarkets, workers, brokenWorkers, share, witness } = judged;
  const certified = witness === null ? null : witness.certified === null ? "no twin to ask" : "yes";
  return {
    claim: claim.label,
    regime,
    reading,
    family,
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

export interface ShareCell extends Place {
  readonly tally: Tally;
}

export function shareTable(cells: readonly ShareCell[]): Table {
  return {
    name: "shares",
    title: "Shares of markets in which a claim breaks",
    columns: [
      text("claim", "claim"),
      text("regime", "regime"),
      ...facets,
      count("markets", "markets"),
      count("broken", "broken"),
      part("share", "share broken"),
      part("low", "95 % from"),
      part("high", "to"),
    ],
    opensWith,
    rows: cells.map(({ claim, reading, family, tally }) => {
      const { regime, markets, brokenMarkets } = tally;
      const { mean, low, high } = brokenShare(tally);
      const shares = { share: rounded(mean), low: rounded(low), high: rounded(high) };
      return { claim: claim.label, regime, reading, family, markets, broken: brokenMarkets, ...shares };
    }),
  };
}
