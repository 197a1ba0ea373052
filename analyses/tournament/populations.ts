/** Agents in populations: alone among the truthful, as a growing part, or all kinds together; each beside the truth. */

import { type AnyAgent, isInformed, type PastTask } from "../../src/agents/agent.js";
import { playMarket, remember } from "../../src/agents/play.js";
import { type Stream, shuffled } from "../../src/lib/random.js";
import { difference } from "../../src/lib/tolerance.js";
import { paperDistributions } from "../../src/market/draw.js";
import type { Bid, Market, Worker } from "../../src/market/market.js";
import { type AnyMechanism, hold, type Outcome } from "../../src/mechanisms/mechanism.js";
import { type Regime, regimeOf, workerUtility } from "../../src/mechanisms/outcome.js";

export const ALONE = "alone";
export const EVERYBODY = "everybody plays it";
export const MIXED = "all agents mixed";

export const populationName = (share: number): string =>
  share === 1 ? EVERYBODY : `${Math.round(100 * share)} % play it`;

export interface Contest {
  readonly market: Market;
  readonly mechanism: AnyMechanism;
  readonly agents: readonly AnyAgent[];
  readonly stream: Stream;
  /** Parts of the population that play one agent. */
  readonly shares: readonly number[];
  /** At most so many workers are measured in each population. */
  readonly measured: number;
  /** How many tasks those who learn have behind them. */
  readonly tasks: number;
}

/** What one worker got by its agent's bid. */
export interface Score {
  readonly agent: string;
  readonly population: string;
  readonly regime: Regime;
  readonly bid: Bid;
  /** What the truth would have got it, the others' bids as they are. */
  readonly truthful: number;
  /** What its bid got it on top of that. */
  readonly gain: number;
  /** What it has where all tell the truth. */
  readonly before: number;
  /** What it got on top of that. */
  readonly drift: number;
}

/** Every agent in every population of one market. The workers that play are the same for all agents. */
export function contest({ agents, shares, measured, ...game }: Contest): Score[] {
  const { market, mechanism, stream } = game;
  const order = shuffled(
    market.workers.map(({ id }) => id),
    stream.fork("seats"),
  );
  const truth = hold(mechanism, market);
  const inPopulation = (population: string, players: Players, asked: readonly number[]) =>
    play({ ...game, truth, players, population, asked, stream: stream.fork(population) });
  const single = agents.flatMap((agent) => [
    ...order.slice(0, measured).flatMap((id) => inPopulation(ALONE, new Map([[id, agent]]), [id])),
    ...shares.flatMap((share) => {
      const some = order.slice(0, Math.max(1, Math.round(share * order.length)));
      const players = new Map(some.map((id) => [id, agent]));
      return inPopulation(populationName(share), players, some.slice(0, measured));
    }),
  ]);
  const everyKind = new Map(order.map((id, k) => [id, agents[k % agents.length]!]));
  return [...single, ...inPopulation(MIXED, everyKind, order)];
}

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

function play(game: Game): Score[] {
  const { market, players, mechanism, truth, population } = game;
  const past = learnt(game);
  const agents = ({ id }: Worker) => players.get(id);
  const history = ({ id }: Worker) => past.get(id) ?? [];
  const bids = playMarket({ market, agents, stream: game.stream, history, mechanism });
  const outcome = hold(mechanism, market, bids);
  const heldWithout = (bid: Bid) =>
    hold(
      mechanism,
      market,
      bids.filter((other) => other !== bid),
    );
  return game.asked.map((id) => {
    const self = market.workers.find((worker) => worker.id === id)!;
    const bid = bids.find(({ worker }) => worker === id)!;
    const honest = isTrue(self, bid) ? outcome : heldWithout(bid);
    const [utility, truthful, before] = [outcome, honest, truth].map((run) => utilityIn(run, self)) as Three;
    const { budget } = market.rules;
    const gain = difference(utility, truthful, budget);
    const drift = difference(utility, before, budget);
    const regime = regimeOf(truth, id);
    return { agent: players.get(id)!.name, population, regime, bid, truthful, gain, before, drift };
  });
}

type Three = [number, number, number];

const isTrue = ({ cost, arrival }: Worker, bid: Bid): boolean =>
  bid.price === cost && bid.arrival === arrival;

const utilityIn = ({ workers }: Outcome, self: Worker): number =>
  workerUtility(self, workers.find(({ id }) => id === self.id)!);

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
    const bids = playMarket({
      market: task,
      agents,
      stream: stream.fork("bids").fork(k),
      history,
      mechanism,
    });
    const memory = remember({ market: task, bids, outcome: hold(mechanism, task, bids) });
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
