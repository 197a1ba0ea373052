/** The words for what became of a claim of the paper. */

/** Of what is compared in a sample: the whole interval lies on the claim's side, on the other, or on both. */
export type SampleVerdict = "agrees in the sample" | "disagrees in the sample" | "the sample does not decide";

/** Of several comparisons: some may agree where others disagree. */
export type SeveralVerdict = SampleVerdict | "agrees in part of the sample";

/** breaks: with a market that exact fractions confirm. none found: looked for in a sample, and not found. */
export type LedgerVerdict = "proved" | "proved, given" | "breaks" | "none found" | SeveralVerdict;

export type LedgerMethod =
  | "proved for any number of workers"
  | "proved for small shapes"
  | "sampled"
  | "computed"
  | "recorded training";

/** Decided only where a whole interval lies on one side of what is claimed to be at least this much. */
export const sampleVerdict = (
  { low, high }: { readonly low: number; readonly high: number },
  least: number,
  /** Whether the claim is that it is more than this. */
  strictly = false,
): SampleVerdict => {
  if (strictly ? low > least : low >= least) return "agrees in the sample";
  return (strictly ? high <= least : high < least) ? "disagrees in the sample" : "the sample does not decide";
};

/** Of several comparisons that a claim makes at once. */
export function combinedVerdict(verdicts: readonly SampleVerdict[]): SeveralVerdict {
  const [agrees, disagrees] = (["agrees in the sample", "disagrees in the sample"] as const).map((verdict) =>
    verdicts.includes(verdict),
  );
  if (disagrees) return agrees ? "agrees in part of the sample" : "disagrees in the sample";
  const decided = verdicts.length > 0 && verdicts.every((verdict) => verdict === "agrees in the sample");
  return decided ? "agrees in the sample" : "the sample does not decide";
}
