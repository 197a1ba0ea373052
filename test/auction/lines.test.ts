/** Lines over one unknown price: what a comparison says just above a price, and how far that holds. */

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Amount } from "../../src/auction/amounts.js";
import { Lines } from "../../src/auction/lines.js";
import { runAuction } from "../../src/auction/mechanism.js";
import { runProgram } from "../../src/auction/program.js";
import type { TraceEvent } from "../../src/auction/trace.js";
import { tracing } from "../../src/auction/tracing.js";
import { bidders } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online/online.js";
import { tiedMarkets } from "../tied-markets.js";

function above(price: number): { lines: Lines; x: Amount } {
  const lines = new Lines();
  return { lines, x: lines.begin(price, true) };
}
const heldIn = ({ until, untilIncluded, startIncluded }: Lines) => ({ until, untilIncluded, startIncluded });
const everywhere = { until: Number.POSITIVE_INFINITY, untilIncluded: true, startIncluded: true };

describe("just above a price, a comparison", () => {
  it("holds up to the root, and at the root where it says at most", () => {
    const { lines, x } = above(2);
    expect(lines.atMost(x, lines.known(5))).toBe(true);
    expect(heldIn(lines)).toEqual({ until: 5, untilIncluded: true, startIncluded: true });
    expect(lines.atMost(lines.known(5), x)).toBe(false);
    expect(heldIn(lines)).toEqual({ until: 5, untilIncluded: false, startIncluded: true });
  });

  it("narrows what others have left, and never widens it", () => {
    const { lines, x } = above(2);
    lines.atMost(lines.known(5), x);
    lines.atMost(x, lines.known(7));
    expect(heldIn(lines)).toEqual({ until: 5, untilIncluded: false, startIncluded: true });
    lines.atMost(lines.times(x, lines.known(2)), lines.known(6));
    expect(heldIn(lines)).toEqual({ until: 3, untilIncluded: true, startIncluded: true });
  });

  it("with a root below the price, or none, narrows nothing", () => {
    const { lines, x } = above(2);
    expect(lines.atMost(lines.known(1), x)).toBe(true);
    expect(lines.atMost(x, lines.known(1))).toBe(false);
    expect(lines.atMost(x, lines.plus(x, lines.known(1)))).toBe(true);
    expect(heldIn(lines)).toEqual(everywhere);
  });

  it("that is even at the price is decided by the slope, and then the price itself may not belong to it", () => {
    const { lines, x } = above(2);
    expect(lines.atMost(lines.known(2), x)).toBe(true);
    expect(heldIn(lines)).toEqual(everywhere);
    expect(lines.atMost(x, lines.known(2))).toBe(false);
    expect(heldIn(lines)).toEqual({ ...everywhere, startIncluded: false });
  });

  it("[M13] whose root counts as equal to the price is even there", () => {
    const { lines, x } = above(1000);
    expect(lines.atMost(lines.minus(x, lines.known(1000)), lines.known(1e-9))).toBe(false);
    expect(heldIn(lines)).toEqual({ ...everywhere, startIncluded: false });
  });

  it("[M13] whose root counts as equal to the nearest so far moves it nowhere, but may leave it out", () => {
    for (const near of [5 * (1 - 1e-12), 5 * (1 + 1e-12)]) {
      const { lines, x } = above(2);
      lines.atMost(x, lines.known(5));
      lines.atMost(lines.known(near), x);
      expect(heldIn(lines)).toEqual({ until: 5, untilIncluded: false, startIncluded: true });
      lines.atMost(x, lines.known(near));
      expect(heldIn(lines)).toEqual({ until: 5, untilIncluded: false, startIncluded: true });
    }
  });

  it("that only peeks narrows nothing", () => {
    const { lines, x } = above(2);
    expect(lines.peekAtMost(x, lines.known(5))).toBe(true);
    expect(lines.peekAtMost(x, lines.known(2))).toBe(false);
    expect(
      lines.peekSorted(
        [
          { id: 1, key: lines.known(3) },
          { id: 0, key: x },
        ],
        ({ key }) => key,
      ),
    ).toMatchObject([{ id: 0 }, { id: 1 }]);
    expect(heldIn(lines)).toEqual(everywhere);
  });
});

