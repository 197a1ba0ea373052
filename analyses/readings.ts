/** What hangs on how the rules are read: who can gain under every choice of the switches, and what a choice gives the publisher. */

import { runAuction } from "../src/auction/mechanism.js";
import { publisherAccount, type Regime, regimes } from "../src/auction/outcome.js";
import type { Response } from "../src/auction/response.js";
import { capital, listed, many, shareWithInterval, threeDigits, whole } from "../src/lib/format.js";
import { fraction, parseFraction, toNumber } from "../src/lib/fraction.js";
import type { Stream } from "../src/lib/random.js";
import { pooledShare } from "../src/lib/summaries.js";
import { atRelativeBudget, drawMarket, type GroupsDrawn, groupsDrawn } from "../src/market/draw.js";
import {
  delays,
  firstSteps,
  type Market,
  readings as orders,
  paperRules,
  workerOf,
} from "../src/market/market.js";
import { online } from "../src/mechanisms/online/online.js";
import { prove } from "../src/proofs/prove.js";
import { plainShape } from "../src/proofs/shape.js";
import { accumulators, by } from "../src/report/accumulators.js";
import type { Chart } from "../src/report/result.js";
import { axis, colour, lies, lieWords, rankedFindings } from "../src/report/vocabulary.js";
import { bestResponses, pieces } from "../src/responses/index.js";
import { defineAnalysis } from "../src/study/define-analysis.js";
import { settledForAny } from "../src/verdicts/ledger/any-number.js";
import {
  choicesText,
  type ReadingChoice,
  readingChoices,
  readingText,
  usualReading,
} from "../src/verdicts/ledger/readings.js";
import { type SmallShape, shapeText, smallShapes } from "../src/verdicts/ledger/theorems.js";

const [WORKERS, ROUNDS] = [5, 5];

/** Market after market has the next of these: from scarce to ample. */
const RELATIVE_BUDGETS = [0.2, 0.5, 1, 2];

const starts = ["kept", "moved"] as const;
type Start = (typeof starts)[number];

type Lie = (typeof lies)[number];

/** The most that a worker gains by lies of a kind that keep or move the start; 0 where none gains. */
type Gains = Readonly<Record<Start, Readonly<Record<Lie, number>>>>;

interface WorkerRow extends ReadingChoice {
  readonly kind: "worker";
  readonly groups: GroupsDrawn;
  readonly regime: Regime;
  readonly gains: Gains;
}

interface MarketRow extends ReadingChoice {
  readonly kind: "market";
  readonly groups: GroupsDrawn;
  readonly started: boolean;
  readonly late: boolean;
  readonly utility: number;
  readonly spent: number;
}

interface ProofRow extends ReadingChoice {
  readonly kind: "proof";
  readonly shape: string;
  readonly lie: Lie;
  readonly start: Start;
  /** As a share of the budget, and as the fraction that it is. */
  readonly worst: number;
  readonly exact: string;
}

type Row = WorkerRow | MarketRow | ProofRow;

type Cell =
  | { readonly kind: "drawn"; readonly choice: ReadingChoice; readonly groups: GroupsDrawn }
  | { readonly kind: "proof"; readonly choice: ReadingChoice; readonly shape: SmallShape };

/** Market k is the same under every choice. */
function marketUnder({ choice, groups }: Cell & { kind: "drawn" }, k: number, stream: Stream): Market {
  const rules = { ...paperRules, budget: 1, rounds: ROUNDS, ...choice };
  const drawn = drawMarket({ rules, workers: WORKERS, groups }, stream.fork("markets").fork(k));
  return atRelativeBudget(drawn, RELATIVE_BUDGETS[k % RELATIVE_BUDGETS.length]!);
}

const none = { price: 0, time: 0, joint: 0 };

