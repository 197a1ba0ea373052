/** The module that runs in each thread which computes chunks of studies. */

import { threadFunctions } from "../study/threads.js";
import { program } from "./program.js";
import { resolver } from "./resolve.js";

const { compute, preflight } = threadFunctions(resolver, program);

export { preflight };

export default compute;
