/** Who can gain, by which lie, and where the gain comes from. */

import { group, sum } from "d3-array";
import type { AnyMechanism } from "../src/auction/mechanism.js";
import { type Regime, regimes } from "../src/auction/outcome.js";
import { capital, listed, many, percent, percents, whole } from "../src/lib/format.js";
import { FEWEST } from "../src/lib/statistics.js";
import { pooledShare } from "../src/lib/summaries.js";
import { negligible } from "../src/lib/tolerance.js";
import * as accumulate from "../src/report/accumulators.js";
import type { Chart, Finding, Table } from "../src/report/result.js";
import * as show from "../src/report/vocabulary.js";
import { isExact } from "../src/responses/index.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import type { WorkContext } from "../src/study/job.js";
import { type Causes, explain, type LieKind, lieKinds } from "../src/verdicts/explain.js";
import * as gains from "./shared/gains.js";
import * as survey from "./shared/survey.js";

/** Lies in larger markets take long to explain. */
const LARGEST = 80;

const kinds = Object.keys(lieKinds) as LieKind[];

/** "reserve a place". */
const shortly = (kind: LieKind): string => lieKinds[kind].split(":")[0]!;

const causeWords: Readonly<Record<keyof Causes, string>> = {
  rounds: "rounds won or given up",
  price: "a better or worse price",
  budget: "the budget's limits",
  start: "the start moved",
};

const causeNames = Object.keys(causeWords) as (keyof Causes)[];

/** A worker at one budget, and its best lie if one pays. */
interface Row {
  readonly at: survey.Asked;
  readonly lie: (gains.PayingLie & { readonly kind: LieKind; readonly causes: Causes | null }) | null;
}

function rowOf(at: survey.Asked, mechanism: AnyMechanism): Row {
  const found = at.response.gain > 0 ? gains.payingLie(at.response) : null;
  if (found === null) return { at, lie: null };
  const { kind, causes } = explain(at.market, found.bid, { mechanism });
  return { at, lie: kind && { ...found, kind, causes } };
}

const { breakdown, count, largest, markets, mean, ratio, share, total } = accumulate.accumulators<Row>();

const BANDS = 10;

const regime = accumulate.by.text("Regime", ({ at }: Row) => at.response.regime, regimes);

/** Tenths of the range of reputations, by their lower ends. */
const from = {
  of: ({ at }: Row) => Math.min(BANDS - 1, Math.floor(at.worker.reputation * BANDS)) / BANDS,
  columns: () => [
    show.column.amount("from", "Reputation from", (from: number) => from),
    show.column.amount("to", "to", (from: number) => Math.round(from * BANDS + 1) / BANDS),
  ],
};

/** Every kind in each regime where somebody gains: one that is nobody's best has a share of 0 there. */
const kind = accumulate.by.text<Row, LieKind | "all">("Kind of lie", "every", [...kinds, "all"]);

const cause = {
  ...accumulate.by.text<Row, keyof Causes>("Cause", "every", causeNames),
  columns: () => [show.column.text("cause", "Cause", (cause: keyof Causes) => causeWords[cause])],
};

type OfKind = { readonly kind: LieKind | "all" };

type Caused = OfKind & { readonly cause: keyof Causes };

const pays = ({ lie }: Row): boolean => lie !== null;

const gainOf = ({ lie }: Row): number | null => lie && gains.supremumOf(lie);

const isOf = ({ lie }: Row, { kind }: OfKind): boolean => kind === "all" || lie?.kind === kind;

const gainBy = (row: Row, keys: OfKind): number | null => (isOf(row, keys) ? gainOf(row) : null);

const partOf = (row: Row, keys: Caused): number | null =>
  isOf(row, keys) ? (row.lie?.causes?.[keys.cause] ?? null) : null;

/** Whether a cause adds to a gain; beside the largest it must be more than rounding. */
function helps({ lie }: Row, { cause }: Caused): boolean {
  const { causes } = lie!;
  return causes !== null && causes[cause] > negligible(Math.max(...Object.values(causes).map(Math.abs)));
}

