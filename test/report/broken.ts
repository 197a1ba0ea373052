/** An analysis that fails. */

import type { StepwiseAnalysis } from "candor";

const broken: StepwiseAnalysis = {
  name: "broken",
  question: "What does a failure look like?",
  async run() {
    throw new Error("<b>no market</b> was found");
  },
};

export default broken;