it("at a price itself, even is at most, and nothing is narrowed", () => {
  const lines = new Lines();
  const x = lines.begin(2, false);
  expect([lines.atMost(x, lines.known(2)), lines.atMost(lines.known(2), x)]).toEqual([true, true]);
  expect(lines.atMost(x, lines.known(1.9))).toBe(false);
  expect(heldIn(lines)).toEqual(everywhere);
});

it("a new run forgets the last", () => {
  const { lines, x } = above(2);
  lines.atMost(x, lines.known(2));
  lines.atMost(lines.known(5), x);
  lines.begin(3, true);
  expect(heldIn(lines)).toEqual(everywhere);
});

it("lines are added, multiplied and divided by what is known, and by nothing else", () => {
  const { lines, x } = above(2);
  const both = (a: Amount) => [lines.value(a), lines.slope(a)];
  const [three, line] = [lines.known(3), lines.plus(x, lines.known(1))];
  expect(both(line)).toEqual([3, 1]);
  expect(both(lines.plus(three, x))).toEqual([5, 1]);
  expect(both(lines.minus(three, x))).toEqual([1, -1]);
  expect(both(lines.minus(x, three))).toEqual([-1, 1]);
  expect([both(lines.times(three, x)), both(lines.times(x, three))]).toEqual([
    [6, 3],
    [6, 3],
  ]);
  expect(both(lines.over(x, lines.known(4)))).toEqual([0.5, 0.25]);
  expect(both(lines.over(three, lines.known(4)))).toEqual([0.75, 0]);
  expect([x, line, three, lines.minus(line, x)].map((a) => lines.isKnown(a))).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect(() => lines.times(x, line)).toThrow("multiplies two amounts");
  expect(() => lines.over(three, x)).toThrow("divides by an amount");
});

it("[M2] sorts by key, even ones by id, in whatever order they come; the interval is that of the neighbours", () => {
  const { lines, x } = above(2);
  const items = [3, 1, 4, 0, 2].map((id) => ({
    id,
    key: id === 4 ? lines.known(3) : id === 1 ? x : lines.known(2),
  }));
  expect(lines.sorted(items, ({ key }) => key).map(({ id }) => id)).toEqual([0, 2, 3, 1, 4]);
  expect(heldIn(lines)).toEqual({ until: 3, untilIncluded: true, startIncluded: false });
  expect(items.map(({ id }) => id)).toEqual([3, 1, 4, 0, 2]);
});

it("the text of the paper's mechanism, on numbers, decides what its engine decides", () => {
  fc.assert(
    fc.property(tiedMarkets(), (market) => {
      const shares: TraceEvent[] = [];
      const run = runProgram(online, market.rules, bidders(market.workers), {
        math: new Lines(),
        observe: tracing((event) => shares.push(event)),
      });
      const engine: TraceEvent[] = [];
      const {
        workers,
        thresholds: _,
        ...outcome
      } = runAuction(online, market, [], (event) => engine.push(event));
      expect(run.outcome()).toMatchObject(outcome);
      for (const [k, { payment, ...decided }] of run.outcome().workers.entries()) {
        expect(workers[k]).toMatchObject(decided);
        expect(payment).toBeCloseTo(workers[k]!.payment, 9);
      }
      const budgets = (events: TraceEvent[]) =>
        events.flatMap((event) => (event.kind === "round" ? [event.sampleBudget] : []));
      const expected = budgets(engine);
      for (const [k, budget] of budgets(shares).entries()) expect(budget).toBeCloseTo(expected[k]!, 9);
    }),
    { numRuns: 200 },
  );
});
