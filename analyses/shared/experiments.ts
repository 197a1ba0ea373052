/** What the paper says of experiments and of other auctions, looked at in drawn markets and in recorded training. */

import { mean, sum } from "d3-array";
import { Lines } from "../../src/auction/lines.js";
import { type AnyMechanism, runAuction } from "../../src/auction/mechanism.js";
import { allotmentOf, publisherAccount, workerUtility } from "../../src/auction/outcome.js";
import { runProgram } from "../../src/auction/program.js";
import {
  listed,
  many,
  percent,
  shareWithInterval,
  signed,
  threeDigits,
  twoPlaces,
  withInterval,
} from "../../src/lib/format.js";
import type { Stream } from "../../src/lib/random.js";
import { estimate, fittedPower, ruleOfThree, share } from "../../src/lib/statistics.js";
import { drawMarket } from "../../src/market/draw.js";
import { type Bid, bidders, type Market, paperRules } from "../../src/market/market.js";
import { comparedEverywhere } from "../../src/mechanisms/index.js";
import { multiStage } from "../../src/mechanisms/multi-stage.js";
import { online } from "../../src/mechanisms/online/online.js";
import { twoStage } from "../../src/mechanisms/two-stage.js";
import type { ExperimentName } from "../../src/verdicts/ledger/claims.js";
import {
  combinedVerdict,
  type LedgerMethod,
  type LedgerVerdict,
  type SampleVerdict,
  sampleVerdict,
} from "../../src/verdicts/ledger/verdicts.js";
import { benchmarks, CLOSE, type Claim, claimsOf, type Judged, judged } from "../paper-figures/claims.js";
import { marketAt, type Setting } from "./publisher.js";
import {
  datasets,
  datasetTitles,
  differenceOf,
  estimateOf,
  type MeasureName,
  taskUnits,
  type Units,
  usualRuns,
} from "./training.js";

export interface ExperimentRecord {
  readonly verdict: LedgerVerdict;
  readonly how: LedgerMethod;
  readonly evidence: string;
  readonly command: string;
}

const OURS = online.name;

/** What the paper's figures vary: some of the places, and so many markets at each. */
const figurePlaces = {
  budget: [25, 75, 125, 225, 300].map((budget): Setting => ({ workers: 100, budget })),
  workers: [10, 40, 100, 200].map((workers): Setting => ({ workers, budget: 125 })),
};

const FIGURE_MARKETS = 40;

/** Every claim about the figures at every place, judged by intervals that hold together. */
function judgedFigures(stream: Stream): { readonly at: Setting; readonly one: Judged }[] {
  const settings = [...figurePlaces.budget, ...figurePlaces.workers];
  const names = comparedEverywhere.map(({ name }) => name);
  const claims = claimsOf(online.name, names);
  const together = claims.length * settings.length;
  const compared = new Set(claims.flatMap(({ pair }) => pair));
  const auctions = comparedEverywhere.filter(({ name }) => compared.has(name));
  return settings.flatMap((at) => {
    const markets = Array.from({ length: FIGURE_MARKETS }, (_, k) => marketAt(at, k, stream));
    const accounts = new Map(
      auctions.map((auction) => [
        auction.name,
        markets.map((market) => publisherAccount(market.workers, runAuction(auction, market))),
      ]),
    );
    return claims.flatMap((claim) =>
      judged(claim, { accounts: new Map([[at.budget, accounts]]), together }).map((one) => ({ at, one })),
    );
  });
}

const settingText = ({ workers, budget }: Setting): string => `${workers} workers and budget ${budget}`;

/** Of one sentence about the figures. */
function figureRecord(
  all: ReturnType<typeof judgedFigures>,
  isAbout: (claim: Claim) => boolean,
): ExperimentRecord {
  const about = all.filter(({ one }) => isAbout(one.claim));
  const against = about.filter(({ one }) => one.verdict === "disagrees in the sample");
  const agrees = about.filter(({ one }) => one.verdict === "agrees in the sample").length;
  const where = [...new Set(against.map(({ at }) => settingText(at)))];
  const lowest = about.reduce((a, b) => (b.one.gap.relative.mean < a.one.gap.relative.mean ? b : a));
  const [first, second] = lowest.one.claim.pair;
  return {
    verdict: combinedVerdict(about.map(({ one }) => one.verdict)),
    how: "sampled",
    evidence: `${agrees} of ${about.length} comparisons at ${figurePlaces.budget.length + figurePlaces.workers.length} places of ${FIGURE_MARKETS} markets agree and ${against.length} disagree${where.length > 0 ? ` (with ${listed(where)})` : ""}; lowest: ${first} against ${second} with ${settingText(lowest.at)}, ${percent(lowest.one.gap.relative.mean)} (together 95 %: ${percent(lowest.one.gap.relative.low)} to ${percent(lowest.one.gap.relative.high)})`,
    command: "candor analyze paper-figures",
  };
}

