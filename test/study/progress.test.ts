import { describe, expect, it } from "vitest";
import { collectJob } from "../../src/study/job.js";
import { barText, type Position, StudyProgress } from "../../src/study/progress.js";

/** States a millisecond for every market. */
const job = collectJob(
  () => 0,
  () => 1,
);

/** A study of two analyses, each with cells of so many markets, and a clock to set. */
function studyOf(...analyses: readonly (readonly number[])[]) {
  const clock = { now: 0 };
  const shown: Position[] = [];
  const works = analyses.map((cells, k) => ({
    name: `analysis ${k}`,
    job,
    cells: cells.map((markets, cell) => ({ cell, markets })),
  }));
  const gauge = { show: (position: Position) => void shown.push(position), clear: () => {} };
  const progress = new StudyProgress(works, gauge, () => clock.now);
  const done = (cell: number, markets: number, seconds: number, found = false) => {
    clock.now += seconds;
    progress.add([{ cell, from: 0, to: markets }], found);
    return shown.at(-1)!;
  };
  return { progress, done, last: () => shown.at(-1)! };
}

describe("the time that is left", () => {
  it("comes from what finished chunks took, whatever their stated cost", () => {
    const { progress, done } = studyOf([100]);
    progress.begin(0);
    expect(done(0, 10, 20)).toMatchObject({ done: 0.1, secondsLeft: 180, items: 10 });
    expect(done(0, 10, 40)).toMatchObject({ secondsLeft: 240, items: 20 });
  });

  it("goes by the cell itself where some of it was measured, else by the one before it", () => {
    const { progress, done } = studyOf([10, 20, 30]);
    progress.begin(0);
    expect(done(0, 10, 10).secondsLeft).toBe(20 + 30);
    expect(done(1, 10, 50).secondsLeft).toBe(5 * 10 + 5 * 30);
  });

  it("counts the analyses to come, at the pace of all that was measured", () => {
    const { progress, done, last } = studyOf([10], [90]);
    progress.begin(0);
    expect(done(0, 10, 20)).toMatchObject({ done: 0.1, secondsLeft: 180 });
    progress.begin(1);
    expect(last()).toMatchObject({ what: "analysis 1", done: 0.1, secondsLeft: 180, items: 0 });
  });

  it("is not shortened by what was found done", () => {
    const { progress, done } = studyOf([100]);
    progress.begin(0);
    expect(done(0, 50, 0, true)).toMatchObject({ done: 0.5, secondsLeft: null, items: 0 });
    expect(done(0, 25, 10)).toMatchObject({ done: 0.75, secondsLeft: 10, items: 25 });
  });

  it("of an analysis that failed is nothing, and the bar never goes back", () => {
    const { progress, done, last } = studyOf([50], [10, 40]);
    progress.begin(0);
    done(0, 10, 10);
    progress.begin(1);
    expect(last()).toMatchObject({ done: 0.5, secondsLeft: 50 });
    expect(done(0, 10, 1).done).toBeGreaterThanOrEqual(0.5);
    expect(done(1, 4, 400).done).toBeGreaterThanOrEqual(0.5);
  });

  it("is not told before anything says it", () => {
    const { progress, done, last } = studyOf([1000], []);
    progress.begin(0);
    expect(last()).toMatchObject({ done: 0, secondsLeft: null });
    expect(done(0, 1, 0.5).secondsLeft).toBe(null);
    expect(done(0, 1, 0.6).secondsLeft).toBe(null);
    expect(done(0, 1, 10).secondsLeft).toBeGreaterThan(0);
  });
});

it("the bar tells the share, the rate, the time left and what is being done", () => {
  const place = { done: 0.25, rate: 0, unit: "markets", what: "landscape", secondsLeft: 30 } as const;
  expect(barText(place)).toBe("██████░░░░░░░░░░░░░░░░░░  25 %  30 s left  landscape");
  expect(barText({ ...place, rate: 1234.4 })).toContain("  25 %  1234 markets/s  30 s left  ");
  expect(barText({ ...place, rate: 0.123 })).toContain("  0.12 markets/s  ");
  expect(barText({ ...place, secondsLeft: null })).not.toContain("left");
  expect(barText({ ...place, secondsLeft: 3000 })).toContain("  50 min left  ");
  expect(barText({ ...place, secondsLeft: 30_000 })).toContain("  8 h 20 min left  ");
});
