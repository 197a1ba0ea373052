import * as fc from "fast-check";

/** One seed for every run, so that a green build stays green; FC_SEED=… draws other markets. */
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 1) });
