/** The paper's two tables in sentences: how far they are matched, and where not. */

import { listed, many, percent } from "../../src/lib/format.js";
import { FEWEST } from "../../src/lib/statistics.js";
import type { Finding } from "../../src/report/result.js";
import type { DatasetName } from "../../src/training/datasets.js";
import { reputationSettings } from "../../src/training/reputation.js";
import { datasets, datasetTitles, estimateOf } from "../shared/training.js";
import {
  type Comparison,
  comparisonBest,
  type Ordered,
  type OrderVerdict,
  paperFive,
  paperLosses,
  paperQualities,
  printedOf,
  type Reading,
  readingsAt,
  TRUST,
  unitOf,
} from "./compute.js";

export const findingsOf = (readings: readonly Reading[]): Finding[] => [
  ...datasets.flatMap((dataset) => qualityFinding(readings, dataset)),
  ...startFinding(readings),
  ...lossFinding(readings),
  ...orderFinding(readings),
];

/** "real training (65 tasks of one run each)". */
function sourceText({ place: { source }, near }: Comparison): string {
  const counts = near.map(({ ours }) => ours.n);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const counted = `${least === most ? "" : `${least} to `}${many(most, unitOf(source))}`;
  return source === "surrogate" ? `surrogate (${counted})` : `real training (${counted} of one run each)`;
}

/** Whom each mechanism selects, beside the paper's figure. */
function qualityFinding(readings: readonly Reading[], dataset: DatasetName): Finding[] {
  const found = comparisonBest(paperQualities, readings, { dataset, measure: 0 });
  if (found === undefined) return [];
  const { near, few } = found;
  const each = near.map(
    ({ mechanism, ours: { mean, low, high }, printed }) =>
      `${mechanism} ${percent(mean)} (${percent(low).replace(" %", "")}–${percent(high)}, paper ${percent(printed)})`,
  );
  const left = few.map(({ mechanism, n }) => `${mechanism} (${n})`);
  const without = left.length === 0 ? "" : ` Too few tasks for ${listed(left)}.`;
  const text = `Share of good workers among the selected on ${datasetTitles[dataset]}, ${sourceText(found)}, with 95 % intervals: ${listed(each)}.${without}`;
  return [{ text, weight: dataset === "mnist" ? 60 : 50 }];
}

/** Where the first reputation decides whether a figure of Table 1 is met: the mechanism that it matters most for. */
function startFinding(readings: readonly Reading[]): Finding[] {
  const of = (source: "surrogate" | "surrogate, first reputation 1", dataset: DatasetName) =>
    readingsAt(readings, { source, dataset, measure: "goodShare" });
  const changes = paperFive.flatMap((mechanism) => {
    const pairs = datasets.flatMap((dataset) => {
      const [usual, trusted] = [
        of("surrogate", dataset).get(mechanism),
        of("surrogate, first reputation 1", dataset).get(mechanism),
      ];
      if (usual === undefined || trusted === undefined) return [];
      const [before, after] = [estimateOf(usual), estimateOf(trusted)];
      return before.n < FEWEST || after.n < FEWEST ? [] : [{ dataset, before, after }];
    });
    return pairs.length < datasets.length
      ? []
      : [
          {
            mechanism,
            pairs,
            change: Math.max(...pairs.map(({ before, after }) => Math.abs(after.mean - before.mean))),
          },
        ];
  });
  const [most] = changes.sort((a, b) => b.change - a.change);
  if (most === undefined || most.change < 0.1) return [];
  const shares = (which: "before" | "after") =>
    listed(most.pairs.map((pair) => `${percent(pair[which].mean)} on ${datasetTitles[pair.dataset]}`));
  const printed = listed(
    most.pairs.map(({ dataset }) => percent(printedOf(paperQualities, most.mechanism, dataset)!)),
  );
  const n = Math.min(...most.pairs.map(({ before, after }) => Math.min(before.n, after.n)));
  const text = `The first reputation, which the paper does not give, decides what ${most.mechanism} selects: where all start with ${reputationSettings().start}, the share of good workers is ${shares("before")}; where all start with ${TRUST}, it is ${shares("after")} (surrogate, ${many(n, "seed")}; the paper has ${printed}).`;
  return [{ text, weight: 55 }];
}

/** Which loss the paper means: how far each reading of "average loss" is off its figures. */
function lossFinding(readings: readonly Reading[]): Finding[] {
  const parts = datasets.flatMap((dataset) => {
    const both = ([0, 1] as const).map((measure) =>
      comparisonBest(paperLosses, readings, { dataset, measure }),
    );
    const [mean, last] = both;
    if (mean === undefined || last === undefined) return [];
    return [
      `on ${datasetTitles[dataset]}, ${sourceText(mean)}, the mean over all rounds is off its figures by ${percent(offOf(mean))} on average and the loss after the last round by ${percent(offOf(last))}`,
    ];
  });
  if (parts.length === 0) return [];
  return [
    { text: `The paper's Table 2 does not say which loss it averages: ${parts.join("; ")}.`, weight: 45 },
  ];
}

const offOf = ({ near }: Comparison): number =>
  near.reduce((sum, { ours, printed }) => sum + Math.abs(ours.mean - printed) / printed, 0) / near.length;

/** Whether mechanisms come in the order of Table 2. */
function orderFinding(readings: readonly Reading[]): Finding[] {
  const parts = datasets.flatMap((dataset) => {
    const found = comparisonBest(paperLosses, readings, { dataset, measure: 0 });
    return found === undefined
      ? []
      : [`on ${datasetTitles[dataset]}, ${sourceText(found)}, ${orderText(found.order)}`];
  });
  if (parts.length === 0) return [];
  const text = `Pairs of mechanisms in the order of the paper's Table 2, by mean loss over all rounds: ${parts.join("; ")} (95 %, all pairs of a data set together).`;
  return [{ text, weight: 48 }];
}

function orderText(order: readonly Ordered[]): string {
  const of = (verdict: OrderVerdict) => order.filter((one) => one.verdict === verdict);
  const [same, reversed, open, few] = [
    of("as in the paper"),
    of("the other way round"),
    of("undecided"),
    of("too few to tell"),
  ];
  const pairs = listed(reversed.map(({ below, above }) => `${below} below ${above}`));
  return [
    `${same.length} of ${order.length - few.length}`,
    ...(reversed.length > 0 ? [`${reversed.length} the other way round (the paper has ${pairs})`] : []),
    ...(open.length > 0 ? [`${open.length} undecided`] : []),
    ...(few.length > 0 ? [`${few.length} with too few tasks`] : []),
  ].join(", ");
}
