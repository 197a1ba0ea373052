import { vi } from "vitest";

/** Long properties draw a fifth of their cases: a mutant that a property catches, it mostly catches soon. */
const fewer = (numRuns: number): number => Math.min(numRuns, Math.max(25, Math.ceil(numRuns / 5)));

vi.mock(import("fast-check"), async (original) => {
  const library = await original();
  const assert: typeof library.assert = (property, { numRuns = 100, ...rest } = {}) =>
    library.assert(property as never, { ...rest, numRuns: fewer(numRuns) } as never);
  return { ...library, assert, default: { ...library.default, assert } as typeof library.default };
});
