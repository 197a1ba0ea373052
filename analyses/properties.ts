/** Which of the paper's claims hold, in markets drawn as in the paper and in random ones, in both readings. */

import { group } from "d3-array";
import { type AnyMechanism, runAuction } from "../src/auction/mechanism.js";
import { type Regime, regimes, regimesIn } from "../src/auction/outcome.js";
import { listed, many, percent, stated, threeDigits, whole } from "../src/lib/format.js";
import type { Stream } from "../src/lib/random.js";
import { type Estimate, FEWEST, meanAlone, share } from "../src/lib/statistics.js";
import { atRelativeBudget, drawForSurvey } from "../src/market/draw.js";
import { BATCH, batchFrom, marketArbitrary } from "../src/market/generators.js";
import type { Market, Reading } from "../src/market/market.js";
import { properties as claims, type Judgement } from "../src/properties/properties.js";
import {
  type Accumulated,
  accumulators,
  by,
  type GroupIn,
  type Measure,
  mergeAll,
} from "../src/report/accumulators.js";
import type { Chart, Choice, Exhibit, Finding, Table } from "../src/report/result.js";
import * as show from "../src/report/vocabulary.js";
import { bestResponses, isExact, type Response } from "../src/responses/index.js";
import type { Analysis, Gathered, Profile } from "../src/study/analysis.js";
import type { Cells, JobContext, WorkContext } from "../src/study/job.js";
import {
  confirm,
  FLOOR,
  type HuntedProperty,
  huntedProperties,
  type StartClause,
  type Violation,
  violations,
} from "../src/verdicts/counterexamples/violations.js";
import { isOutside, OUTSIDE } from "../src/verdicts/outside.js";
import { examine } from "../src/verdicts/properties.js";
import { bounded, exactnessText } from "./shared/gains.js";

/** paper: the paper's distributions and rules. random: anything, with round numbers in half of them. Never pooled. */
const families = ["paper", "random"] as const;

type Family = (typeof families)[number];

const readings: readonly Reading[] = ["prose", "pseudocode"];

/** A claim, under a condition where it is known to hang on one. */
interface Claim {
  readonly property: HuntedProperty;
  readonly label: string;
  /** Which lies count, by what they do to the start. */
  readonly start: StartClause;
  /** Of the first-round ratio. */
  readonly ratio: "up to 1/2" | "highest";
}

/** A break and the market it is in. */
interface Break {
  readonly market: Market;
  readonly found: Violation;
}

const ratioProperties = ["P1", "P2"] as const;

interface Draws {
  readonly rounds: number;
  readonly sizes: readonly number[];
  /** Over the true cost of all rounds on offer. */
  readonly budgets: readonly number[];
  /** How many of each size and budget. */
  readonly perCell: number;
  /** How many random ones. */
  readonly wide: number;
}

export interface PropertySettings {
  readonly draws: Draws;
  /** P4 takes long: it is asked of every so manieth market. */
  readonly everyForP4: number;
  readonly ratios: readonly number[];
  /** The markets that are looked at under every first-round ratio. */
  readonly ratioDraws: Draws;
}

const spread = { rounds: 10, sizes: [5, 10, 20, 40, 60], budgets: [0.1, 0.2, 0.35, 0.6, 1, 2, 4] };

const few = { rounds: 10, sizes: [10, 30], budgets: [0.3, 0.6, 1.2] };

/** Of the first-round ratios, the one at which P1 and P2 are judged: the same markets at several ratios are no larger sample. */
const HIGHEST_RATIO = 0.95;

const ratios = Array.from({ length: 18 }, (_, k) => (k + 2) / 20);

const profiles: Record<Profile, PropertySettings> = {
  quick: {
    draws: { ...spread, perCell: 30, wide: 1700 },
    everyForP4: 3,
    ratios,
    ratioDraws: { ...few, perCell: 12, wide: 72 },
  },
  full: {
    draws: { ...spread, perCell: 250, wide: 12_500 },
    everyForP4: 4,
    ratios,
    ratioDraws: { ...few, perCell: 400, wide: 2400 },
  },
};

const coarse = { rounds: 10, sizes: [5, 10], budgets: [0.2, 0.6, 2] };

/** Where the best lie of one worker takes a search of about 70 ms. */
const searched: Record<Profile, PropertySettings> = {
  quick: { ...profiles.quick, draws: { ...coarse, perCell: 4, wide: 24 }, everyForP4: 1 },
  full: { ...profiles.full, draws: { ...coarse, perCell: 60, wide: 400 }, everyForP4: 1 },
};