/** Counts comparisons; a sort of n counts as n log2 n of them. */
function countedComparisons({ rules, workers }: Market): number {
  let count = 0;
  const counting = new Proxy(new Lines(), {
    get(lines, name) {
      const own = Reflect.get(lines, name);
      if (typeof own !== "function") return own;
      return (...given: unknown[]) => {
        if (name === "atMost" || name === "peekAtMost") count++;
        if (name === "sorted" || name === "peekSorted") count += sortingSteps((given[0] as unknown[]).length);
        return Reflect.apply(own, lines, given);
      };
    },
  });
  runProgram(online, rules, bidders(workers), { math: counting });
  return count;
}

const sortingSteps = (n: number): number => n * Math.log2(Math.max(2, n));

/** Σ over rounds of N log2 N, with N workers there: the bound of Theorem 3. */
const boundOf = ({ rules, workers }: Market): number =>
  sum(
    Array.from({ length: rules.rounds }, (_, k) => k + 1),
    (round) => sortingSteps(workers.filter(({ arrival }) => arrival <= round).length),
  );

function growth(stream: Stream): ExperimentRecord {
  const sizes = [25, 50, 100, 200, 400].flatMap((workers) => [5, 10].map((rounds) => ({ workers, rounds })));
  const points = sizes.map(({ workers, rounds }, k) => {
    const rules = { ...paperRules, budget: 1.25 * workers, rounds };
    const market = drawMarket({ rules, workers }, stream.fork("growth").fork(k));
    return [boundOf(market), countedComparisons(market)] as const;
  });
  const { exponent, r2 } = fittedPower(points);
  const most = Math.max(...points.map(([bound, count]) => count / bound));
  return {
    verdict: exponent <= 1.05 ? "agrees in the sample" : "disagrees in the sample",
    how: "computed",
    evidence: `comparisons grow as the proof's bound to the power ${twoPlaces(exponent)} (R² ${twoPlaces(r2)}) from 25 to 400 workers and 5 to 10 rounds, at most ${twoPlaces(most)} times the bound`,
    command: "candor analyze cost-growth",
  };
}

/** Two groups count as similar where their thresholds of the last round differ by less, on average. */
const SIMILAR = 0.1;

function groupsAt(workers: number, stream: Stream) {
  const rules = { ...paperRules, budget: 1.25 * workers, rounds: 10 };
  const found = Array.from({ length: 400 }, (_, k) => {
    const market = drawMarket(
      { rules, workers, groups: "hash" },
      stream.fork(`groups of ${workers}`).fork(k),
    );
    const inOne = market.workers.filter(({ id }) => id % 2 === 1).length;
    const last = runAuction(online, market).thresholds.at(-1);
    const pair = last ? [last.group0, last.group1].filter((one) => one !== null) : [];
    const apart = pair.length === 2 ? Math.abs(pair[0]! - pair[1]!) / ((pair[0]! + pair[1]!) / 2) : null;
    return { isEmpty: inOne === 0 || inOne === workers, apart };
  });
  return {
    workers,
    empty: share(found.filter(({ isEmpty }) => isEmpty).length, found.length),
    apart: estimate(found.flatMap(({ apart }) => apart ?? [])),
  };
}

function groups(stream: Stream): ExperimentRecord {
  const sizes = [5, 20, 100].map((workers) => groupsAt(workers, stream));
  const texts = sizes.map(
    ({ workers, empty, apart }) =>
      `with ${workers} workers one group is empty in ${shareWithInterval(empty)} of markets and the thresholds of the last round differ by ${shareWithInterval(apart)}`,
  );
  return {
    verdict: combinedVerdict(
      sizes.map(({ apart }) => sampleVerdict({ low: -apart.high, high: -apart.low }, -SIMILAR)),
    ),
    how: "sampled",
    evidence: `${texts.join("; ")} (400 markets each, similar: by less than ${percent(SIMILAR)} at every size)`,
    command: "candor draw --workers 5 --budget 6 --count 400 --groups hash",
  };
}

/** Small enough to try every arrival of everybody again and again. */
const stageMarkets = (stream: Stream): Market[] =>
  Array.from({ length: 60 }, (_, k) =>
    drawMarket(
      { rules: { ...paperRules, budget: 12, rounds: 6 }, workers: 12 },
      stream.fork("stages").fork(k),
    ),
  );

