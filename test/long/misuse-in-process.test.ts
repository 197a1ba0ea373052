/** The whole registry in this process. */

import { misuseContract } from "../misuse/contract.js";
import { misuses } from "../misuse/programs.js";

misuseContract(misuses);
