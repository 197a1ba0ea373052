/**
 * What is shown of a worker that tells the truth (T) and of the same worker lying (L), by induction over the rounds: the
 * invariants, with as many hypotheses as the runs of a program gave. All amounts are per unit of the worker's reputation and
 * round: the cost r, the price p that the lie states, offers, what was promised.
 */

import {
  all,
  atMost,
  below,
  equal,
  type Formula,
  implies,
  is,
  not,
  type Obligation,
  same,
  some,
} from "./formulas.js";

type Hypothesis = readonly [words: string, formula: Formula];

const [r, p] = ["r", "p"];
const here: Hypothesis = ["a lie about the arrival only comes later", implies(is("hereL"), is("hereT"))];
const sameMoney = (when: Formula): Hypothesis => [
  "whether the payment fits is the same in both runs",
  implies(when, same(is("fitsT"), is("fitsL"))),
];
const sameOffers: Hypothesis = [
  "what is offered, if anything is, is the same in both runs",
  all(same(is("offeredT"), is("offeredL")), equal("offerT", "offerL")),
];

const takes = (run: "T" | "L", price: string, also: Formula): Hypothesis => [
  `${run} takes the offer if it asks no more and it fits`,
  same(
    is(`takes${run}`),
    all(is(`here${run}`), is(`offered${run}`), atMost(price, `offer${run}`), is(`fits${run}`), also),
  ),
];

/** In a share with the worker in it: taken below what is critical, and at it if ties allow. */
const taken = (run: "T" | "L", price: string): Hypothesis => [
  `${run} is taken below its critical density, not above it, and at it as ties are broken`,
  same(
    is(`takes${run}`),
    all(
      is(`here${run}`),
      some(below(price, `critical${run}`), all(equal(price, `critical${run}`), is("tie"))),
    ),
  ),
];

const always = all();

/** What the runs of a program showed of one decision. */
export interface SaleFacts {
  readonly kind: "offer" | "share";
  readonly sameOffers: boolean;
  readonly sameMoney: boolean;
}

/** A round, or a single decision, that is bought for itself: no lie gets more out of it than the truth. */
export function saleObligation(facts: SaleFacts): Obligation {
  const paid = facts.kind === "offer" ? "offer" : "critical";
  const hypotheses =
    facts.kind === "offer"
      ? [
          here,
          takes("T", r, always),
          takes("L", p, always),
          ...(facts.sameOffers ? [sameOffers] : []),
          ...(facts.sameMoney ? [sameMoney(always)] : []),
        ]
      : [here, taken("T", r), taken("L", p), ...(facts.sameOffers ? [sameCritical] : [])];
  return {
    name: facts.kind === "offer" ? "offer-for-itself" : "share-for-itself",
    about: "of what is bought for itself the lie gets no more than the truth",
    hypotheses,
    conclusion: [
      "where the lie earns something, the truth earns as much",
      implies(all(is("takesL"), below(r, `${paid}L`)), all(is("takesT"), atMost(`${paid}L`, `${paid}T`))),
    ],
  };
}

const sameCritical: Hypothesis = [
  "what is critical is the same in both runs",
  equal("criticalT", "criticalL"),
];

/** T admitted: its promise covers the cost. L admitted at a promise above the cost: so is T, at no less. */
const invariant = (after: "" | "1"): Formula =>
  all(
    implies(is(`admittedT${after}`), atMost(r, `promiseT${after}`)),
    implies(
      all(is(`admittedL${after}`), below(r, `promiseL${after}`)),
      all(is(`admittedT${after}`), atMost(`promiseL${after}`, `promiseT${after}`)),
    ),
  );

/** Offers never rise: who is admitted was promised no less than all later offers. */
const onTop = (after: "" | "1"): Formula =>
  all(
    ...["T", "L"].map((run) =>
      implies(is(`admitted${run}${after}`), atMost(`top${after}`, `promise${run}${after}`)),
    ),
  );

/** What the runs of a program showed of one round of those in which workers are admitted for good. */
export interface RoundFacts {
  readonly sameOffers: boolean;
  /** The same until one of the runs has admitted the worker. */
  readonly sameMoney: boolean;
  /** No offer is above one before it. */
  readonly falls: boolean;
  /** Whether workers that were admitted are raised to the offers of later rounds. */
  readonly raises: boolean;
}

