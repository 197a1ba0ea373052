/** Random streams on seedrandom, forkable by label: one consumer's draws never shift another's. */

import seedrandom from "seedrandom";

export interface Stream {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform among 0..n-1. */
  below(n: number): number;
  /** A stream of its own, the same whatever has been drawn from this one. */
  fork(label: string | number): Stream;
}

export function stream(seed: string | number): Stream {
  const path = String(seed);
  let generator: seedrandom.PRNG | undefined;
  const next = () => {
    generator ??= seedrandom(path);
    return generator();
  };
  return {
    next,
    below: (n) => Math.floor(next() * n),
    // The separator cannot be forged: labels are quoted, so fork("a").fork("b") and fork('a"/"b') differ.
    fork: (label) => stream(`${path}/${JSON.stringify(String(label))}`),
  };
}

/** In random order, by Fisher and Yates. */
export function shuffled<Item>(items: readonly Item[], random: Stream): Item[] {
  const order = [...items];
  for (let k = order.length - 1; k > 0; k--) {
    const other = random.below(k + 1);
    [order[k], order[other]] = [order[other]!, order[k]!];
  }
  return order;
}

/** An index, with probabilities in proportion to the weights. */
export function weightedIndex(weights: readonly number[], random: Stream): number {
  let rest = random.next() * weights.reduce((sum, weight) => sum + weight, 0);
  const found = weights.findIndex((weight) => {
    rest -= weight;
    return rest < 0;
  });
  return found >= 0 ? found : weights.findLastIndex((weight) => weight > 0);
}

/** Two independent draws from the standard normal distribution (Box and Muller). */
export function normalPair(random: Stream): [number, number] {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  const angle = 2 * Math.PI * random.next();
  return [radius * Math.cos(angle), radius * Math.sin(angle)];
}
