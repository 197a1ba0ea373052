/**
 * Minimises a function of a few numbers without its slope, after Nelder and Mead (1965), with the coefficients of Gao and Han (2012)
 * for more than a few dimensions. Nothing in it is random.
 *
 * 1. Keep a simplex of n + 1 points, sorted by value.
 * 2. Reflect the worst through the middle of the others; expand where that is the best yet, contract where it is not an improvement.
 * 3. Where nothing helps, shrink all toward the best.
 */

interface MinimiseOptions {
  /** How far the first simplex reaches in every direction. */
  readonly step: number;
  /** Evaluations at most. */
  readonly most: number;
  /** Done when the worst value of the simplex exceeds the best by less than this. */
  readonly tolerance: number;
}

interface Point {
  readonly at: readonly number[];
  readonly value: number;
}

type Objective = (at: readonly number[]) => number;

export function minimise(objective: Objective, start: readonly number[], options: MinimiseOptions): Point {
  let evaluations = 0;
  const evaluate = (at: readonly number[]): Point => {
    evaluations++;
    const value = objective(at);
    return { at, value: Number.isNaN(value) ? Number.POSITIVE_INFINITY : value };
  };
  const corners = start.map((_, k) => start.map((x, i) => (i === k ? x + options.step : x)));
  let simplex = sorted([start, ...corners].map(evaluate));
  while (evaluations < options.most && simplex.at(-1)!.value - simplex[0]!.value > options.tolerance)
    simplex = sorted(improved(simplex, evaluate));
  return simplex[0]!;
}

/** A new simplex each time until that gains less than the tolerance: one alone may collapse before it is at the bottom. */
export function minimiseAgain(
  objective: Objective,
  start: readonly number[],
  options: MinimiseOptions,
): Point {
  let best = minimise(objective, start, options);
  for (;;) {
    const next = minimise(objective, best.at, options);
    if (!(next.value < best.value - options.tolerance)) return next.value < best.value ? next : best;
    best = next;
  }
}

const sorted = (simplex: readonly Point[]): Point[] => simplex.toSorted((a, b) => a.value - b.value);

function improved(simplex: readonly Point[], evaluate: (at: readonly number[]) => Point): Point[] {
  const n = simplex.length - 1;
  const [best, worst, others] = [simplex[0]!, simplex[n]!, simplex.slice(0, n)];
  const middle = best.at.map((_, k) => others.reduce((sum, { at }) => sum + at[k]! / n, 0));
  const beyond = (by: number) => evaluate(middle.map((x, k) => x + by * (x - worst.at[k]!)));
  const reflected = beyond(1);
  if (reflected.value < best.value) {
    const expanded = beyond(1 + 2 / n);
    return [...others, expanded.value < reflected.value ? expanded : reflected];
  }
  if (reflected.value < others.at(-1)!.value) return [...others, reflected];
  const outside = reflected.value < worst.value;
  const contracted = beyond((outside ? 1 : -1) * (0.75 - 0.5 / n));
  if (contracted.value < Math.min(reflected.value, worst.value)) return [...others, contracted];
  return shrunk(simplex, 1 - 1 / n, evaluate);
}

const shrunk = (
  [best, ...rest]: readonly Point[],
  by: number,
  evaluate: (at: readonly number[]) => Point,
): Point[] => [
  best!,
  ...rest.map(({ at }) => evaluate(at.map((x, k) => best!.at[k]! + by * (x - best!.at[k]!)))),
];