/** The round keeps the invariant; with `enough`, money never turns the truthful worker down. */
export function roundObligation(facts: RoundFacts, enough: boolean): Obligation {
  const neither = all(not(is("admittedT")), not(is("admittedL")));
  const { falls, raises } = facts;
  const before = falls ? all(invariant(""), onTop("")) : invariant("");
  const after = falls ? all(invariant("1"), onTop("1")) : invariant("1");
  return {
    name: enough ? "round-money-never-decides" : "round",
    about: "one round keeps the invariant of those who are admitted for good",
    hypotheses: [
      ["the invariant before the round", before],
      here,
      takes("T", r, not(is("admittedT"))),
      takes("L", p, not(is("admittedL"))),
      ...(facts.sameOffers ? [sameOffers] : []),
      ...(facts.sameMoney ? [sameMoney(neither)] : []),
      ...(enough ? [["money never turns the truthful worker down", is("fitsT")] as const, stillHere] : []),
      ...(falls ? [offersFall] : []),
      ...(["T", "L"] as const).flatMap((run) => promised(run, { raises, inFull: run === "T" && enough })),
    ],
    conclusion: ["the invariant after the round", after],
  };
}

const stillHere: Hypothesis = ["who was admitted has come", implies(is("admittedL"), is("hereL"))];

const offersFall: Hypothesis = [
  "top bounds this offer and all later ones; after the round this offer does",
  all(atMost("top1", "top"), implies(is("offeredT"), all(atMost("offerT", "top"), atMost("top1", "offerT")))),
];

/** Admission and raises: the truth's is paid in full where money never decides; else any part of a raise may be left out. */
function promised(run: "T" | "L", { raises, inFull }: { raises: boolean; inFull: boolean }): Hypothesis[] {
  const [before, now, offer] = [`promise${run}`, `promise${run}1`, `offer${run}`];
  const up = all(is(`offered${run}`), below(before, offer));
  const raised = inFull
    ? all(implies(up, equal(now, offer)), implies(not(up), equal(now, before)))
    : all(implies(up, atMost(now, offer)), implies(not(up), equal(now, before)));
  return [
    [
      `${run} is admitted if it was before or takes the offer`,
      same(is(`admitted${run}1`), some(is(`admitted${run}`), is(`takes${run}`))),
    ],
    [`${run} is promised the offer that it takes`, implies(is(`takes${run}`), equal(now, offer))],
    [
      raises
        ? `${run}, admitted before, is raised to a higher offer${inFull ? "" : " at most"}`
        : `${run}, admitted before, keeps its promise`,
      implies(is(`admitted${run}`), raises ? raised : equal(now, before)),
    ],
  ];
}

export interface StartFacts {
  /** What is critical at the first step is the same at the same clock tick. */
  readonly sameCritical: boolean;
  /** It never is more at a later clock tick. */
  readonly criticalFalls: boolean;
}

/** The first step, at the same clock tick in both runs, or at a later one in the lying run. */
export function startObligation(facts: StartFacts, effect: "kept" | "delayed"): Obligation {
  const kept = effect === "kept";
  return {
    name: `first-step-${effect}`,
    about: "the first step gives the invariant of those who are admitted for good",
    hypotheses: [
      kept ? here : ["only who has come by the truthful start can delay it", is("hereT")],
      taken("T", r),
      ...(kept ? [taken("L", p)] : []),
      ...(kept && facts.sameCritical ? [sameCritical] : []),
      ...(!kept && facts.criticalFalls
        ? [["what is critical is not more at the later start", atMost("criticalL", "criticalT")] as const]
        : []),
      [
        "whom the first step takes is admitted",
        all(same(is("admittedL1"), is("takesL")), implies(is("takesT"), is("admittedT1"))),
      ],
      ["L is promised what is critical", equal("promiseL1", "criticalL")],
      kept
        ? [
            "T is admitted if it is taken, and promised what is critical",
            all(same(is("admittedT1"), is("takesT")), equal("promiseT1", "criticalT")),
          ]
        : [
            "T may have been raised, or admitted, since",
            all(
              implies(is("takesT"), atMost("criticalT", "promiseT1")),
              implies(is("admittedT1"), atMost(r, "promiseT1")),
            ),
          ],
    ],
    conclusion: ["the invariant after the first step", invariant("1")],
  };
}

/** What the invariant is for: in every round the lie earns no more than the truth. */
export const earningsObligation: Obligation = {
  name: "earnings",
  about: "where the invariant holds, the lie earns no more in a round than the truth",
  hypotheses: [["the invariant", invariant("")]],
  conclusion: [
    "the lie earns nothing, or the truth earns as much",
    all(
      implies(
        all(is("admittedL"), below(r, "promiseL")),
        all(is("admittedT"), atMost("promiseL", "promiseT")),
      ),
      implies(is("admittedT"), atMost(r, "promiseT")),
    ),
  ],
};
