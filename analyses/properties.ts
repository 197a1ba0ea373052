/** Which of the paper's claims hold, in markets drawn as in the paper and in random ones, in both readings. */

import { bestResponses, isExact, type Response } from "../src/best-response/index.js";
import type { Stream } from "../src/lib/random.js";
import { type Estimate, FEWEST, share } from "../src/lib/statistics.js";
import { atRelativeBudget, drawForSurvey } from "../src/market/draw.js";
import { BATCH, batchFrom, marketArbitrary } from "../src/market/generators.js";
import type { Market, Rules } from "../src/market/market.js";
import { type AnyMechanism, hold } from "../src/mechanisms/mechanism.js";
import { type Regime, regimes, regimesIn } from "../src/mechanisms/outcome.js";
import type { Exhibit } from "../src/report/result.js";
import type { Analysis, Profile } from "../src/study/analysis.js";
import { type Cells, type Job, jobByKind, type OfKind } from "../src/study/job.js";
import {
  FLOOR,
  type HuntedProperty,
  huntedProperties,
  type Violation,
  violations,
} from "../src/verdicts/counterexamples/violations.js";
import { claims, examine, type Judgement } from "../src/verdicts/properties.js";
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
  type RatioCount,
  ratioKey,
  ratioProperties,
  readings,
  tables,
} from "./properties/views.js";
import { bounded, mergeParts } from "./shared/gains.js";

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

/** Where the best lie of one worker takes a search of about 70 ms. */
const searched: Record<Profile, PropertySettings> = {
  quick: {
    ...profiles.quick,
    draws: { rounds: 10, sizes: [5, 10], budgets: [0.2, 0.6, 2], perCell: 4, wide: 24 },
    everyForP4: 1,
  },
  full: {
    ...profiles.full,
    draws: { rounds: 10, sizes: [5, 10], budgets: [0.2, 0.6, 2], perCell: 60, wide: 400 },
    everyForP4: 1,
  },
};

const SEARCH_MILLISECONDS = 70;

/** The paper's markets of one size and budget one by one, or random ones a batch at a time. */
type DrawCell = { readonly first: number } & (
  | { readonly family: "paper"; readonly workers: number; readonly rounds: number; readonly budget: number }
  | { readonly family: "random"; readonly count: number }
);

interface Drawn {
  /** Counts over all draws. */
  readonly index: number;
  readonly market: Market;
}

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

/** What is k-th in a cell: a market of the paper's, or a batch of random ones. */
function drawnAt(cell: DrawCell, k: number, stream: Stream): Drawn[] {
  if (cell.family === "random") return randomDraws(cell, k, stream.fork("random"));
  const { workers, rounds, budget, first } = cell;
  const own = stream.fork("paper").fork(workers).fork(budget).fork(k);
  return [{ index: first + k, market: atRelativeBudget(drawForSurvey({ workers, rounds }, own), budget) }];
}

function randomDraws(
  { first, count }: DrawCell & { readonly family: "random" },
  batch: number,
  stream: Stream,
): Drawn[] {
  const from = batch * BATCH;
  const arbitrary = marketArbitrary({ ...randomLimits, readings: ["prose"] });
  return batchFrom(arbitrary, batch, stream)
    .slice(0, count - from)
    .map((market, k) => ({ index: first + from + k, market }));
}

/** A drawn market in both readings. */
const inBothReadings = (market: Market, rules: Partial<Rules>, examining: Examining): Examined[] =>
  readings.map((reading) =>
    breaksIn({ ...market, rules: { ...market.rules, ...rules, reading } }, examining),
  );

interface ClaimCell {
  readonly kind: "claims";
  readonly of: DrawCell;
  readonly everyForP4: number;
  /** Whether best lies are searched for. */
  readonly searched: boolean;
}

const withoutP4 = huntedProperties.filter((property) => property !== "P4");

interface RatioCell {
  readonly kind: "ratios";
  readonly of: DrawCell;
  readonly firstRoundRatio: number;
}

