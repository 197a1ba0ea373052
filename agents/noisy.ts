import { tunable, withNoise } from "../src/agents/agent.js";
import { truthful } from "./truthful.js";

export const noisy = tunable({ sd: { default: 0.1, from: 0 } }, ({ sd }) => ({
  ...withNoise(truthful, sd),
  name: "noisy",
  about: "Means to tell the truth, but knows its cost only roughly: log-normal with deviation sd.",
}));
