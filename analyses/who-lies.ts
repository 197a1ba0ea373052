/** Who can gain, by which lie, and where the gain comes from. */

import { greatest, group, rollups, sum } from "d3-array";
import type { AnyMechanism } from "../src/auction/mechanism.js";
import { type Regime, regimes } from "../src/auction/outcome.js";
import { capital, listed, many, percent, percents, whole } from "../src/lib/format.js";
import { FEWEST, meanAlone } from "../src/lib/statistics.js";
import { countsOf, mergeCounts, type PooledCounts, pooledShare } from "../src/lib/summaries.js";
import { negligible } from "../src/lib/tolerance.js";
import { surveyed } from "../src/market/draw.js";
import { type Market, workerOf } from "../src/market/market.js";
import type { Chart, Exhibit, Finding, Table } from "../src/report/result.js";
import {
  axis,
  captions,
  colour,
  column,
  type Field,
  marks,
  offeredRegimes,
  rankedFindings,
  regimeChoice,
  regimeWords,
  tableOf,
} from "../src/report/vocabulary.js";
import { isExact, type Response } from "../src/responses/index.js";
import type { Analysis } from "../src/study/analysis.js";
import type { JobContext } from "../src/study/job.js";
import { type Causes, explain, type LieKind, lieKinds } from "../src/verdicts/explain.js";
import {
  askAt,
  type BySpeed,
  bounded,
  can,
  exactnessText,
  exhibitOf,
  mergeParts,
  type PayingLie,
  type Place,
  payingLie,
  pooledText,
  type SurveyCell,
  type SurveySettings,
  supremumOf,
  surveyJob,
  surveyPlan,
  surveySettings,
  surveyText,
  unboundedText,
} from "./shared/gains.js";

const grid = {
  rounds: 10,
  sizes: [5, 10, 20, 40, 80],
  ratios: [0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.4, 2, 3],
};

const coarse = { rounds: 10, sizes: [5, 10], ratios: [0.2, 0.7, 2] };

const profiles: BySpeed<SurveySettings> = {
  quick: {
    fast: { ...grid, markets: 200, asked: null },
    slow: { ...coarse, markets: 10, asked: 2 },
  },
  full: {
    fast: { ...grid, markets: 3000, asked: null },
    slow: { ...coarse, markets: 200, asked: 2 },
  },
};

const kinds = Object.keys(lieKinds) as LieKind[];

const causeWords: Readonly<Record<keyof Causes, string>> = {
  rounds: "rounds won or given up",
  price: "a better or worse price",
  budget: "the budget's limits",
  start: "the start moved",
};

const causeNames = Object.keys(causeWords) as (keyof Causes)[];

const eachCause = (value: (name: keyof Causes) => number): Causes =>
  Object.fromEntries(causeNames.map((name) => [name, value(name)])) as Record<keyof Causes, number>;

const BANDS = 10;

const bandOf = (reputation: number): number => Math.min(BANDS - 1, Math.floor(reputation * BANDS));

const keyOf = (regime: Regime, part: number | LieKind): string => `${regime} ${part}`;

/** One market, at all its budgets: by regime and band, by regime and kind, and the largest gain of each kind. */
function look(cell: SurveyCell, k: number, context: JobContext) {
  const { workers, ratios, asked } = cell;
  const drawn = surveyed(cell, k, context.stream);
  const people = ratios.flatMap((ratio) => {
    const place = { workers, k, ratio };
    const { market, responses } = askAt(drawn, place, { ...context, asked });
    return responses.workers.map((response) => personOf(response, market, place, context.mechanism));
  });
  const bands = rollups(people, bandSummary, ({ regime, reputation }) => keyOf(regime, bandOf(reputation)));
  const lies = people.flatMap(({ lie }) => lie ?? []);
  const most = rollups(lies, largestOf, ({ kind }) => kind);
  return { bands: Object.fromEntries(bands), kinds: kindsOf(lies), most: Object.fromEntries(most) };
}

type WhoSummary = ReturnType<typeof look>;