interface Examined {
  readonly market: Market;
  readonly regimeOf: (worker: number) => Regime;
  /** What was looked for. */
  readonly properties: readonly HuntedProperty[];
  /** Whether what was not found is not there. */
  readonly exact: boolean;
  /** Of a worker's lies about one thing, the best that moves the start and the best that keeps it. */
  readonly breaks: readonly Violation[];
}

interface Examining {
  readonly mechanism: AnyMechanism;
  readonly properties: readonly HuntedProperty[];
}

const gains = { P5: "priceGain", P6: "timeGain", joint: "gain" } as const;

type Truthfulness = keyof typeof gains;

const isTruthfulness = (property: string): property is Truthfulness => property in gains;

function breaksIn(market: Market, { mechanism, properties }: Examining): Examined {
  const regimeOf = regimesIn(hold(mechanism, market));
  const lies = properties.filter(isTruthfulness);
  const others = properties.filter((property) => !isTruthfulness(property));
  const faults = faultsIn(market, { mechanism, properties: others });
  if (lies.length === 0) return { market, regimeOf, properties, ...faults };
  const responses = bestResponses(market, { mechanism });
  const paying = responses.workers.flatMap((response) => liesOf(response, market, { mechanism, lies }));
  const exact = faults.exact && responses.exact;
  return { market, regimeOf, properties, exact, breaks: [...faults.breaks, ...paying] };
}

