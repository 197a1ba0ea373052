/** The paper's claims in tables, charts and sentences. */

import { sum } from "d3-array";
import { capital, listed, many, percent, percents, threeDigits, whole } from "../../src/lib/format.js";
import { FEWEST, share } from "../../src/lib/statistics.js";
import type { Market, Reading } from "../../src/market/market.js";
import type { AnyMechanism } from "../../src/mechanisms/mechanism.js";
import { type Regime, regimes } from "../../src/mechanisms/outcome.js";
import type { Chart, Choice, Exhibit, Finding, Table } from "../../src/report/result.js";
import {
  amountAxis,
  amountColumn,
  captions,
  countColumn,
  estimateColumns,
  type Field,
  greyAndDark,
  linesWithBands,
  nameAxis,
  percentAxis,
  pointsWithIntervals,
  regimeColour,
  regimeWords,
  shareColumn,
  tableOf,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import type {
  HuntedProperty,
  StartClause,
  Violation,
} from "../../src/verdicts/counterexamples/violations.js";
import type { PropertyResult, Verdict } from "../properties.js";
import { exactnessText } from "../shared/gains.js";

/** paper: the paper's distributions and rules. random: anything, with round numbers in half of them. Never pooled. */
export const families = ["paper", "random"] as const;

export type Family = (typeof families)[number];

export const readings: readonly Reading[] = ["prose", "pseudocode"];

/** A claim, under a condition where it is known to hang on one. */
export interface Claim {
  readonly property: HuntedProperty;
  readonly label: string;
  /** Which lies count, by what they do to the start. */
  readonly start: StartClause;
  /** Of the first-round ratio. */
  readonly ratio: "up to 1/2" | "above 1/2";
}

/** What is tallied. */
export interface Question {
  readonly claim: Claim;
  readonly regime: Regime;
  readonly reading: Reading;
  readonly family: Family;
}

/** A break and the market it is in. */
export interface Break {
  readonly market: Market;
  readonly found: Violation;
}

export const ratioProperties = ["P1", "P2"] as const;

/** Markets in which a property breaks at a ratio, in one reading. */
export interface RatioCount {
  readonly markets: number;
  readonly broken: number;
  /** The largest break, of the budget. */
  readonly worst: number;
}

export const ratioKey = (property: string, reading: string, family: Family): string =>
  `${property} ${reading} ${family}`;

/** As in "markets drawn at random". */
const drawnAs: Readonly<Record<Family, string>> = {
  paper: "drawn as in the paper",
  random: "drawn at random",
};

export function exhibitOf(
  { claim, family }: Question,
  { market, found }: Break,
  mechanism: AnyMechanism,
): Exhibit {
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

/** Nothing is proved over a sample: "holds" says in how many markets of which family it did, and how many might break it. */
function verdictText({ judgement, markets, brokenMarkets, share, family }: Verdict): string {
  const drawn = `${family === "paper" ? "drawn" : "random"} markets`;
  if (markets === 0) return "no such market drawn";
  if (markets < FEWEST) return `not judged: ${many(markets, "market")} only`;
  if (judgement === "holds")
    return `holds in ${whole(markets)} ${drawn} (at most ${percent(share.high)} of such markets, 95 %)`;
  if (judgement === "breaks")
    return brokenMarkets < FEWEST
      ? `breaks in ${brokenMarkets} of ${whole(markets)} markets`
      : `breaks in ${percent(share.mean)} of ${whole(markets)} markets`;
  return brokenMarkets > 0
    ? `undecided: in ${whole(brokenMarkets)} of ${whole(markets)} markets within rounding`
    : `undecided: a search found nothing in ${whole(markets)} markets`;
}

export const tables = (result: PropertyResult): Table[] => [
  verdictTable(result),
  countTable(result),
  ratioTable(result),
];

/** A regime as a column. */
const fieldOf = (regime: Regime): string => (regime === "late start" ? "lateStart" : regime);

const byClaim = (verdicts: readonly Verdict[]): Verdict[][] =>
  [...new Set(verdicts.map(({ claim }) => claim))].map((claim) =>
    verdicts.filter((verdict) => verdict.claim === claim),
  );

/** The verdicts of one claim in each regime. */
const verdictFields: readonly Field<readonly Verdict[]>[] = [
  textColumn("claim", "Claim", ([first]) => first!.claim.label),
  ...regimes.map((regime) =>
    textColumn(fieldOf(regime), capital(regime), (verdicts: readonly Verdict[]) =>
      verdictText(verdicts.find((one) => one.regime === regime)!),
    ),
  ),
];

function verdictTable({ verdicts }: PropertyResult): Table {
  const items = families.flatMap((family) =>
    readings.flatMap((reading) =>
      byClaim(
        verdicts.filter(
          (one) => one.family === family && one.reading === reading && one.claim.start !== "moved",
        ),
      ),
    ),
  );
  return tableOf("verdicts", "Verdicts on every claim, by family of markets and reading", items, [
    ...verdictFields,
    textColumn("family", "Markets", ([first]) => first!.family),
    textColumn("reading", "Reading", ([first]) => first!.reading),
  ]);
}

const countColumns: readonly Field<Verdict>[] = [
  textColumn("claim", "Claim", ({ claim }) => claim.label),
  textColumn("regime", "Regime"),
  textColumn("family", "Markets"),
  textColumn("reading", "Reading"),
  textColumn("verdict", "Verdict", ({ judgement }) => judgement ?? "not judged"),
  countColumn("markets", "Markets"),
  countColumn("broken", "Broken", ({ brokenMarkets }) => brokenMarkets),
  ...estimateColumns(shareColumn("share", "Share broken"), ({ share }: Verdict) => share),
  countColumn("workers", "Workers"),
  countColumn("brokenWorkers", "of them broken", ({ claim, brokenWorkers }) =>
    claim.property === "P2" ? null : brokenWorkers,
  ),
  amountColumn("worst", "Worst amount", (verdict) => worstIn(verdict)?.found.amount),
  shareColumn("worstPart", "Worst, of the budget", (verdict) => {
    const worst = worstIn(verdict);
    return worst && worst.found.amount / worst.market.rules.budget;
  }),
  textColumn(
    "certified",
    "Confirmed in exact fractions",
    ({ witness }) => witness && (witness.certified === null ? "no exact form" : "yes"),
  ),
  textColumn("exhibit", "On the bench"),
];

/** Where it has an amount. */
const worstIn = ({ worst }: Verdict): Break | null => (worst?.found.property === "P4" ? null : worst);

const countTable = ({ verdicts }: PropertyResult): Table =>
  tableOf("counts", "Counts, worst breaks and witnesses of every claim", verdicts, countColumns);

interface AtRatio extends RatioCount {
  readonly property: string;
  readonly family: Family;
  readonly reading: string;
  readonly ratio: number;
}

const ratioColumns: readonly Field<AtRatio>[] = [
  textColumn("property", "Claim"),
  textColumn("family", "Markets"),
  textColumn("reading", "Reading"),
  amountColumn("ratio", "First-round ratio"),
  countColumn("markets", "Markets"),
  countColumn("broken", "Broken"),
  ...estimateColumns(shareColumn("share", "Share broken"), ({ broken, markets }: AtRatio) =>
    share(broken, markets),
  ),
  shareColumn("worst", "Worst, of the budget"),
];

const atRatios = ({ ratios }: PropertyResult): AtRatio[] =>
  ratioProperties.flatMap((property) =>
    families.flatMap((family) =>
      readings.flatMap((reading) =>
        ratios.map(({ ratio, counts }) => {
          const found = counts[ratioKey(property, reading, family)] ?? { markets: 0, broken: 0, worst: 0 };
          return { property, family, reading, ratio, ...found };
        }),
      ),
    ),
  );

const ratioTable = (result: PropertyResult): Table =>
  tableOf("ratios", "P1 and P2 against the first-round ratio", atRatios(result), ratioColumns);

/** Neither families nor readings are pooled. */
const choices: readonly Choice[] = [
  { field: "family", label: "Markets", values: families },
  { field: "reading", label: "Reading", values: readings.map(String) },
];

export const charts = (result: PropertyResult): Chart[] => [shareChart(result), ratioChart(result)];

function shareChart({ verdicts, exact }: PropertyResult): Chart {
  const shown = verdicts.filter(({ claim }) => claim.ratio === "up to 1/2" && claim.start !== "moved");
  const labels = [...new Set(shown.map(({ claim }) => claim.label))];
  return {
    name: "shares",
    title: "Share of markets in which a claim breaks, by regime",
    table: "counts",
    choices,
    spec: {
      height: { step: 12 },
      transform: [{ filter: { field: "claim", oneOf: labels } }, { filter: "datum.markets > 0" }],
      encoding: {
        y: nameAxis("claim", labels, { labelLimit: 200 }),
        yOffset: { field: "regime", type: "nominal", sort: regimes },
        color: regimeColour("regime"),
        tooltip: tooltipOf(countColumns.slice(0, 10)),
      },
      layer: pointsWithIntervals((field) => percentAxis(field, "share of markets"), { value: "share" }),
    },
    summary: captions(choices, ({ family, reading }) =>
      shareText(
        shown.filter((one) => one.family === family && one.reading === reading && one.markets > 0),
        drawnAs[family as Family],
      ),
    ),
    howToRead: `A point is the share of the markets with a worker of that regime in which the claim breaks at a first-round ratio up to 1/2, its line the 95 % interval. ${exact ? "Start kept: by a lie that leaves the start as it is." : "Where breaks were searched for, points are lower bounds without a line."}`,
  };
}

function shareText(shown: readonly Verdict[], drawn: string): string {
  const broken = shown.filter(({ brokenMarkets }) => brokenMarkets > 0);
  const all = `${many(shown.length, "combination")} of a claim and a regime in markets ${drawn}`;
  if (broken.length === 0) return `No break was found in any of ${all}.`;
  const top = broken.reduce((a, b) => (b.share.mean > a.share.mean ? b : a));
  return `Of ${all}, ${broken.length} break in some market; most often ${top.claim.label} ${regimeWords[top.regime]}, in ${percent(top.share.mean)} of ${whole(top.markets)}.`;
}

function ratioChart(result: PropertyResult): Chart {
  const all = atRatios(result);
  return {
    name: "ratios",
    title: "Share of markets in which P1 and P2 break, against the first-round ratio",
    table: "ratios",
    choices,
    spec: {
      encoding: {
        x: amountAxis("ratio", "first-round ratio", { scale: { domain: [0.05, 1], nice: false } }),
        color: { field: "property", ...greyAndDark(ratioProperties) },
        tooltip: tooltipOf(ratioColumns),
      },
      layer: [
        {
          mark: { type: "rule", strokeDash: [4, 4] },
          encoding: { x: { datum: 0.5 }, color: { value: "black" } },
        },
        ...linesWithBands((field) => percentAxis(field, "share of markets"), { value: "share" }),
      ],
    },
    summary: captions(choices, ({ family, reading }) => ratioText(all, family as Family, reading!)),
    howToRead:
      "A point is the share of markets in which a claim breaks at one ratio, the band its 95 % interval; the dashed line marks 1/2.",
  };
}

function ratioText(all: readonly AtRatio[], family: Family, reading: string): string {
  const mine = all.filter((one) => one.reading === reading && one.family === family);
  const parts = (some: readonly AtRatio[]) =>
    listed(
      ratioProperties.map((property) =>
        brokenText(
          some.filter((one) => one.property === property),
          property,
        ),
      ),
    );
  const low = mine.filter(({ ratio }) => ratio <= 0.5);
  const high = mine.filter(({ ratio }) => ratio > 0.5);
  return `In markets ${drawnAs[family]} (${reading}), up to a first-round ratio of 1/2 ${parts(low)}; above it ${parts(high)}.`;
}

function brokenText(mine: readonly AtRatio[], property: string): string {
  const [broken, runs] = [sum(mine, (one) => one.broken), sum(mine, ({ markets }) => markets)];
  if (broken === 0) return `${property} broke in none of ${many(runs, "run")}`;
  const worst = Math.max(...mine.map((one) => one.worst));
  return `${property} broke in ${percent(broken / runs)} of ${many(runs, "run")}, at worst by ${percent(worst)} of the budget`;
}

/** All of the prose, each of one family of markets. */
export function findings(result: PropertyResult): Finding[] {
  const [drawn, random] = families.map((family) => finderIn(result.verdicts, family)) as [Finder, Finder];
  return [
    { text: keptText(drawn), weight: 75 },
    { text: marketsText(drawn), weight: 70 },
    { text: movedText(random), weight: 65 },
    { text: sovereigntyText(drawn), weight: 55 },
    { text: ratioText(atRatios(result), "paper", "prose"), weight: 50 },
  ].filter(({ text }) => text !== "");
}

/** Looks up a verdict of the prose in one family of markets, and says how that is drawn. */
interface Finder {
  (label: string, regime: Regime): Verdict;
  readonly drawn: string;
}

function finderIn(verdicts: readonly Verdict[], family: Family): Finder {
  const find = (label: string, regime: Regime): Verdict =>
    verdicts.find(
      (one) =>
        one.family === family &&
        one.reading === "prose" &&
        one.claim.label === label &&
        one.regime === regime,
    )!;
  return Object.assign(find, { drawn: `${drawnAs[family]} (prose)` });
}

/** The paper's own ground: started on time, no budget bound, and the lie leaves the start as it is. */
function keptText(find: Finder): string {
  const kept = find("joint, start kept", "sufficient");
  const { markets, workers, brokenMarkets, exact, share } = kept;
  if (markets < FEWEST) return "";
  const where = `in ${many(markets, "market")} ${find.drawn} with ${many(workers, "worker")}`;
  if (brokenMarkets > 0)
    return `With a sufficient budget truthfulness breaks even by lies that leave the start as it is: ${where}, ${many(kept.brokenWorkers, "worker")} ${exact ? "can" : "were found to"} gain, at most ${largestOf(kept)}.`;
  return exact
    ? `With a sufficient budget truthfulness holds as long as a lie does not move the start: ${where}, none gains anything (95 %: at most ${percent(share.high)} of such markets have a lie that does).`
    : `With a sufficient budget a search found no lie that leaves the start as it is and gains, ${where}; a search can miss in every market.`;
}

/** "7.25, 27 % of the budget". */
function largestOf({ worst }: Verdict): string {
  const { found, market } = worst!;
  return `${threeDigits(found.amount)}, ${percent(found.amount / market.rules.budget)} of the budget`;
}

const byWhat = [
  ["P5 cost truthfulness", "by the price alone (P5)"],
  ["P6 time truthfulness", "by the arrival alone (P6)"],
  ["joint: P5×P6", "by either or both"],
] as const;

/** In how many markets some worker of the regime can gain. */
function marketsText(find: Finder): string {
  const parts = (["tight", "late start"] as const).flatMap((regime) => {
    const { markets, exact } = find(byWhat[0][0], regime);
    if (markets < FEWEST) return [];
    const shares = byWhat.map(([label, how]) => {
      const [mean, low, high] = percents(find(label, regime).share);
      return `${how} in ${mean} (95 %: ${exact ? `${low} to ${high}` : `at least ${low}`})`;
    });
    return [`${regimeWords[regime]} (${many(markets, "market")}), ${listed(shares)}`];
  });
  if (parts.length === 0) return "";
  return `Share of markets ${find.drawn} in which some worker can gain: ${parts.join("; ")}.`;
}

function movedText(find: Finder): string {
  const [price, time, joint] = ["P5", "P6", "joint"].map((property) =>
    find(`${property}, start moved`, "sufficient"),
  ) as [Verdict, Verdict, Verdict];
  if (joint.markets < FEWEST) return "";
  if (joint.brokenMarkets === 0)
    return joint.exact
      ? `In ${many(joint.markets, "sufficient market")} ${find.drawn} moving the start does not pay either (95 %: at most ${percent(joint.share.high)} of such markets).`
      : `In ${many(joint.markets, "sufficient market")} ${find.drawn} a search found no gain by moving the start.`;
  const alone = `${whole(price.brokenMarkets)} by the price alone, ${whole(time.brokenMarkets)} by the arrival alone`;
  return `The paper's proofs overlook the start: in ${whole(joint.brokenMarkets)} of ${many(joint.markets, "sufficient market")} ${find.drawn} a worker gains by moving it (${alone}), the largest gain being ${largestOf(joint)}.`;
}

function sovereigntyText(find: Finder): string {
  const judged = regimes
    .map((regime) => find("P4 consumer sovereignty", regime))
    .filter(({ markets }) => markets >= FEWEST);
  if (judged.length === 0) return "";
  if (judged.every(({ brokenWorkers }) => brokenWorkers === 0))
    return judged.every(({ exact }) => exact)
      ? `In markets ${find.drawn} every worker with a reputation had a bid that got it selected and paid (P4).`
      : `In markets ${find.drawn} no worker with a reputation was shown to be without a bid that gets it selected and paid (P4); where none was found, one may exist.`;
  const parts = judged.map(
    ({ regime, brokenWorkers, workers }) =>
      `${percent(brokenWorkers / workers)} of ${whole(workers)} ${regimeWords[regime]}`,
  );
  return `Consumer sovereignty (P4) fails: in markets ${find.drawn} no bid gets some workers with a reputation selected and paid, ${listed(parts)}.`;
}

export function methods({ settings, exact }: PropertyResult): string[] {
  const { draws, everyForP4, ratioDraws, ratios } = settings;
  const { sizes, budgets, perCell, wide, rounds } = draws;
  const swept = ratioDraws.sizes.length * ratioDraws.budgets.length * ratioDraws.perCell + ratioDraws.wide;
  return [
    `Markets drawn as in the paper: ${perCell} each of ${listed(sizes)} workers at relative budgets of ${listed(budgets)}, ${rounds} rounds, first-round ratio 0.35, one worker enough to start.`,
    `Random markets: ${wide} of up to 12 workers and 8 rounds, first-round ratio up to 1/2, up to three workers needed to start, round numbers and so ties in half of them. The two families are never pooled, nor are the two readings.`,
    `A market counts in every regime that one of its workers is in. "Holds" says in how many markets a claim was seen to hold, and at most how many might break it (rule of three); other shares of markets have Wilson's 95 % interval. Fewer than ${FEWEST} markets are not judged.`,
    "A break below a millionth of the budget is not counted; one witness of each verdict is confirmed in exact fractions, the other breaks are counted as floating point sees them. Lies are told in few digits and bring at least 99 % of the most there is to gain.",
    `P4 was asked of one market in ${everyForP4}; workers without a reputation are left out of it, for the rules exclude them. P3 is a matter of time, measured by cost-growth.`,
    `First-round ratios ${ratios[0]} to ${ratios.at(-1)}: the same ${swept} markets at each, P1 and P2 only, which take no search.`,
    exactnessText(exact, null),
  ];
}
