/** The gallery as tables: one row per hunt, both runs side by side, and where each gain comes from. */

import { brief, rounded } from "../../src/lib/format.js";
import type { AnyMechanism } from "../../src/mechanisms/mechanism.js";
import type { Column, Exhibit, Row, Table } from "../../src/report/result.js";
import type { ShrunkCounterexample } from "../../src/verdicts/counterexamples/search.js";
import {
  type Account,
  decisionIn,
  type Explanation,
  explain,
  replayCommand,
  whenText,
} from "../../src/verdicts/explain.js";
import { type Hunted, type HuntingSettings, huntCommand, type Prey } from "./quarries.js";
import { catchText } from "./words.js";

/** A hunt and what its catch shows. */
export interface Piece extends Hunted {
  readonly name: string;
  readonly shown: ShrunkCounterexample | null;
  /** Null where it takes no lie, or nothing was caught. */
  readonly explanation: Explanation | null;
}

export function pieceOf(hunted: Hunted, mechanism: AnyMechanism): Piece {
  const shown = hunted.report.smallest;
  const lie = shown?.violation.lie ?? null;
  const explanation = shown && lie && explain(shown.market, lie, { mechanism });
  return { ...hunted, name: nameOf(hunted.prey), shown, explanation };
}

function nameOf({ property, regime, start, maxRatio }: Prey): string {
  const ratio = maxRatio > 0.5 ? ["any ratio"] : [];
  return [property, regime, ...(start === "any" ? [] : [`start ${start}`]), ...ratio].join(", ");
}

const text = (name: string, label: string): Column => ({ name, label, kind: "text" });
const count = (name: string, label: string): Column => ({ name, label, kind: "count" });
const amount = (name: string, label: string): Column => ({ name, label, kind: "amount" });
const part = (name: string, label: string): Column => ({ name, label, kind: "share" });

export function galleryTable(
  pieces: readonly Piece[],
  mechanism: AnyMechanism,
  settings: HuntingSettings,
): Table {
  return {
    name: "gallery",
    title: "Every hunt and the smallest market it found",
    columns: [
      text("witness", "hunted"),
      text("regime", "regime"),
      text("result", "result"),
      text("reading", "reading"),
      count("workers", "workers"),
      count("rounds", "rounds"),
      amount("ratio", "first-round ratio"),
      amount("amount", "amount"),
      part("ofBudget", "of the budget"),
      text("kind", "kind of lie"),
      text("certified", "confirmed in exact fractions"),
      count("drawn", "markets drawn"),
      part("bound", "share that can break at most (95 %)"),
      text("replay", "replay"),
      text("hunt", "hunt again"),
    ],
    rows: pieces.map((piece) => ({
      ...huntedRow(piece, mechanism, settings),
      ...(piece.shown ? caughtRow(piece.shown, piece, mechanism) : nothing),
    })),
  };
}

function huntedRow(piece: Piece, mechanism: AnyMechanism, settings: HuntingSettings): Row {
  const { searched, shareBound } = piece.report;
  return {
    witness: piece.name,
    regime: piece.prey.regime,
    result: piece.shown ? catchText(piece.shown) : "nothing found",
    drawn: searched.markets,
    bound: shareBound === null ? null : rounded(shareBound),
    hunt: huntCommand(piece, mechanism, settings),
  };
}

const nothing: Row = {
  reading: null,
  workers: null,
  rounds: null,
  ratio: null,
  amount: null,
  ofBudget: null,
  kind: null,
  certified: null,
  replay: null,
};

function caughtRow(shown: ShrunkCounterexample, { explanation }: Piece, mechanism: AnyMechanism): Row {
  const { market, violation, certified } = shown;
  const { rules, workers } = market;
  const told = { source: "stdin:1", market, lie: violation.lie, mechanism: mechanism.name };
  return {
    reading: rules.reading,
    workers: workers.length,
    rounds: rules.rounds,
    ratio: rules.firstRoundRatio,
    amount: violation.property === "P4" ? null : rounded(violation.amount),
    ofBudget: violation.property === "P4" ? null : rounded(violation.amount / rules.budget),
    kind: explanation?.kind ?? null,
    certified: certified ? "yes" : "no exact form",
    replay: replayCommand(told),
  };
}

export function runsTable(pieces: readonly Piece[]): Table {
  const rows = pieces.flatMap(({ name, prey, explanation, shown }) => {
    if (!explanation) return [];
    const about = { witness: name, regime: prey.regime, reading: shown!.market.rules.reading };
    return sideBySide(explanation).map(([what, honest, lying]) => ({ ...about, what, honest, lying }));
  });
  return {
    name: "runs",
    title: "The truthful and the lying run of each witness, side by side",
    columns: [
      text("witness", "hunted"),
      text("regime", "regime"),
      text("reading", "reading"),
      text("what", ""),
      text("honest", "truth"),
      text("lying", "lie"),
    ],
    rows,
  };
}

/** What the liar says and gets in both runs, and the first decision that differs. */
function sideBySide({ truth, lie, difference }: Explanation): [string, string, string][] {
  const items: [string, (account: Account) => string][] = [
    ["price", ({ bid }) => brief(bid.price)],
    ["arrival", ({ bid }) => String(bid.arrival)],
    [
      "start",
      ({ startDelay }) =>
        startDelay === null ? "never" : startDelay === 0 ? "on time" : `${startDelay} late`,
    ],
    ["selected in round", ({ selectedAt }) => String(selectedAt ?? "never")],
    ["payment", ({ payment }) => brief(payment)],
    ["utility", ({ utility }) => brief(utility)],
  ];
  const rows = items.map(([what, cell]): [string, string, string] => [what, cell(truth), cell(lie)]);
  if (!difference) return rows;
  const [honest, lying] = [decisionIn(difference, "truth"), decisionIn(difference, "lie")];
  return [...rows, [`first decision that differs, ${whenText(difference)}`, honest, lying]];
}

/** The words for where a gain comes from. */
const causeNames = { rounds: "rounds", price: "price", budget: "money", start: "start" } as const;

export function causesTable(pieces: readonly Piece[]): Table {
  const rows = pieces.flatMap(({ name, prey, shown, explanation }): Row[] => {
    const { causes, kind } = explanation ?? {};
    if (!causes) return [];
    const { rules } = shown!.market;
    return Object.entries(causeNames).map(([cause, label]) => {
      const value = causes[cause as keyof typeof causeNames];
      const facets = { regime: prey.regime, reading: rules.reading, kind: kind ?? null };
      return {
        witness: name,
        ...facets,
        cause: label,
        amount: rounded(value),
        ofBudget: rounded(value / rules.budget),
      };
    });
  });
  return {
    name: "causes",
    title: "Where the gain of each witness comes from",
    columns: [
      text("witness", "hunted"),
      text("regime", "regime"),
      text("reading", "reading"),
      text("kind", "kind of lie"),
      text("cause", "cause"),
      amount("amount", "amount"),
      part("ofBudget", "of the budget"),
    ],
    rows,
  };
}

export const exhibitsOf = (pieces: readonly Piece[], { name: mechanism }: AnyMechanism): Exhibit[] =>
  pieces.flatMap(({ name, shown }) => {
    if (!shown) return [];
    const { market, violation } = shown;
    return [{ name, title: `${name}: ${catchText(shown)}`, market, mechanism, lie: violation.lie }];
  });
