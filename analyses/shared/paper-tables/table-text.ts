/** One of the paper's tables in sentences: how far it is matched, and where not. */

import { capital, listed, many, percent, threeDigits } from "../../../src/lib/format.js";
import type { Finding } from "../../../src/report/result.js";
import { FIRST_COUNTED } from "../../../src/training/population.js";
import type { RecordedRuns } from "../../../src/training/recordings.js";
import type { Comparison, Nearness, Ordered, OrderVerdict } from "./against-paper.js";
import { datasets, datasetTitles, type PaperTable } from "./paper-tables.js";
import { estimateOf, type Reading, readingsAt, type Source } from "./readings.js";

const show = ({ kind }: PaperTable) => (kind === "share" ? percent : threeDigits);

const sourceTexts: Readonly<Record<Source, string>> = {
  recorded: "trained for real once",
  surrogate: "under the surrogate",
  live: "trained for real in this run",
};

/** "On MNIST, under the surrogate (6 seeds counted)", "On MNIST, trained for real once (65 tasks counted)". */
function placeText({ place: { source, dataset }, near, few }: Comparison): string {
  const counts = [...near.map(({ ours }) => ours.n), ...few.map(({ n }) => n)];
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const unit = `${source === "surrogate" ? "seed" : "task"}${most === 1 ? "" : "s"}`;
  const counted = `${least === most ? most : `${least} to ${most}`} ${unit}`;
  return `On ${datasetTitles[dataset]}, ${sourceTexts[source]} (${counted} counted)`;
}

/** Order and nearness for the measure that charts show, then whether another reading of the table is nearer. */
export function tableFindings(
  table: PaperTable,
  comparisons: readonly Comparison[],
  readings: readonly Reading[],
): Finding[] {
  const first = comparisons.filter(({ place }) => place.measure === table.measures[0]);
  const weigh = ({ place }: Comparison) =>
    (place.source === "recorded" ? 62 : 45) - (place.dataset === "mnist" ? 0 : 4);
  return [
    ...first
      .filter(({ order }) => order.length > 0)
      .map((one) => ({ text: orderText(table, one), weight: weigh(one) })),
    ...first
      .filter(({ near, few }) => near.length + few.length > 0)
      .map((one) => ({ text: nearText(table, one), weight: weigh(one) - 10 })),
    ...nearerFindings(table, comparisons),
    ...bestFindings(table, readings),
  ];
}

function orderText(table: PaperTable, comparison: Comparison): string {
  const { order } = comparison;
  const of = (verdict: OrderVerdict) => order.filter((one) => one.verdict === verdict);
  const [same, turned, open] = [of("as in the paper"), of("the other way round"), of("not told apart")];
  const few = of("too few to tell");
  const pairs = (some: readonly Ordered[]) =>
    some.length === 0 ? "" : ` (${listed(some.map(({ below, above }) => `${below} below ${above}`))})`;
  const parts = [
    `${same.length === order.length ? "all" : same.length || "none"} ${same.length === 1 ? "is shown to come" : "are shown to come"} in that order`,
    ...(turned.length > 0 ? [`${turned.length} the other way round${pairs(turned)}`] : []),
    ...(open.length > 0 ? [`${open.length} cannot be told apart${pairs(open)}`] : []),
    ...(few.length > 0 ? [`of ${few.length} there are too few tasks to tell${pairs(few)}`] : []),
  ];
  return `${placeText(comparison)}: of the ${order.length} pairs of mechanisms that the paper's Table ${table.number} puts in an order, ${parts.join("; ")} (95 %, all pairs together).`;
}

function nearText(table: PaperTable, comparison: Comparison): string {
  const { place, near } = comparison;
  const close = near.filter((one) => one.close);
  const far = near.filter((one) => !one.close);
  const figures = (some: readonly Nearness[]) =>
    listed(
      some.map(
        ({ auction, ours, printed }) => `${auction} ${show(table)(ours.mean)} for ${show(table)(printed)}`,
      ),
    );
  const within = `within ${table.close.text} of the paper's`;
  const few = comparison.few.map(({ auction, n }) => `${auction} (${n})`);
  const left = few.length === 0 ? "" : `; too few tasks to tell for ${listed(few)}`;
  if (near.length === 0) return `${placeText(comparison)}, ${left.slice(2)}.`;
  const head = `${placeText(comparison)}, the ${lower(place.measure.label)} is ${within} for ${close.length || "none"} of ${near.length} mechanisms`;
  if (close.length === 0) return `${head}: ${figures(far)}${left}.`;
  return `${head} (${figures(close)})${far.length > 0 ? `; not so ${figures(far)}` : ""}${left}.`;
}