/** A worker of a market under one budget, and its best lie if one pays. */
function personOf(response: Response, market: Market, place: Place, mechanism: AnyMechanism) {
  const person = { regime: response.regime, reputation: workerOf(market, response.id).reputation };
  const found = payingLie(response);
  if (!found) return { ...person, lie: null };
  const { kind, causes } = explain(market, found.bid, { mechanism });
  return { ...person, lie: kind && { witness: { ...place, ...found }, kind, causes } };
}

type Person = ReturnType<typeof personOf>;

type ExplainedLie = NonNullable<Person["lie"]>;

/** Workers whose reputations are in one band: of them those who gain, and all gains added up. */
function bandSummary(people: readonly Person[]) {
  const lies = people.flatMap(({ lie }) => lie?.witness ?? []);
  return { share: countsOf(lies.length, people.length), ...gainsOf(lies) };
}

/** All gains added up, but for those without bound, which are counted. */
function gainsOf(lies: readonly PayingLie[]) {
  const limited = lies.filter(({ unbounded }) => !unbounded);
  return { total: sum(limited, ({ gain }) => gain), unbounded: lies.length - limited.length };
}

/** Every kind in each regime where somebody gains: one that nobody tells has a share of 0 there. */
const kindsOf = (lies: readonly ExplainedLie[]) =>
  Object.fromEntries(
    [...group(lies, ({ witness }) => witness.regime)].flatMap(([regime, there]) =>
      kinds.map((kind) => {
        const mine = there.filter((lie) => lie.kind === kind);
        return [keyOf(regime, kind), kindSummary(mine, there.length)];
      }),
    ),
  );

/** Workers whose best lie is of one kind, among all who gain. */
function kindSummary(lies: readonly ExplainedLie[], among: number) {
  const witnesses = lies.map(({ witness }) => witness);
  const known = lies.flatMap(({ causes }) => causes ?? []);
  return {
    share: countsOf(lies.length, among),
    ...gainsOf(witnesses),
    most: Math.max(0, ...witnesses.map(({ gain }) => gain)),
    // Of those whose causes are known: how many, each cause added up, and how many it helps.
    explained: known.length,
    causes: eachCause((name) => sum(known, (causes) => causes[name])),
    helping: eachCause((name) => known.filter((causes) => helps(causes, name)).length),
  };
}

type KindSummary = ReturnType<typeof kindSummary>;

/** Whether a cause adds to a gain; beside the largest it must be more than rounding. */
const helps = (causes: Causes, name: keyof Causes): boolean =>
  causes[name] > negligible(Math.max(...Object.values(causes).map(Math.abs)));

const largestOf = (lies: readonly ExplainedLie[]) =>
  greatest(lies, ({ witness }) => supremumOf(witness))!.witness;

/** Of different markets; it changes the left one. */
const mergeWho = (left: WhoSummary, right: WhoSummary): WhoSummary => ({
  bands: mergeParts(left.bands, right.bands, (a, b) => ({
    share: mergeCounts(a.share, b.share),
    total: a.total + b.total,
    unbounded: a.unbounded + b.unbounded,
  })),
  kinds: mergeParts(left.kinds, right.kinds, (a, b) => addKinds(a, b, mergeCounts(a.share, b.share))),
  most: mergeParts(left.most, right.most, (a, b) => (supremumOf(b) > supremumOf(a) ? b : a)),
});

const addKinds = (a: KindSummary, b: KindSummary, share: PooledCounts): KindSummary => ({
  share,
  total: a.total + b.total,
  unbounded: a.unbounded + b.unbounded,
  most: Math.max(a.most, b.most),
  explained: a.explained + b.explained,
  causes: eachCause((name) => a.causes[name] + b.causes[name]),
  helping: eachCause((name) => a.helping[name] + b.helping[name]),
});

/** All lies that pay in a regime, whatever their kind: those who gain most by any are all who gain. Null where none pays. */
function allKinds(who: WhoSummary, regime: Regime): KindSummary | null {
  const [first, ...others] = kinds.flatMap((kind) => who.kinds[keyOf(regime, kind)] ?? []);
  if (!first) return null;
  return others.reduce((a, b) => addKinds(a, b, a.share), {
    ...first,
    share: { ...first.share, hits: first.share.size },
  });
}

