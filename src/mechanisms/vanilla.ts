/** Vanilla federated learning: workers in random order, paid what they ask. */

import { defineBuiltIn } from "../auction/define-mechanism.js";
import { type Mechanism, withOptions } from "../auction/mechanism.js";
import { hireWhileItFits } from "../auction/rounds.js";
import { stream } from "../lib/random.js";

/**
 * The order is drawn per worker id, so it depends neither on bids nor on the order of input, and the same seed gives the
 * same ids the same places in every market: give repeated tasks seeds of their own.
 */
export const vanilla: Mechanism = withOptions({ seed: { default: 0, from: 0, whole: true } }, ({ seed }) => {
  const places = placesOf(seed);
  return defineBuiltIn({
    name: "vanilla",
    about: "Offline: hires in random order whoever's bid still fits in the budget, and pays the bid.",
    rule: [
      "Offline: sees everybody at round 1.",
      "In random order, hires whoever's bid still fits in the budget.",
      "Pays the bid.",
    ],
    promise: "None: who is hired could have asked for more.",
    source: "Plain federated learning, as the paper describes it.",
    offline: true,
    program: (auction) => {
      const { math, workers } = auction;
      hireWhileItFits(
        auction,
        math.sorted(workers, ({ id }) => math.known(places(id))),
      );
    },
  });
});

/** A random place per id, remembered because seeding a stream is slow. */
function placesOf(seed: number): (id: number) => number {
  const random = stream("vanilla").fork(seed);
  const known = new Map<number, number>();
  return (id) => {
    let place = known.get(id);
    if (place === undefined) {
      place = random.fork(id).next();
      known.set(id, place);
    }
    return place;
  };
}