/** P1, P2 and P4. That reputation 0 is never selected is a rule ([M1]), not a break. */
function faultsIn(
  market: Market,
  { mechanism, properties }: Examining,
): { exact: boolean; breaks: Violation[] } {
  const reputed = new Set(market.workers.flatMap(({ id, reputation }) => (reputation > 0 ? [id] : [])));
  const floor = FLOOR * market.rules.budget;
  const found = examine(market, { mechanism, properties });
  const breaks = found
    .flatMap(({ witnesses }) => witnesses)
    .filter(({ property, amount }) => property === "P4" || amount > floor)
    .filter(({ worker }) => worker === null || reputed.has(worker))
    .map((witness) => ({
      ...witness,
      property: witness.property as HuntedProperty,
      startMoved: false,
    }));
  return { exact: found.every(({ otherwise }) => otherwise === "holds"), breaks };
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

/** As JSON can hold it; it does not grow with the number of markets. */
interface Tally {
  readonly markets: number;
  readonly workers: number;
  readonly brokenMarkets: number;
  /** 0 where it takes everybody (P2). */
  readonly brokenWorkers: number;
  readonly exact: boolean;
  /** The largest break. */
  readonly worst: Break | null;
  /** A few to show: the fewest workers first, then the largest part of the budget. */
  readonly shown: readonly Break[];
}

const nothing: Tally = {
  ...{ markets: 0, workers: 0, brokenMarkets: 0, brokenWorkers: 0, exact: true },
  ...{ worst: null, shown: [] },
};

/** What nobody met is absent. */
type Tallies = Record<string, Tally>;

/** Of one market in one reading: the claims on low first-round ratios, or on the highest. */
function talliesOf(
  examined: Examined,
  { ratio, family }: { readonly ratio: Claim["ratio"]; readonly family: Family },
): Tallies {
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

/** Null where nobody is in the regime. */
function tallyOf(
  { market, regimeOf, properties, exact, breaks }: Examined,
  question: Question,
): Tally | null {
  const { claim, regime } = question;
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
    brokenWorkers: new Set(found.flatMap(({ found: { worker } }) => worker ?? [])).size,
    exact: property === "P1" || property === "P2" || exact,
    worst: found.reduce<Break | null>(worse, null),
    shown: legible(found),
  };
}

/** Of different markets; of equal breaks the left one's is kept. */
const mergeTallies = (left: Tallies, right: Tallies): Tallies =>
  mergeParts({ ...left }, right, (a, b) => ({
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

const legible = (breaks: readonly Break[]): Break[] => [...breaks].sort(byLegibility).slice(0, ASKED);

function byLegibility(a: Break, b: Break): number {
  const part = ({ market, found }: Break) => found.amount / market.rules.budget;
  return a.market.workers.length - b.market.workers.length || part(b) - part(a);
}

/** A tally with a break that exact arithmetic confirms; `certified` is null where there is nothing to ask. */
interface Judged extends Question, Tally {
  /** Of markets, those in which it broke. */
  readonly share: Estimate;
  /** Null of too few markets. */
  readonly judgement: Judgement | null;
  readonly witness: (Break & { readonly certified: boolean | null }) | null;
}

type Certify = (found: Break) => boolean | null;

function judge(question: Question, tallies: Tallies, certify: Certify): Judged {
  const tally = tallies[keyOf(question)] ?? nothing;
  const { markets, brokenMarkets, exact, shown } = tally;
  const judged = { ...question, ...tally, share: brokenShare(tally) };
  if (markets < FEWEST) return { ...judged, judgement: null, witness: null };
  if (brokenMarkets === 0) return { ...judged, judgement: exact ? "holds" : "undecided", witness: null };
  for (const found of shown) {
    const certified = certify(found);
    if (certified !== false) return { ...judged, judgement: "breaks", witness: { ...found, certified } };
  }
  return { ...judged, judgement: "undecided", witness: null };
}

/** No interval of too few markets, and no upper end where breaks were searched for. */
function brokenShare({ brokenMarkets, markets, exact }: Tally): Estimate {
  const found = share(brokenMarkets, markets);
  if (markets < FEWEST) return { ...found, low: Number.NaN, high: Number.NaN };
  return bounded(found, exact);
}

/** P1 and P2 at one first-round ratio; tallies of claims at the highest only, where there are claims on them. */
interface RatioSummary {
  /** By property, reading and family. */
  readonly counts: Readonly<Record<string, RatioCount>>;
  readonly tallies: Tallies;
}

const noRatios: RatioSummary = { counts: {}, tallies: {} };

function ratioCounts({ market, breaks }: Examined, family: Family): RatioSummary["counts"] {
  const { reading, budget } = market.rules;
  const counts = ratioProperties.map((property): [string, RatioCount] => {
    const amounts = breaks.filter((found) => found.property === property).map(({ amount }) => amount);
    const worst = Math.max(0, ...amounts) / budget;
    return [ratioKey(property, reading, family), { markets: 1, broken: worst > 0 ? 1 : 0, worst }];
  });
  return Object.fromEntries(counts);
}

function mergeRatios(left: RatioSummary, right: RatioSummary): RatioSummary {
  const counts = mergeParts({ ...left.counts }, right.counts, (a, b) => ({
    markets: a.markets + b.markets,
    broken: a.broken + b.broken,
    worst: Math.max(a.worst, b.worst),
  }));
  return { counts, tallies: mergeTallies(left.tallies, right.tallies) };
}

const claimJob: Job<ClaimCell, Tallies> = {
  look: ({ of, everyForP4 }, k, { stream, mechanism }) =>
    drawnAt(of, k, stream.fork("board"))
      .flatMap(({ market, index }) => {
        const properties = index % everyForP4 === 0 ? huntedProperties : withoutP4;
        return inBothReadings(market, {}, { mechanism, properties });
      })
      .map((examined) => talliesOf(examined, { ratio: "up to 1/2", family: of.family }))
      .reduce(mergeTallies, {}),
  merge: mergeTallies,
  cost: ({ of, searched }) => {
    if (searched) return 2 * SEARCH_MILLISECONDS * (of.family === "random" ? 6 * BATCH : of.workers);
    return of.family === "random" ? 60 : 2 + 0.1 * of.workers;
  },
};

const ratioJob: Job<RatioCell, RatioSummary> = {
  look: ({ of, firstRoundRatio }, k, { stream, mechanism }) =>
    drawnAt(of, k, stream.fork("ratios"))
      .flatMap(({ market }) =>
        inBothReadings(market, { firstRoundRatio }, { mechanism, properties: ratioProperties }),
      )
      .map((examined): RatioSummary => {
        const { family } = of;
        const judged = firstRoundRatio === HIGHEST_RATIO;
        const tallies = judged ? talliesOf(examined, { ratio: "highest", family }) : {};
        return { counts: ratioCounts(examined, family), tallies };
      })
      .reduce(mergeRatios, noRatios),
  merge: mergeRatios,
  cost: ({ of }) => (of.family === "random" ? 8 : 0.2 + 0.01 * of.workers),
};

type PropertyCell = ClaimCell | RatioCell;

type PropertySummary = OfKind<"claims", Tallies> | OfKind<"ratios", RatioSummary>;

/** A judged question, and the exhibit that shows its break. */
export interface Verdict extends Judged {
  readonly exhibit: string | null;
}

export interface PropertyResult {
  readonly settings: PropertySettings;
  readonly exact: boolean;
  readonly verdicts: readonly Verdict[];
  /** By ratio. */
  readonly ratios: readonly { readonly ratio: number; readonly counts: RatioSummary["counts"] }[];
  readonly exhibits: readonly Exhibit[];
}

/** Asks exact arithmetic, once of each break. */
async function certifier(mechanism: AnyMechanism): Promise<Certify> {
  const { confirm } = await import("../src/verdicts/counterexamples/violations.js");
  const answers = new Map<string, boolean | null>();
  return ({ market, found }) => {
    const key = JSON.stringify([market, found]);
    if (!answers.has(key)) answers.set(key, confirm(mechanism, market, found));
    return answers.get(key)!;
  };
}

/** Exhibits: one for each claim, regime and family, of the prose, or where that breaks nothing of the pseudocode. */
function verdictsOn(tallies: Tallies, certify: Certify, mechanism: AnyMechanism) {
  const exhibits = new Map<string, Exhibit>();
  const verdicts = questions.map((question): Verdict => {
    const judged = judge(question, tallies, certify);
    const exhibit = judged.witness && exhibitOf(question, judged.witness, mechanism);
    const about = [question.claim.label, question.regime, question.family].join("; ");
    if (exhibit && !exhibits.has(about)) exhibits.set(about, exhibit);
    const shown = exhibit?.name === exhibits.get(about)?.name;
    return { ...judged, exhibit: exhibit && shown ? exhibit.name : null };
  });
  return { verdicts, exhibits: [...exhibits.values()] };
}

export const properties: Analysis<PropertySettings, PropertyCell, PropertySummary, PropertyResult> = {
  name: "properties",
  question: "Which of the paper's claims hold, in which regime and under which reading?",
  part: "claims",
  settings: ({ profile, mechanism }) => (isExact(mechanism) ? profiles : searched)[profile],
  plan: ({ draws, everyForP4, ratios, ratioDraws }, { mechanism }) => [
    ...drawCells(draws).map(({ cell: of, markets }) => ({
      cell: { kind: "claims" as const, of, everyForP4, searched: !isExact(mechanism) },
      markets,
    })),
    ...ratios.flatMap((firstRoundRatio) =>
      drawCells(ratioDraws).map(({ cell: of, markets }) => ({
        cell: { kind: "ratios" as const, of, firstRoundRatio },
        markets,
      })),
    ),
  ],
  job: jobByKind({ claims: claimJob, ratios: ratioJob }),
  conclude: async (gathered, settings, { mechanism }) => {
    const found = gathered.flatMap(({ cell, summary }) => (summary ? [{ cell, summary }] : []));
    const drawn = found.flatMap(({ summary }) => (summary.kind === "claims" ? [summary.summary] : []));
    const ratios = settings.ratios.map((ratio) => {
      const here = found.flatMap(({ cell, summary }) =>
        summary.kind === "ratios" && cell.kind === "ratios" && cell.firstRoundRatio === ratio
          ? [summary.summary]
          : [],
      );
      return { ratio, ...here.reduce(mergeRatios, noRatios) };
    });
    const tallies = [...drawn, ...ratios.map((one) => one.tallies)].reduce(mergeTallies, {});
    const judged = verdictsOn(tallies, await certifier(mechanism), mechanism);
    return { settings, exact: isExact(mechanism), ratios, ...judged };
  },
  tables,
  charts,
  findings,
  methods,
  exhibits: ({ exhibits }) => exhibits,
};
