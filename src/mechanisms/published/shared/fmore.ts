/** What the two payment rules of FMore have in common. */

import type { Auction, Candidate } from "../../../auction/auction.js";
import type { Mechanism } from "../../../auction/mechanism.js";

export const fmoreOptions = {
  winners: { default: 2, from: 1, whole: true },
  weight: { default: 1, from: 0 },
} as const;

/** By decreasing score, weight · Re − price. */
export const byScore = ({ math, workers }: Auction, weight: number): Candidate[] =>
  math.sorted(workers, ({ price, reputation }) =>
    math.minus(price, math.times(math.known(weight), reputation)),
  );

export const fmore = {
  source:
    "Zeng et al. 2020, FMore: An Incentive Scheme of Multi-dimensional Auction for Federated Learning in MEC (abstract read, the rule is second-hand).",
  year: 2020,
  adapted:
    "The paper's bids hold several qualities and a price; here the quality is the reputation, which is public, so that only the price can be a lie. Winners work all rounds.",
  comparison: "published",
  offline: true,
  uses: { reputations: true, rounds: true, budget: false, groups: false, start: false },
  keepsBudget: () => false,
  claims: [
    { property: "P1", where: "By the rule: a winner is paid no less than it asks." },
    {
      property: "P5",
      quote: "Our proposal FMore not only is lightweight and incentive compatible",
      where:
        "Abstract, which does not say of what; read here as: no misstated price gains. It also presents a Nash equilibrium strategy, so that the paper may mean less than this.",
    },
  ],
} as const satisfies Partial<Mechanism>;