/** Most gain nothing; of those who do, the pieces of their price lines say what each start gives. */
function gainsOf(market: Market, { id, gain, truthful }: Response): Gains {
  const gains = { kept: { ...none }, moved: { ...none } };
  if (gain === 0) return gains;
  const { cost, arrival } = workerOf(market, id);
  const delay = runAuction(online, market).startDelay;
  const noise = 1e-9 * market.rules.budget;
  const note = (lie: Lie, start: Start, utility: number) => {
    const more = utility - truthful;
    if (more > noise) gains[start][lie] = Math.max(gains[start][lie], more);
  };
  for (const piece of pieces(market, id, online)!) {
    const start = piece.startDelay === delay ? "kept" : "moved";
    const most = Math.max(piece.utilityFrom, piece.utilityTo);
    note("joint", start, most);
    if (piece.arrival === arrival) note("price", start, most);
    const isThere = piece.from <= cost && cost <= piece.to && piece.arrival > arrival;
    // On the edge of two pieces the one that holds the price counts.
    const holds = (cost > piece.from || piece.fromIncluded) && (cost < piece.to || piece.toIncluded);
    const part = piece.to > piece.from ? (cost - piece.from) / (piece.to - piece.from) : 0;
    const at = Number.isFinite(piece.to)
      ? piece.utilityFrom + part * (piece.utilityTo - piece.utilityFrom)
      : piece.utilityFrom + piece.slope * (cost - piece.from);
    if (isThere && holds) note("time", start, at);
  }
  return gains;
}

function drawnRows(cell: Cell & { kind: "drawn" }, k: number, stream: Stream): Row[] {
  const market = marketUnder(cell, k, stream);
  const about = { ...cell.choice, groups: cell.groups };
  const outcome = runAuction(online, market);
  const { publisherUtility: utility, spent } = publisherAccount(market.workers, outcome);
  const { started, startDelay } = outcome;
  return [
    { kind: "market", ...about, started, late: startDelay !== 0, utility, spent },
    ...bestResponses(market).workers.map((response): WorkerRow => {
      return { kind: "worker", ...about, regime: response.regime, gains: gainsOf(market, response) };
    }),
  ];
}

const lieOf = { P5: "price", P6: "time", joint: "joint" } as const;

/** What proofs say of a sufficient budget. */
function proofRows({ choice, shape }: Cell & { kind: "proof" }): ProofRow[] {
  const plain = plainShape({
    mechanism: online,
    rounds: shape.rounds,
    reputations: Array.from({ length: shape.workers }, () => fraction(1)),
    firstRoundRatio: parseFraction(shape.ratio),
    minWorkers: 1,
    ...choice,
  });
  return prove(plain, ["P5", "P6", "joint"]).flatMap(({ property, regime, start, worst }): ProofRow[] => {
    if (regime !== "sufficient" || start === null) return [];
    const lie = lieOf[property as keyof typeof lieOf];
    const amount = worst === "unbounded" ? Number.POSITIVE_INFINITY : toNumber(parseFraction(worst));
    return [{ kind: "proof", ...choice, shape: shapeText(shape), lie, start, worst: amount, exact: worst }];
  });
}

const { breakdown, count, largest, markets, mean, ratio, share } = accumulators<Row>();

const switches = {
  reading: by.text("Order", ({ reading }: Row) => reading, orders),
  firstStep: by.text("First step", ({ firstStep }: Row) => firstStep, firstSteps),
  delay: by.text("Delay", ({ delay }: Row) => delay, delays),
};

const groups = by.text(
  "Groups",
  (row: Row) => (row.kind === "proof" ? "alternate" : row.groups),
  groupsDrawn,
);

const start = by.text<Row, Start>("Start", "every", starts);

const gain = (row: Row, start: Start, lie: Lie): number =>
  row.kind === "worker" ? row.gains[start][lie] : 0;

const canGain = (lie: Lie) => (row: Row, keys: { readonly start: Start }) => gain(row, keys.start, lie) > 0;

const gainers = breakdown(
  {
    ...switches,
    groups,
    regime: by.text("Regime", (row: Row) => (row.kind === "worker" ? row.regime : "sufficient"), regimes),
    start,
  },
  {
    price: share("Can gain by the price", canGain("price"), { own: true }),
    arrival: share("Can gain by the arrival", canGain("time"), { own: true }),
    either: share("Can gain by either or both", canGain("joint"), { own: true }),
    largest: largest("Largest gain", (row, keys: { readonly start: Start }) =>
      gain(row, keys.start, "joint"),
    ),
    workers: count("Workers"),
    markets: markets("Markets"),
  },
  ({ kind }) => kind === "worker",
);