const reputations = breakdown(
  { regime, from },
  {
    share: share({ exact: "Can gain", searched: "Found to gain" }, pays, {
      axis: { exact: "share who can gain", searched: "share found to gain" },
    }),
    meanGain: mean("Mean gain of those who gain", gainOf, { among: pays }),
    seen: count("Workers asked"),
    markets: markets("Markets"),
  },
);

const byKind = breakdown(
  { regime, kind },
  {
    count: count("Workers", isOf),
    // Of the lies that a search missed the kind is not known.
    share: share("Of all paying lies", isOf, { searched: "no interval" }),
    meanGain: mean("Mean gain", gainBy),
    maxGain: largest("Largest gain", gainBy, { keep: ({ lie, at }) => ({ ...lie!, ...at.place }) }),
  },
  pays,
);

/** Known for the paper's mechanism only. */
const byCause = breakdown(
  { regime, kind, cause },
  {
    mean: mean("Mean part of a gain", partOf),
    sum: total("Added up", partOf),
    part: ratio("Of all that is gained", partOf, gainBy),
    helping: count("Lies it helps", (row, keys: Caused) => isOf(row, keys) && helps(row, keys)),
  },
  pays,
);

const sums = accumulate.together({ reputations, byKind, byCause });

type Sums = accumulate.Accumulated<typeof sums>;
type Band = accumulate.GroupIn<typeof reputations>;
type InKind = accumulate.GroupIn<typeof byKind>;

function conclude(
  gathered: readonly Gathered<survey.SurveyCell, Sums>[],
  settings: survey.SurveySettings,
  context: WorkContext,
) {
  const exact = isExact(context.mechanism);
  const all = accumulate.mergeAll(sums, gathered)!;
  const lies = byKind.shown(all.byKind, exact);
  const exhibits = kinds.flatMap((kind) => {
    const top = lies
      .where({ kind })
      .map(({ sums }) => sums.maxGain)
      .reduce(accumulate.larger, null);
    if (!top) return [];
    const about = `${capital(lieKinds[kind])} (${top.kept.regime}, ${top.kept.workers} workers)`;
    return [gains.exhibitOf({ name: kind, about }, top.kept, { ...context, rounds: settings.rounds })];
  });
  return {
    settings,
    exact,
    exhibits,
    reputations: reputations.shown(all.reputations, exact),
    lies,
    causes: byCause.shown(all.byCause, exact),
  };
}

type WhoResult = ReturnType<typeof conclude>;

/** All lies that pay in a regime, whatever their kind. */
const allIn = ({ lies }: WhoResult, regime: Regime): InKind["sums"] | undefined =>
  lies.at({ regime, kind: "all" })?.sums;

/** The kinds that are the best lie of somebody in a regime. */
const kindsIn = ({ lies }: WhoResult, regime?: Regime): InKind[] =>
  lies.where({ ...(regime && { regime }) }).filter(({ kind, sums }) => kind !== "all" && sums.count > 0);

const whatColumn = show.column.text("what", "What the liar does", ({ kind }: InKind) =>
  shortly(kind as LieKind),
);

function tables(result: WhoResult): Table[] {
  const { reputations, lies, causes } = result;
  const part = ({ regime, sums }: InKind) => {
    const { meanGain } = allIn(result, regime)!;
    return meanGain.unbounded > 0 ? null : sums.meanGain.total / meanGain.total;
  };
  return [
    reputations.table("reputations", "Who can gain, by reputation"),
    lies.table(
      "kinds",
      "Kinds of lie: how often each is the best, and what it brings",
      [
        ...(["regime", "kind", whatColumn, "count", "share", "meanGain", "maxGain"] as const),
        show.column.share("part", "Of all that is gained", part),
      ],
      kindsIn(result),
    ),
    causes.table(
      "causes",
      "Where gains come from",
      causes.names,
      causes.groups.filter(({ sums }) => sums.mean.n > 0),
    ),
  ];
}