const lower = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

/** Which reading of what the paper counted is nearest to what it printed. */
function nearerFindings({ measures, number }: PaperTable, comparisons: readonly Comparison[]): Finding[] {
  return datasets.flatMap((dataset) => {
    const source = (["recorded", "surrogate"] as const).find((one) =>
      comparisons.some(
        ({ place, near }) => place.dataset === dataset && place.source === one && near.length > 1,
      ),
    );
    const here = comparisons.filter(({ place }) => place.dataset === dataset && place.source === source);
    const offs = here.map(({ place, near }) => ({ label: lower(place.measure.label), off: offOf(near) }));
    if (source === undefined || offs.length < 2 || spreadOf(offs.map(({ off }) => off)) < TELLING) return [];
    const [nearest, ...rest] = [...offs].sort((a, b) => a.off - b.off);
    const others = listed(rest.map(({ label, off }) => `the ${label} by ${percent(off)}`));
    const text = `What the paper's Table ${number} counts is not said in full: on ${datasetTitles[dataset]}, ${sourceTexts[source]}, the ${nearest!.label} is off its figures by ${percent(nearest!.off)} on average, ${others}.`;
    return [{ text, weight: measures.length > 1 ? 38 : 0 }];
  });
}

/** Readings that are off by about as much tell nothing. */
const TELLING = 0.02;

const spreadOf = (values: readonly number[]): number => Math.max(...values) - Math.min(...values);

const offOf = (near: readonly Nearness[]): number =>
  near.reduce((sum, { ours, printed }) => sum + Math.abs(ours.mean - printed) / printed, 0) / near.length;

/** Which of all mechanisms is best under the surrogate. */
function bestFindings(table: PaperTable, readings: readonly Reading[]): Finding[] {
  const measure = table.measures[0];
  return datasets.flatMap((dataset) => {
    const all = [...readingsAt(readings, { source: "surrogate", dataset, measure })]
      .map(([auction, reading]) => ({ auction, ...estimateOf(reading) }))
      .filter(({ mean }) => Number.isFinite(mean))
      .sort((a, b) => (table.more ? b.mean - a.mean : a.mean - b.mean));
    if (all.length < 3) return [];
    const [first, second, last] = [all[0]!, all[1]!, all.at(-1)!];
    const of = ({ auction, mean }: typeof first) => `${auction} (${show(table)(mean)})`;
    const seeds = many(Math.min(...all.map(({ n }) => n)), "seed");
    const text = `${capital(lower(measure.label))} on ${datasetTitles[dataset]}, all ${all.length} mechanisms under the surrogate (${seeds}): on average best are ${of(first)} and ${of(second)}, worst is ${of(last)}.`;
    return [{ text, weight: 30 }];
  });
}

/** When and how the recorded runs were made, or that there are none. */
export function recordedText(
  dataset: keyof typeof datasetTitles,
  { runs, provenance }: RecordedRuns,
): string {
  const title = datasetTitles[dataset];
  if (runs.length === 0 || provenance === null) return `No run on ${title} is recorded.`;
  const counts = runs.map(({ tasks }) => tasks.length);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const tasks = least === most ? `${most}` : `${least} to ${most}`;
  const days = [...new Set(runs.map(({ finished }) => finished))].sort();
  const seconds = runs.map((run) => run.seconds ?? Number.NaN).reduce((sum, one) => sum + one, 0);
  const took = Number.isFinite(seconds) ? ` in ${Math.round(seconds / 60)} minutes` : "";
  const short =
    least < FIRST_COUNTED
      ? ` The paper counts from task ${FIRST_COUNTED} on; where a run has no more than ${FIRST_COUNTED - 1}, all of its tasks count.`
      : ` Tasks count from the ${FIRST_COUNTED}th on, as in the paper.`;
  return `Recorded on ${listed(days)} on ${title}: ${tasks} tasks with seed ${listed([...new Set(runs.map(({ seed }) => seed))])} under each of ${listed(runs.map(({ mechanism }) => mechanism))}, trained with TensorFlow.js ${provenance.tfjs}${took} on ${provenance.machine}.${short}`;
}