const SEARCH_MILLISECONDS = 70;

/** The paper's markets of one size and budget one by one, or random ones a batch at a time. */
type DrawCell = { readonly first: number } & (
  | { readonly family: "paper"; readonly workers: number; readonly rounds: number; readonly budget: number }
  | { readonly family: "random"; readonly count: number }
);

const randomLimits = { minWorkers: 1, maxWorkers: 12, maxRounds: 8, maxRatio: 0.5 } as const;

function drawCells({ rounds, sizes, budgets, perCell, wide }: Draws): Cells<DrawCell>[] {
  const places = sizes.flatMap((workers) => budgets.map((budget) => ({ workers, rounds, budget })));
  const paper = places.map((place, k) => ({
    cell: { family: "paper" as const, first: k * perCell, ...place },
    markets: perCell,
  }));
  const random = { family: "random" as const, first: places.length * perCell, count: wide };
  return [...paper, { cell: random, markets: Math.ceil(wide / BATCH) }];
}

/** What is k-th in a cell: a market of the paper's, or a batch of random ones; the index counts over all draws. */
function drawnAt(cell: DrawCell, k: number, stream: Stream): { index: number; market: Market }[] {
  if (cell.family === "random") {
    const arbitrary = marketArbitrary({ ...randomLimits, readings: ["prose"] });
    const from = k * BATCH;
    return batchFrom(arbitrary, k, stream.fork("random"))
      .slice(0, cell.count - from)
      .map((market, more) => ({ index: cell.first + from + more, market }));
  }
  const { workers, rounds, budget, first } = cell;
  const own = stream.fork("paper").fork(workers).fork(budget).fork(k);
  return [{ index: first + k, market: atRelativeBudget(drawForSurvey({ workers, rounds }, own), budget) }];
}

/** Markets as they are drawn, for all claims, or at one first-round ratio, for P1 and P2 alone. */
interface PropertyCell extends Pick<PropertySettings, "everyForP4"> {
  readonly of: DrawCell;
  /** Null: as they are drawn. */
  readonly firstRoundRatio: number | null;
  /** Whether best lies are searched for. */
  readonly searched: boolean;
}

const withoutP4 = huntedProperties.filter((property) => property !== "P4");

interface Examining {
  readonly mechanism: AnyMechanism;
  readonly properties: readonly HuntedProperty[];
}

const gains = { P5: "priceGain", P6: "timeGain", joint: "gain" } as const;

type Truthfulness = keyof typeof gains;

const isTruthfulness = (property: string): property is Truthfulness => property in gains;

/** Of a worker's lies about one thing, the best that moves the start and the best that keeps it; exact: there are no others. */
function breaksIn(market: Market, { mechanism, properties }: Examining) {
  const regimeOf = regimesIn(runAuction(mechanism, market));
  const lies = properties.filter(isTruthfulness);
  const others = properties.filter((property) => !isTruthfulness(property));
  const faults = faultsIn(market, { mechanism, properties: others });
  const { workers, method } =
    lies.length > 0 ? bestResponses(market, { mechanism }) : { workers: [], method: "computed" as const };
  const paying = workers.flatMap((response) => liesOf(response, market, { mechanism, lies }));
  const breaks = [...faults.breaks, ...paying];
  return { market, regimeOf, properties, exact: faults.exact && method !== "search", breaks };
}

type Examined = ReturnType<typeof breaksIn>;

/** P1, P2 and P4. That reputation 0 is never selected is a rule ([M1]), not a break. */
function faultsIn(market: Market, { mechanism, properties }: Examining) {
  const reputed = new Set(market.workers.flatMap(({ id, reputation }) => (reputation > 0 ? [id] : [])));
  const floor = FLOOR * market.rules.budget;
  const found = examine(market, { mechanism, properties });
  const breaks = found
    .flatMap(({ witnesses }) => witnesses)
    .filter(({ property, amount }) => property === "P4" || amount > floor)
    .filter(({ worker }) => worker === null || reputed.has(worker))
    .map((witness): Violation => {
      return { ...witness, property: witness.property as HuntedProperty, startMoved: false };
    });
  return { exact: found.every(({ verdictWithoutWitness: otherwise }) => otherwise === "holds"), breaks };
}

