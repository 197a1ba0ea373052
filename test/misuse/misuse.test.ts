/** A fixed third of the registry; `test/long` has all of it, and every command. */

import { misuseContract } from "./contract.js";
import { misuses } from "./programs.js";

misuseContract(misuses.filter((_, k) => k % 3 === 0));