const zeroBid = ({ id, arrival }: Market["workers"][number]): Bid => ({ worker: id, price: 0, arrival });

/** Of workers of which a test is true: in how many markets a bid of 0 is never selected, though money never turned it down. */
function lowBids(
  mechanism: AnyMechanism,
  markets: readonly Market[],
  isAsked: (arrival: number, rounds: number) => boolean,
) {
  let [asked, unselected, marketsWith] = [0, 0, 0];
  for (const market of markets) {
    let any = false;
    for (const worker of market.workers.filter(({ arrival }) => isAsked(arrival, market.rules.rounds))) {
      const outcome = runAuction(mechanism, market, [zeroBid(worker)]);
      if (outcome.budgetEvents.some((event) => event.worker === worker.id)) continue;
      asked++;
      if (allotmentOf(outcome, worker.id).selectedAt !== null) continue;
      unselected++;
      any = true;
    }
    if (any) marketsWith++;
  }
  return { asked, unselected, marketsWith };
}

function stages(stream: Stream): ExperimentRecord {
  const markets = stageMarkets(stream);
  const { asked, unselected } = lowBids(
    twoStage,
    markets,
    (arrival, rounds) => arrival <= Math.floor(rounds / 2),
  );
  const selected = asked - unselected;
  return {
    verdict: selected === 0 ? "none found" : "disagrees in the sample",
    how: "sampled",
    evidence: `of ${many(asked, "worker")} that bid 0 in the first stage of ${markets.length} markets ${selected === 0 ? `none is selected (at most ${percent(ruleOfThree(markets.length))} of markets, 95 %)` : `${selected} are selected`}`,
    command: "candor audit two-stage",
  };
}

function manyStages(stream: Stream): ExperimentRecord {
  const markets = stageMarkets(stream);
  const { asked, unselected, marketsWith } = lowBids(multiStage, markets, () => true);
  return {
    verdict: unselected === 0 ? "none found" : "disagrees in the sample",
    how: "sampled",
    evidence:
      unselected === 0
        ? `each of ${many(asked, "worker")} that bids 0 and is not turned down by money is selected, in ${markets.length} markets`
        : `${unselected} of ${many(asked, "worker")} that bid 0, and that money does not turn down, are never selected, in ${marketsWith} of ${markets.length} markets`,
    command: "candor audit multi-stage",
  };
}

/** Everybody in turn arrives when that pays best, at its true price, until nobody changes; at most so often. */
const SWEEPS = 6;

function settledArrivals(market: Market): { readonly bids: Bid[]; readonly gainers: number } {
  const bids = new Map(
    market.workers.map(({ id, cost, arrival }) => [id, { worker: id, price: cost, arrival }]),
  );
  let gainers = 0;
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    let changed = false;
    for (const worker of market.workers) {
      const utilityAt = (arrival: number) => {
        const tried = [...bids.values()].map((bid) => (bid.worker === worker.id ? { ...bid, arrival } : bid));
        return workerUtility(worker, allotmentOf(runAuction(twoStage, market, tried), worker.id));
      };
      const now = bids.get(worker.id)!.arrival;
      let [best, most] = [now, utilityAt(now)];
      for (let arrival = worker.arrival; arrival <= market.rules.rounds; arrival++) {
        const utility = utilityAt(arrival);
        if (utility > most + 1e-9) [best, most] = [arrival, utility];
      }
      if (best === now) continue;
      bids.set(worker.id, { ...bids.get(worker.id)!, arrival: best });
      changed = true;
      if (sweep === 0) gainers++;
    }
    if (!changed) break;
  }
  return { bids: [...bids.values()], gainers };
}