function liesOf(
  response: Response,
  market: Market,
  { mechanism, lies }: { readonly mechanism: AnyMechanism; readonly lies: readonly Truthfulness[] },
): Violation[] {
  const { id, regime } = response;
  const paying = lies.filter((property) => response[gains[property]] > FLOOR * market.rules.budget);
  return paying.flatMap((property) => {
    const found = violations(market, { property, regime, start: "any", mechanism }, id);
    const best = (moved: boolean) => found.find(({ startMoved }) => startMoved === moved) ?? [];
    return [best(true), best(false)].flat();
  });
}

const plain = (property: HuntedProperty): Claim => ({
  property,
  label: property === "joint" ? `joint: ${claims.joint.name}` : `${property} ${claims[property].name}`,
  start: "any",
  ratio: "up to 1/2",
});

const withHighRatio = (property: HuntedProperty): Claim[] => [
  plain(property),
  { ...plain(property), label: `${property}, first-round ratio ${HIGHEST_RATIO}`, ratio: "highest" },
];

const byStart = (property: HuntedProperty): Claim[] => [
  plain(property),
  { ...plain(property), label: `${property}, start kept`, start: "kept" },
  { ...plain(property), label: `${property}, start moved`, start: "moved" },
];

/** All but P3, which is a matter of time. */
const allClaims: readonly Claim[] = [
  ...withHighRatio("P1"),
  ...withHighRatio("P2"),
  plain("P4"),
  ...byStart("P5"),
  ...byStart("P6"),
  ...byStart("joint"),
];

/** What one market, in one reading, says of a claim in a regime that one of its workers is in. */
interface Row {
  readonly claim: string;
  readonly regime: Regime;
  readonly reading: Reading;
  readonly family: Family;
  readonly asked: number;
  /** Whether no break can have been missed. */
  readonly exact: boolean;
  readonly breaks: readonly Break[];
}

/** The claims on low first-round ratios, or on the highest. */
const rowsOf = (
  { market, regimeOf, properties, exact, breaks }: Examined,
  ratio: Claim["ratio"],
  family: Family,
) =>
  allClaims
    .filter((claim) => claim.ratio === ratio && properties.includes(claim.property))
    .flatMap(({ property, label, start }) =>
      regimes.flatMap((regime): Row[] => {
        const asked = market.workers.filter(
          ({ id, reputation }) => regimeOf(id) === regime && (property !== "P4" || reputation > 0),
        ).length;
        if (asked === 0) return [];
        const found = breaks
          .filter((one) => one.property === property && one.regime === regime)
          .filter(({ startMoved }) => start === "any" || startMoved === (start === "moved"))
          .map((one) => ({ market, found: one }));
        return [
          {
            ...{ claim: label, regime, reading: market.rules.reading, family, asked },
            exact: property === "P1" || property === "P2" || exact,
            breaks: found,
          },
        ];
      }),
    );

const { breakdown, count, largest, total } = accumulators<Row>();

/** How many breaks are put to exact arithmetic before they count as rounding. */
const ASKED = 5;

/** A few to show: the fewest workers first, then the largest part of the budget. */
const legible = (breaks: readonly Break[]): Break[] =>
  [...breaks]
    .sort((a, b) => a.market.workers.length - b.market.workers.length || partOf(b) - partOf(a))
    .slice(0, ASKED);

const partOf = ({ market, found }: Break): number => found.amount / market.rules.budget;

const legibleBreaks: Measure<Row, Break[], unknown> = {
  of: ({ rows }) => legible(rows.flatMap(({ breaks }) => breaks)),
  merge: (left, right) => legible([...left, ...right]),
  columns: () => [],
  axis: () => ({}),
};

const worstOf = ({ breaks }: Row): Break | undefined =>
  breaks.reduce<Break | undefined>(
    (top, next) => (top && top.found.amount >= next.found.amount ? top : next),
    undefined,
  );

const ofFamily = by.text("Markets", ({ family }: { readonly family: Family }) => family, families);

const ofReading = by.text("Reading", ({ reading }: { readonly reading: Reading }) => reading, readings);

const tallies = breakdown(
  {
    reading: ofReading,
    family: ofFamily,
    claim: by.text(
      "Claim",
      ({ claim }: Row) => claim,
      allClaims.map(({ label }) => label),
    ),
    regime: by.text("Regime", ({ regime }: Row) => regime, regimes),
  },
  {
    markets: count("Markets"),
    broken: count("Broken", ({ breaks }) => breaks.length > 0),
    searched: count("Searched", ({ exact }) => !exact),
    workers: total("Workers", ({ asked }) => asked),
    // None where it takes everybody (P2).
    brokenWorkers: total(
      "of them broken",
      ({ breaks }) => new Set(breaks.flatMap(({ found }) => found.worker ?? [])).size,
    ),
    worst: largest("Worst amount", (row) => worstOf(row)?.found.amount ?? null, {
      keep: (row) => worstOf(row)!,
    }),
    legible: legibleBreaks,
  },
);

