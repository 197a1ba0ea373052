import { type Agent, tunable } from "../src/agents/agent.js";
import { truthful } from "./truthful.js";

export const freeloader = tunable(
  { share: { default: 0.1, from: 0, to: 1 } },
  ({ share }): Agent => ({
    ...truthful,
    name: "freeloader",
    about: "Bids the truth, but trains on a share of its data only: a tenth.",
    traits: { ...truthful.traits, lies: ["effort"] },
    effort: () => share,
  }),
);