interface WhoResult {
  readonly who: WhoSummary;
  readonly settings: SurveySettings;
  readonly exact: boolean;
  readonly exhibits: readonly Exhibit[];
}

const regimeColumn = column.text("regime", "Regime");

function tables({ who, exact }: WhoResult): Table[] {
  const kindTitle = "Kinds of lie: how often each is the best, and what it brings";
  return [
    tableOf("reputations", "Who can gain, by reputation", bandsIn(who), bandColumns(exact)),
    tableOf("kinds", kindTitle, toldIn(who), kindColumns(exact)),
    tableOf("causes", "Where gains come from", causesIn(who), causeColumns),
  ];
}

/** By regime and band of reputations. */
const bandsIn = ({ bands }: WhoSummary) =>
  regimes.flatMap((regime) =>
    Array.from({ length: BANDS }, (_, band) => band).flatMap((band) => {
      const there = bands[keyOf(regime, band)];
      return there ? [{ ...there, regime, from: band / BANDS, to: (band + 1) / BANDS }] : [];
    }),
  );

type InBand = ReturnType<typeof bandsIn>[number];

const meanShare = ({ share: { hits, size } }: { readonly share: PooledCounts }): number => hits / size;

/** Null where somebody gains without bound. */
const meanOf = ({ total, unbounded, share }: Pick<KindSummary, "total" | "unbounded" | "share">) =>
  unbounded > 0 ? null : total / share.hits;

const bandColumns = (exact: boolean): Field<InBand>[] => [
  regimeColumn,
  column.amount("from", "Reputation from"),
  column.amount("to", "to"),
  ...column.estimate(column.share("share", exact ? "Can gain" : "Found to gain"), ({ share }: InBand) =>
    bounded(pooledShare(share), exact),
  ),
  column.amount("meanGain", "Mean gain of those who gain", meanOf),
  column.count("seen", "Workers asked", ({ share }) => share.size),
  column.count("markets", "Markets", ({ share }) => share.markets),
];

/** The kinds of lies that are the best of some workers of a regime, and what all of them bring together. */
const toldIn = (who: WhoSummary) =>
  regimes.flatMap((regime) =>
    kinds.flatMap((kind) => {
      const found = who.kinds[keyOf(regime, kind)];
      if (!found || found.share.hits === 0) return [];
      const all = allKinds(who, regime)!;
      return [{ ...found, regime, kind, gained: all.unbounded > 0 ? null : all.total }];
    }),
  );

type Told = ReturnType<typeof toldIn>[number];

/** Of the lies that a search missed nobody knows the kind: their shares have no interval at all. */
const kindColumns = (exact: boolean): Field<Told>[] => [
  regimeColumn,
  column.text("kind", "Kind of lie"),
  column.text("what", "What the liar does", ({ kind }) => shortly(kind)),
  column.count("count", "Workers", ({ share }) => share.hits),
  ...column.estimate(column.share("share", "Of all paying lies"), ({ share }: Told) =>
    exact ? pooledShare(share) : meanAlone(share.hits / share.size, share.markets),
  ),
  column.amount("meanGain", "Mean gain", meanOf),
  column.amount("maxGain", "Largest gain", ({ most, unbounded }) => (unbounded > 0 ? null : most)),
  column.share("part", "Of all that is gained", ({ total, gained }) =>
    gained === null ? null : total / gained,
  ),
];

/** "reserve a place". */
const shortly = (kind: LieKind): string => lieKinds[kind].split(":")[0]!;

/** None where the mechanism is not the paper's. */
const causesIn = (who: WhoSummary) =>
  regimes.flatMap((regime) =>
    (["all", ...kinds] as const).flatMap((kind) => {
      const found = kind === "all" ? allKinds(who, regime) : who.kinds[keyOf(regime, kind)];
      if (!found || found.explained === 0) return [];
      return causeNames.map((cause) => ({ ...found, regime, kind, cause }));
    }),
  );

type Caused = ReturnType<typeof causesIn>[number];

