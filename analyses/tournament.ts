/** Strategies against each other: what each earns beside the truth, alone and in populations of liars. */

import { least, mean } from "d3-array";
import { type AnyAgent, bidsTruthfully, isInformed, type PastTask } from "../src/agents/agent.js";
import { partnersOf, playMarket, remember, playersOf as whoPlays } from "../src/agents/play.js";
import { type Outcome, runAuction } from "../src/auction/mechanism.js";
import { allotmentOf, type Regime, regimeOf, regimes, workerUtility } from "../src/auction/outcome.js";
import { many, stated, threeDigits } from "../src/lib/format.js";
import { type Stream, shuffled } from "../src/lib/random.js";
import { type Estimate, FEWEST } from "../src/lib/statistics.js";
import { estimateFrom } from "../src/lib/summaries.js";
import { difference } from "../src/lib/tolerance.js";
import { atRelativeBudget, drawForSurvey, paperDistributions } from "../src/market/draw.js";
import { type Bid, groupOf, type Market, type Worker, workerOf } from "../src/market/market.js";
import {
  type Accumulated,
  accumulators,
  by,
  type GroupIn,
  mergeAll,
  sidedMean,
} from "../src/report/accumulators.js";
import type { Chart, Exhibit, Finding, Table } from "../src/report/result.js";
import * as show from "../src/report/vocabulary.js";
import { isExact } from "../src/responses/index.js";
import type { Analysis, Gathered } from "../src/study/analysis.js";
import type { Profile, WorkContext } from "../src/study/job.js";

export const ALONE = "alone";

const EVERYBODY = "everybody plays it";

export const MIXED = "all agents mixed";

/** By --agent, as in overbid@25%. */
export const CHOSEN = "as chosen";

export interface TournamentSettings {
  readonly workers: number;
  readonly rounds: number;
  /** Over the true cost of all rounds on offer. */
  readonly budgets: readonly number[];
  /** Markets at each budget. */
  readonly markets: number;
  /** Parts of the population that play one agent. */
  readonly shares: readonly number[];
  /** At most so many workers are measured in each population. */
  readonly measured: number;
  /** How many tasks those who learn have behind them. */
  readonly tasks: number;
}

const size = { workers: 24, rounds: 10, budgets: [0.2, 0.5, 1], shares: [0.25, 0.5, 1] };

const settings: Record<Profile, TournamentSettings> = {
  quick: { ...size, markets: 16, measured: 7, tasks: 30 },
  full: { ...size, markets: 300, measured: 24, tasks: 60 },
};

/** Markets at one budget. */
type TournamentCell = Omit<TournamentSettings, "budgets" | "markets"> & { readonly budget: number };

/**
 * The truth and all who bid otherwise. Where the best lie to a mechanism takes a search of thousands, who looks for it in every bid is
 * left out.
 */
const playersOf = ({ agents, mechanism }: WorkContext): readonly AnyAgent[] =>
  agents.filter(
    (agent) =>
      (agent.traits.lies.length === 0 || !bidsTruthfully(agent)) &&
      (isExact(mechanism) || !isInformed(agent)),
  );

/** Market k at a budget. */
function marketOf({ workers, rounds, budget }: TournamentCell, k: number, { stream }: WorkContext): Market {
  const drawn = drawForSurvey({ workers, rounds }, stream.fork(budget).fork(k).fork("market"));
  return atRelativeBudget(drawn, budget);
}

const populationName = (share: number): string =>
  share === 1 ? EVERYBODY : `${Math.round(100 * share)} % play it`;

/** A market, and who is there to play it. */
type Contest = { readonly market: Market } & TournamentCell &
  Pick<WorkContext, "mechanism" | "agents" | "stream" | "population">;

