/**
 * The steps of the inductions over a sample that the contracts of shares rest on, for solvers of nonlinear arithmetic: each must
 * be unsat. That these steps make up the inductions is the written argument that a proof is given.
 *
 * A sample is gone through by increasing density. With s taken so far the next worker, of density d and reputation re, is taken if
 * d (s + re) ≤ b, where b = β / s rounds; else the result is min(b / s, d). At the end it is b / s.
 */

import type { ContractName } from "./contracts.js";

export interface LemmaStep {
  readonly name: string;
  readonly contract: ContractName;
  readonly about: string;
  readonly given: readonly string[];
  readonly conclusion: string;
}

const fits = (d: string, re: string, s: string) => `(<= (* ${d} (+ ${s} ${re})) b)`;
/** m = min(b / s, d); d where nothing is taken. */
const stops = (m: string, d: string, s: string) =>
  `(and (<= ${m} ${d}) (<= (* ${m} ${s}) b) (or (= ${m} ${d}) (and (> ${s} 0) (= (* ${m} ${s}) b))))`;
const ends = (m: string, s: string) => `(and (> ${s} 0) (= (* ${m} ${s}) b))`;
const not = (one: string) => `(not ${one})`;

export const lemmaSteps: readonly LemmaStep[] = [
  {
    name: "least-at-the-end",
    contract: "falls",
    about: "the result is at least y, where y s ≤ b and y is at most all densities left: at the end",
    given: [ends("m", "s"), "(<= (* y s) b)"],
    conclusion: "(<= y m)",
  },
  {
    name: "least-where-it-stops",
    contract: "falls",
    about: "the same, where the next worker is not taken",
    given: [not(fits("d", "re", "s")), stops("m", "d", "s"), "(<= y d)", "(<= (* y s) b)"],
    conclusion: "(<= y m)",
  },
  {
    name: "least-when-it-takes",
    contract: "falls",
    about: "the same, where the next worker is taken: the hypothesis holds for what is left",
    given: [fits("d", "re", "s"), "(<= y d)"],
    conclusion: "(<= (* y (+ s re)) b)",
  },
  {
    name: "most-where-it-stops",
    contract: "critical",
    about: "the result times s is at most b: where the next worker is not taken",
    given: [stops("m", "d", "s")],
    conclusion: "(<= (* m s) b)",
  },
  {
    name: "most-when-it-takes",
    contract: "critical",
    about: "the same, where the next worker is taken",
    given: ["(<= (* m (+ s re)) b)"],
    conclusion: "(<= (* m s) b)",
  },
  {
    name: "more-taken-at-the-end",
    contract: "falls",
    about: "with more taken before, the result is no more: at the end",
    given: ["(<= s s2)", ends("m", "s"), ends("m2", "s2")],
    conclusion: "(<= m2 m)",
  },
  {
    name: "more-taken-both-stop",
    contract: "falls",
    about: "the same, where the next worker is taken in neither",
    given: ["(<= s s2)", stops("m", "d", "s"), stops("m2", "d", "s2")],
    conclusion: "(<= m2 m)",
  },
  {
    name: "more-taken-takes-less",
    contract: "falls",
    about: "whoever is taken with more before is taken with less",
    given: ["(<= s s2)", fits("d", "re", "s2")],
    conclusion: fits("d", "re", "s"),
  },
  {
    name: "more-taken-stops-first",
    contract: "falls",
    about:
      "with more taken it stops, with less it goes on: what it stops at fits what is left, so the other result is at least that",
    given: ["(<= s s2)", fits("d", "re", "s"), not(fits("d", "re", "s2")), stops("m2", "d", "s2")],
    conclusion: "(and (<= m2 d) (<= (* m2 (+ s re)) b))",
  },
  {
    name: "one-more-is-not-taken",
    contract: "falls",
    about:
      "one more worker that is not taken: what it stops at fits what is left, so the result without it is at least that",
    given: [not(fits("d", "re", "s")), stops("m2", "d", "s")],
    conclusion: "(and (<= m2 d) (<= (* m2 s) b))",
  },
  {
    name: "critical-next-and-refused",
    contract: "critical",
    about:
      "the worker of density x and reputation R comes next and is not taken: x is above the result k that it would get",
    given: ["(> (* x (+ s R)) b)", "(<= (* k (+ s R)) b)"],
    conclusion: "(< k x)",
  },
  {
    name: "critical-one-before-fits-with-it",
    contract: "critical",
    about: "one before the worker that is taken beside it is taken without it too",
    given: [fits("d", "re", "(+ s R)")],
    conclusion: fits("d", "re", "s"),
  },
  {
    name: "critical-one-before-fits-without-it-only",
    contract: "critical",
    about:
      "one before the worker is taken only without it: the worker is never taken, and asks no less than k",
    given: [
      fits("d", "re", "s"),
      not(fits("d", "re", "(+ s R)")),
      "(<= d x)",
      stops("k", "d", "(+ s R)"),
      "(<= (+ s re) s2)",
    ],
    conclusion: "(and (<= k x) (> (* x (+ s2 R)) b))",
  },
  {
    name: "critical-one-before-stops-it",
    contract: "critical",
    about:
      "one before the worker is not taken: so it would not be beside it, and the worker asks no less than k",
    given: [not(fits("d", "re", "s")), "(<= d x)", stops("k", "d", "(+ s R)")],
    conclusion: `(and (<= k x) ${not(fits("d", "re", "(+ s R)"))})`,
  },
];

const above = new Set(["re", "R"]);

export function lemmaText({ name, about, given, conclusion }: LemmaStep): string {
  const used = [...given, conclusion].join(" ");
  const names = ["b", "d", "k", "m", "m2", "re", "R", "s", "s2", "x", "y"].filter((one) =>
    new RegExp(`[ (]${one}[ )]`).test(used),
  );
  return [
    `; ${name}: ${about}. Must be unsat.`,
    "(set-logic QF_NRA)",
    ...names.map((one) => `(declare-const ${one} Real)`),
    ...names.map((one) => `(assert (${above.has(one) ? ">" : ">="} ${one} 0))`),
    ...given.map((one) => `(assert ${one})`),
    `(assert (not ${conclusion}))`,
    "(check-sat)",
    "",
  ].join("\n");
}
