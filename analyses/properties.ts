/** Which of the paper's claims hold, in markets drawn as in the paper and in random ones, in both readings. */

import { type AnyMechanism, runAuction } from "../src/auction/mechanism.js";
import { regimes, regimesIn } from "../src/auction/outcome.js";
import type { Stream } from "../src/lib/random.js";
import { type Estimate, FEWEST, meanAlone, share } from "../src/lib/statistics.js";
import { atRelativeBudget, drawForSurvey } from "../src/market/draw.js";
import { BATCH, batchFrom, marketArbitrary } from "../src/market/generators.js";
import type { Market } from "../src/market/market.js";
import { properties as claims, type Judgement } from "../src/properties/properties.js";
import { mergeParts } from "../src/report/accumulators.js";
import type { Exhibit } from "../src/report/result.js";
import { bestResponses, isExact, type Response } from "../src/responses/index.js";
import type { Analysis, Gathered, Profile } from "../src/study/analysis.js";
import type { Cells, JobContext, WorkContext } from "../src/study/job.js";
import {
  confirm,
  FLOOR,
  type HuntedProperty,
  huntedProperties,
  type Violation,
  violations,
} from "../src/verdicts/counterexamples/violations.js";
import { examine } from "../src/verdicts/properties.js";
import {
  type Break,
  type Claim,
  charts,
  exhibitOf,
  type Family,
  families,
  findings,
  methods,
  type Question,
  type RatioCounts,
  ratioKey,
  ratioProperties,
  readings,
  tables,
} from "./properties/views.js";
import { bounded } from "./shared/gains.js";

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

/** The prose and the paper's markets first. */
const questions: readonly Question[] = readings.flatMap((reading) =>
  families.flatMap((family) =>
    allClaims.flatMap((claim) => regimes.map((regime) => ({ claim, regime, reading, family }))),
  ),
);

const keyOf = ({ claim, regime, reading, family }: Question): string =>
  [claim.label, regime, reading, family].join("; ");

/** What nobody met is absent. */
type Tallies = Record<string, Tally>;

/** Of one market in one reading: the claims on low first-round ratios, or on the highest. */
function talliesOf(examined: Examined, ratio: Claim["ratio"], family: Family): Tallies {
  const tallies: Tallies = {};
  for (const question of questions) {
    const { claim, reading } = question;
    if (claim.ratio !== ratio || question.family !== family) continue;
    if (reading !== examined.market.rules.reading) continue;
    const tally = tallyOf(examined, question);
    if (tally) tallies[keyOf(question)] = tally;
  }
  return tallies;
}

/** Null where nobody is in the regime. As JSON can hold it; it does not grow with the number of markets. */
function tallyOf({ market, regimeOf, properties, exact, breaks }: Examined, { claim, regime }: Question) {
  const { property, start } = claim;
  if (!properties.includes(property)) return null;
  const asked = market.workers.filter(
    ({ id, reputation }) => regimeOf(id) === regime && (property !== "P4" || reputation > 0),
  );
  if (asked.length === 0) return null;
  const found = breaks
    .filter((one) => one.property === property && one.regime === regime)
    .filter(({ startMoved }) => start === "any" || startMoved === (start === "moved"))
    .map((one) => ({ market, found: one }));
  return {
    markets: 1,
    workers: asked.length,
    brokenMarkets: found.length > 0 ? 1 : 0,
    // None where it takes everybody (P2).
    brokenWorkers: new Set(found.flatMap(({ found: { worker } }) => worker ?? [])).size,
    exact: property === "P1" || property === "P2" || exact,
    worst: found.reduce<Break | null>(worse, null),
    shown: legible(found),
  };
}

type Tally = NonNullable<ReturnType<typeof tallyOf>>;

const nothing: Tally = {
  ...{ markets: 0, workers: 0, brokenMarkets: 0, brokenWorkers: 0, exact: true },
  ...{ worst: null, shown: [] },
};

/** Of different markets; of equal breaks the left one's is kept. */
const mergeTallies = (left: Tallies, right: Tallies): Tallies =>
  mergeParts(left, right, (a, b) => ({
    markets: a.markets + b.markets,
    workers: a.workers + b.workers,
    brokenMarkets: a.brokenMarkets + b.brokenMarkets,
    brokenWorkers: a.brokenWorkers + b.brokenWorkers,
    exact: a.exact && b.exact,
    worst: b.worst ? worse(a.worst, b.worst) : a.worst,
    shown: legible([...a.shown, ...b.shown]),
  }));

const worse = (top: Break | null, next: Break): Break =>
  top && top.found.amount >= next.found.amount ? top : next;

/** How many breaks are put to exact arithmetic before they count as rounding. */
const ASKED = 5;

/** A few to show: the fewest workers first, then the largest part of the budget. */
const legible = (breaks: readonly Break[]): Break[] => [...breaks].sort(byLegibility).slice(0, ASKED);

function byLegibility(a: Break, b: Break): number {
  const part = ({ market, found }: Break) => found.amount / market.rules.budget;
  return a.market.workers.length - b.market.workers.length || part(b) - part(a);
}

/** Whether exact arithmetic confirms a break; null where there is nothing to ask. */
type Certify = (found: Break) => boolean | null;

/** A tally with a break that exact arithmetic confirms; not judged on too few markets. */
function judge(question: Question, tallies: Tallies, certify: Certify) {
  const tally = tallies[keyOf(question)] ?? nothing;
  const { markets, shown } = tally;
  const few = markets < FEWEST;
  const witness = few ? undefined : shown.find((found) => certify(found) !== false);
  const judgement: Judgement | null = few ? null : witness ? "breaks" : "none found";
  return {
    ...{ ...question, ...tally, share: brokenShare(tally), judgement },
    witness: witness ? { ...witness, certified: certify(witness) } : null,
  };
}

