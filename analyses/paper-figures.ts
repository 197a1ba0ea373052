/** Figures 2 and 3 of the paper: what the publisher gets for its money, along budgets and along numbers of workers. */

import { greatest, least, mean, rollups, sum } from "d3-array";
import { type AnyMechanism, runAuction } from "../src/auction/mechanism.js";
import { type PublisherAccount, publisherAccount } from "../src/auction/outcome.js";
import { capital, listed, percent, threeDigits, twoPlaces, whole, withInterval } from "../src/lib/format.js";
import { internalReputations } from "../src/market/draw.js";
import type { Chart, Finding, Table } from "../src/report/result.js";
import {
  axis,
  captions,
  colour,
  column,
  type Field,
  marks,
  rankedFindings,
  tableOf,
} from "../src/report/vocabulary.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import { collectJob, type Profile, type WorkContext } from "../src/study/job.js";
import { quoteOf } from "../src/verdicts/ledger/claims.js";
import type { SampleVerdict } from "../src/verdicts/ledger/verdicts.js";
import {
  benchmarks,
  byInternal,
  CLOSE,
  claimsOf,
  claimText,
  internalTrialsOf,
  type Judged,
  judged,
  trialsOf,
  variantsOf,
} from "./paper-figures/claims.js";
import {
  type Accounts,
  type Measure,
  marketAt,
  meanOf,
  measureNames,
  ratioOf,
  type Setting,
  streamAt,
} from "./shared/publisher.js";

interface PaperFiguresSettings {
  /** The places on both axes, increasing. */
  readonly budgets: readonly number[];
  readonly workers: readonly number[];
  /** How many at each place. */
  readonly markets: number;
}

const places = {
  budgets: [25, 50, 75, 100, 125, 150, 175, 200, 225, 250, 275, 300],
  workers: [10, 20, 40, 60, 80, 100, 150, 200, 250, 300],
};

const settings: Record<Profile, PaperFiguresSettings> = {
  quick: { ...places, markets: 100 },
  full: { ...places, markets: 400 },
};

export const paperFigures: Analysis<PaperFiguresSettings, Setting, PublisherAccount[][], PaperFigures> = {
  name: "paper-figures",
  question: "What does the publisher get for its money, and how does that change with budget and workers?",
  part: "mechanisms",
  settings: ({ profile }) => settings[profile],
  plan({ budgets, workers, markets }) {
    const all = [...budgets.map(budgetAxis.settingAt), ...workers.map(workersAxis.settingAt)];
    const distinct = new Map(all.map((setting) => [keyOf(setting), setting]));
    return [...distinct.values()].map((cell) => ({ cell, markets }));
  },
  /** Of every market, the account of every auction, by reputation and by internal reputation, all workers telling the truth. */
  job: collectJob(
    (setting, k, context) => {
      const market = marketAt(setting, k, context.stream);
      const outcomes = auctionsIn(context).map((auction) => runAuction(auction, market));
      const internal = internalReputations(market, streamAt(setting, k, context.stream));
      return [
        ...outcomes.map((outcome) => publisherAccount(market.workers, outcome)),
        ...outcomes.map((outcome) => publisherAccount(internal, outcome)),
      ];
    },
    ({ workers }) => 1 + 0.04 * workers,
  ),
  conclude: paperFiguresOf,
  tables,
  charts: (result) => [
    meansChart(result),
    ...(result.repairs.length > 0 && result.figures.length > 0 ? [repairsChart(result)] : []),
  ],
  findings: ({ figures, ours }) => [
    ...figures.flatMap((figure) => claimFinding(figure, ours)),
    ...figures.slice(0, 1).flatMap((first) => measureNames.flatMap((one) => repairFinding(one, first, ours))),
  ],
  methods: ({ markets, figures, auctions }) => [
    `${whole(markets)} markets at each place, the same for all ${auctions.length} auctions: prices, reputations and arrivals drawn as in the paper, 10 rounds; ${figures.map(({ axis, values }) => `${values.length} ${axis.places} ${axis.fixed}`).join(", ")}. All workers tell the truth.`,
    "The 95 % interval of a mean stands for its own place. Verdicts on claims rest on differences in the same markets, with intervals that hold together for all claims at all places of one axis (Bonferroni); so do the comparisons of repairs, among themselves. Other readings and settings are judged by the same intervals without counting their number: they are exploratory.",
    "Internal reputations re are drawn as in the paper, within 0.1 of the reputation, and decide nothing in an auction; utility counts Re · rounds unless it is said to count re · rounds.",
    "Utility per unit paid does not exist where nothing is paid: such markets are left out of its means, and out of a difference if either auction paid nothing. The publisher's utility in all counts them as 0.",
  ],
};

