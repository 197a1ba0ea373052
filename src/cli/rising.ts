/** Marks of prices that do not attain the most there is to gain, and what they mean. */

/** Before a price that does not attain the most there is to gain. */
export const rising = (gain: number): string => (gain < Number.POSITIVE_INFINITY ? "→ " : "↑ ");

/** What the marks of such prices mean, a line each. */
export function risingNotes(found: readonly { readonly gain: number; readonly attained: boolean }[]): string {
  const marked = new Set(
    found.filter(({ gain, attained }) => gain > 0 && !attained).map(({ gain }) => rising(gain)),
  );
  return [
    marked.has("→ ")
      ? "\n→ toward this price the gain rises without being attained; the one shown comes within 1e-9 of it."
      : "",
    marked.has("↑ ") ? "\n↑ this price gains already, and higher ones gain without bound." : "",
  ].join("");
}