/** Every agent in every population of one market. The workers that play are the same for all agents. */
function contest({ agents, shares, measured, ...game }: Contest): Score[] {
  const { market, mechanism, stream } = game;
  const order = shuffled(
    market.workers.map(({ id }) => id),
    stream.fork("seats"),
  );
  const truth = runAuction(mechanism, market);
  const inPopulation = (population: string, players: Players, asked: readonly number[]) =>
    play({ ...game, truth, players, population, asked, stream: stream.fork(population) });
  const single = agents.flatMap((agent) => [
    ...order.slice(0, measured).flatMap((id) => {
      const players = [id, ...(agent.traits.lies.includes("coalition") ? accomplice(id, order) : [])];
      return inPopulation(ALONE, new Map(players.map((one) => [one, agent])), [id]);
    }),
    ...shares.flatMap((share) => {
      const some = order.slice(0, Math.max(1, Math.round(share * order.length)));
      const players = new Map(some.map((id) => [id, agent]));
      return inPopulation(populationName(share), players, some.slice(0, measured));
    }),
  ]);
  const everyKind = new Map(order.map((id, k) => [id, agents[k % agents.length]!]));
  return [...single, ...inPopulation(MIXED, everyKind, order), ...chosenScores(game, agents, inPopulation)];
}

/** Whoever tells the truth in a population of the user's own is in it, too: it may fare otherwise than where all do. */
function chosenScores(
  { market, population, stream }: Pick<Contest, "market" | "population" | "stream">,
  agents: readonly AnyAgent[],
  inPopulation: (name: string, players: Players, asked: readonly number[]) => Score[],
): Score[] {
  if (population.length === 0) return [];
  const ids = market.workers.map(({ id }) => id);
  const honest = agents.find(({ traits }) => traits.lies.length === 0);
  const played = whoPlays(population, ids, stream.fork("chosen"));
  const players = ids.flatMap((id) => {
    const agent = played.get(id)?.agent ?? honest;
    return agent ? [[id, agent] as const] : [];
  });
  return inPopulation(
    CHOSEN,
    new Map(players),
    players.map(([id]) => id),
  );
}

/** Who lies together is never alone: with the first of the other group, if there is one. */
const accomplice = (id: number, order: readonly number[]): number[] =>
  order.filter((other) => groupOf(other) !== groupOf(id)).slice(0, 1);

/** Who plays what; the others tell the truth. */
type Players = ReadonlyMap<number, AnyAgent>;

interface Game extends Pick<Contest, "market" | "mechanism" | "stream" | "tasks"> {
  readonly population: string;
  readonly players: Players;
  /** Whose results are asked for. */
  readonly asked: readonly number[];
  /** What everybody gets if all tell the truth. */
  readonly truth: Outcome;
}

/** What each worker got by its agent's bid; with a partner it shares a plan with, the mean over both. */
function play(game: Game) {
  const { market, players, mechanism, truth, population } = game;
  const past = learnt(game);
  const agents = ({ id }: Worker) => players.get(id);
  const history = ({ id }: Worker) => past.get(id) ?? [];
  const bids = playMarket({ market, agents, stream: game.stream, history, mechanism });
  const outcome = runAuction(mechanism, market, bids);
  const partners = partnersOf(market.workers, agents);
  const bidOf = (id: number) => bids.find(({ worker }) => worker === id)!;
  return game.asked.map((id) => {
    const self = workerOf(market, id);
    const other = partners.get(id);
    const [bid, partner] = [bidOf(id), other && bidOf(other.id)];
    const both = other ? [self, other] : [self];
    const others = bids.filter((one) => one !== bid && one !== partner);
    const utilityIn = (run: Outcome) =>
      mean(both, (worker) => workerUtility(worker, allotmentOf(run, worker.id)))!;
    const [utility, before] = [utilityIn(outcome), utilityIn(truth)];
    const truthful = utilityIn(runAuction(mechanism, market, others));
    const { budget } = market.rules;
    return {
      ...{ agent: players.get(id)!.name, population, regime: regimeOf(truth, id) },
      ...{ bid, ...(partner && { partner }) },
      // What the truth would have got it, the others' bids as they are, and what its bid got it on top of that.
      ...{ truthful, gain: difference(utility, truthful, budget) },
      // What it has where all tell the truth, and what it got on top of that.
      ...{ before, drift: difference(utility, before, budget) },
    };
  });
}

