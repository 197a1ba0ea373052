/** Random programs, of amounts so coarse that ties are everywhere. */

import * as fc from "fast-check";
import type { Action, Again, Condition, Order, ProgramData, Quantity, Step } from "./program.js";

const numbers = fc.constantFrom(0, 0.1, 0.3, 0.5, 0.6, 0.7, 1, 1.5, 2, 3);
const shares = fc.constantFrom(0.1, 0.2, 0.25, 0.3, 0.5, 0.7, 1);
const factors = fc.constantFrom(0.5, 0.9, 1.5, 2, 3, -1);
const what = fc.constantFrom("price" as const, "density" as const);

const learned = fc.record({
  kind: fc.constant("learned" as const),
  from: fc.constantFrom("all" as const, "others" as const, "own group" as const, "other group" as const),
  by: fc.constantFrom("ever" as const, "now" as const, "before" as const),
  buys: fc.constantFrom(1 as const, 2 as const),
  share: shares,
  otherwise: numbers,
});

const plain: fc.Arbitrary<Quantity> = fc.oneof(
  { weight: 3, arbitrary: numbers.map((value): Quantity => ({ kind: "number", value })) },
  { weight: 2, arbitrary: shares.map((share): Quantity => ({ kind: "budget", share })) },
  { weight: 3, arbitrary: what.map((one): Quantity => ({ kind: "own", what: one })) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("neighbour" as const),
      what,
      step: fc.constantFrom(1 as const, -1 as const),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Quantity>({ kind: "left" }) },
  { weight: 3, arbitrary: learned },
);

const { quantity } = fc.letrec<{ quantity: Quantity }>((tie) => ({
  quantity: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    { weight: 4, arbitrary: plain },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom("plus" as const, "minus" as const, "smaller" as const, "larger" as const),
        a: tie("quantity"),
        b: tie("quantity"),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("scaled" as const), by: factors, a: tie("quantity") }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constantFrom("times Re" as const, "over Re" as const),
        a: tie("quantity"),
      }),
    },
  ),
}));

const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 2, depthSize: "small" },
    { weight: 2, arbitrary: fc.constant<Condition>({ kind: "always" }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("at most" as const), a: quantity, b: quantity }) },
    { weight: 3, arbitrary: fc.constant<Condition>({ kind: "has come" }) },
    { weight: 1, arbitrary: fc.nat({ max: 3 }).map((clock): Condition => ({ kind: "came by", clock })) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(0 as const, 1 as const)
        .map((group): Condition => ({ kind: "group", group })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(0.5, 1).map((least): Condition => ({ kind: "reputed", least })),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("not" as const), a: tie("condition") }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom("both" as const, "either" as const),
        a: tie("condition"),
        b: tie("condition"),
      }),
    },
  ),
}));

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant("offer" as const), threshold: fc.option(quantity) }),
  fc.record({
    kind: fc.constant("hire" as const),
    payment: quantity,
    fits: fc.boolean(),
    records: fc.boolean(),
  }),
);

const again: fc.Arbitrary<Again> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("raise" as const),
      threshold: quantity,
      reading: fc.constantFrom("prose" as const, "pseudocode" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("bonus" as const), amount: quantity }) },
);

const order: fc.Arbitrary<Order> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "density" as const,
      "price" as const,
      "reputation" as const,
      "increasing reputation" as const,
      "id" as const,
    ),
  },
  { weight: 1, arbitrary: quantity },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("line" as const),
      order,
      when: condition,
      action,
      again: fc.option(again),
      stops: fc.boolean(),
      most: fc.option(fc.integer({ min: 1, max: 2 }), { freq: 3 }),
      times: fc.constantFrom("once" as const, "rounds" as const, "each round" as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("first step" as const),
      group: fc.constantFrom(null, null, 0 as const, 1 as const),
      share: shares,
      enough: fc.integer({ min: 0, max: 2 }),
      waits: fc.boolean(),
      paysFromPurse: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("across" as const), share: shares, raises: fc.boolean() }),
  },
);

/** Of at most so many steps. A first step may stand first only: who starts late works fewer rounds. */
const programsOf = (most: number): fc.Arbitrary<ProgramData> =>
  fc.record({
    purses: fc.constantFrom("one" as const, "per group" as const, "per step" as const, "per round" as const),
    limits: fc.tuple(shares, shares),
    steps: fc
      .array(step, { minLength: 1, maxLength: most })
      .map((steps) => steps.filter(({ kind }, k) => kind !== "first step" || k === 0))
      .filter(({ length }) => length > 0),
  });

export const programs = programsOf(3);

/** Shorter ones: a proof over all costs goes through hundreds of cells for each step. */
export const shortPrograms = fc.oneof(
  { weight: 3, arbitrary: programsOf(1) },
  { weight: 1, arbitrary: programsOf(2) },
);