/** P1 or P2 in one market at a first-round ratio: the largest break, of the budget. */
interface AtRatio {
  readonly property: (typeof ratioProperties)[number];
  readonly family: Family;
  readonly reading: Reading;
  readonly ratio: number;
  readonly part: number;
}

const ofRatio = accumulators<AtRatio>();

const counts = ofRatio.breakdown(
  {
    property: by.text("Claim", ({ property }: AtRatio) => property, ratioProperties),
    family: ofFamily,
    reading: ofReading,
    ratio: by.amount("First-round ratio", ({ ratio }: AtRatio) => ratio),
  },
  {
    markets: ofRatio.count("Markets"),
    broken: ofRatio.count("Broken", ({ part }) => part > 0),
    worst: ofRatio.largest("Worst, of the budget", ({ part }) => part, { kind: "share" }),
  },
);

const atRatiosOf = ({ market, breaks }: Examined, family: Family, ratio: number): AtRatio[] =>
  ratioProperties.map((property) => {
    const amounts = breaks.filter((found) => found.property === property).map(({ amount }) => amount);
    const part = Math.max(0, ...amounts) / market.rules.budget;
    return { property, family, reading: market.rules.reading, ratio, part };
  });

/** What is seen of some markets: of claims, at the highest first-round ratio only where they are looked at under several. */
interface Rows {
  readonly claims: readonly Row[];
  readonly ratios: readonly AtRatio[];
}

const sums = {
  of: ({ claims, ratios }: Rows) => ({ tallies: tallies.of(claims), counts: counts.of(ratios) }),
  merge: (left: Sums, right: Sums): Sums => ({
    tallies: tallies.merge(left.tallies, right.tallies),
    counts: counts.merge(left.counts, right.counts),
  }),
};

interface Sums {
  readonly tallies: Accumulated<typeof tallies>;
  readonly counts: Accumulated<typeof counts>;
}

/** What was drawn, in both readings. */
function look(cell: PropertyCell, k: number, { stream, mechanism }: JobContext): Sums {
  const { of, firstRoundRatio: ratio, everyForP4 } = cell;
  const { family } = of;
  const drawn = drawnAt(of, k, stream.fork(ratio === null ? "board" : "ratios"));
  const examined = drawn.flatMap(({ market, index }) => {
    const all = index % everyForP4 === 0 ? huntedProperties : withoutP4;
    const properties = ratio === null ? all : ratioProperties;
    return readings.map((reading) => {
      const rules = { ...market.rules, firstRoundRatio: ratio ?? market.rules.firstRoundRatio, reading };
      return breaksIn({ ...market, rules }, { mechanism, properties });
    });
  });
  const rowsAbout = (claims: Claim["ratio"]) => examined.flatMap((one) => rowsOf(one, claims, family));
  if (ratio === null) return sums.of({ claims: rowsAbout("up to 1/2"), ratios: [] });
  return sums.of({
    claims: ratio === HIGHEST_RATIO ? rowsAbout("highest") : [],
    ratios: examined.flatMap((one) => atRatiosOf(one, family, ratio)),
  });
}

function cost({ of, firstRoundRatio, searched }: PropertyCell): number {
  if (firstRoundRatio !== null) return of.family === "random" ? 8 : 0.2 + 0.01 * of.workers;
  if (searched) return 2 * SEARCH_MILLISECONDS * (of.family === "random" ? 6 * BATCH : of.workers);
  return of.family === "random" ? 60 : 2 + 0.1 * of.workers;
}

/** What is asked. */
interface Question {
  readonly claim: Claim;
  readonly regime: Regime;
  readonly reading: Reading;
  readonly family: Family;
}

/** The prose and the paper's markets first. */
const questions: readonly Question[] = readings.flatMap((reading) =>
  families.flatMap((family) =>
    allClaims.flatMap((claim) => regimes.map((regime) => ({ claim, regime, reading, family }))),
  ),
);

/** Whether exact arithmetic confirms a break, asked once of each; null where there is nothing to ask. */
type Certify = (found: Break) => boolean | null;

