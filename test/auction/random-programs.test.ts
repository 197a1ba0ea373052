/** A few random programs over the building blocks of an auction; test/long/ has two thousand. */

import { randomPrograms } from "../random-programs/suite.js";

randomPrograms({ runs: 100, contracts: 20, responses: 20, proofs: 20 });