const causeColumns: readonly Field<Caused>[] = [
  regimeColumn,
  column.text("kind", "Kind of lie"),
  column.text("cause", "Cause", ({ cause }) => causeWords[cause]),
  column.amount("mean", "Mean part of a gain", ({ causes, cause, explained }) => causes[cause] / explained),
  column.amount("sum", "Added up", ({ causes, cause }) => causes[cause]),
  column.share("part", "Of all that is gained", ({ causes, cause, total }) => causes[cause] / total),
  column.count("helping", "Lies it helps", ({ helping, cause }) => helping[cause]),
];

const charts = (result: WhoResult): Chart[] => [bandChart(result), ...kindChart(result)];

function bandChart({ who, exact }: WhoResult): Chart {
  const columns = bandColumns(exact).filter(({ name }) => exact || name !== "high");
  const y = (field: string) => axis.percent(field, exact ? "share who can gain" : "share found to gain");
  const peaks = [...group(bandsIn(who), ({ regime }) => regime)].map(([regime, mine]) => {
    const top = mine.reduce((a, b) => (meanShare(b) > meanShare(a) ? b : a));
    if (top.share.hits === 0) return `${regime}: ${exact ? "none" : "none found"}`;
    return `${regime}: ${percent(meanShare(top))} from ${top.from} to ${top.to}`;
  });
  return {
    name: "reputations",
    title: `Share of workers who ${can(exact)} gain, by reputation`,
    table: "reputations",
    spec: {
      transform: [{ calculate: "(datum.from + datum.to) / 2", as: "middle" }],
      encoding: {
        x: axis.amount("middle", "reputation", { scale: { domain: [0, 1] } }),
        color: colour.regime("regime"),
        tooltip: marks.tooltip(columns),
      },
      // What was searched for has no upper end to draw.
      layer: marks.lines(y, { value: "share" }).slice(exact ? 0 : 1),
    },
    summary: `The highest share in each regime, by reputation: ${peaks.join("; ")}.`,
    howToRead: `A point stands for the workers of a tenth of the range of reputations; ${exact ? "the band is its 95 % interval, with markets as clusters." : "lies were searched for, and points are lower bounds."}`,
  };
}

/** Regimes in which somebody gains. */
const gainingIn = (who: WhoSummary): Regime[] =>
  offeredRegimes.filter((regime) => allKinds(who, regime) !== null);

/** None where nobody gains. */
function kindChart({ who, exact }: WhoResult): Chart[] {
  const gaining = gainingIn(who);
  if (gaining.length === 0) return [];
  const choices = [regimeChoice(gaining)];
  const legend = ["of all that is gained", "of all lies that pay"];
  const x = (field: string) => axis.percent(field, "share", { domain: [0, 1] });
  return [
    {
      name: "kinds",
      title: `Kinds of lie: how often each is the best ${exact ? "" : "found "}one, and how much it brings`,
      table: "kinds",
      choices,
      spec: {
        height: { step: 34 },
        encoding: { y: axis.name("what", kinds.map(shortly)), tooltip: marks.tooltip(kindColumns(exact)) },
        layer: [
          {
            mark: { type: "bar", opacity: 0.6 },
            encoding: { x: x("part"), color: { datum: legend[0], ...colour.greyAndDark(legend) } },
          },
          ...(exact ? [{ mark: "rule", encoding: { x: x("low"), x2: { field: "high" } } }] : []),
          {
            mark: { type: "point", size: 80, opacity: 1, stroke: "white" },
            encoding: { x: x("share"), color: { datum: legend[1], ...colour.greyAndDark(legend) } },
          },
        ],
      },
      summary: captions(choices, ({ regime }) => {
        const mine = toldIn(who).filter((told) => told.regime === regime);
        const parts = mine.map((told) => `${shortly(told.kind)} ${percent(meanShare(told))}`);
        const { hits } = allKinds(who, regime as Regime)!.share;
        return `${capital(regime!)}: of the best lies of ${many(hits, "worker")}, ${listed(parts)}.`;
      }),
      howToRead:
        "To reserve a place is to be selected earlier, or at all; to force the start is to make the task start earlier, or at all.",
    },
  ];
}

/** How many gain without bound, where any do. */
const limitless = (who: WhoSummary): string =>
  unboundedText(sum(regimes, (regime) => allKinds(who, regime)?.unbounded ?? 0));

