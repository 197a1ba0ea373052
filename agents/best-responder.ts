import type { InformedAgent, Offer } from "../src/agents/agent.js";
import type { AnyMechanism } from "../src/auction/mechanism.js";
import type { Market } from "../src/market/market.js";
import { bestResponses } from "../src/responses/index.js";

/** The best bid of one worker in a market that holds the others' bids as their types. */
type BestResponseSearch = (market: Market, workerId: number, mechanism: AnyMechanism) => Offer;

/** An agent that answers the others' bids with the best lie a search finds. */
export const respondBy = (search: BestResponseSearch): InformedAgent => ({
  name: "best-responder",
  about: "Is shown the others' bids, as no worker is in life, and gives the best answer to them.",
  traits: { stochastic: false, lies: ["price", "time", "start"], sees: "bids", learns: false },
  bid: ({ self, rules, others, mechanism }) => {
    const types = others.map(({ price, ...other }) => ({ ...other, cost: price }));
    const { price, arrival } = search({ rules, workers: [self, ...types] }, self.id, mechanism);
    return { price, arrival };
  },
});

export const bestResponder = respondBy(
  (market, id, mechanism) => bestResponses(market, { mechanism, workers: [id] }).workers[0]!.best,
);
