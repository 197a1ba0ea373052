/** How often an interval of the mean gain of a lie contains it: types of many shapes, each held to many fresh draws. */

import { mean } from "d3-array";
import { type Stream, stream } from "../src/lib/random.js";
import { estimate } from "../src/lib/statistics.js";
import { paperRules, type Rules, type Worker } from "../src/market/market.js";
import { mechanismNamed } from "../src/mechanisms/index.js";
import { online } from "../src/mechanisms/online/online.js";
import { drawnBelief } from "../src/responses/belief.js";
import { Draws, drawsOf } from "../src/responses/draws.js";
import { Interim } from "../src/responses/interim.js";
import { gainsIn } from "../src/responses/mean-gain.js";

interface CoverageSetting {
  readonly shapes: number;
  /** Of each shape; those for whom no lie is chosen are left out. */
  readonly types: number;
  /** A lie is chosen on so many draws, and judged on eight times as many; every type has draws of its own. */
  readonly draws: number;
  /** What the gain is taken to be is the mean over so many others, the same for all types of a shape. */
  readonly fresh: number;
  readonly most: number;
  readonly seed: string;
}

export interface Covered {
  readonly shape: string;
  readonly gain: number;
  readonly low: number;
  readonly high: number;
  readonly known: number;
  /** Student's interval of the draws that judge, as many as chose. */
  readonly student: { readonly low: number; readonly high: number };
}

const others = [
  "two-stage",
  "multi-stage",
  "bid-greedy",
  "rrafl",
  "proportional-share",
  "fixed-threshold",
  "vanilla",
];

const pick = <Item>(items: readonly Item[], random: Stream): Item => items[random.below(items.length)]!;

/** Every third shape is under another mechanism than ours. */
export function* coverage({ shapes, types, draws, fresh, most, seed }: CoverageSetting): Generator<Covered> {
  for (let k = 0; k < shapes; k++) {
    const random = stream(seed).fork(k);
    const mechanism = k % 3 === 2 ? mechanismNamed(pick(others, random)) : online;
    const workers = Math.min(most, pick([2, 3, 5, 8, 10, 15, 20, 30], random));
    const rules: Rules = {
      ...paperRules,
      rounds: pick([1, 2, 4, 10], random),
      budget: workers * pick([0.1, 0.3, 0.6, 1.2, 2.5, 5], random),
      firstRoundRatio: pick([0.1, 0.35, 0.35, 0.7], random),
      minWorkers: pick([1, 1, 2], random),
      reading: pick(["prose", "pseudocode"], random),
    };
    const ids = Array.from({ length: workers }, (_, id) => id);
    const believed = (from: Stream) => drawnBelief({ rules, ids }, from);
    const drawn = (name: string, many: number) =>
      new Draws({ rules, mechanism, workers: drawsOf(believed(random.fork(name)), 0, many) });
    const [truth, asMany] = [drawn("fresh", fresh), drawn("as many", draws)];
    for (let j = 0; j < types; j++) {
      const own = random.fork("types").fork(j);
      const type = pick(believed(own.fork("type")).draw(0), own);
      const isChosen = mechanism === online && own.next() < 0.7;
      const options = { rules, mechanism, belief: believed(own.fork("others")) };
      const interim = new Interim({ ...options, draws: isChosen ? draws : 1, judgedOn: 8 * draws });
      const lie = isChosen ? interim.choose(type) : { ...givenLie(type, rules, own), gain: 0 };
      const response = interim.judge(type, lie);
      if (response.lie === "truth") continue;
      const gains = (from: Draws) => {
        const honest = from.results(type, { price: type.cost, arrival: type.arrival });
        return gainsIn({ honest, lying: from.results(type, lie), cost: type.cost });
      };
      yield {
        shape: `${mechanism.name}, ${workers} workers, ${rules.rounds} rounds, budget ${rules.budget}, ${response.lie}`,
        ...{ gain: response.gain, low: response.low, high: response.high },
        known: mean(gains(truth))!,
        student: estimate(gains(asMany)),
      };
    }
  }
}

/** Far from the cost or near it, on time or late. */
function givenLie({ cost, arrival }: Worker, { rounds }: Rules, random: Stream) {
  const price = cost * pick([0, 0.5, 0.8, 0.95, 1, 1.02, 1.1, 1.5, 3], random);
  return { price, arrival: random.next() < 0.6 ? arrival : arrival + random.below(rounds - arrival + 1) };
}

export const shareCovered = (
  all: readonly Covered[],
  interval = (one: Covered) => one as { low: number; high: number },
): number =>
  all.filter((one) => interval(one).low <= one.known && one.known <= interval(one).high).length / all.length;
