/** Cells of the map: a market size, a budget, a regime and a lie; and what was seen there. */

import type { Exhibit } from "../../src/analysis.js";
import { type Regime, regimes } from "../../src/regime.js";
import { grouped } from "../../src/survey/over-markets.js";
import { type LieName, largest, lies, type Sight, type Sighting, summed } from "../../src/survey/sights.js";
import { money } from "../../src/survey/words.js";

/** "all" regimes: everybody; "all" lies: any lie, which is the joint one. */
type OrAll<Name> = Name | "all";

export interface Cell {
  readonly regime: OrAll<Regime>;
  readonly lie: OrAll<LieName>;
  readonly workers: number;
  readonly ratio: number;
  readonly sights: readonly Sight[];
}

export function cellsOf(sights: readonly Sight[]): Cell[] {
  const places = [...grouped(sights, ({ workers, ratio }) => `${workers}/${ratio}`).values()];
  return places.flatMap((there) =>
    (["all", ...regimes] as const).flatMap((regime) =>
      (["all", ...lies] as const).flatMap((lie): Cell[] => {
        const { workers, ratio } = there[0]!;
        const part = chosen(there, regime, lie);
        return part.length === 0 ? [] : [{ regime, lie, workers, ratio, sights: part }];
      }),
    ),
  );
}

export const chosen = (sights: readonly Sight[], regime: OrAll<Regime>, lie: OrAll<LieName>): Sight[] =>
  sights.filter(
    (sight) => (regime === "all" || sight.regime === regime) && sight.lie === (lie === "all" ? "joint" : lie),
  );

interface Witness {
  readonly name: string;
  readonly title: string;
  readonly sighting: Sighting;
}

/** The largest gain of a cell. */
export function witnessOf({ workers, ratio, sights }: Cell): Witness | null {
  const sighting = largest(sights.map(({ most }) => most));
  if (!sighting) return null;
  const { regime, gain, truthful, bid } = sighting;
  const name = `map-${workers}-${ratio}-${regime.replace(" ", "-")}`;
  const title = `${workers} workers at relative budget ${ratio}, ${regime}: worker ${bid.worker} gains ${money(gain)} on top of ${money(truthful)}`;
  return { name, title, sighting };
}

/** The worst cell of each regime first, then one of every cell in which somebody gains. */
export function exhibitsOf(cells: readonly Cell[], mechanism: string): Exhibit[] {
  const everyLie = cells.filter(({ lie }) => lie === "all");
  const worst = regimes.flatMap((regime) => worstCell(everyLie, regime) ?? []);
  const found = [...worst, ...everyLie.filter(({ regime }) => regime === "all")].flatMap(
    (cell) => witnessOf(cell) ?? [],
  );
  const unique = new Map(found.map((witness) => [witness.name, witness]));
  return [...unique.values()].map(({ name, title, sighting }) => {
    const { market, bid } = sighting;
    return { name, title, market, mechanism, lie: bid };
  });
}

/** The cell with the highest share; null where nobody gains. */
export function worstCell(cells: readonly Cell[], regime: OrAll<Regime>): Cell | null {
  const there = cells.filter((cell) => cell.regime === regime && cell.lie === "all");
  const rated = there.map((cell) => ({ cell, share: summed(cell.sights).share.mean }));
  const worst = rated.reduce((a, b) => (b.share > a.share ? b : a), rated[0] ?? { cell: null, share: 0 });
  return worst.share > 0 ? worst.cell : null;
}

export const everything = (cells: readonly Cell[]): Cell[] =>
  cells.filter(({ regime, lie }) => regime === "all" && lie === "all");

export const placeOf = ({ workers, ratio }: Cell): string =>
  `${workers} workers at a relative budget of ${ratio}`;
