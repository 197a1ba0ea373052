/** The work behind the board: what breaks in drawn markets, in both readings and at every first-round ratio. */

import type { Stream } from "../../src/lib/random.js";
import type { Rules } from "../../src/market/market.js";
import type { Job } from "../../src/study/job.js";
import { huntedProperties } from "../../src/verdicts/counterexamples/violations.js";
import { lookAt } from "../shared/gains/breaks.js";
import type { NamedLook } from "../shared/gains/scoreboard.js";
import { mergeParts } from "../shared/gains/summary.js";
import { type DrawCell, type Drawn, drawnAt, readings, withRules } from "./draws.js";
import { mergeRatios, type RatioCounts, ratioProperties, ratiosOf } from "./ratios.js";
import { mergeBoards, type Tallies, talliesOf } from "./tallies.js";

const boardDraws = (stream: Stream): Stream => stream.fork("board");

const ratioDraws = (stream: Stream): Stream => stream.fork("ratios");

export interface BoardCell {
  readonly of: DrawCell;
  /** P4 takes long: it is asked of every so manieth market. */
  readonly everyForP4: number;
}

const withoutP4 = huntedProperties.filter((property) => property !== "P4");

/** The board of the markets drawn at a place. */
export const boardJob: Job<BoardCell, Tallies> = {
  look: ({ of, everyForP4 }, k, { stream, mechanism }) =>
    drawnAt(of, k, boardDraws(stream))
      .map((drawn) => {
        const properties = drawn.index % everyForP4 === 0 ? huntedProperties : withoutP4;
        return talliesOf(looksAt(drawn, {}, { mechanism, properties }), { ratio: "low", family: of.family });
      })
      .reduce(mergeBoards, {}),
  merge: mergeBoards,
  cost: ({ of }) => (of.family === "random" ? 60 : 2 + 0.1 * of.workers),
};

export interface RatioCell {
  readonly of: DrawCell;
  readonly firstRoundRatio: number;
}

/** P1 and P2 at one first-round ratio; the board only above 1/2, where it has rows for them. */
export interface RatioSummary {
  readonly counts: RatioCounts;
  readonly board: Tallies;
}

export const ratioJob: Job<RatioCell, RatioSummary> = {
  look: ({ of, firstRoundRatio }, k, { stream, mechanism }) =>
    drawnAt(of, k, ratioDraws(stream))
      .map((drawn) => {
        const looks = looksAt(drawn, { firstRoundRatio }, { mechanism, properties: ratioProperties });
        const { family } = of;
        const board = firstRoundRatio > 0.5 ? talliesOf(looks, { ratio: "high", family }) : {};
        return { counts: ratiosOf(looks, family), board };
      })
      .reduce<RatioSummary>(mergeSwept, { counts: {}, board: {} }),
  merge: mergeSwept,
  cost: ({ of }) => (of.family === "random" ? 8 : 0.2 + 0.01 * of.workers),
};

function mergeSwept(left: RatioSummary, right: RatioSummary): RatioSummary {
  return {
    counts: mergeParts(left.counts, right.counts, mergeRatios),
    board: mergeBoards(left.board, right.board),
  };
}

/** A drawn market in both readings. */
const looksAt = (
  { name, market }: Drawn,
  rules: Partial<Rules>,
  options: Parameters<typeof lookAt>[1],
): NamedLook[] =>
  readings.map((reading) => ({ ...lookAt(withRules(market, { ...rules, reading }), options), name }));