const ofMarket = (value: (row: MarketRow) => number) => (row: Row) =>
  row.kind === "market" ? value(row) : null;

const isLate = (row: Row): boolean => row.kind === "market" && row.late;

const publisher = breakdown(
  { ...switches, groups },
  {
    utility: mean(
      "Publisher's utility",
      ofMarket(({ utility }) => utility),
    ),
    perUnit: ratio(
      "Utility per unit paid",
      ofMarket(({ utility }) => utility),
      ofMarket(({ spent }) => spent),
    ),
    started: share("Tasks that start", (row) => row.kind === "market" && row.started, { own: true }),
    late: count("Markets that start late, or never", isLate),
    lateUtility: mean(
      "Publisher's utility in those",
      ofMarket(({ utility }) => utility),
      { among: isLate },
    ),
    markets: markets("Markets"),
  },
  ({ kind }) => kind === "market",
);

const proved = breakdown(
  {
    ...switches,
    choice: by.text("Reading", (row: Row) => readingText(row)),
    lie: by.text("Misstated", (row: Row) => (row.kind === "proof" ? row.lie : "price"), lies),
    start: by.text("Start", (row: Row) => (row.kind === "proof" ? row.start : "kept"), starts),
  },
  {
    worst: largest("Worst gain, of the budget", (row) => (row.kind === "proof" ? row.worst : null), {
      kind: "share",
      keep: (row) => (row.kind === "proof" ? { exact: row.exact, shape: row.shape } : null),
    }),
    shapes: count("Shapes"),
  },
  ({ kind }) => kind === "proof",
);

type Gainers = typeof gainers extends { shown(...given: never[]): infer Shown } ? Shown : never;
type Proved = typeof proved extends { shown(...given: never[]): infer Shown } ? Shown : never;
type Publisher = typeof publisher extends { shown(...given: never[]): infer Shown } ? Shown : never;

/** Under which choices no lie gains in any shape, and in no drawn market of a sufficient budget. */
const isProvedUnder = (proofs: Proved, choice: ReadingChoice): boolean =>
  proofs.where(choice).every(({ sums }) => sums.worst === null);

const foundUnder = (found: Gainers, choice: ReadingChoice, groups?: GroupsDrawn) =>
  found
    .where({ ...choice, regime: "sufficient", ...(groups && { groups }) })
    .reduce((hits, { sums }) => hits + sums.either.hits, 0);

/** Of the workers who gain, only those of one way to lie are looked at. */
const worstOf = (proofs: Proved, choice: ReadingChoice, start: Start) => {
  const [first] = proofs
    .where({ ...choice, start })
    .flatMap(({ sums }) => sums.worst ?? [])
    .sort((a, b) => b.amount - a.amount);
  return first ?? null;
};

/** "for any number of workers: proved, given …", or what that rests on besides. */
function forAnyText(choice: ReadingChoice): string {
  const found = (["P5", "P6"] as const).map((theorem) => settledForAny(theorem, choice));
  const given = [...new Set(found.flatMap(({ given }) => given))];
  if (found.some(({ verdict }) => verdict === "not proved"))
    return "for any number of workers this rests on a written argument, that a lie which delays the start meets the same clock and no better price, and is not proved here";
  if (given.length === 0) return "it is proved for any number of workers";
  return `for any number of workers and rounds it is proved, given ${given.length === 1 ? "a written argument" : `${given.length} written arguments`} (${given.join("; ")})`;
}

/** The reading that makes the theorems true, as the authors could write it. */
const HOW_TO_WRITE =
  "It is enough to write that rounds are clock ticks: a start at tick k buys the T − k + 1 rounds that are left, for that part of B1, and the condition of the first step counts a worker's own reputation once.";