/** All that are compared, and the variants tried in their places. */
const auctionsIn = ({ mechanism, mechanisms }: WorkContext): AnyMechanism[] => [
  ...mechanisms,
  ...variantsOf(mechanism, mechanisms).map((variant) => variant.mechanism),
];

const keyOf = ({ workers, budget }: Setting): string => `${workers}/${budget}`;

/** What is varied along a figure, and what is the same everywhere on it. */
interface Axis {
  readonly name: "budget" | "workers";
  readonly places: string;
  /** "with 100 workers". */
  readonly fixed: string;
  /** "at budgets of 25 to 300", "with 10 workers". */
  readonly phrase: (range: string, one: boolean) => string;
  readonly settingAt: (value: number) => Setting;
}

const [WORKERS, BUDGET] = [100, 125];

const budgetAxis: Axis = {
  name: "budget",
  places: "budgets",
  fixed: `with ${WORKERS} workers`,
  phrase: (range, one) => (one ? `at a budget of ${range}` : `at budgets of ${range}`),
  settingAt: (budget) => ({ workers: WORKERS, budget }),
};

const workersAxis: Axis = {
  name: "workers",
  places: "numbers of workers",
  fixed: `at a budget of ${BUDGET}`,
  phrase: (range) => `with ${range} workers`,
  settingAt: (workers) => ({ workers, budget: BUDGET }),
};

/** Those that were made after the paper's mechanism so that nobody gains by lying. */
const repairNames = ["posted-rounds", "falling-price", "round-auctions"];

/** By name, the mechanism in question first; and those among the others that repair it. */
function comparedIn({ mechanism: { name: ours }, mechanisms }: WorkContext) {
  const others = mechanisms.map(({ name }) => name).filter((name) => name !== ours);
  return { ours, auctions: [ours, ...others], repairs: repairNames.filter((name) => others.includes(name)) };
}

function paperFiguresOf(
  gathered: readonly Gathered<Setting, PublisherAccount[][]>[],
  { budgets, workers, markets }: PaperFiguresSettings,
  context: WorkContext,
) {
  const auctions = auctionsIn(context).map(({ name }) => name);
  const names = [...auctions, ...auctions.map(byInternal)];
  const found = new Map(
    gathered.map(({ cell, summary }) => [
      keyOf(cell),
      new Map(names.map((name, column) => [name, (summary ?? []).map((row) => row[column]!)])),
    ]),
  );
  const axes = [
    { axis: budgetAxis, values: budgets },
    { axis: workersAxis, values: workers },
  ].filter(({ values }) => values.length > 0);
  const figures = axes.map(({ axis, values }) => {
    const accounts = new Map(values.map((value) => [value, found.get(keyOf(axis.settingAt(value)))!]));
    return { axis, values, ...figureOf(axis, accounts, context) };
  });
  return { ...comparedIn(context), markets, figures };
}

type PaperFigures = ReturnType<typeof paperFiguresOf>;

type Figure = PaperFigures["figures"][number];