function certifier(mechanism: AnyMechanism): Certify {
  const answers = new Map<string, boolean | null>();
  return ({ market, found }) => {
    const key = JSON.stringify([market, found]);
    if (!answers.has(key)) answers.set(key, confirm(mechanism, market, found));
    return answers.get(key)!;
  };
}

/** A tally with a break that exact arithmetic confirms; not judged on too few markets. */
function judge(question: Question, tally: GroupIn<typeof tallies> | undefined, certify: Certify) {
  const {
    markets = 0,
    broken = 0,
    searched = 0,
    workers,
    brokenWorkers,
    worst,
    legible = [],
  } = tally?.sums ?? {};
  const few = markets < FEWEST;
  const witness = few ? undefined : legible.find((found) => certify(found) !== false);
  const judgement: Judgement | null = few ? null : witness ? "breaks" : "none found";
  return {
    ...{ ...question, markets, brokenMarkets: broken, exact: searched === 0 },
    workers: workers?.total ?? 0,
    brokenWorkers: brokenWorkers?.total ?? 0,
    worst: worst?.kept ?? null,
    share: brokenShare(broken, markets, searched === 0),
    judgement,
    witness: witness ? { ...witness, certified: certify(witness) } : null,
  };
}

/** No interval of too few markets, and no upper end where breaks were searched for. */
function brokenShare(broken: number, markets: number, exact: boolean): Estimate {
  const found = share(broken, markets);
  return markets < FEWEST ? meanAlone(found.mean, markets) : bounded(found, exact);
}

function conclude(
  gathered: readonly Gathered<PropertyCell, Sums>[],
  settings: PropertySettings,
  { mechanism }: WorkContext,
) {
  const all = mergeAll(sums, gathered) ?? sums.of({ claims: [], ratios: [] });
  const exact = isExact(mechanism);
  const found = tallies.shown(all.tallies, exact);
  const certify = certifier(mechanism);
  // One for each claim, regime and family, of the prose, or where that breaks nothing of the pseudocode.
  const exhibits = new Map<string, Exhibit>();
  const verdicts = questions.map((question) => {
    const { claim, regime, reading, family } = question;
    const judged = judge(question, found.at({ claim: claim.label, regime, reading, family }), certify);
    const exhibit = judged.witness && exhibitOf(question, judged.witness, mechanism);
    const about = [claim.label, regime, family].join("; ");
    if (exhibit && !exhibits.has(about)) exhibits.set(about, exhibit);
    const shown = exhibit?.name === exhibits.get(about)?.name;
    const outside = isOutside(mechanism, claim.property, regime);
    return { ...judged, outside, exhibit: exhibit && shown ? exhibit.name : null };
  });
  return {
    settings,
    exact,
    counts: counts.shown(all.counts, exact),
    verdicts,
    exhibits: [...exhibits.values()],
  };
}

type PropertyResult = ReturnType<typeof conclude>;

type Verdict = PropertyResult["verdicts"][number];

/** As in "markets drawn at random". */
const drawnAs: Readonly<Record<Family, string>> = {
  paper: "drawn as in the paper",
  random: "drawn at random",
};

function exhibitOf({ claim, family }: Question, { market, found }: Break, mechanism: AnyMechanism): Exhibit {
  const { regime, worker, lie } = found;
  const who = worker === null ? "the payments" : `worker ${worker}`;
  return {
    name: [claim.label, regime, family, market.rules.reading].join(" ").replace(/[^A-Za-z0-9]+/g, "-"),
    title: `${claim.label}, ${regime}: ${who} ${amountText(found)} (${many(market.workers.length, "worker")}, ${market.rules.reading})`,
    market,
    mechanism: mechanism.name,
    lie,
  };
}

function amountText({ property, amount }: Break["found"]): string {
  if (property === "P1") return `is paid ${threeDigits(amount)} less than its cost`;
  if (property === "P2") return `exceed the budget by ${threeDigits(amount)}`;
  if (property === "P4") return "is never selected and paid, whatever it bids";
  return `gains ${threeDigits(amount)}`;
}

/** Of a sample it is said that nothing was found, in how many markets of which family, and how many might break it. */
function verdictText({ judgement, markets, brokenMarkets, share, family, exact }: Verdict): string {
  const drawn = `${family === "paper" ? "drawn" : "random"} markets`;
  if (markets === 0) return "no such market drawn";
  if (markets < FEWEST) return `not judged: ${many(markets, "market")} only`;
  if (judgement === "breaks")
    return brokenMarkets < FEWEST
      ? `breaks in ${brokenMarkets} of ${whole(markets)} markets`
      : `breaks in ${percent(share.mean)} of ${whole(markets)} markets`;
  if (brokenMarkets > 0)
    return `none found but within rounding: in ${whole(brokenMarkets)} of ${whole(markets)} markets`;
  return exact
    ? `none found in ${whole(markets)} ${drawn} (at most ${percent(share.high)} of such markets, 95 %)`
    : `none found by a search in ${whole(markets)} markets`;
}

