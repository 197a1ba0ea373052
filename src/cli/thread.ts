/** The module that runs in each thread which computes chunks of studies. */

import { threadFunctions } from "../study/threads.js";
import { program } from "./program.js";
import { resolver } from "./resolve.js";
import { checkUserCode, hostUserCode } from "./user-code.js";

const lost = new Promise<never>((_, reject) => hostUserCode({ onLost: reject }));
lost.catch(() => {});

const { compute, preflight } = threadFunctions(resolver, program, { lost, check: checkUserCode });

export { preflight };

export default compute;
