/** The registry of mechanisms: the key is the file name and the name on the command line. */

import type { AnyMechanism } from "../mechanism.js";
import { online } from "./online.js";

export const mechanisms = { online } as const satisfies Record<string, AnyMechanism>;

export type MechanismName = keyof typeof mechanisms;
