/** An analysis that fails. */

import type { Analysis } from "candor";

const broken: Analysis = {
  name: "broken",
  question: "What does a failure look like?",
  async run() {
    throw new Error("<b>no market</b> was found");
  },
};

export default broken;
