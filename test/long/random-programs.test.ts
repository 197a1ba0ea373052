/** Two thousand random programs over the building blocks of an auction, held to blocks written a second time and to brute force. */

import { randomPrograms } from "../random-programs/suite.js";

randomPrograms({ runs: 2000, contracts: 2000, responses: 2000, proofs: 2000 });
