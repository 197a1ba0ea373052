/** Times on a noisy machine: many short batches, whose median counts. */

/** Microseconds of one call, as the mean over a batch that takes at least `atLeast` milliseconds. */
export function microseconds(call: () => void, atLeast: number): number {
  for (let calls = 1; ; calls *= 4) {
    const begun = performance.now();
    for (let k = 0; k < calls; k++) call();
    const taken = performance.now() - begun;
    if (taken >= atLeast) return (1000 * taken) / calls;
  }
}