/** All auctions held at the places of one axis, which increase. All comparisons of one kind along an axis hold together. */
function figureOf(axis: Axis, accounts: ReadonlyMap<number, Accounts>, context: WorkContext) {
  const { ours, auctions, repairs } = comparedIn(context);
  const places = [...accounts].map(([at, here]) => ({ along: axis.name, at, ...axis.settingAt(at), here }));
  const measured = (names: readonly string[], estimateAt: typeof meanOf) =>
    measureNames.flatMap((measure) =>
      names.flatMap((auction) =>
        places.map((place) => {
          const value = estimateAt(place.here, auction, measure);
          return { ...place, measure, auction, value };
        }),
      ),
    );
  const claims = claimsOf(ours, auctions);
  const evidence = { accounts, together: claims.length * accounts.size };
  const plain = claims.flatMap((claim) => judged(claim, evidence));
  const together = repairs.length * measureNames.length * accounts.size;
  return {
    means: measured(auctions, meanOf),
    // What repairs reach of the mechanism in question.
    reached: measured(repairs, (here, auction, measure) =>
      ratioOf(here, [auction, ours], { measure, together }),
    ),
    // The same with every round worth the internal reputation.
    internal: measured(auctions.map(byInternal), meanOf),
    judged: plain,
    internalTrials: internalTrialsOf(plain, evidence),
    trials: trialsOf(variantsOf(context.mechanism, context.mechanisms), plain, evidence),
  };
}

/** One auction at a place, by one measure. */
type Measured = Figure["means"][number];

const place = [
  column.text("along", "varied"),
  column.count("workers", "workers"),
  column.amount("budget", "budget"),
];

const measureColumn = column.text("measure", "publisher's utility");

const meansColumns: Field<Measured>[] = [
  ...place,
  measureColumn,
  column.text("auction", "auction"),
  ...column.estimate(column.amount("mean", "mean"), ({ value }: Measured) => value),
  column.count("markets", "markets counted", ({ value }) => value.n),
  column.share(
    "spent",
    "budget spent",
    ({ here, auction, budget }) => mean(here.get(auction)!, ({ spent }) => spent)! / budget,
  ),
];

const repairColumns = (ours: string): Field<Measured>[] => [
  ...place,
  measureColumn,
  column.text("auction", "repair"),
  ...column.estimate(
    column.amount("mean", `multiple of ${ours}`),
    ({ value }: Measured) => value,
    column.together,
  ),
  column.count("pairs", "markets", ({ value }) => value.n),
];

const claimColumns: Field<Judged>[] = [
  ...place,
  column.text("claim", "claim", ({ claim }) => claimText(claim)),
  column.text("verdict", "verdict"),
  column.amount("difference", "difference", ({ gap }) => gap.difference.mean),
  ...column.estimate(column.share("mean", "as a share"), ({ gap }: Judged) => gap.relative, column.together),
  column.count("pairs", "markets", ({ gap }) => gap.difference.n),
];

function tables({ figures, ours }: PaperFigures): Table[] {
  const [means, repairs] = [figures.flatMap((one) => one.means), figures.flatMap((one) => one.reached)];
  const claims = figures.flatMap(({ axis, judged }) =>
    judged.map((one) => ({ along: axis.name, ...axis.settingAt(one.at), ...one })),
  );
  const multiples = `Repairs as a multiple of ${ours}, in the same markets`;
  const internal = figures.flatMap((figure) => figure.internal);
  return [
    tableOf("means", "Publisher's utility in the same markets", means, meansColumns),
    tableOf("internal", "The same with internal reputations: Σ re · rounds", internal, meansColumns),
    tableOf("repairs", multiples, repairs, repairColumns(ours)),
    tableOf("claims", "The paper's claims on utility per unit paid", claims, claimColumns),
    settingsTable(figures),
  ];
}

function settingsTable(figures: readonly Figure[]): Table {
  const title =
    "The claims under other readings and settings: at how many places the sample agrees (exploratory)";
  const tried = figures.flatMap((figure) =>
    [...figure.internalTrials, ...figure.trials].map((trial) => ({ figure, ...trial })),
  );
  const count = (among: readonly Judged[], verdict: SampleVerdict) =>
    among.filter((one) => one.verdict === verdict).length;
  return tableOf("settings", title, tried, [
    column.text("along", "varied", ({ figure }) => figure.axis.name),
    column.text("setting", "setting"),
    column.text("claim", "claim", ({ claim }) => claimText(claim)),
    column.count("agrees", "agrees", ({ varied }) => count(varied, "agrees in the sample")),
    column.count("before", "agrees without the setting", ({ plain }) => count(plain, "agrees in the sample")),
    column.count("disagrees", "disagrees", ({ varied }) => count(varied, "disagrees in the sample")),
    column.count("open", "the sample does not decide", ({ varied }) =>
      count(varied, "the sample does not decide"),
    ),
    column.text("changed", "verdict changes", ({ figure, varied, plain }) => {
      const changed = varied.filter(({ verdict }, k) => verdict !== plain[k]!.verdict).map(({ at }) => at);
      return changed.length > 0 ? placesText(changed, figure) : "nowhere";
    }),
  ]);
}

