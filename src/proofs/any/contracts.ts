/** What the building blocks promise for any number of workers, each with how it is checked. */

export interface Contract {
  readonly statement: string;
  /** How it is checked, in words. */
  readonly checks: readonly string[];
  /** Whether it rests on a written argument: a proof that uses it is a proof given it. */
  readonly written: boolean;
}

export const contracts = {
  same: {
    statement: "What is made of the same bids, clock ticks and amounts in both runs is the same.",
    checks: ["by construction: an unknown is named after all that it is made of"],
    written: false,
  },
  order: {
    statement: "Who stands before a worker in an order of reputations does not depend on bids.",
    checks: ["by construction: the order is asked for without bids"],
    written: false,
  },
  purse: {
    statement:
      "What is spent of a purse changes by offers and raises alone, which spend no more than its limit.",
    checks: ["by construction: a purse is changed by blocks only, and its limit never"],
    written: false,
  },
  shares: {
    statement: "A proportional share [M3] pays at most β in all.",
    checks: ["by its rule: the density is at most β / (s · Σ Re) of those taken"],
    written: false,
  },
  critical: {
    statement:
      "A proportional share [M3] takes a worker below a density that the others, β and s set, not above it, and pays it that density whenever it is taken.",
    checks: [
      "a written proof (Lemma 1)",
      "all markets of up to 3 workers by cells, and random ones, in the tests",
    ],
    written: true,
  },
  falls: {
    statement:
      "The density that a proportional share [M3] sets, and the critical one of a worker, do not rise as more workers come, β / s being fixed.",
    checks: [
      "induction over the sample: its steps are unsat for z3 and cvc5 (--smt2); that they make up the induction is a written argument",
      "random markets in exact fractions, in the tests",
    ],
    written: true,
  },
} as const satisfies Record<string, Contract>;

export type ContractName = keyof typeof contracts;
