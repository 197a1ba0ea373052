/**
 * The best joint lie of two workers by brute force in fractions: all lines at which any comparison of any run changes, all
 * points where two of them meet, and there plain runs of the rational twin on every side and in between.
 */

import { exactOutcome, exactUtility } from "../src/auction/exact.js";
import { LinearForms } from "../src/auction/linear-forms.js";
import type { AnyMechanism } from "../src/auction/mechanism.js";
import { allotmentOf } from "../src/auction/outcome.js";
import { runProgram } from "../src/auction/program.js";
import { exactly, type Fraction, fraction, zero } from "../src/lib/fraction.js";
import type { Vector } from "../src/lib/integer-vector.js";
import { bidders, type Market, workerOf } from "../src/market/market.js";

type Point = readonly [Fraction, Fraction];
/** a + b · x + c · y = 0. */
type Line = readonly [Fraction, Fraction, Fraction];

const along = ([x, y]: Point, [dx, dy]: Point, by: Fraction): Point => [x.add(dx.mul(by)), y.add(dy.mul(by))];
const at = ([a, b, c]: Line, [x, y]: Point): Fraction => a.add(b.mul(x)).add(c.mul(y));
const isPrice = ([x, y]: Point): boolean => x.gte(0) && y.gte(0);

/** Every line once, however it is scaled. */
function lineOf(form: Vector): Line {
  const [a, b, c] = Array.from<number | bigint, Fraction>(form, (one) => fraction(BigInt(one))) as [
    Fraction,
    Fraction,
    Fraction,
  ];
  const scale = b.equals(0) ? c : b;
  return [a.div(scale), b.div(scale), c.div(scale)];
}

function meeting([a, b, c]: Line, [d, e, f]: Line): Point | null {
  const determinant = b.mul(f).sub(c.mul(e));
  if (determinant.equals(0)) return null;
  return [c.mul(d).sub(a.mul(f)).div(determinant), a.mul(e).sub(b.mul(d)).div(determinant)];
}

/** All directions in which a point has a neighbour of its own: along the lines through it, and between two of these. */
function directionsAt(point: Point, lines: readonly Line[]): Point[] {
  const through = lines.filter((line) => at(line, point).equals(0));
  const both = through.flatMap(([, b, c]): Point[] => [
    [c, zero.sub(b)],
    [zero.sub(c), b],
  ]);
  const angle = ([x, y]: Point) => Math.atan2(y.valueOf(), x.valueOf());
  const size = ([x, y]: Point) => x.abs().add(y.abs());
  const around = both
    .sort((p, q) => angle(p) - angle(q))
    .map((d): Point => [d[0].div(size(d)), d[1].div(size(d))]);
  return around.flatMap((d, k) => {
    const next = around[(k + 1) % around.length]!;
    return [d, [d[0].add(next[0]), d[1].add(next[1])] as Point];
  });
}

/** A step that stays on this side of all lines that do not pass through the point. */
function stepFrom(point: Point, direction: Point, lines: readonly Line[]): Fraction {
  return lines.reduce((step, line) => {
    const [here, rise] = [at(line, point), at([zero, line[1], line[2]], direction)];
    const reach = rise.equals(0) ? zero : zero.sub(here).div(rise);
    return reach.gt(0) && reach.div(2).lt(step) ? reach.div(2) : step;
  }, fraction(1));
}

export function bruteForce(market: Market, mechanism: AnyMechanism, ids: readonly number[]) {
  const [first, second] = ids.map((id) => workerOf(market, id)) as [Worker, Worker];
  let best = { utility: Number.NEGATIVE_INFINITY, attained: false };
  for (let a = first.arrival; a <= market.rules.rounds; a++)
    for (let b = second.arrival; b <= market.rules.rounds; b++) {
      const found = atArrivals(market, mechanism, ids, [a, b]);
      if (found.utility > best.utility) best = found;
      else if (found.utility === best.utility) best = { ...best, attained: best.attained || found.attained };
    }
  return best;
}

type Worker = Market["workers"][number];

function atArrivals(
  market: Market,
  mechanism: AnyMechanism,
  ids: readonly number[],
  arrivals: readonly number[],
) {
  const late = bidders(market.workers).map((bid) => ({
    ...bid,
    arrival: arrivals[ids.indexOf(bid.id)] ?? bid.arrival,
  }));
  const lines = new Map<string, Line>();
  const note = (form: Vector) => {
    const line = lineOf(form);
    lines.set(line.map((one) => one.toFraction()).join(), line);
  };
  note([0, 1, 0]);
  note([0, 0, 1]);
  const utility = (point: Point): Fraction => {
    const bids = late.map((bid) => ({
      ...bid,
      price: "sees" in mechanism ? bid.price : (point[ids.indexOf(bid.id)] ?? bid.price),
    }));
    const outcome = exactOutcome(mechanism, market.rules, bids);
    return ids.reduce(
      (sum, id) => sum.add(exactUtility(workerOf(market, id).cost, allotmentOf(outcome, id))),
      zero,
    );
  };
  const look = (point: Point) => recordLines(market, mechanism, { bids: late, ids, point, note });
  let supremum: Fraction | null = null;
  let attained = false;
  for (let known = 0; known < lines.size; ) {
    known = lines.size;
    const list = [...lines.values()];
    [supremum, attained] = [null, false];
    const consider = (value: Fraction, reached: boolean) => {
      if (supremum === null || value.gt(supremum)) [supremum, attained] = [value, reached];
      else if (value.equals(supremum)) attained ||= reached;
    };
    for (const corner of cornersOf(list)) {
      look(corner);
      consider(utility(corner), true);
      for (const direction of directionsAt(corner, list)) {
        const step = stepFrom(corner, direction, list);
        const [far, near] = [along(corner, direction, step), along(corner, direction, step.div(2))];
        if (!isPrice(far)) continue;
        look(far);
        const [there, here] = [utility(far), utility(near)];
        consider(there, true);
        consider(here.mul(2).sub(there), false);
      }
    }
  }
  return { utility: supremum!.valueOf(), attained };
}

function cornersOf(lines: readonly Line[]): Point[] {
  const corners = new Map<string, Point>();
  for (const [k, one] of lines.entries())
    for (const other of lines.slice(k + 1)) {
      const point = meeting(one, other);
      if (point && isPrice(point)) corners.set(`${point[0].toFraction()},${point[1].toFraction()}`, point);
    }
  return [...corners.values()];
}

interface Recording {
  readonly bids: ReturnType<typeof bidders>;
  readonly ids: readonly number[];
  readonly point: Point;
  readonly note: (form: Vector) => void;
}

/** Runs the text at a point, and notes what its comparisons are about. */
function recordLines(market: Market, mechanism: AnyMechanism, { bids, ids, point, note }: Recording): void {
  const holds = ([a, b, c]: readonly Fraction[]) => at([a!, b!, c!], point).lte(0);
  const ask = (form: Vector) =>
    holds(Array.from<number | bigint, Fraction>(form, (one) => exactly(fraction(BigInt(one)))));
  const noted = (form: Vector) => {
    note(form);
    return ask(form);
  };
  const math = new LinearForms(3, { decide: noted, peek: noted });
  const priceOf = ({ id }: { id: number }) =>
    ids.includes(id) && !("sees" in mechanism) ? math.unknown(1 + ids.indexOf(id)) : undefined;
  runProgram(mechanism, market.rules, bids, { math, priceOf });
}
