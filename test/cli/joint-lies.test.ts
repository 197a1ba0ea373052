/** `best-response --pairs`, `--coalition` and `--false-names`, as a user calls them. */

import { expect, it } from "vitest";
import { responseVectors } from "../golden.js";
import { candor, fileWith } from "./candor.js";

const market = responseVectors[1]!.market;
const line = JSON.stringify(market);

const asked = (...more: string[]) => candor(["best-response", "-", ...more], line);

it("--pairs --json prints the contract's object", async () => {
  const { stdout, code } = await asked("--pairs", "--json");
  const { pairs, ...about } = JSON.parse(stdout);
  expect(about).toMatchObject({ mechanism: "online", method: "cells", exact: true });
  expect(pairs.map(({ workers }: { workers: number[] }) => workers)).toEqual([
    [0, 3],
    [0, 6],
    [3, 6],
  ]);
  expect(pairs[0]).toEqual({
    workers: [0, 3],
    truthful: expect.any(Number),
    gain: expect.any(Number),
    alone: [0, expect.closeTo(0.108233046, 6)],
    best: [
      { worker: 0, price: expect.any(Number), arrival: expect.any(Number) },
      { worker: 3, price: expect.any(Number), arrival: expect.any(Number) },
    ],
    attained: expect.any(Boolean),
    exact: true,
  });
  expect(pairs[0].gain).toBeGreaterThanOrEqual(0.108233);
  expect(code).toBe(0);
});

it("--coalition asks about two or three, --worker about the pairs of one, --method fractions is the second way", async () => {
  const record = async (...more: string[]) => JSON.parse((await asked("--json", ...more)).stdout);
  const [two, three, ofOne, fractions] = await Promise.all([
    record("--coalition", "6,3"),
    record("--coalition", "0,3,6"),
    record("--pairs", "--worker", "3"),
    record("--coalition", "6,3", "--method", "fractions"),
  ]);
  expect(two.pairs).toMatchObject([{ workers: [6, 3] }]);
  expect(three.pairs).toMatchObject([{ workers: [0, 3, 6] }]);
  expect(ofOne.pairs).toMatchObject([{ workers: [0, 3] }, { workers: [3, 6] }]);
  expect(fractions.pairs[0].gain).toBeCloseTo(two.pairs[0].gain, 9);
});

it("--false-names --json says what is bid under which new name", async () => {
  const { stdout } = await asked("--false-names", "1", "--new-reputation", "0.4", "--worker", "3", "--json");
  const { workers, ...about } = JSON.parse(stdout);
  expect(about).toMatchObject({ method: "cells", exact: true, falseNames: 1, newReputation: 0.4 });
  expect(workers).toMatchObject([
    { id: 3, alone: expect.closeTo(0.108233046, 6), best: { names: expect.any(Array) }, exact: true },
  ]);
});

it("shows tables that a person can read, and says which gains are lower bounds", async () => {
  const mine = `export default { name: "mine", about: "Pays bids.", offline: true, decide: (rules, bids) => ({
    started: true, startDelay: 0, thresholds: [], budgetEvents: [], workers: bids.map(({ id, price }) => ({ id,
      ...(price * rules.rounds * bids.length <= rules.budget ? { selectedAt: 1, rounds: rules.rounds, payment: price * rules.rounds }
        : { selectedAt: null, rounds: 0, payment: 0 }) })) }) };`;
  const [pairs, searched, names] = await Promise.all([
    asked("--pairs"),
    asked("--coalition", "0,3", "--mechanism", fileWith("mine.mjs", mine)),
    asked("--false-names", "1"),
  ]);
  expect(pairs.stdout).toContain("exact: the most that any prices and any arrivals of theirs can gain");
  expect(pairs.stdout).toMatch(/workers +truthful +gain +each alone +best bids \(price at arrival\)/);
  expect(searched.stdout).toMatch(/search, \d+ evaluations: gains are lower bounds/);
  expect(names.stdout).toMatch(/worker +truthful +gain +own name alone/);
});

it.each([
  [["--coalition", "3"], "--coalition: must be two or three different workers, such as 3,7, got 3"],
  [["--coalition", "3,3"], "--coalition: must be two or three different workers, such as 3,7, got 3,3"],
  [["--coalition", "0,1"], "--coalition: must be the id of a worker in stdin:1, got 1"],
  [["--coalition", "0,x"], '--coalition: must be an integer ≥ 0, got "x"'],
  [["--false-names", "3"], "--false-names: must be an integer from 1 to 2, got 3"],
  [["--new-reputation", "1"], "--new-reputation: can only be given with --false-names"],
  [["--pairs", "--coalition", "0,3"], "--coalition: cannot be given with --pairs"],
  [["--pairs", "--interim"], "--pairs: cannot be given with --interim"],
  [["--pairs", "--pieces"], "--pieces: cannot be given with --pairs"],
  [["--coalition", "0,3", "--worker", "0"], "--worker: cannot be given with --coalition"],
  [
    ["--method", "fractions"],
    "--method fractions: can only be given with --pairs, --coalition or --false-names",
  ],
])("refuses %j in one line", async (flags, message) => {
  expect(await asked(...flags)).toEqual({ code: 2, stdout: "", stderr: `candor: ${message}\n` });
});

it("refuses a mechanism that draws", async () => {
  const draws = `export default { name: "draws", about: "Draws.", stochastic: true, decide: (rules, bids) => ({ startDelay: 0,
    thresholds: [], budgetEvents: [], workers: bids.map(({ id }) => ({ id, selectedAt: null, rounds: 0, payment: 0 })) }) };`;
  const { code, stderr } = await asked("--pairs", "--mechanism", fileWith("draws.mjs", draws));
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: "candor: draws: draws, and joint lies are worked out only for mechanisms that do not\n",
  });
});