/** Some of the places of an axis, in the fewest words. Both lists increase. */
function placesText(some: readonly number[], { values: all, axis: { phrase } }: Figure): string {
  const [first, last] = [some[0]!, some.at(-1)!];
  if (some.length === 1) return phrase(String(first), true);
  const run = all.indexOf(last) - all.indexOf(first) + 1 === some.length;
  if (run && some.length === all.length) return phrase(`${first} to ${last}`, false);
  if (run && first === all[0]) return phrase(`up to ${last}`, false);
  if (run && last === all.at(-1)) return phrase(`${first} or more`, false);
  return phrase(run && some.length > 2 ? `${first} to ${last}` : listed(some), false);
}

/** A figure for each axis and measure: what all four say is told by a text for each. */
function chosenIn(result: PaperFigures, text: (figure: Figure, measure: Measure) => string) {
  const choices = [
    { field: "along", label: "Against", values: result.figures.map(({ axis }) => axis.name) },
    { field: "measure", label: "Publisher's utility", values: measureNames },
  ];
  const summary = captions(choices, ({ along, measure }) =>
    text(result.figures.find(({ axis }) => axis.name === along)!, measure as Measure),
  );
  return { choices, summary };
}

function meansChart(result: PaperFigures): Chart {
  const { ours, auctions, markets } = result;
  const { best, close, above } = benchmarks;
  const names = auctions.filter((name) => [ours, best, ...close, ...above].includes(name));
  return {
    name: "mechanisms",
    title: "What the publisher gets from the mechanisms of the paper's figures",
    table: "means",
    ...chosenIn(result, ({ axis, means }, measure) => {
      const own = means.filter((one) => one.auction === ours && one.measure === measure);
      const said = ({ at, value }: Measured) => `${threeDigits(value.mean)} ${axis.phrase(String(at), true)}`;
      return `Publisher's utility ${measure} ${axis.fixed}: from ${ours} it is ${said(own[0]!)} and ${said(own.at(-1)!)}.`;
    }),
    spec: lines("means", { names, ours }),
    howToRead: `Lines join means over the same ${markets} markets, with their 95 % intervals as shades. The thick line is ${ours}.`,
  };
}

function repairsChart(result: PaperFigures): Chart {
  const { ours, repairs } = result;
  return {
    name: "repairs",
    title: `What the repairs give the publisher, as a multiple of what ${ours} gives`,
    table: "repairs",
    ...chosenIn(result, ({ axis, reached }, measure) => {
      const byRepair = rollups(
        reached.filter((one) => one.measure === measure),
        (some) => some.map(meanValue),
        ({ auction }) => auction,
      );
      const [best, ratios] = greatest(byRepair, ([, some]) => sum(some))!;
      const ends = [Math.min(...ratios), Math.max(...ratios)].map(twoPlaces);
      return `On average over all ${axis.places} ${axis.fixed}, ${best} gives most ${measure}: at each ${[...new Set(ends)].join(" to ")} times what ${ours} gives.`;
    }),
    spec: lines("repairs", { names: repairs, ours, level: 1 }),
    howToRead: `On the dashed line a repair gives as much as ${ours}. Shades are intervals of ratios of means, which hold together with 95 % for all points against one axis.`,
  };
}

/** As many names side by side as there is room for; its lines are not as faint as the shades. */
const legend = {
  columns: { expr: "max(1, floor(width / 150))" },
  ...{ symbolType: "stroke", symbolOpacity: 1, symbolStrokeWidth: 3, offset: 10 },
};

const tooltips = ["auction", "workers", "budget", "measure", "mean", "low", "high"];

interface Lines {
  readonly names: readonly string[];
  readonly ours: string;
  /** A height to mark. */
  readonly level?: number;
}