type Score = ReturnType<typeof play>[number];

/**
 * What those who learn remember: the same workers in earlier tasks, each time with other arrivals. Agents that are
 * shown the bids sit these out, for they are slow and learn nothing.
 */
function learnt({ market, players, mechanism, stream, tasks }: Game): Map<number, PastTask[]> {
  const past = new Map<number, PastTask[]>();
  const learners = [...players].filter(([, agent]) => agent.traits.learns).map(([id]) => id);
  if (learners.length === 0) return past;
  for (const id of learners) past.set(id, []);
  const agents = ({ id }: Worker) => {
    const agent = players.get(id);
    return agent && !isInformed(agent) ? agent : undefined;
  };
  for (let k = 0; k < tasks; k++) {
    const task = earlier(market, stream.fork("task").fork(k));
    const history = ({ id }: Worker) => past.get(id) ?? [];
    const draws = stream.fork("bids").fork(k);
    const bids = playMarket({ market: task, agents, stream: draws, history, mechanism });
    const memory = remember({ market: task, bids, outcome: runAuction(mechanism, task, bids) });
    for (const id of learners) past.get(id)!.push(memory(id));
  }
  return past;
}

function earlier({ rules, workers }: Market, stream: Stream): Market {
  const { arrival } = paperDistributions(rules.rounds);
  const scope = { T: rules.rounds, B: rules.budget, n: workers.length };
  const redrawn = (worker: Worker) =>
    arrival({ ...scope, id: worker.id, re: worker.reputation, u: stream.next() });
  return { rules, workers: workers.map((worker) => ({ ...worker, arrival: redrawn(worker) })) };
}

/** What a worker got in market k at a relative budget. */
interface Row extends Score {
  readonly budget: number;
  readonly k: number;
}

const { breakdown, count, largest, mean: meanOf, meanOverMarkets } = accumulators<Row>();

const standings = breakdown(
  {
    agent: by.text("agent", ({ agent }: Row) => agent),
    population: by.text("population", ({ population }: Row) => population),
    regime: by.text<Row, Regime | "all">("regime", ({ regime }) => ["all", regime], ["all", ...regimes]),
  },
  {
    workers: count("workers"),
    truthful: meanOverMarkets("utility of the truth", ({ truthful }) => truthful, { own: true }),
    before: meanOverMarkets("where all tell the truth", ({ before }) => before, { own: true }),
    gain: meanOverMarkets("gain over the truth", ({ gain }) => gain, { sided: true }),
    gained: meanOf("workers who gained", ({ gain }) => (gain > 0 ? 1 : 0), { kind: "share" }),
    lost: meanOf("workers who lost", ({ gain }) => (gain < 0 ? 1 : 0), { kind: "share" }),
    drift: meanOverMarkets("on top of where all tell the truth", ({ drift }) => drift, { own: true }),
    best: largest("largest gain", ({ gain }) => gain, { keep: (row) => row }),
  },
);

type Standings = Accumulated<typeof standings>;

type Standing = GroupIn<typeof standings>;

function conclude(
  gathered: readonly Gathered<TournamentCell, Standings>[],
  settings: TournamentSettings,
  context: WorkContext,
) {
  const agents = playersOf(context);
  const own = context.population.length > 0 ? [CHOSEN] : [];
  const populations = [ALONE, ...settings.shares.map(populationName), MIXED, ...own];
  const shown = standings.shown(mergeAll(standings, gathered) ?? {}, true);
  const placed = agents.flatMap(({ name }) =>
    populations.flatMap((population) => shown.where({ agent: name, population })),
  );
  const alone = shown.where({ population: ALONE, regime: "all" });
  const exhibits = agents.flatMap(({ name }) => {
    const found = alone.find(({ agent }) => agent === name)?.sums.best;
    return found ? [exhibitOf(found.kept, settings, context)] : [];
  });
  return { settings, agents, populations, shown, placed, exhibits };
}

