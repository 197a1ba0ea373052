/** The registry of mechanisms: the key is the file name and the name on the command line. */

import { approximateOptimal } from "./approximate-optimal.js";
import { bidGreedy } from "./bid-greedy.js";
import { fallingPrice } from "./falling-price.js";
import { fixedThreshold } from "./fixed-threshold.js";
import type { AnyMechanism } from "./mechanism.js";
import { multiStage } from "./multi-stage.js";
import { online } from "./online.js";
import { postedRounds } from "./posted-rounds.js";
import { proportionalShare } from "./proportional-share.js";
import { rrafl } from "./rrafl.js";
import { twoStage } from "./two-stage.js";
import { vanilla } from "./vanilla.js";

export const mechanisms = {
  online,
  "fixed-threshold": fixedThreshold,
  rrafl,
  "proportional-share": proportionalShare,
  vanilla,
  "bid-greedy": bidGreedy,
  "approximate-optimal": approximateOptimal,
  "two-stage": twoStage,
  "multi-stage": multiStage,
  "posted-rounds": postedRounds,
  "falling-price": fallingPrice,
} as const satisfies Record<string, AnyMechanism>;

export type MechanismName = keyof typeof mechanisms;