function lines(table: string, { names, ours, level }: Lines): object {
  const title = { expr: `(data('${table}')[0] || {}).along === 'workers' ? 'number of workers' : 'budget'` };
  const y = (field: string) => axis.amount(field, null, { scale: { zero: false } });
  const thick = { condition: { test: `datum.auction === ${JSON.stringify(ours)}`, value: 3.5 }, value: 1.5 };
  const rule = { mark: { type: "rule", strokeDash: [4, 4] }, encoding: { y: { datum: level } } };
  return {
    height: 240,
    transform: [
      { filter: { field: "auction", oneOf: names } },
      { calculate: "datum[datum.along]", as: "at" },
    ],
    layer: [
      ...(level === undefined ? [] : [rule]),
      {
        encoding: {
          x: axis.amount("at", null, { axis: { title } }),
          color: { ...colour.mechanism("auction", names), title: null, legend },
          tooltip: marks.tooltip(meansColumns, tooltips),
        },
        layer: marks.lines(y, { value: "mean", width: thick }),
      },
    ],
  };
}

/** How sentences state that the sample agrees with the claims of a kind, or disagrees with one. */
const wordings = {
  above: { verb: "gives", agrees: "more per unit paid than", disagrees: "no more than", quote: "F3" },
  close: {
    verb: "is",
    quote: "F2",
    agrees: `at most ${percent(CLOSE)} below`,
    disagrees: `more than ${percent(CLOSE)} below`,
  },
} as const;

/** Where the sample agrees with all claims of one kind along an axis, and where it disagrees with one; where neither is named, it does not decide. */
function claimsSaid(kind: keyof typeof wordings, figure: Figure) {
  const { verb, agrees, disagrees, quote } = wordings[kind];
  const judged = figure.judged.filter(({ claim }) => claim.kind === kind);
  const others = [...new Set(judged.map(({ claim }) => claim.pair[1]))];
  const where = (isThere: (here: readonly Judged[]) => boolean) => {
    const at = figure.values.filter((value) => isThere(judged.filter((one) => one.at === value)));
    return at.length === 0 ? null : placesText(at, figure);
  };
  if (others.length === 0) return [];
  const all = where((here) => here.every(({ verdict }) => verdict === "agrees in the sample"));
  const any = where((here) => here.some(({ verdict }) => verdict === "disagrees in the sample"));
  const one = others.length === 1 ? others[0] : `some of ${all === null ? listed(others) : "them"}`;
  const said = [all && `${agrees} ${listed(others)} ${all}`, any && `${disagrees} ${one} ${any}`].filter(
    (part) => part !== null,
  );
  return said.length === 0
    ? []
    : [{ text: `${verb} ${said.join(", and ")}`, against: any === null ? null : quoteOf(quote) }];
}

function claimFinding(figure: Figure, ours: string): Finding[] {
  const said = [...claimsSaid("above", figure), ...claimsSaid("close", figure)];
  if (said.length === 0) return [];
  const sentences = said.map(({ text }, k) =>
    capital(`${k === 0 ? `${figure.axis.fixed}, ${ours}` : "it"} ${text}.`),
  );
  const against = said.flatMap((one) => (one.against === null ? [] : [`“${one.against}”`]));
  if (against.length > 0) sentences.push(`The paper says: ${listed(against)}.`);
  return [{ text: sentences.join(" "), weight: against.length > 0 ? 55 : 35 }];
}

/** The least and the most that repairs give by one measure, along the first axis. */
function repairFinding(measure: Measure, figure: Figure, ours: string): Finding[] {
  const found = figure.reached.filter((one) => one.measure === measure);
  const [lowest, highest] = [least(found, meanValue), greatest(found, meanValue)];
  if (!lowest || !highest) return [];
  const times = ({ value }: Measured) => `${withInterval(value, twoPlaces)} times`;
  const from = ({ auction, at }: Measured) => `from ${auction} ${placesText([at], figure)}`;
  const text = `${capital(figure.axis.fixed)}, the least that a repair gives ${measure} is ${times(lowest)} what ${ours} gives, ${from(lowest)}. The most is ${times(highest)}, ${from(highest)}.`;
  return rankedFindings([45, text]);
}

const meanValue = ({ value }: Measured): number => value.mean;