function bandChart({ reputations, exact }: WhoResult): Chart {
  const peaks = [...group(reputations.groups, ({ regime }) => regime)].map(([regime, bands]) => {
    const top = bands.reduce((a, b) => (gains.shareIn(b) > gains.shareIn(a) ? b : a));
    if (top.sums.share.hits === 0) return `${regime}: ${exact ? "none" : "none found"}`;
    return `${regime}: ${bandText(top)}`;
  });
  return {
    name: "reputations",
    title: `Share of workers who ${gains.can(exact)} gain, by reputation`,
    table: "reputations",
    spec: {
      transform: [{ calculate: "(datum.from + datum.to) / 2", as: "middle" }],
      encoding: {
        x: show.axis.amount("middle", "reputation", { scale: { domain: [0, 1] } }),
        color: show.colour.regime("regime"),
        tooltip: reputations.tooltip(),
      },
      layer: reputations.lines("share"),
    },
    summary: `The highest share in each regime, by reputation: ${peaks.join("; ")}.`,
    howToRead: `A point stands for the workers of a tenth of the range of reputations; ${exact ? "the band is its 95 % interval, with markets as clusters." : "lies were searched for, and points are lower bounds."}`,
  };
}

/** "12 % from 0.3 to 0.4". */
const bandText = (band: Band): string =>
  `${percent(gains.shareIn(band))} from ${band.from} to ${Math.round(band.from * BANDS + 1) / BANDS}`;

/** None where nobody gains. */
function kindChart(result: WhoResult): Chart[] {
  const { lies, exact } = result;
  if (lies.groups.length === 0) return [];
  const choices = [show.regimeChoice(lies.groups.map(({ regime }) => regime))];
  const legend = ["of all that is gained", "of all lies that pay"];
  const x = (field: string) => show.axis.percent(field, "share", { domain: [0, 1] });
  const drawn = (mark: object, field: string, datum: string) => {
    return { mark, encoding: { x: x(field), color: { datum, ...show.colour.greyAndDark(legend) } } };
  };
  return [
    {
      name: "kinds",
      title: `Kinds of lie: how often each is the best ${exact ? "" : "found "}one, and how much it brings`,
      table: "kinds",
      choices,
      spec: {
        height: { step: 34 },
        encoding: {
          y: show.axis.name("what", kinds.map(shortly)),
          tooltip: lies.tooltip(["regime", "kind", whatColumn, "count", "share", "meanGain", "maxGain"]),
        },
        layer: [
          drawn({ type: "bar", opacity: 0.6 }, "part", legend[0]!),
          ...(exact ? [{ mark: "rule", encoding: { x: x("low"), x2: { field: "high" } } }] : []),
          drawn({ type: "point", size: 80, opacity: 1, stroke: "white" }, "share", legend[1]!),
        ],
      },
      summary: show.captions(choices, ({ regime }) => {
        const parts = kindsIn(result, regime as Regime).map(
          (one) => `${shortly(one.kind as LieKind)} ${percent(gains.shareIn(one))}`,
        );
        const { count } = allIn(result, regime as Regime)!;
        return `${capital(regime!)}: of the best lies of ${many(count, "worker")}, ${listed(parts)}.`;
      }),
      howToRead:
        "To reserve a place is to be selected earlier, or at all; to force the start is to make the task start earlier, or at all.",
    },
  ];
}

