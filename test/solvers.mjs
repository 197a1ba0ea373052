/** Proofs are handed to solvers that are not ours. */

import { ensure } from "./debian.mjs";

for (const name of ["z3", "cvc5"])
  ensure({ path: `/usr/bin/${name}`, package: name, why: "proofs that others check" });
