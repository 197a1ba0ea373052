/**
 * Tolerances of computing and searching in floating point, by what each is for; all are relative. What counts as equal by the
 * rules ([M13]) is in tolerance.ts.
 */

import { EQUAL } from "./tolerance.js";

/** Roots nearer than this to the price of a run count as there ([M13]). */
export const ROOT_AT_PRICE = 4e-12;

/** What cancels out up to this is 0 ([M13]). */
export const CANCELLED = 1e-12;

/** How close a price comes to a supremum that no price attains, in price and in utility. */
export const NEAR_SUPREMUM = 0.5e-9;

/** Prices nearer than this to a breakpoint would count as ties ([M13]). */
export const BEYOND_TIE = 1.5 * (EQUAL - 1);

/** A price chosen for its few digits stays so far away from breakpoints that no comparison is a knife edge. */
export const FROM_BREAKPOINT = 1e-9;

/** A search tries prices so far on either side of a breakpoint. */
export const BESIDE_BREAKPOINT = 1e-9;

/** A decision that hangs by less than this is a knife edge ([M13]). */
export const KNIFE_EDGE_GAP = 1e-9;

/** Plain runs and pieces round differently, and a supremum is only come close to: what differs by less is alike. */
export const ALIKE = 1e-7;

/** Ties and rounding shift comparisons of a bound by less than this factor. */
export const BOUND_FACTOR = 1 + 1e-9;

/** How far a number may be from the tie that it stands for. */
export const NUMBER_OF_TIE = 1e-13;

/** Rounding up to this share of the budget is no broken promise. */
export const PROMISE_KEPT = 1e-9;
