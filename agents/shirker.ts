import { type Agent, tunable } from "../src/agents/agent.js";
import { truthful } from "./truthful.js";

export const shirker = tunable(
  { sends: { default: "model", among: ["model", "noise"] } },
  ({ sends }): Agent => ({
    ...truthful,
    name: "shirker",
    about: "Bids the truth, but does not train: sends back the model it was given, or that and noise.",
    traits: { ...truthful.traits, lies: ["effort"] },
    effort: () => (sends === "noise" ? "noise" : 0),
  }),
);