/** No interval of too few markets, and no upper end where breaks were searched for. */
function brokenShare({ brokenMarkets, markets, exact }: Tally): Estimate {
  const found = share(brokenMarkets, markets);
  return markets < FEWEST ? meanAlone(found.mean, markets) : bounded(found, exact);
}

/** P1 and P2 of one market at a first-round ratio. */
const ratioCounts = ({ market, breaks }: Examined, family: Family, ratio: number): RatioCounts =>
  Object.fromEntries(
    ratioProperties.map((property) => {
      const amounts = breaks.filter((found) => found.property === property).map(({ amount }) => amount);
      const worst = Math.max(0, ...amounts) / market.rules.budget;
      const key = ratioKey({ property, reading: market.rules.reading, family, ratio });
      return [key, { markets: 1, broken: worst > 0 ? 1 : 0, worst }];
    }),
  );

interface PropertySummary {
  /** Of claims at the highest first-round ratio only, where markets are looked at under several. */
  readonly tallies: Tallies;
  readonly counts: RatioCounts;
}

/** It changes the left one. */
const mergeSummaries = (left: PropertySummary, right: PropertySummary): PropertySummary => ({
  tallies: mergeTallies(left.tallies, right.tallies),
  counts: mergeParts(left.counts, right.counts, (a, b) => ({
    markets: a.markets + b.markets,
    broken: a.broken + b.broken,
    worst: Math.max(a.worst, b.worst),
  })),
});

/** What was drawn, in both readings. */
function look(cell: PropertyCell, k: number, { stream, mechanism }: JobContext): PropertySummary {
  const { of, firstRoundRatio, everyForP4 } = cell;
  const drawn = drawnAt(of, k, stream.fork(firstRoundRatio === null ? "board" : "ratios"));
  const examined = drawn.flatMap(({ market, index }) => {
    const all = index % everyForP4 === 0 ? huntedProperties : withoutP4;
    const properties = firstRoundRatio === null ? all : ratioProperties;
    const { firstRoundRatio: own } = market.rules;
    return readings.map((reading) => {
      const rules = { ...market.rules, firstRoundRatio: firstRoundRatio ?? own, reading };
      return breaksIn({ ...market, rules }, { mechanism, properties });
    });
  });
  return examined.map((one) => summaryOf(one, cell)).reduce(mergeSummaries, { tallies: {}, counts: {} });
}

function summaryOf(examined: Examined, { of, firstRoundRatio }: PropertyCell): PropertySummary {
  const { family } = of;
  if (firstRoundRatio === null) return { tallies: talliesOf(examined, "up to 1/2", family), counts: {} };
  const tallies = firstRoundRatio === HIGHEST_RATIO ? talliesOf(examined, "highest", family) : {};
  return { tallies, counts: ratioCounts(examined, family, firstRoundRatio) };
}

function cost({ of, firstRoundRatio, searched }: PropertyCell): number {
  if (firstRoundRatio !== null) return of.family === "random" ? 8 : 0.2 + 0.01 * of.workers;
  if (searched) return 2 * SEARCH_MILLISECONDS * (of.family === "random" ? 6 * BATCH : of.workers);
  return of.family === "random" ? 60 : 2 + 0.1 * of.workers;
}

/** Asks exact arithmetic, once of each break. */
function certifier(mechanism: AnyMechanism): Certify {
  const answers = new Map<string, boolean | null>();
  return ({ market, found }) => {
    const key = JSON.stringify([market, found]);
    if (!answers.has(key)) answers.set(key, confirm(mechanism, market, found));
    return answers.get(key)!;
  };
}

/** Exhibits: one for each claim, regime and family, of the prose, or where that breaks nothing of the pseudocode. */
function verdictsOn(tallies: Tallies, mechanism: AnyMechanism) {
  const certify = certifier(mechanism);
  const exhibits = new Map<string, Exhibit>();
  const verdicts = questions.map((question) => {
    const judged = judge(question, tallies, certify);
    const exhibit = judged.witness && exhibitOf(question, judged.witness, mechanism);
    const about = [question.claim.label, question.regime, question.family].join("; ");
    if (exhibit && !exhibits.has(about)) exhibits.set(about, exhibit);
    const shown = exhibit?.name === exhibits.get(about)?.name;
    return { ...judged, exhibit: exhibit && shown ? exhibit.name : null };
  });
  return { verdicts, exhibits: [...exhibits.values()] };
}

function conclude(
  gathered: readonly Gathered<PropertyCell, PropertySummary>[],
  settings: PropertySettings,
  { mechanism }: WorkContext,
) {
  const found = gathered.flatMap(({ summary }) => summary ?? []);
  const { tallies, counts } = found.reduce(mergeSummaries, { tallies: {}, counts: {} });
  return { settings, exact: isExact(mechanism), counts, ...verdictsOn(tallies, mechanism) };
}

export type PropertyResult = ReturnType<typeof conclude>;

export type Verdict = PropertyResult["verdicts"][number];

export const properties: Analysis<PropertySettings, PropertyCell, PropertySummary, PropertyResult> = {
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
  job: { look, merge: mergeSummaries, cost },
  conclude,
  tables,
  charts,
  findings,
  methods,
  exhibits: ({ exhibits }) => exhibits,
};
