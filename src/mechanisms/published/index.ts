/** Published mechanisms, restated from their sources: the key is the file name and the name on the command line. */

import type { Mechanism } from "../../auction/mechanism.js";
import { badanidiyuru } from "./badanidiyuru.js";
import { chenGravinLu } from "./chen-gravin-lu.js";
import { clockAuction } from "./clock-auction.js";
import { firstPrice } from "./first-price.js";
import { flim } from "./flim.js";
import { fmoreFirstScore } from "./fmore-first-score.js";
import { fmoreSecondScore } from "./fmore-second-score.js";
import { postedPrice } from "./posted-price.js";
import { singer } from "./singer.js";
import { uniformPrice } from "./uniform-price.js";
import { vcg } from "./vcg.js";
import { vickrey } from "./vickrey.js";
import { zhaoOmz } from "./zhao-omz.js";

export const published = {
  "first-price": firstPrice,
  vickrey,
  "uniform-price": uniformPrice,
  vcg,
  "posted-price": postedPrice,
  "clock-auction": clockAuction,
  singer,
  "chen-gravin-lu": chenGravinLu,
  "zhao-omz": zhaoOmz,
  badanidiyuru,
  "fmore-first-score": fmoreFirstScore,
  "fmore-second-score": fmoreSecondScore,
  flim,
} as const satisfies Record<string, Mechanism>;
