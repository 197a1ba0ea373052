/** Times on a noisy machine: many short batches, the median of them. */

/** Microseconds of one call, as the mean over a batch that takes at least `atLeast` milliseconds. */
export function microseconds(call: () => void, atLeast: number): number {
  for (let calls = 1; ; calls *= 4) {
    const begun = performance.now();
    for (let k = 0; k < calls; k++) call();
    const taken = performance.now() - begun;
    if (taken >= atLeast) return (1000 * taken) / calls;
  }
}

/** The value below which a share of the sorted values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
}

export const median = (values: readonly number[]): number => quantile(values, 0.5);