type TournamentResult = ReturnType<typeof conclude>;

/** The largest gain an agent made alone: there the others tell the truth, so the lie replays. */
function exhibitOf(best: Row, settings: TournamentSettings, context: WorkContext): Exhibit {
  const { agent, bid, partner, gain, regime, budget, k } = best;
  const how = (one: Bid) => `${threeDigits(one.price)} at ${one.arrival}`;
  const what = partner
    ? `workers ${bid.worker} and ${partner.worker} gain ${threeDigits(2 * gain)} together by bidding ${how(bid)} and ${how(partner)}`
    : `worker ${bid.worker} gains ${threeDigits(gain)} by bidding ${how(bid)}`;
  return {
    name: agent,
    title: `${agent}, ${regime}: ${what}`,
    market: marketOf({ ...settings, budget }, k, context),
    mechanism: context.mechanism.name,
    lie: bid,
    ...(partner && { others: [partner] }),
  };
}

/** With the interval that holds for all agents together. */
const judgedIn = ({ agents }: TournamentResult, { sums }: Standing): Estimate =>
  sidedMean(sums.gain, agents.length);

/** Decided only where the whole interval lies on one side. */
function verdictOf({ low, high, n }: Estimate): string {
  if (n < FEWEST) return "too few markets";
  return low > 0 ? "more" : high < 0 ? "less" : "undecided";
}

/** What truthful workers earn in the mixed population, the same workers where all tell the truth, and the difference. */
function worldsOf({ agents, shown }: TournamentResult) {
  const honest = agents.find(({ traits }) => traits.lies.length === 0);
  const found = honest && shown.at({ agent: honest.name, population: MIXED, regime: "all" });
  if (!found) return [];
  const { truthful, before, drift } = found.sums;
  return [
    { world: "mixed population", utility: estimateFrom(truthful.moments) },
    { world: "all tell the truth", utility: estimateFrom(before.moments) },
    { world: "difference", utility: estimateFrom(drift.moments) },
  ];
}

const columnsOf = (result: TournamentResult) =>
  result.shown.columns([
    ...(["agent", "population", "regime"] as const),
    show.column.count("markets", "markets", ({ sums }) => sums.gain.moments.n),
    "workers",
    show.column.amount("truthful", "utility of the truth", ({ sums }) => sums.truthful.moments.mean),
    "gain",
    show.column.text("verdict", "earns (95 %, all agents together)", (one) =>
      verdictOf(judgedIn(result, one)),
    ),
    ...(["gained", "lost", "drift"] as const),
  ]);

function tables(result: TournamentResult): Table[] {
  const worlds = worldsOf(result);
  const worldTitle =
    "What truthful workers earn in the mixed population, and the same workers where all tell the truth";
  return [
    show.tableOf("tournament", "What each agent earns on top of the truth", result.placed, columnsOf(result)),
    show.tableOf("truthful-workers", worldTitle, worlds, [
      show.column.text("world", "where"),
      ...show.column.estimate<(typeof worlds)[number]>(
        show.column.amount("utility", "utility of a truthful worker"),
      ),
      show.column.count("markets", "markets", ({ utility }) => utility.n),
    ]),
  ];
}

/** Two digits; where there is little room, two decimals. */
const LABEL =
  "abs(datum.gain) < (width > 340 ? 0.0005 : 0.005) ? '0' : format(datum.gain, width > 340 || abs(datum.gain) >= 1 ? '+.2~r' : '+.2~f')";