const tables = (result: PropertyResult): Table[] => [
  verdictTable(result),
  countTable(result),
  result.counts.table("ratios", "P1 and P2 against the first-round ratio", [
    ...(["property", "family", "reading", "ratio", "markets", "broken"] as const),
    ...show.column.estimate(show.column.share("share", "Share broken"), ({ sums }: GroupIn<typeof counts>) =>
      share(sums.broken, sums.markets),
    ),
    "worst",
  ]),
];

/** With a word where the source of the mechanism claims nothing. */
const standingText = (verdict: Verdict): string =>
  verdict.outside && verdict.markets >= FEWEST
    ? `${verdictText(verdict)} (${OUTSIDE})`
    : verdictText(verdict);

/** The verdicts of one claim in each regime. */
const verdictFields: readonly show.Field<readonly Verdict[]>[] = [
  show.column.text("claim", "Claim", ([first]) => first!.claim.label),
  ...show.regimeFields((regime, verdicts: readonly Verdict[]) =>
    standingText(verdicts.find((one) => one.regime === regime)!),
  ),
];

function verdictTable({ verdicts }: PropertyResult): Table {
  const items = families.flatMap((family) =>
    readings.flatMap((reading) => {
      const here = verdicts.filter((one) => one.family === family && one.reading === reading);
      const shown = here.filter(({ claim }) => claim.start !== "moved");
      return [...group(shown, ({ claim }) => claim).values()];
    }),
  );
  return show.tableOf("verdicts", "Verdicts on every claim, by family of markets and reading", items, [
    ...verdictFields,
    show.column.text("family", "Markets", ([first]) => first!.family),
    show.column.text("reading", "Reading", ([first]) => first!.reading),
  ]);
}

const countColumns: readonly show.Field<Verdict>[] = [
  show.column.text("claim", "Claim", ({ claim }) => claim.label),
  show.column.text("regime", "Regime"),
  show.column.text("family", "Markets"),
  show.column.text("reading", "Reading"),
  show.column.text("verdict", "Verdict", ({ judgement }) => judgement ?? "not judged"),
  show.column.count("markets", "Markets"),
  show.column.count("broken", "Broken", ({ brokenMarkets }) => brokenMarkets),
  ...show.column.estimate<Verdict>(show.column.share("share", "Share broken")),
  show.column.count("workers", "Workers"),
  show.column.count("brokenWorkers", "of them broken", ({ claim, brokenWorkers }) =>
    claim.property === "P2" ? null : brokenWorkers,
  ),
  show.column.amount("worst", "Worst amount", (verdict) => worstIn(verdict)?.found.amount),
  show.column.share("worstPart", "Worst, of the budget", (verdict) => {
    const worst = worstIn(verdict);
    return worst && worst.found.amount / worst.market.rules.budget;
  }),
  show.column.text(
    "certified",
    "Confirmed in exact fractions",
    ({ witness }) => witness && (witness.certified === null ? "no exact form" : "yes"),
  ),
  show.column.text("exhibit", "On the bench"),
];

/** Where it has an amount. */
const worstIn = ({ worst }: Verdict): Break | null => (worst?.found.property === "P4" ? null : worst);

const countTable = ({ verdicts }: PropertyResult): Table =>
  show.tableOf("counts", "Counts, worst breaks and witnesses of every claim", verdicts, countColumns);

/** Neither families nor readings are pooled. */
const choices: readonly Choice[] = [
  { field: "family", label: "Markets", values: families },
  { field: "reading", label: "Reading", values: readings.map(String) },
];

/** Of lies that keep the start, all kinds at once. */
const isShown = ({ claim }: Verdict): boolean =>
  claim.start === "any" || (claim.start === "kept" && claim.property === "joint");

/** Claims in words that leave room for the figure on a narrow screen. */
const SHORT = "replace(datum.label, /individual |budget |consumer |first-round /, '')";

