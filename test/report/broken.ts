/** An analysis that fails. */

import { type Analysis, collectJob } from "candor";

export default {
  name: "broken",
  question: "What does a failure look like?",
  settings: () => ({}),
  plan: () => [],
  job: collectJob(
    () => 0,
    () => 1,
  ),
  conclude: () => {
    throw new Error("<b>no market</b> was found");
  },
  tables: () => [],
  charts: () => [],
  findings: () => [],
  methods: () => [],
} satisfies Analysis;
