/** The work behind the board: what breaks in drawn markets, in both readings and at every first-round ratio. */

import { huntedProperties } from "../../src/hunt/quarry.js";
import { listing } from "../../src/job.js";
import type { Market, Rules } from "../../src/market.js";
import type { Stream } from "../../src/random.js";
import { type Look, type LookOptions, lookAt } from "../../src/survey/breaks.js";
import { type DrawCell, type Drawn, drawnAt, readings, withRules } from "./draws.js";
import { ratioProperties } from "./ratios.js";

/** A look without its market, which can be drawn again. */
export type Glance = Omit<Look, "market">;

export const boardDraws = (stream: Stream): Stream => stream.fork("board");

export const ratioDraws = (stream: Stream): Stream => stream.fork("ratios");

export interface BoardCell {
  readonly of: DrawCell;
  /** P4 takes long: it is asked of every so manieth market. */
  readonly everyForP4: number;
}

const withoutP4 = huntedProperties.filter((property) => property !== "P4");

/** Of every market drawn at a place, a glance in each reading. */
export const boardJob = listing<BoardCell, Glance[]>(
  ({ of, everyForP4 }, k, { stream, mechanism }) =>
    drawnAt(of, k, boardDraws(stream)).flatMap(({ index, market }) => {
      const properties = index % everyForP4 === 0 ? huntedProperties : withoutP4;
      return glances(market, {}, { mechanism, properties });
    }),
  ({ of }) => (of.draw === "wide" ? 60 : 2 + 0.1 * of.workers),
);

export interface RatioCell {
  readonly of: DrawCell;
  readonly firstRoundRatio: number;
}

export const ratioJob = listing<RatioCell, Glance[]>(
  ({ of, firstRoundRatio }, k, { stream, mechanism }) =>
    drawnAt(of, k, ratioDraws(stream)).flatMap(({ market }) =>
      glances(market, { firstRoundRatio }, { mechanism, properties: ratioProperties }),
    ),
  ({ of }) => (of.draw === "wide" ? 8 : 0.2 + 0.01 * of.workers),
);

function glances(market: Market, rules: Partial<Rules>, options: LookOptions): Glance[] {
  return readings.map((reading) => {
    const { market: _, ...glance } = lookAt(withRules(market, { ...rules, reading }), options);
    return glance;
  });
}

/** Glances with the markets they were taken at, in both readings one after another. */
export function paired(drawn: readonly Drawn[], rules: Partial<Rules>, seen: readonly Glance[]) {
  return drawn.flatMap(({ draw, name, market }, k) =>
    readings.map((reading, r) => ({
      ...{ draw, name, market: withRules(market, { ...rules, reading }) },
      ...seen[k * readings.length + r]!,
    })),
  );
}
