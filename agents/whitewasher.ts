import { type Agent, tunable } from "../src/agents/agent.js";
import { truthful } from "./truthful.js";

export const whitewasher = tunable(
  {
    /** How far below a newcomer's its reputation must be. */
    margin: { default: 0, from: 0, to: 1 },
    /** The share of its data it trains on. */
    effort: { default: 1, from: 0, to: 1 },
  },
  ({ margin, effort }): Agent => ({
    ...truthful,
    name: "whitewasher",
    about:
      "Takes a new name when its reputation has fallen below that of a newcomer, by more than a margin; otherwise truthful.",
    traits: { ...truthful.traits, lies: effort < 1 ? ["identity", "effort"] : ["identity"] },
    renames: ({ self }, newcomer) => self.reputation < newcomer - margin,
    effort: () => effort,
  }),
);
