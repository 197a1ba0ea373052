import { type AnyAgent, type InformedView, type Offer, tunable, type View } from "../src/agents/agent.js";
import type { Worker } from "../src/market/market.js";
import { truthOf } from "../src/responses/belief.js";
import { coalitionResponses } from "../src/responses/coalition.js";

/**
 * Two workers who share what they gain. By the plan "threshold" they know each other and nobody else: the one whose reputation costs
 * more asks for a multiple of its cost, so that the threshold it helps to set, by which the other is judged, is higher ([M3], [M8]);
 * the other tells the truth. By the plan "best" they are shown all bids, and make the best joint lie.
 */
export const colluders = tunable(
  {
    plan: { default: "threshold", among: ["threshold", "best"] },
    factor: { default: 3, from: 1 },
  },
  ({ plan, factor }): AnyAgent => {
    const about =
      "Two with a shared plan: one asks for a multiple of its cost to lift the threshold that judges the other.";
    const common = { name: "colluders", about };
    const traits = { stochastic: false, learns: false } as const;
    if (plan === "best")
      return {
        ...common,
        traits: { ...traits, lies: ["price", "time", "start", "coalition"], sees: "bids" },
        bid: (view: InformedView) => (view.partner ? bestPart(view, view.partner) : truthOf(view.self)),
      };
    return {
      ...common,
      traits: { ...traits, lies: ["price", "coalition"], sees: "own" },
      bid: ({ self, partner }: View) => {
        const { price, arrival } = truthOf(self);
        return { price: partner && yields(self, partner) ? factor * price : price, arrival };
      },
    };
  },
);

/** Whose reputation costs more gives way; of two equal ones, the later id. */
function yields(self: Worker, partner: Worker): boolean {
  const [mine, theirs] = [self.cost * partner.reputation, partner.cost * self.reputation];
  return mine === theirs ? self.id > partner.id : mine > theirs;
}

/** Its own part of the best joint lie: both work out the same one. */
function bestPart({ self, rules, others, mechanism }: InformedView, partner: Worker): Offer {
  const bidding = others
    .filter(({ id }) => id !== partner.id)
    .map(({ price, ...other }) => ({ ...other, cost: price }));
  const coalitions = [[self.id, partner.id].sort((a, b) => a - b)];
  const market = { rules, workers: [self, partner, ...bidding] };
  const [pair] = coalitionResponses(market, { mechanism, coalitions }).pairs;
  const { price, arrival } = pair!.best.find(({ worker }) => worker === self.id)!;
  return { price, arrival };
}