function charts({ verdicts, exact }: PropertyResult): Chart[] {
  const shown = verdicts.filter(isShown);
  const labels = [...new Set(shown.map(({ claim }) => claim.label))];
  return [
    {
      name: "shares",
      title: "Share of markets in which a claim breaks, by regime",
      table: "counts",
      choices,
      spec: {
        height: { step: 8 },
        transform: [{ filter: { field: "claim", oneOf: labels } }, { filter: `datum.markets >= ${FEWEST}` }],
        encoding: {
          y: show.axis.name("claim", labels, { labelExpr: SHORT }),
          yOffset: { field: "regime", type: "nominal", sort: regimes },
          color: show.colour.regime("regime"),
          tooltip: show.marks.tooltip(countColumns.slice(0, 10)),
        },
        layer: show.marks.points((field) => show.axis.percent(field, "share of markets"), {
          value: "share",
          size: 40,
        }),
      },
      summary: show.captions(choices, ({ family, reading }) =>
        captionOf(
          shown.filter((one) => one.family === family && one.reading === reading && one.markets >= FEWEST),
          `markets ${drawnAs[family as Family]} (${reading})`,
        ),
      ),
      howToRead: `A point is the share of markets with a worker in that regime in which the claim breaks${exact ? ", its line the 95 % interval" : "; where breaks were searched for, it is a lower bound"}. Start kept: by lies that leave the start as it is.`,
    },
  ];
}

function captionOf(shown: readonly Verdict[], where: string): string {
  const brokenIn = (some: readonly Verdict[]) =>
    `${some.filter(({ brokenMarkets }) => brokenMarkets > 0).length} of ${some.length}`;
  const sufficient = shown.filter(({ regime }) => regime === "sufficient");
  return `In ${where} a break was found in ${brokenIn(shown)} combinations of claim and regime, and in ${brokenIn(sufficient)} with a sufficient budget.`;
}

/** All of the prose, each of one family of markets. */
function findings(result: PropertyResult): Finding[] {
  const find = (family: Family) => (label: string, regime: Regime) =>
    result.verdicts.find(
      (one) =>
        one.family === family &&
        one.reading === "prose" &&
        one.claim.label === label &&
        one.regime === regime,
    )!;
  const found = show.rankedFindings(
    [75, keptText(find("paper"))],
    [70, marketsText(find("paper"))],
    [65, movedText(find("random"))],
    [55, otherText(find("paper"), result)],
  );
  return found.length > 0 ? found : show.rankedFindings([10, "No claim is judged on so few markets."]);
}

/** Looks up a verdict of the prose in one family of markets. */
type Find = (label: string, regime: Regime) => Verdict;

/** The paper's own ground: started on time, no budget bound, and the lie leaves the start as it is. */
function keptText(find: Find): string {
  const { markets, workers, brokenMarkets, exact, share } = find("joint, start kept", "sufficient");
  if (markets < FEWEST) return "";
  const drawn = `${many(markets, "market")} ${drawnAs.paper}`;
  const [mean, interval] = stated(share);
  if (brokenMarkets > 0)
    return `Even with a sufficient budget some worker gains by a lie that does not change when training starts, in ${mean} of ${drawn} (prose; ${interval}).`;
  return exact
    ? `With a sufficient budget no worker gains by a lie that does not change when training starts: none of ${whole(workers)} in ${drawn} (prose; 95 %: at most ${percent(share.high)} of such markets).`
    : `With a sufficient budget a search found no lie that gains without changing when training starts, in ${drawn} (prose); a search can miss in every market.`;
}

/** In how many markets some worker of the regime can gain. */
function marketsText(find: Find): string {
  const judged = (["tight", "late start", "late and tight"] as const)
    .map((regime) => find("joint: P5×P6", regime))
    .filter(({ markets }) => markets >= FEWEST);
  const parts = judged.map(({ regime, markets, share }) => {
    const [mean, interval] = stated(share);
    return `in ${mean} of ${whole(markets)} ${show.regimeWords[regime]} (${interval})`;
  });
  return parts.length === 0
    ? ""
    : `In markets ${drawnAs.paper} (prose) a lie pays for some worker ${listed(parts)}.`;
}

function movedText(find: Find): string {
  const { markets, brokenMarkets, exact, share } = find("joint, start moved", "sufficient");
  if (markets < FEWEST) return "";
  const [, interval] = stated(share);
  const drawn = `${many(markets, "market")} ${drawnAs.random} (prose; ${interval})`;
  if (brokenMarkets > 0)
    return `With a sufficient budget a lie that changes when training starts pays in ${whole(brokenMarkets)} of ${drawn}.`;
  return exact
    ? `With a sufficient budget a lie that changes when training starts pays in none of ${drawn}.`
    : `With a sufficient budget a search found no lie that changes when training starts and pays, in ${many(markets, "market")} ${drawnAs.random} (prose).`;
}