function findings(result: WhoResult): Finding[] {
  const gaining = show.offeredRegimes.flatMap((regime) => result.lies.at({ regime, kind: "all" }) ?? []);
  const unbounded = gains.unboundedText(sum(gaining, ({ sums }) => sums.meanGain.unbounded));
  const enough = gaining.filter(({ sums }) => sums.count >= FEWEST);
  if (enough.length === 0) {
    const asked = many(
      sum(result.reputations.groups, ({ sums }) => sums.seen),
      "worker",
    );
    const gained = sum(gaining, ({ sums }) => sums.count);
    const verb = result.exact ? "can gain" : `${gained < 2 ? "was" : "were"} found to gain`;
    return show.rankedFindings([32, `Of ${asked} ${gained || "none"} ${verb} by any lie.`], [30, unbounded]);
  }
  const inEach = (textOf: (regime: Regime, result: WhoResult) => string) =>
    enough
      .map(({ regime }) => ({ regime, text: textOf(regime, result) }))
      .flatMap(({ regime, text }) => (text ? `${capital(show.regimeWords[regime])}, ${text}.` : []))
      .join(" ");
  return show.rankedFindings(
    [60, inEach(kindText)],
    [50, inEach(causeText)],
    [40, inEach(bandsText)],
    [30, unbounded],
  );
}

/** The kind of lie that is most often the best. */
function kindText(regime: Regime, result: WhoResult): string {
  const { exact } = result;
  const { kind, sums } = kindsIn(result, regime).reduce((a, b) => (b.sums.count > a.sums.count ? b : a));
  const [share, low, high] = percents(pooledShare(sums.share));
  const interval = exact ? ` (95 %: ${low} to ${high})` : "";
  return `the best lie ${exact ? "" : "found "}is most often to ${shortly(kind as LieKind)}: for ${share} of ${many(sums.share.size, "worker")} who gain${interval}`;
}

/** How many gains the budget's limits and a moved start add to. */
function causeText(regime: Regime, { causes }: WhoResult): string {
  const all = causes.where({ regime, kind: "all" });
  if (all[0]!.sums.mean.n === 0) return "";
  const helped = (name: keyof Causes) => whole(all.find(({ cause }) => cause === name)!.sums.helping);
  return `the budget's limits add to ${helped("budget")} of ${whole(all[0]!.sums.mean.n)} gains, a moved start to ${helped("start")}`;
}

/** The lowest and the highest band of reputations. */
function bandsText(regime: Regime, { reputations, exact }: WhoResult): string {
  const bands = reputations.where({ regime });
  const [low, high] = [bands[0]!, bands.at(-1)!].map((band) => bandText(band).split(" from ")) as [
    [string, string],
    [string, string],
  ];
  if (bands.length === 1) return "";
  return `${low[0]} of workers with a reputation from ${low[1]} ${gains.can(exact)} gain, and ${high[0]} of those from ${high[1]}`;
}

const methods = ({ settings, exact }: WhoResult): string[] => [
  `${survey.surveyText(settings)}.`,
  gains.pooledText,
  "Each worker is counted once with its best lie; others that pay less may be of another kind.",
  "Causes, known for the paper's mechanism only, add up to the gain. Rounds and price are what the lie would bring with unlimited money and the start unmoved, by the paper's proofs never a gain; the start's part is what moving it would bring with unlimited money, and what the budget then takes back is in the budget's.",
  gains.exactnessText(exact, settings.asked),
];

export const whoLies: Analysis<survey.SurveySettings, survey.SurveyCell, Sums, WhoResult> = {
  name: "who-lies",
  question: "Who can gain, by which kind of lie, and where does the gain come from?",
  part: "gains",
  options: { markets: { from: 1, whole: true } },
  settings: (context) => survey.upTo(LARGEST, survey.surveySettings(context)),
  plan: survey.surveyPlan,
  job: survey.drawnJob<Sums>({
    reduce: ({ budgets }, _, { mechanism }) =>
      sums.of(budgets.flatMap(({ asked }) => asked.map((one) => rowOf(one, mechanism)))),
    merge: sums.merge,
    columns: survey.workerColumns,
  }),
  conclude,
  tables,
  charts: (result) => [bandChart(result), ...kindChart(result)],
  findings,
  methods,
  exhibits: ({ exhibits }) => exhibits,
};
