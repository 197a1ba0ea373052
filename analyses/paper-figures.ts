/** Figures 2 and 3 of the paper: what the publisher gets for its money, along budgets and along numbers of workers. */

import { whole } from "../src/lib/format.js";
import { variantOf } from "../src/mechanisms/index.js";
import { type AnyMechanism, hold } from "../src/mechanisms/mechanism.js";
import { type PublisherAccount, publisherAccount } from "../src/mechanisms/outcome.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import { listing, type Profile, type WorkContext } from "../src/study/job.js";
import {
  type Axis,
  benchmarks,
  CLOSE,
  type Claim,
  charts,
  type Figure,
  findings,
  type Judged,
  type PaperFigures,
  type Trial,
  tables,
  type Verdict,
} from "./paper-figures/views.js";
import { type Accounts, type Gap, gapOf, marketAt, type Setting } from "./shared/publisher.js";

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

/** All that are compared, and the variants tried in their places. */
const auctionsIn = ({ mechanism, mechanisms }: WorkContext): AnyMechanism[] => [
  ...mechanisms,
  ...variantsOf(mechanism, mechanisms).map((variant) => variant.mechanism),
];

const keyOf = ({ workers, budget }: Setting): string => `${workers}/${budget}`;

function paperFiguresOf(
  gathered: readonly Gathered<Setting, PublisherAccount[][]>[],
  { budgets, workers, markets }: PaperFiguresSettings,
  context: WorkContext,
): PaperFigures {
  const { mechanism, mechanisms } = context;
  const names = auctionsIn(context).map(({ name }) => name);
  const found = new Map(
    gathered.map(({ cell, summary }) => [
      keyOf(cell),
      new Map(names.map((name, column) => [name, (summary ?? []).map((row) => row[column]!)])),
    ]),
  );
  const others = mechanisms.map(({ name }) => name).filter((name) => name !== mechanism.name);
  const auctions = [mechanism.name, ...others];
  const figures = (
    [
      [budgetAxis, budgets],
      [workersAxis, workers],
    ] as const
  )
    .filter(([, values]) => values.length > 0)
    .map(([axis, values]) => figureOf(axis, values, found, context));
  return { ours: mechanism.name, auctions, markets, figures };
}

function figureOf(
  axis: Axis,
  values: readonly number[],
  found: ReadonlyMap<string, Accounts>,
  { mechanism, mechanisms }: WorkContext,
): Figure {
  const accounts = new Map(values.map((value) => [value, found.get(keyOf(axis.settingAt(value)))!]));
  const claims = claimsOf(
    mechanism.name,
    mechanisms.map(({ name }) => name),
  );
  const evidence = { accounts, together: claims.length * values.length };
  const plain = claims.flatMap((claim) => judged(claim, evidence));
  const trials = trialsOf(variantsOf(mechanism, mechanisms), plain, evidence);
  return { axis, values, accounts, judged: plain, trials };
}

const [WORKERS, BUDGET] = [100, 125];

const budgetAxis: Axis = {
  name: "budget",
  label: "budget",
  fixed: `${WORKERS} workers`,
  phrase: (range, one) => (one ? `at a budget of ${range}` : `at budgets of ${range}`),
  settingAt: (budget) => ({ workers: WORKERS, budget }),
};

const workersAxis: Axis = {
  name: "workers",
  label: "number of workers",
  fixed: `a budget of ${BUDGET}`,
  phrase: (range) => `with ${range} workers`,
  settingAt: (workers) => ({ workers, budget: BUDGET }),
};

/** The claims that can be judged: of the mechanism in question, against those benchmarks that are there. */
function claimsOf(ours: string, present: readonly string[]): Claim[] {
  const { best, close, above } = benchmarks;
  const claims = (kind: Claim["kind"], one: string, others: readonly string[]): Claim[] =>
    [...new Set(others)]
      .filter((other) => other !== one && present.includes(other) && present.includes(one))
      .map((other) => ({ kind, pair: [one, other] }));
  return [
    ...claims("best", best, [ours, ...close, ...above]),
    ...claims("close", ours, close),
    ...claims("above", ours, above),
  ];
}

