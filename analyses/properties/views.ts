/** The paper's claims in tables, charts and sentences. */

import { group } from "d3-array";
import type { AnyMechanism } from "../../src/auction/mechanism.js";
import { type Regime, regimes } from "../../src/auction/outcome.js";
import { listed, many, percent, stated, threeDigits, whole } from "../../src/lib/format.js";
import { FEWEST, share } from "../../src/lib/statistics.js";
import type { Market, Reading } from "../../src/market/market.js";
import type { Chart, Choice, Exhibit, Finding, Table } from "../../src/report/result.js";
import {
  axis,
  captions,
  colour,
  column,
  type Field,
  marks,
  rankedFindings,
  regimeFields,
  regimeWords,
  tableOf,
} from "../../src/report/vocabulary.js";
import type {
  HuntedProperty,
  StartClause,
  Violation,
} from "../../src/verdicts/counterexamples/violations.js";
import type { PropertyResult, Verdict } from "../properties.js";
import { bounded, exactnessText } from "../shared/gains.js";

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
  readonly ratio: "up to 1/2" | "highest";
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

/** Where P1 and P2 are counted. */
interface RatioPlace {
  readonly property: string;
  readonly family: Family;
  readonly reading: string;
  readonly ratio: number;
}

export const ratioKey = ({ property, reading, family, ratio }: RatioPlace): string =>
  `${property} ${reading} ${family} ${ratio}`;

/** Markets, those of them in which a property breaks, and the largest break, of the budget. */
interface RatioCount {
  readonly markets: number;
  readonly broken: number;
  readonly worst: number;
}

export type RatioCounts = Record<string, RatioCount>;

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

export const tables = (result: PropertyResult): Table[] => [
  verdictTable(result),
  countTable(result),
  ratioTable(result),
];

/** The verdicts of one claim in each regime. */
const verdictFields: readonly Field<readonly Verdict[]>[] = [
  column.text("claim", "Claim", ([first]) => first!.claim.label),
  ...regimeFields((regime, verdicts: readonly Verdict[]) =>
    verdictText(verdicts.find((one) => one.regime === regime)!),
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
  return tableOf("verdicts", "Verdicts on every claim, by family of markets and reading", items, [
    ...verdictFields,
    column.text("family", "Markets", ([first]) => first!.family),
    column.text("reading", "Reading", ([first]) => first!.reading),
  ]);
}

const countColumns: readonly Field<Verdict>[] = [
  column.text("claim", "Claim", ({ claim }) => claim.label),
  column.text("regime", "Regime"),
  column.text("family", "Markets"),
  column.text("reading", "Reading"),
  column.text("verdict", "Verdict", ({ judgement }) => judgement ?? "not judged"),
  column.count("markets", "Markets"),
  column.count("broken", "Broken", ({ brokenMarkets }) => brokenMarkets),
  ...column.estimate<Verdict>(column.share("share", "Share broken")),
  column.count("workers", "Workers"),
  column.count("brokenWorkers", "of them broken", ({ claim, brokenWorkers }) =>
    claim.property === "P2" ? null : brokenWorkers,
  ),
  column.amount("worst", "Worst amount", (verdict) => worstIn(verdict)?.found.amount),
  column.share("worstPart", "Worst, of the budget", (verdict) => {
    const worst = worstIn(verdict);
    return worst && worst.found.amount / worst.market.rules.budget;
  }),
  column.text(
    "certified",
    "Confirmed in exact fractions",
    ({ witness }) => witness && (witness.certified === null ? "no exact form" : "yes"),
  ),
  column.text("exhibit", "On the bench"),
];

/** Where it has an amount. */
const worstIn = ({ worst }: Verdict): Break | null => (worst?.found.property === "P4" ? null : worst);

const countTable = ({ verdicts }: PropertyResult): Table =>
  tableOf("counts", "Counts, worst breaks and witnesses of every claim", verdicts, countColumns);

type AtRatio = RatioPlace & RatioCount;

const ratioColumns: readonly Field<AtRatio>[] = [
  column.text("property", "Claim"),
  column.text("family", "Markets"),
  column.text("reading", "Reading"),
  column.amount("ratio", "First-round ratio"),
  column.count("markets", "Markets"),
  column.count("broken", "Broken"),
  ...column.estimate(column.share("share", "Share broken"), ({ broken, markets }: AtRatio) =>
    share(broken, markets),
  ),
  column.share("worst", "Worst, of the budget"),
];

const atRatios = ({ settings: { ratios }, counts }: PropertyResult): AtRatio[] =>
  ratioProperties.flatMap((property) =>
    families.flatMap((family) =>
      readings.flatMap((reading) =>
        ratios.map((ratio) => {
          const place = { property, family, reading, ratio };
          return { ...place, ...(counts[ratioKey(place)] ?? { markets: 0, broken: 0, worst: 0 }) };
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

/** Of lies that keep the start, all kinds at once. */
const isShown = ({ claim }: Verdict): boolean =>
  claim.start === "any" || (claim.start === "kept" && claim.property === "joint");

/** Claims in words that leave room for the figure on a narrow screen. */
const SHORT = "replace(datum.label, /individual |budget |consumer |first-round /, '')";

export function charts({ verdicts, exact }: PropertyResult): Chart[] {
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
          y: axis.name("claim", labels, { labelExpr: SHORT }),
          yOffset: { field: "regime", type: "nominal", sort: regimes },
          color: colour.regime("regime"),
          tooltip: marks.tooltip(countColumns.slice(0, 10)),
        },
        layer: marks.points((field) => axis.percent(field, "share of markets"), {
          value: "share",
          size: 40,
        }),
      },
      summary: captions(choices, ({ family, reading }) =>
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
export function findings(result: PropertyResult): Finding[] {
  const find = (family: Family) => (label: string, regime: Regime) =>
    result.verdicts.find(
      (one) =>
        one.family === family &&
        one.reading === "prose" &&
        one.claim.label === label &&
        one.regime === regime,
    )!;
  const found = rankedFindings(
    [75, keptText(find("paper"))],
    [70, marketsText(find("paper"))],
    [65, movedText(find("random"))],
    [55, otherText(find("paper"), result)],
  );
  return found.length > 0 ? found : rankedFindings([10, "No claim is judged on so few markets."]);
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
    return `in ${mean} of ${whole(markets)} ${regimeWords[regime]} (${interval})`;
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
    `P4 (consumer sovereignty) breaks most often ${regimeWords[regime]}: in ${mean} of ${whole(markets)} (${interval}, all regimes together)`,
  ];
}

/** At the highest first-round ratio. */
function feasibilityText(result: PropertyResult): string[] {
  const mine = atRatios(result).filter(
    ({ property, family, reading }) => property === "P2" && family === "paper" && reading === "prose",
  );
  const last = mine.at(-1);
  if (!last || last.markets < FEWEST || last.broken === 0) return [];
  const [mean, interval] = stated(share(last.broken, last.markets));
  const never = mine.every(({ ratio, broken }) => ratio > 0.5 || broken === 0);
  return [
    `P2 (budget feasibility) breaks at a first-round ratio of ${last.ratio} in ${mean} of ${whole(last.markets)} (${interval})${never ? ", up to 1/2 in none" : ""}`,
  ];
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
    `First-round ratios ${ratios[0]} to ${ratios.at(-1)}: the same ${swept} markets at each, P1 and P2 only, which take no search. Verdicts are given at the highest one.`,
    exactnessText(exact, null),
  ];
}