/** Populations by how many workers play the agent. */
const SHORT = `{ "${ALONE}": "one", "${EVERYBODY}": "all", "${MIXED}": "mixed" }[datum.label] || replace(datum.label, " play it", "")`;

function charts(result: TournamentResult): Chart[] {
  const { placed } = result;
  const values = [...new Set(placed.map(({ regime }) => regime))];
  const choices = [{ field: "regime", label: "Regime", values }];
  const most = Math.max(...placed.map(({ sums }) => Math.abs(sums.gain.moments.mean)));
  const decided = { test: "datum.verdict === 'more' || datum.verdict === 'less'", value: 1 };
  return [
    {
      name: "payoffs",
      title: "Payoff matrix: mean gain of a worker over the truth",
      table: "tournament",
      choices,
      spec: {
        height: { step: 22 },
        encoding: {
          x: {
            ...show.axis.name("population", result.populations, {
              orient: "top",
              grid: false,
              labelExpr: SHORT,
            }),
            title: "workers that play it",
          },
          y: show.axis.name("agent", null, { labelLimit: 160, grid: false }),
        },
        layer: [
          {
            mark: { type: "rect", opacity: 0.55 },
            encoding: {
              color: show.colour.signed("gain", most),
              tooltip: show.marks.tooltip(columnsOf(result)),
            },
          },
          {
            transform: [{ calculate: LABEL, as: "label" }],
            mark: { type: "text", tooltip: null },
            encoding: { text: { field: "label" }, opacity: { condition: decided, value: 0.55 } },
          },
        ],
      },
      summary: show.captions(choices, ({ regime }) => captionOf(result, regime as Standing["regime"])),
      howToRead:
        "Columns say who plays the agent: one worker, a part, all, or all agents mixed. Gains are over the truth against the same bids of the others; faint ones are not shown to differ from 0.",
    },
  ];
}

/** How many agents earn more or less than the truth where one worker plays them. */
function captionOf(result: TournamentResult, regime: Standing["regime"]): string {
  const alone = result.placed.filter((one) => one.population === ALONE && one.regime === regime);
  const markets = Math.max(0, ...alone.map(({ sums }) => sums.gain.moments.n));
  const where = `${regime === "all" ? "" : ` ${show.regimeWords[regime]}`} (${many(markets, "market")})`;
  if (markets < FEWEST) return `One worker plays the agent${where}: too few to judge.`;
  const among = (verdict: string) =>
    alone.filter((one) => verdictOf(judgedIn(result, one)) === verdict).length;
  return `One worker plays the agent${where}: ${among("more") || "none"} of ${alone.length} earn more than the truth, ${among("less") || "none"} less (95 %, all agents together).`;
}

function findings(result: TournamentResult): Finding[] {
  const inPopulation = (name: string) =>
    result.placed
      .filter(({ population, regime }) => population === name && regime === "all")
      .map((one) => ({ agent: one.agent, judged: judgedIn(result, one) }));
  const found = show.rankedFindings(
    [65, informedText(result, inPopulation(ALONE))],
    [45, worldsText(result)],
    [40, aloneText(inPopulation(ALONE))],
    [35, everybodyText(inPopulation(EVERYBODY))],
  );
  return found.length > 0 ? found : show.rankedFindings([10, "No agent is judged on so few markets."]);
}

function informedText({ agents }: TournamentResult, alone: readonly Placed[]): string {
  const informed = agents.find(isInformed);
  const found = alone.find(({ agent }) => agent === informed?.name);
  if (!found || found.judged.n < FEWEST) return "";
  const [gain, interval] = stated(found.judged, "change");
  return `Shown all bids, one ${found.agent} among truthful workers gains ${gain} on average (${interval}, all agents together).`;
}

