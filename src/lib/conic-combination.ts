/**
 * Why a form is never negative on a cone: it is a sum of the cone's rows with factors ≥ 0 (Farkas). The factors are found
 * along the faces of the cone: as much of a row is taken off as leaves the rest ≥ 0, which is then 0 on a larger face, and
 * so on until nothing is left. In a cone that is thinner than its space a rest may be 0 everywhere on it without being
 * nothing: then a linear program in exact fractions finds the factors.
 */

import type { Cone } from "./cone.js";
import { type Fraction, fraction, zero } from "./fraction.js";
import { bigDivisor, combined, dot, fitting, type Integer, isZero, type Vector } from "./integer-vector.js";

/** scale · form = Σ factor · row. */
export interface Combination {
  readonly scale: Integer;
  readonly factors: readonly (readonly [row: number, factor: Integer])[];
}

/** Where the form is above 0 on all of the cone, one of the rows with a factor above 0 is strict. */
export function conicCombination(cone: Cone, form: Vector): Combination {
  const taken: [row: number, factor: bigint][] = [];
  let [rest, scale, part] = [form, 1n, 1n];
  while (!isZero(rest)) {
    const step = nextStep(cone, rest, taken.length === 0);
    if (step === null) return withRest(cone, { rest, scale, part, taken });
    const { row, value, weight } = step;
    const { vector, common } = combined(rest, weight, cone.rows[row]!.form, -value);
    // scale · form = Σ taken + part · rest, and weight · rest = common · next + value · row.
    const [by, off] = [BigInt(weight), part * BigInt(value)];
    for (const one of taken) one[1] *= by;
    taken.push([row, off]);
    scale *= by;
    part *= BigInt(common);
    rest = vector;
  }
  return reducedCombination(scale, taken);
}

/** A row that is 0 wherever the rest is, and the generator that says how much of it can be taken off. */
function nextStep({ rows, generators }: Cone, rest: Vector, first: boolean) {
  const values = generators.map(({ at }) => dot(rest, at));
  if (values.every((value) => value === 0)) return null;
  const even = generators.filter((_, k) => values[k] === 0);
  const fits = (form: Vector) =>
    even.every(({ at }) => dot(form, at) === 0) && generators.some(({ at }) => dot(form, at) > 0);
  const strict = first ? rows.findIndex((row) => row.strict && fits(row.form)) : -1;
  const row = strict >= 0 ? strict : rows.findIndex(({ form }) => fits(form));
  let best: { value: Integer; weight: Integer } | null = null;
  for (const [k, { at }] of generators.entries()) {
    const weight = dot(rows[row]!.form, at);
    if (weight === 0) continue;
    const value = values[k]!;
    if (best === null || BigInt(value) * BigInt(best.weight) < BigInt(best.value) * BigInt(weight))
      best = { value, weight };
  }
  return { row, ...best! };
}

type Taken = readonly (readonly [row: number, factor: bigint])[];

/** The rest as a sum of those rows that are 0 on all of the cone. */
function withRest(
  { rows, generators }: Cone,
  { rest, scale, part, taken }: { rest: Vector; scale: bigint; part: bigint; taken: Taken },
): Combination {
  const flat = [...rows.keys()].filter((k) => generators.every(({ at }) => dot(rows[k]!.form, at) === 0));
  const factors = nonnegativeSolution(
    flat.map((k) => fractions(rows[k]!.form)),
    fractions(rest),
  );
  if (factors === null) throw new Error("a form is no sum of the rows of its cone");
  const below = factors.reduce((product, { d }) => (product / bigDivisor(product, d)) * d, 1n);
  const more = factors.map(({ n, d }, k): [number, bigint] => [flat[k]!, part * n * (below / d)]);
  return reducedCombination(scale * below, [
    ...taken.map(([row, factor]): [number, bigint] => [row, factor * below]),
    ...more,
  ]);
}

const fractions = (vector: Vector): Fraction[] =>
  Array.from<number | bigint, Fraction>(vector, (one) => fraction(one));

function reducedCombination(scale: bigint, taken: Taken): Combination {
  const common = taken.reduce((sum, [, factor]) => bigDivisor(sum, factor), scale);
  const kept = taken.filter(([, factor]) => factor !== 0n);
  return {
    scale: fitting(scale / common),
    factors: kept.map(([row, factor]) => [row, fitting(factor / common)]),
  };
}

type Rows = readonly (readonly Fraction[])[];

/**
 * Factors ≥ 0 with Σ factor · column = target, or null: the first phase of the simplex method, in fractions, by Bland's
 * rule, which never goes in circles.
 */
export function nonnegativeSolution(columns: Rows, target: readonly Fraction[]): Fraction[] | null {
  const count = columns.length;
  const table = target.map((right, i) => {
    const sign = right.lt(0) ? -1 : 1;
    const artificial = target.map((_, k) => fraction(k === i ? 1 : 0));
    return [...columns.map((column) => column[i]!.mul(sign)), ...artificial, right.mul(sign)];
  });
  const basis = target.map((_, i) => count + i);
  for (;;) {
    const entering = columns.findIndex((_, k) => !basis.includes(k) && gainOf(table, basis, count, k).gt(0));
    if (entering < 0) break;
    const leaving = leavingRow(table, basis, entering);
    if (leaving < 0) break;
    pivot(table, leaving, entering);
    basis[leaving] = entering;
  }
  const solved = (k: number) => (basis.includes(k) ? table[basis.indexOf(k)]!.at(-1)! : zero);
  const missing = basis.some((k, i) => k >= count && !table[i]!.at(-1)!.equals(0));
  return missing ? null : columns.map((_, k) => solved(k));
}

/** By how much the sum of the artificial unknowns falls with unknown k. */
const gainOf = (table: Rows, basis: readonly number[], count: number, k: number) =>
  table.reduce((sum, row, i) => (basis[i]! >= count ? sum.add(row[k]!) : sum), zero);

function leavingRow(table: Rows, basis: readonly number[], entering: number): number {
  let best = -1;
  for (const [i, row] of table.entries()) {
    if (!row[entering]!.gt(0)) continue;
    if (best < 0) best = i;
    const order = ratio(row, entering).compare(ratio(table[best]!, entering));
    if (order < 0 || (order === 0 && basis[i]! < basis[best]!)) best = i;
  }
  return best;
}

const ratio = (row: readonly Fraction[], entering: number): Fraction => row.at(-1)!.div(row[entering]!);

function pivot(table: Fraction[][], leaving: number, entering: number): void {
  const by = table[leaving]![entering]!;
  const row = table[leaving]!.map((one) => one.div(by));
  table[leaving] = row;
  for (const [i, other] of table.entries()) {
    const factor = other[entering]!;
    if (i === leaving || factor.equals(0)) continue;
    table[i] = other.map((one, k) => one.sub(factor.mul(row[k]!)));
  }
}
