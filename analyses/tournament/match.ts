/** One market, some of its workers played by agents: what each gets beside what the truth would have got it. */

import { type AnyAgent, isInformed, type PastTask } from "../../src/agents/agent.js";
import { playMarket, remember } from "../../src/agents/play.js";
import type { Stream } from "../../src/lib/random.js";
import { difference } from "../../src/lib/tolerance.js";
import { paperDistributions } from "../../src/market/draw.js";
import type { Bid, Market, Worker } from "../../src/market/market.js";
import { type AnyMechanism, hold, type Outcome } from "../../src/mechanisms/mechanism.js";
import { type Regime, regimeOf, workerUtility } from "../../src/mechanisms/outcome.js";

export interface Match {
  readonly market: Market;
  /** Who plays what; the others tell the truth. */
  readonly cast: ReadonlyMap<number, AnyAgent>;
  /** Whose results are asked for. */
  readonly measured: readonly number[];
  readonly mechanism: AnyMechanism;
  /** What everybody gets if all tell the truth. */
  readonly truth: Outcome;
  readonly stream: Stream;
  /** How many tasks those who learn have behind them. */
  readonly tasks: number;
}

export interface Score {
  readonly agent: string;
  readonly regime: Regime;
  readonly bid: Bid;
  /** What the truth would have got it, the others' bids as they are. */
  readonly truthful: number;
  /** What its bid got it on top of that. */
  readonly gain: number;
  /** What it got on top of what it has where all tell the truth. */
  readonly drift: number;
}

export function play(match: Match): Score[] {
  const { market, cast, mechanism, truth } = match;
  const past = learnt(match);
  const agents = ({ id }: Worker) => cast.get(id);
  const history = ({ id }: Worker) => past.get(id) ?? [];
  const bids = playMarket({ market, agents, stream: match.stream, history, mechanism });
  const outcome = hold(mechanism, market, bids);
  return match.measured.map((id) => {
    const self = market.workers.find((worker) => worker.id === id)!;
    const bid = bids.find(({ worker }) => worker === id)!;
    const honest = isTrue(self, bid)
      ? outcome
      : hold(
          mechanism,
          market,
          bids.filter((other) => other !== bid),
        );
    const [utility, truthful, before] = [outcome, honest, truth].map((run) => utilityIn(run, self)) as Three;
    const { budget } = market.rules;
    const gain = difference(utility, truthful, budget);
    const results = { truthful, gain, drift: difference(utility, before, budget) };
    return { agent: cast.get(id)!.name, regime: regimeOf(truth, id), bid, ...results };
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
function learnt({ market, cast, mechanism, stream, tasks }: Match): Map<number, PastTask[]> {
  const past = new Map<number, PastTask[]>();
  const learners = [...cast].filter(([, agent]) => agent.traits.learns).map(([id]) => id);
  if (learners.length === 0) return past;
  for (const id of learners) past.set(id, []);
  const agents = ({ id }: Worker) => {
    const agent = cast.get(id);
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
    const memory = remember(task, bids, hold(mechanism, task, bids));
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