function mainFinding(proofs: Proved, found: Gainers): string {
  const shapes = smallShapes.map(shapeText).join("; ");
  const all = readingChoices.filter((choice) => proofs.where(choice).length > 0);
  const good = all.filter((choice) => isProvedUnder(proofs, choice) && foundUnder(found, choice) === 0);
  if (all.length === 0) return "";
  if (good.length === 0)
    return `Under none of the ${all.length} readings do Theorems 5 and 6 stand in all small shapes.`;
  const asked = good.flatMap((choice) => found.where({ ...choice, regime: "sufficient", start: "kept" }));
  const workers = asked.reduce((sum, { sums }) => sum + sums.workers, 0);
  const isOnly = good.every(({ delay, firstStep }) => delay === "shorten" && firstStep === "algorithm");
  const how = isOnly ? ` ${HOW_TO_WRITE}` : "";
  return `With a sufficient budget no lie about price, arrival or both gains where the rules are read with ${choicesText(good).join(" or with ")}: Theorems 5 and 6 are proved for all costs, budgets and arrivals of ${shapes}, and of ${many(workers, "drawn worker")} none gains; ${forAnyText(good[0]!)}. Under the other ${all.length - good.length} readings a lie gains.${how}`;
}

function otherReadings(proofs: Proved, found: Gainers): string {
  const ways: readonly (readonly [Partial<ReadingChoice>, Start])[] = [
    [{}, "moved"],
    [{ delay: "concentrate" }, "moved"],
    [{ firstStep: "prose" }, "kept"],
  ];
  const texts = ways.flatMap(([changed, start]) => {
    const choice = { ...usualReading, ...changed };
    const worst = worstOf(proofs, choice, start);
    if (worst === null) return [];
    const [sum] = found.where({ ...choice, regime: "sufficient", groups: "alternate", start });
    const drawn =
      sum === undefined
        ? ""
        : `, and ${sum.sums.either.hits === 0 ? "none" : whole(sum.sums.either.hits)} of ${many(sum.sums.workers, "drawn worker")} can gain`;
    const name =
      readingText(choice) === readingText(usualReading) ? "as usual (delay: postpone)" : readingText(choice);
    return [
      `read ${name}, a lie that ${start === "kept" ? "keeps" : "moves"} the start gains up to ${worst.kept?.exact} of the budget${drawn}`,
    ];
  });
  return texts.length === 0 ? "" : `${capital(texts.join("; "))}.`;
}

function publisherFinding(shown: Publisher): string {
  const at = (changed: Partial<ReadingChoice>) =>
    shown.at({ ...usualReading, ...changed, groups: "alternate" });
  const [usual, short] = [at({}), at({ delay: "shorten" })];
  if (!usual || !short || usual.sums.utility.n === 0) return "";
  const value = (one: typeof usual) => one.sums.utility.total / one.sums.utility.n;
  const late = (one: typeof usual) =>
    one.sums.lateUtility.n === 0 ? null : one.sums.lateUtility.total / one.sums.lateUtility.n;
  const perUnit = (one: typeof usual) => one.sums.perUnit.above.total / one.sums.perUnit.below.total;
  const inLate =
    late(usual) === null || late(short) === null
      ? ""
      : ` in the ${usual.sums.late} that start late or never it falls from ${threeDigits(late(usual)!)} to ${threeDigits(late(short)!)},`;
  return `Reading a delayed start as delay: shorten costs the publisher rounds: in ${many(usual.sums.markets, "drawn market")} with truthful workers its utility is ${threeDigits(value(short))} with delay: shorten and ${threeDigits(value(usual))} with delay: postpone,${inLate} per unit paid ${threeDigits(perUnit(short))} against ${threeDigits(perUnit(usual))}, and as many tasks start (${shareWithInterval(pooledShare(short.sums.started))} and ${shareWithInterval(pooledShare(usual.sums.started))}).`;
}

/** What does not hang on the order, or on how groups come about. */
function sameFinding(proofs: Proved, found: Gainers): string {
  const orderMatters = readingChoices
    .filter(({ reading }) => reading === usualReading.reading)
    .some((choice) => {
      const other = { ...choice, reading: "pseudocode" as const };
      return starts.some(
        (start) => worstOf(proofs, choice, start)?.amount !== worstOf(proofs, other, start)?.amount,
      );
    });
  const hashed = readingChoices.filter((choice) => found.where({ ...choice, groups: "hash" }).length > 0);
  const newGains = hashed.filter(
    (choice) =>
      foundUnder(found, choice, "hash") > 0 &&
      isProvedUnder(proofs, choice) &&
      foundUnder(found, choice, "alternate") === 0,
  );
  const order = orderMatters
    ? "The order in which reputations are decided changes worst cases of a sufficient budget"
    : "The order in which reputations are decided (and the cap) changes no worst case of a sufficient budget";
  const groups =
    newGains.length === 0
      ? "groups drawn as by a hash let nobody gain where alternating groups let nobody"
      : `groups drawn as by a hash let workers gain under ${choicesText(newGains).join(", ")}`;
  return `${order}; ${groups}.`;
}

