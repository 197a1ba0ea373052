/** An analysis that stands in the appendix. */

import type { Analysis } from "candor";
import fixture from "./fixture.js";

export default {
  ...fixture,
  name: "appended",
  question: "What does the best gain depend on?",
  part: "appendix",
  settings: () => ({ markets: 2 }),
  charts: () => fixture.charts().filter(({ name }) => name === "trend"),
} satisfies Analysis<{ markets: number }>;