function delays(stream: Stream): ExperimentRecord {
  const found = stageMarkets(stream).map((market) => {
    const { bids, gainers } = settledArrivals(market);
    const [truth, settled] = [[], bids].map((told) => runAuction(twoStage, market, told)) as [
      ReturnType<typeof runAuction>,
      ReturnType<typeof runAuction>,
    ];
    const selects = (outcome: typeof truth) => outcome.workers.some(({ selectedAt }) => selectedAt !== null);
    const later = bids.filter((bid, k) => bid.arrival > market.workers[k]!.arrival).length;
    const utility = (outcome: typeof truth) => publisherAccount(market.workers, outcome).publisherUtility;
    return {
      gainers: gainers / market.workers.length,
      later: later / market.workers.length,
      idleBefore: !selects(truth),
      idleAfter: !selects(settled),
      change: utility(settled) - utility(truth),
      before: utility(truth),
    };
  });
  const later = estimate(found.map(({ later }) => later));
  const idle = (name: "idleBefore" | "idleAfter") =>
    share(found.filter((one) => one[name]).length, found.length);
  const change = estimate(found.map(({ change }) => change));
  const fewer = sampleVerdict({ low: -change.high, high: -change.low }, 0, true);
  const delayed = sampleVerdict(later, 0, true);
  return {
    verdict: combinedVerdict([delayed, fewer]),
    how: "sampled",
    evidence: `on delays: ${delayed}, ${shareWithInterval(later)} of workers arrive later than they could once each arrives when that pays best; on starvation: ${fewer}, the task then selects nobody in ${shareWithInterval(idle("idleAfter"))} of ${found.length} markets (all truthful: ${shareWithInterval(idle("idleBefore"))}), and the publisher's utility changes by ${signed(change.mean)} (95 %: ${signed(change.low)} to ${signed(change.high)}) from ${threeDigits(mean(found, ({ before }) => before)!)}`,
    command: "candor analyze equilibrium",
  };
}

const recorded = (
  dataset: (typeof datasets)[number],
  mechanism: string,
  measure: MeasureName,
): Units | null => {
  const run = usualRuns(dataset).find((one) => one.mechanism === mechanism);
  return run === undefined ? null : taskUnits(run.tasks, measure);
};

/** Whether a difference is no larger than this, either way. */
function within({ low, high }: { readonly low: number; readonly high: number }, most: number): SampleVerdict {
  if (low >= -most && high <= most) return "agrees in the sample";
  return low > most || high < -most ? "disagrees in the sample" : "the sample does not decide";
}

/** Online's value of a measure in both data sets, and how it compares with others. */
function trained(
  measure: MeasureName,
  rivals: readonly { readonly name: string; readonly claim: "above" | "below" | "close" }[],
  show: (x: number) => string,
): ExperimentRecord {
  const together = rivals.length * datasets.length;
  const compared = datasets.flatMap((dataset) => {
    const ours = recorded(dataset, online.name, measure);
    if (ours === null) return [];
    const level = estimateOf(ours);
    const verdicts = rivals.flatMap(({ name, claim }) => {
      const other = recorded(dataset, name, measure);
      if (other === null) return [];
      const gap = differenceOf(ours, other, together);
      const base = estimateOf(other).mean;
      const verdict =
        claim === "close"
          ? within(gap, CLOSE * base)
          : sampleVerdict(claim === "above" ? gap : { low: -gap.high, high: -gap.low }, 0, true);
      return [{ verdict, text: `${name} ${show(base)} (${verdict})` }];
    });
    return [{ dataset, level, verdicts }];
  });
  const texts = compared.map(
    ({ dataset, level, verdicts }) =>
      `${datasetTitles[dataset]}, ${many(level.n, "task")}: online ${withInterval(level, show)} against ${verdicts.map(({ text }) => text).join(", ")}`,
  );
  return {
    verdict: combinedVerdict(compared.flatMap(({ verdicts }) => verdicts.map(({ verdict }) => verdict))),
    how: "recorded training",
    evidence: `${texts.join("; ")}${rivals.some(({ claim }) => claim === "close") ? ` (close: within ${percent(CLOSE)})` : ""}`,
    command: "candor analyze paper-tables",
  };
}

/** Everything that the ledger asks of experiments; the stream fixes what is drawn. */
export function* experimentRecords(stream: Stream): Generator<[ExperimentName, ExperimentRecord]> {
  yield ["growth", growth(stream)];
  const figures = judgedFigures(stream.fork("figures"));
  const ours = ({ pair: [one] }: Claim) => one === OURS;
  yield [
    "optimum",
    figureRecord(
      figures,
      ({ kind, pair }) => kind === "best" && pair[0] === benchmarks.best && pair[1] === OURS,
    ),
  ];
  yield ["close", figureRecord(figures, (claim) => claim.kind === "close" && ours(claim))];
  yield ["outperforms", figureRecord(figures, (claim) => claim.kind === "above" && ours(claim))];
  yield ["groups", groups(stream)];
  yield ["stages", stages(stream)];
  yield ["delays", delays(stream)];
  yield ["multi-stage", manyStages(stream)];
  const rivals = (names: readonly string[], claim: "above" | "below") =>
    names.map((name) => ({ name, claim }));
  yield ["proportion", trained("goodShare", rivals(["vanilla", "bid-greedy"], "above"), percent)];
  yield [
    "loss",
    trained(
      "meanLoss",
      [{ name: "rrafl", claim: "close" }, ...rivals(["vanilla", "bid-greedy"], "below")],
      threeDigits,
    ),
  ];
}