/** A figure's places with the accounts found there, and how many judgements are to hold together with 95 %. */
interface Evidence extends Pick<Figure, "accounts"> {
  readonly together: number;
}

const judged = (claim: Claim, { accounts, together }: Evidence): Judged[] =>
  [...accounts].map(([at, here]) => {
    const gap = gapOf(here, claim.pair, { measure: "per unit paid", together });
    return { claim, at, gap, verdict: verdictOf(claim.kind, gap) };
  });

/** Decided only where the whole interval lies on one side. */
function verdictOf(kind: Claim["kind"], { difference, relative }: Gap): Verdict {
  const { low, high } = difference;
  if (kind === "best") return low >= 0 ? "holds" : high < 0 ? "breaks" : "undecided";
  if (kind === "above") return low > 0 ? "holds" : high <= 0 ? "breaks" : "undecided";
  return relative.low >= -CLOSE ? "holds" : relative.high < -CLOSE ? "breaks" : "undecided";
}

/** A reading or setting that might change a verdict, and the auction in whose place it is put. */
interface Variant {
  readonly base: string;
  readonly mechanism: AnyMechanism;
}

const rulesTried = [
  "reading=pseudocode",
  "firstRoundRatio=0.1",
  "firstRoundRatio=0.2",
  "firstRoundRatio=0.5",
] as const;

const optionsTried: Readonly<Record<string, readonly string[]>> = {
  vanilla: ["seed=1", "seed=2"],
  "fixed-threshold": ["density=0.5", "density=1"],
};

/** Of the mechanism in question under other rules, where it leaves them open, and of benchmarks with other options. */
function variantsOf(ours: AnyMechanism, mechanisms: readonly AnyMechanism[]): Variant[] {
  const settled = ours.variantOf?.rules ?? {};
  const free = rulesTried.filter((setting) => !(setting.split("=")[0]! in settled));
  const vary = (mechanism: AnyMechanism, settings: readonly string[]): Variant[] =>
    settings.map((setting) => ({ base: mechanism.name, mechanism: variantOf(mechanism, setting) }));
  const others = mechanisms.filter(({ name }) => name !== ours.name);
  return [...vary(ours, free), ...others.flatMap((other) => vary(other, optionsTried[other.name] ?? []))];
}

const trialsOf = (variants: readonly Variant[], plain: readonly Judged[], evidence: Evidence): Trial[] =>
  variants.flatMap(({ base, mechanism: { name } }) =>
    [...new Set(plain.map(({ claim }) => claim))]
      .filter(({ pair }) => pair.includes(base))
      .map((claim) => {
        const [one, other] = claim.pair.map((each) => (each === base ? name : each)) as [string, string];
        const varied: Claim = { kind: claim.kind, pair: [one, other] };
        const before = plain.filter((each) => each.claim === claim);
        return { setting: name, claim: varied, plain: before, varied: judged(varied, evidence) };
      }),
  );

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
  /** Of every market, the account of every auction, all workers telling the truth. */
  job: listing(
    (setting, k, context) => {
      const market = marketAt(setting, k, context.stream);
      return auctionsIn(context).map((auction) => publisherAccount(market.workers, hold(auction, market)));
    },
    ({ workers }) => 1 + 0.04 * workers,
  ),
  conclude: paperFiguresOf,
  tables,
  charts,
  findings,
  methods: ({ markets, figures, auctions }) => [
    `${whole(markets)} markets at each place, the same for all ${auctions.length} auctions: prices, reputations and arrivals drawn as in the paper, 10 rounds; ${figures.map(({ axis, values }) => `${values.length} ${axis.name === "budget" ? "budgets" : "numbers of workers"} with ${axis.fixed}`).join(", ")}. All workers tell the truth.`,
    "The 95 % interval of a mean stands for its own place. Verdicts on claims rest on differences in the same markets, with intervals that hold together for all claims at all places of one axis (Bonferroni); so do the comparisons of repairs, among themselves. Other readings and settings are judged by the same intervals without counting their number: they are exploratory.",
    "Utility per unit paid does not exist where nothing is paid: such markets are left out of its means, and out of a difference if either auction paid nothing. The publisher's utility in all counts them as 0.",
  ],
};