/** P4 and P2, each where it breaks most. */
function otherText(find: Find, result: PropertyResult): string {
  const parts = [...sovereigntyText(find), ...feasibilityText(result)];
  return parts.length === 0 ? "" : `In markets ${drawnAs.paper}, ${parts.join("; ")}.`;
}

/** With the interval that holds for all regimes together. */
function sovereigntyText(find: Find): string[] {
  const judged = regimes
    .map((regime) => find("P4 consumer sovereignty", regime))
    .filter(({ markets, judgement }) => markets >= FEWEST && judgement === "breaks");
  if (judged.length === 0) return [];
  const worst = judged.reduce((a, b) => (b.share.mean > a.share.mean ? b : a));
  const { markets, brokenMarkets, exact, regime } = worst;
  const [mean, interval] = stated(bounded(share(brokenMarkets, markets, regimes.length), exact));
  return [
    `P4 (consumer sovereignty) breaks most often ${show.regimeWords[regime]}: in ${mean} of ${whole(markets)} (${interval}, all regimes together)`,
  ];
}

/** At the highest first-round ratio. */
function feasibilityText(result: PropertyResult): string[] {
  const mine = result.counts.where({ property: "P2", family: "paper", reading: "prose" });
  const last = mine.at(-1);
  if (!last || last.sums.markets < FEWEST || last.sums.broken === 0) return [];
  const { broken, markets } = last.sums;
  const [mean, interval] = stated(share(broken, markets));
  const never = mine.every(({ ratio, sums }) => ratio > 0.5 || sums.broken === 0);
  return [
    `P2 (budget feasibility) breaks at a first-round ratio of ${last.ratio} in ${mean} of ${whole(markets)} (${interval})${never ? ", up to 1/2 in none" : ""}`,
  ];
}

function methods({ settings, exact }: PropertyResult): string[] {
  const { draws, everyForP4, ratioDraws, ratios } = settings;
  const { sizes, budgets, perCell, wide, rounds } = draws;
  const swept = ratioDraws.sizes.length * ratioDraws.budgets.length * ratioDraws.perCell + ratioDraws.wide;
  return [
    `Markets drawn as in the paper: ${perCell} each of ${listed(sizes)} workers at relative budgets of ${listed(budgets)}, ${rounds} rounds, first-round ratio 0.35, one worker enough to start.`,
    `Random markets: ${wide} of up to 12 workers and 8 rounds, first-round ratio up to 1/2, up to three workers needed to start, round numbers and so ties in half of them. The two families are never pooled, nor are the two readings.`,
    `A market counts in every regime that one of its workers is in. "None found" says in how many markets no break was found, and in at most how many there might be one (rule of three); other shares of markets have Wilson's 95 % interval. Fewer than ${FEWEST} markets are not judged.`,
    "A break below a millionth of the budget is not counted; one witness of each verdict is confirmed in exact fractions, the other breaks are counted as floating point sees them. Lies are told in few digits and bring at least 99 % of the most there is to gain.",
    `P4 was asked of one market in ${everyForP4}; workers without a reputation are left out of it, for the rules exclude them. P3 is a matter of time, measured by cost-growth.`,
    `First-round ratios ${ratios[0]} to ${ratios.at(-1)}: the same ${swept} markets at each, P1 and P2 only, which take no search. Verdicts are given at the highest one.`,
    exactnessText(exact, null),
  ];
}
export const properties: Analysis<PropertySettings, PropertyCell, Sums, PropertyResult> = {
  name: "properties",
  question: "Which of the paper's claims hold, in which regime and under which reading?",
  part: "claims",
  settings: ({ profile, mechanism }) => (isExact(mechanism) ? profiles : searched)[profile],
  plan: ({ draws, everyForP4, ratios, ratioDraws }, { mechanism }) =>
    [null, ...ratios].flatMap((firstRoundRatio) =>
      drawCells(firstRoundRatio === null ? draws : ratioDraws).map(({ cell: of, markets }) => ({
        cell: { of, firstRoundRatio, everyForP4, searched: !isExact(mechanism) },
        markets,
      })),
    ),
  job: { look, merge: sums.merge, cost },
  conclude,
  tables,
  charts,
  findings,
  methods,
  exhibits: ({ exhibits }) => exhibits,
};