function chartOf(proofs: Proved): Chart {
  const names = [...new Set(proofs.groups.map(({ choice }) => choice))];
  const breaking = names.filter((name) =>
    proofs.where({ choice: name }).some(({ sums }) => sums.worst !== null),
  );
  return {
    name: "worst-by-reading",
    title: "The most that a lie gains with a sufficient budget, by how the rules are read",
    table: "proved",
    choices: [{ field: "lie", label: "Misstated", values: [...lies].reverse(), words: lieWords }],
    spec: {
      height: { step: 18 },
      encoding: {
        y: axis.name("choice", names, { labelLimit: 400 }),
        x: axis.percent("worst", "worst gain, of the budget"),
        color: { field: "start", type: "nominal", title: "start", scale: colour.other(starts) },
        tooltip: proofs.tooltip(["choice", "lie", "start", "worst", "shapes"]),
      },
      mark: { type: "point", size: 70, opacity: 1 },
    },
    summary: `A lie gains in some small shape under ${breaking.length} of ${names.length} readings; under ${listed(names.filter((name) => !breaking.includes(name)))} none does.`,
    howToRead: `A point is the least upper bound over all costs, budgets and arrivals of ${smallShapes.map(shapeText).join("; ")} (equal reputations), by lies that keep the start and by lies that move it.`,
  };
}

export const readings = defineAnalysis<
  Cell,
  Row,
  { gainers: typeof gainers; publisher: typeof publisher; proved: typeof proved }
>({
  name: "readings",
  question: "What hangs on how the rules are read?",
  part: "claims",
  plan({ profile }) {
    const count = profile === "quick" ? 160 : 5000;
    return readingChoices.flatMap((choice) => [
      ...smallShapes.map((shape) => ({ cell: { kind: "proof" as const, choice, shape }, markets: 1 })),
      { cell: { kind: "drawn" as const, choice, groups: "alternate" as const }, markets: count },
      // The order decides nothing about gains with a sufficient budget: hashed groups are drawn under one order.
      ...(choice.reading === usualReading.reading
        ? [{ cell: { kind: "drawn" as const, choice, groups: "hash" as const }, markets: count }]
        : []),
    ]);
  },
  look: (cell, k, { stream }) => (cell.kind === "proof" ? proofRows(cell) : drawnRows(cell, k, stream)),
  cost: ({ kind }) => (kind === "proof" ? 120 : 1),
  sums: { gainers, publisher, proved },
  render: ({ gainers: found, publisher: accounts, proved: proofs }) => ({
    tables: [
      proofs.table("proved", "The worst gain with a sufficient budget in small shapes, by reading"),
      found.table("gainers", "Who can gain in drawn markets, by reading"),
      accounts.table("publisher", "What a reading gives the publisher, all workers truthful"),
    ],
    charts: [chartOf(proofs)],
    findings: rankedFindings(
      [90, mainFinding(proofs, found)],
      [60, otherReadings(proofs, found)],
      [50, publisherFinding(accounts)],
      [25, sameFinding(proofs, found)],
    ),
    methods: [
      `Proofs are of all costs, budgets and arrivals of ${smallShapes.map(shapeText).join("; ")}, all reputations equal, and of workers with a sufficient budget: outside of it the paper claims nothing.`,
      `Drawn markets have ${WORKERS} workers and ${ROUNDS} rounds, with the paper's distributions and relative budgets of ${listed(RELATIVE_BUDGETS)} in turn, the same under every reading. Every worker's best lie is computed over all prices and arrivals, in floating point.`,
      "The switches are the order of reputations with the cap, how often the first step counts a worker's own reputation, and what a delayed start costs; a group is an id's parity, alternating or drawn as by a hash.",
    ],
  }),
});