function findings({ who, exact }: WhoResult): Finding[] {
  const gaining = gainingIn(who).map((regime) => ({ regime, ...allKinds(who, regime)! }));
  const enough = gaining.filter(({ share }) => share.hits >= FEWEST).map(({ regime }) => regime);
  if (enough.length === 0) {
    const asked = sum(Object.values(who.bands), ({ share }) => share.size);
    const gained = sum(gaining, ({ share }) => share.hits);
    const verb = exact ? "can gain" : `${gained < 2 ? "was" : "were"} found to gain`;
    return rankedFindings(
      [32, `Of ${many(asked, "worker")} ${gained || "none"} ${verb} by any lie.`],
      [30, limitless(who)],
    );
  }
  const inEach = (textOf: (regime: Regime) => string) => enough.map(textOf).filter(Boolean).join(" ");
  return rankedFindings(
    [60, inEach((regime) => kindText(who, regime, exact))],
    [50, inEach((regime) => causeText(who, regime))],
    [40, inEach((regime) => bandText(who, regime, exact))],
    [30, limitless(who)],
  );
}

/** The kind of lie that is most often the best. */
function kindText(who: WhoSummary, regime: Regime, exact: boolean): string {
  const told = toldIn(who).filter((one) => one.regime === regime);
  const top = told.reduce((a, b) => (b.share.hits > a.share.hits ? b : a));
  const [share, low, high] = percents(pooledShare(top.share));
  const interval = exact ? ` (95 %: ${low} to ${high})` : "";
  return `${capital(regimeWords[regime])}, the best lie ${exact ? "" : "found "}is most often to ${shortly(top.kind)}: for ${share} of ${many(top.share.size, "worker")} who gain${interval}.`;
}

/** How many gains the budget's limits and a moved start add to. */
function causeText(who: WhoSummary, regime: Regime): string {
  const { explained, helping } = allKinds(who, regime)!;
  if (explained === 0) return "";
  return `${capital(regimeWords[regime])}, the budget's limits add to ${whole(helping.budget)} of ${whole(explained)} gains, a moved start to ${whole(helping.start)}.`;
}

/** The lowest and the highest band of reputations. */
function bandText(who: WhoSummary, regime: Regime, exact: boolean): string {
  const bands = bandsIn(who).filter((band) => band.regime === regime);
  const [low, high] = [bands[0]!, bands.at(-1)!];
  if (low === high) return "";
  return `${capital(regimeWords[regime])}, ${percent(meanShare(low))} of workers with a reputation from ${low.from} to ${low.to} ${can(exact)} gain, and ${percent(meanShare(high))} of those from ${high.from} to ${high.to}.`;
}

function methods({ settings, exact }: WhoResult): string[] {
  return [
    `${surveyText(settings)}.`,
    pooledText,
    "Each worker is counted once with its best lie; others that pay less may be of another kind.",
    "Causes, known for the paper's mechanism only, add up to the gain. Rounds and price are what the lie would bring with unlimited money and the start unmoved, by the paper's proofs never a gain; the start's part is what moving it would bring with unlimited money, and what the budget then takes back is in the budget's.",
    exactnessText(exact, settings.asked),
  ];
}

export const whoLies: Analysis<SurveySettings, SurveyCell, WhoSummary, WhoResult> = {
  name: "who-lies",
  question: "Who can gain, by which kind of lie, and where does the gain come from?",
  part: "gains",
  options: { markets: { from: 1, whole: true } },
  settings: (context) => surveySettings(profiles, context),
  plan: surveyPlan,
  job: surveyJob({ look, merge: mergeWho }),
  conclude: (gathered, settings, context) => {
    const who = gathered.flatMap(({ summary }) => summary ?? []).reduce(mergeWho);
    const exhibits = kinds.flatMap((name) => {
      const witness = who.most[name];
      if (!witness) return [];
      const about = `${capital(lieKinds[name])} (${witness.regime}, ${witness.workers} workers)`;
      return [exhibitOf({ name, about }, witness, { ...context, rounds: settings.rounds })];
    });
    return { who, settings, exact: isExact(context.mechanism), exhibits };
  },
  tables,
  charts,
  findings,
  methods,
  exhibits: ({ exhibits }) => exhibits,
};