function worldsText(result: TournamentResult): string {
  const [mixed, truthful, difference] = worldsOf(result).map(({ utility }) => utility);
  if (!mixed || !truthful || !difference || difference.n < FEWEST) return "";
  const [change, interval] = stated(difference, "change");
  return `A truthful worker earns ${threeDigits(mixed.mean)} in the mixed population and ${threeDigits(truthful.mean)} where all tell the truth: a difference of ${change} (${interval}; ${many(difference.n, "market")}).`;
}

/** An agent in a population, and what it gains there. */
interface Placed {
  readonly agent: string;
  readonly judged: Estimate;
}

/** The agent that loses most. */
const worstOf = (placed: readonly Placed[]): Placed | undefined =>
  least(
    placed.filter(({ judged }) => judged.mean < 0 && judged.n >= FEWEST),
    ({ judged }) => judged.mean,
  );

function aloneText(alone: readonly Placed[]): string {
  const worst = worstOf(alone);
  if (!worst) return "";
  const [loss, interval] = stated(worst.judged, "change");
  return `One ${worst.agent} among truthful workers loses most of all agents: ${loss} on average (${interval}, all agents together).`;
}

function everybodyText(everybody: readonly Placed[]): string {
  const worst = worstOf(everybody);
  if (!worst) return "";
  const { mean, low, high } = worst.judged;
  const [more, interval] = stated({ mean: -mean, low: -high, high: -low }, "change");
  return `Where all workers play ${worst.agent}, one of them would gain ${more} by telling the truth (${interval}, all agents together).`;
}

function methods({ settings, agents }: TournamentResult): string[] {
  const { workers, rounds, budgets, markets, measured, tasks } = settings;
  const paired = agents.some(({ traits }) => traits.lies.includes("coalition"));
  const learns = agents.some(({ traits }) => traits.learns);
  return [
    `${markets} markets at each budget of ${budgets.join(", ")} times the cost of all rounds on offer, ${workers} workers, ${rounds} rounds, drawn as in the paper; in each, at most ${measured} workers of each population were measured, and all of the mixed one. Regimes are those of the truthful run.`,
    `Agents play at their default settings, and bid once. ${
      agents.some(isInformed)
        ? "Those that are shown the others' bids see the truth where they look at each other."
        : "None of them is shown the others' bids."
    }`,
    "Gains are means over markets of the mean over a market's workers. Whether an agent earns more or less than the truth is judged by intervals that hold for all agents of a population together with 95 % (Bonferroni); the intervals of the table are those of single agents.",
    paired
      ? "Who lies in a coalition has a partner who plays the same agent, of the other group where there is one; gains are means over both, beside the truth of both. Alone means one such pair."
      : "",
    learns
      ? `Those who learn have ${tasks} earlier tasks of the same workers behind them, with arrivals drawn anew; one bid after that is measured.`
      : "",
  ].filter(Boolean);
}

export const tournament: Analysis<TournamentSettings, TournamentCell, Standings, TournamentResult> = {
  name: "tournament",
  question: "Which strategies earn more than the truth, alone and when others lie too?",
  part: "strategies",
  takesAgents: true,
  settings: ({ profile }) => settings[profile],
  plan: ({ budgets, markets, ...rest }, { population, stream }) => {
    // What makes no sense is said before anything is computed.
    whoPlays(population, [...Array(rest.workers).keys()], stream);
    return budgets.map((budget) => ({ cell: { ...rest, budget }, markets }));
  },
  job: {
    look(cell, k, context) {
      const stream = context.stream.fork(cell.budget).fork(k);
      const market = marketOf(cell, k, context);
      const scores = contest({ ...context, agents: playersOf(context), ...cell, market, stream });
      return standings.of(scores.map((score) => ({ ...score, budget: cell.budget, k })));
    },
    merge: standings.merge,
    cost: ({ workers, measured, shares, tasks }) =>
      0.04 * workers * measured * (shares.length + 1) + 3 * tasks,
  },
  conclude,
  tables,
  charts,
  findings,
  methods,
  exhibits: ({ exhibits }) => exhibits,
};
