/** Strategies against each other: what each earns beside the truth, alone and in populations of liars. */

import { mean, rollups } from "d3-array";
import { type AnyAgent, bidsTruthfully, isInformed, type PastTask } from "../src/agents/agent.js";
import { partnersOf, playMarket, remember, playersOf as whoPlays } from "../src/agents/play.js";
import { type Outcome, runAuction } from "../src/auction/mechanism.js";
import { allotmentOf, regimeOf, workerUtility } from "../src/auction/outcome.js";
import { threeDigits } from "../src/lib/format.js";
import { type Stream, shuffled } from "../src/lib/random.js";
import { mergeMoments, momentsOf } from "../src/lib/summaries.js";
import { difference } from "../src/lib/tolerance.js";
import { atRelativeBudget, drawForSurvey, paperDistributions } from "../src/market/draw.js";
import { type Bid, groupOf, type Market, type Worker, workerOf } from "../src/market/market.js";
import { mergeParts } from "../src/report/accumulators.js";
import type { Exhibit } from "../src/report/result.js";
import { isExact } from "../src/responses/index.js";
import type { Analysis } from "../src/study/analysis.js";
import type { Profile, WorkContext } from "../src/study/job.js";
import {
  ALONE,
  CHOSEN,
  charts,
  EVERYBODY,
  findings,
  keyOf,
  MIXED,
  methods,
  type Standings,
  type TournamentResult,
  tables,
} from "./tournament/views.js";

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

/** For each agent the largest gain it made alone: there the others tell the truth, so the lie replays. */
function exhibitsOf(standings: Standings, chosen: TournamentSettings, context: WorkContext): Exhibit[] {
  return playersOf(context).flatMap(({ name }): Exhibit[] => {
    const alone = standings[keyOf({ agent: name, population: ALONE, regime: "all" })];
    if (!alone || alone.best.gain <= 0) return [];
    const { bid, partner, gain, regime, budget, k } = alone.best;
    const market = marketOf({ ...chosen, budget }, k, context);
    const said = (one: Bid) => `${threeDigits(one.price)} at ${one.arrival}`;
    const what = partner
      ? `workers ${bid.worker} and ${partner.worker} gain ${threeDigits(2 * gain)} together by bidding ${said(bid)} and ${said(partner)}`
      : `worker ${bid.worker} gains ${threeDigits(gain)} by bidding ${said(bid)}`;
    const exhibit = { name, title: `${name}, ${regime}: ${what}`, market };
    const lies = { mechanism: context.mechanism.name, lie: bid, ...(partner && { others: [partner] }) };
    return [{ ...exhibit, ...lies }];
  });
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

/** Of one market, which is drawn again when it is wanted. */
interface Drawn {
  readonly budget: number;
  readonly k: number;
}

function standingsOf(scores: readonly Score[], market: Drawn): Standings {
  const standing = (some: readonly Score[]) => standingIn(some, market);
  return Object.fromEntries([
    ...rollups(scores, standing, (score) => keyOf({ ...score, regime: "all" })),
    ...rollups(scores, standing, keyOf),
  ]);
}

/** What an agent did in a population, in one regime or in all. Values are means over a market's workers. */
function standingIn(scores: readonly Score[], market: Drawn) {
  const over = (of: "gain" | "truthful" | "before" | "drift") => mean(scores, (score) => score[of])!;
  const { gain, bid, partner, regime } = scores.reduce((a, b) => (b.gain > a.gain ? b : a));
  return {
    workers: scores.length,
    gain: momentsOf(over("gain")),
    // The least and the greatest gain of a market.
    least: over("gain"),
    most: over("gain"),
    truthful: momentsOf(over("truthful")),
    before: momentsOf(over("before")),
    drift: momentsOf(over("drift")),
    gained: scores.filter((score) => score.gain > 0).length,
    lost: scores.filter((score) => score.gain < 0).length,
    // The worker who gained most.
    best: { gain, bid, ...(partner && { partner }), regime, ...market },
  };
}

export type Standing = ReturnType<typeof standingIn>;

const mergeStandings = (left: Standings, right: Standings): Standings => mergeParts(left, right, merged);

const merged = (left: Standing, right: Standing): Standing => ({
  workers: left.workers + right.workers,
  gain: mergeMoments(left.gain, right.gain),
  least: Math.min(left.least, right.least),
  most: Math.max(left.most, right.most),
  truthful: mergeMoments(left.truthful, right.truthful),
  before: mergeMoments(left.before, right.before),
  drift: mergeMoments(left.drift, right.drift),
  gained: left.gained + right.gained,
  lost: left.lost + right.lost,
  best: right.best.gain > left.best.gain ? right.best : left.best,
});

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
      return standingsOf(scores, { budget: cell.budget, k });
    },
    merge: mergeStandings,
    cost: ({ workers, measured, shares, tasks }) =>
      0.04 * workers * measured * (shares.length + 1) + 3 * tasks,
  },
  conclude(gathered, chosen, context) {
    const found = gathered.flatMap(({ summary }) => (summary ? [summary] : []));
    const standings = found.reduce(mergeStandings, {} as Standings);
    const own = context.population.length > 0 ? [CHOSEN] : [];
    const populations = [ALONE, ...chosen.shares.map(populationName), MIXED, ...own];
    const exhibits = exhibitsOf(standings, chosen, context);
    return { settings: chosen, agents: playersOf(context), standings, populations, exhibits };
  },
  tables,
  charts,
  findings,
  methods,
  exhibits: ({ exhibits }) => exhibits,
};
