/**
 * Formulas over truth values and amounts that are compared with each other, and whether one always holds: its opposite is
 * taken apart until each case is either contradictory, by a circle of comparisons or a truth value that is its own
 * opposite, or a counterexample. They are also written for solvers that are not ours.
 */

export type Formula =
  | { readonly kind: "is"; readonly name: string }
  /** a ≤ b, or a < b. */
  | { readonly kind: "order"; readonly a: string; readonly b: string; readonly strict: boolean }
  | { readonly kind: "not"; readonly of: Formula }
  | { readonly kind: "all" | "some"; readonly of: readonly Formula[] };

export const is = (name: string): Formula => ({ kind: "is", name });
export const atMost = (a: string, b: string): Formula => ({ kind: "order", a, b, strict: false });
export const below = (a: string, b: string): Formula => ({ kind: "order", a, b, strict: true });
export const not = (of: Formula): Formula => ({ kind: "not", of });
export const all = (...of: Formula[]): Formula => ({ kind: "all", of });
export const some = (...of: Formula[]): Formula => ({ kind: "some", of });
export const implies = (a: Formula, b: Formula): Formula => some(not(a), b);
export const same = (a: Formula, b: Formula): Formula => all(implies(a, b), implies(b, a));
export const equal = (a: string, b: string): Formula => all(atMost(a, b), atMost(b, a));

/** What has to be shown: that the hypotheses, each with its meaning, imply the conclusion. */
export interface Obligation {
  readonly name: string;
  readonly about: string;
  readonly hypotheses: readonly (readonly [words: string, formula: Formula])[];
  readonly conclusion: readonly [words: string, formula: Formula];
}

export const holds = ({ hypotheses, conclusion }: Obligation): boolean =>
  !isSatisfiable([...hypotheses.map(([, formula]) => formula), not(conclusion[1])], new Case());

/** What is known in one case. */
class Case {
  constructor(
    private readonly truths: ReadonlyMap<string, boolean> = new Map(),
    /** a ≤ b; true where a < b. */
    private readonly orders: ReadonlyMap<string, ReadonlyMap<string, boolean>> = new Map(),
  ) {}

  /** Null where the case is contradictory. */
  with(name: string, value: boolean): Case | null {
    const known = this.truths.get(name);
    if (known !== undefined) return known === value ? this : null;
    return new Case(new Map(this.truths).set(name, value), this.orders);
  }

  ordered(a: string, b: string, strict: boolean): Case | null {
    const back = this.reaches(b, a);
    if (back !== null && (strict || back)) return null;
    const from = new Map(this.orders.get(a));
    from.set(b, strict || from.get(b) === true);
    return new Case(this.truths, new Map(this.orders).set(a, from));
  }

  /** Of a formula; null where it is not known. */
  valueOf(formula: Formula): boolean | null {
    if (formula.kind === "is") return this.truths.get(formula.name) ?? null;
    if (formula.kind === "order") return this.valueOfOrder(formula.a, formula.b, formula.strict);
    if (formula.kind === "not") {
      const value = this.valueOf(formula.of);
      return value === null ? null : !value;
    }
    const values = formula.of.map((one) => this.valueOf(one));
    const decides = formula.kind === "some";
    if (values.includes(decides)) return decides;
    return values.includes(null) ? null : !decides;
  }

  private valueOfOrder(a: string, b: string, strict: boolean): boolean | null {
    const [forth, back] = [this.reaches(a, b), this.reaches(b, a)];
    if (forth !== null && (forth || !strict)) return true;
    return back !== null && (back || strict) ? false : null;
  }

  /** Whether a ≤ b is known, and a < b; null where neither is. */
  private reaches(a: string, b: string): boolean | null {
    const best = new Map<string, boolean>([[a, false]]);
    const waiting = [a];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop())
      for (const [next, strict] of this.orders.get(at) ?? []) {
        const through = best.get(at)! || strict;
        const before = best.get(next);
        if (before !== undefined && (before || !through)) continue;
        best.set(next, through);
        waiting.push(next);
      }
    return best.get(b) ?? null;
  }
}

function isSatisfiable(formulas: readonly Formula[], start: Case): boolean {
  let known: Case | null = start;
  const waiting = [...formulas];
  const choices: Formula[][] = [];
  for (let formula = waiting.pop(); formula !== undefined; formula = waiting.pop()) {
    if (formula.kind === "is") known = known.with(formula.name, true);
    else if (formula.kind === "order") known = known.ordered(formula.a, formula.b, formula.strict);
    else if (formula.kind === "all") waiting.push(...formula.of);
    else if (formula.kind === "some") choices.push([...formula.of]);
    else if (formula.kind === "not") known = denied(formula.of, known, waiting, choices);
    if (known === null) return false;
  }
  return choose(choices, known);
}

/** The opposite of a formula. */
function denied(of: Formula, known: Case, waiting: Formula[], choices: Formula[][]): Case | null {
  if (of.kind === "is") return known.with(of.name, false);
  if (of.kind === "order") return known.ordered(of.b, of.a, !of.strict);
  if (of.kind === "not") waiting.push(of.of);
  else if (of.kind === "some") for (const one of of.of) waiting.push(not(one));
  else choices.push(of.of.map((one) => not(one)));
  return known;
}

/** Cases that are left open: those are taken apart first of which least is left. */
function choose(choices: readonly (readonly Formula[])[], known: Case): boolean {
  const open: (readonly Formula[])[] = [];
  for (const choice of choices) {
    const values = choice.map((one) => known.valueOf(one));
    if (!values.includes(true)) open.push(choice.filter((_, k) => values[k] === null));
  }
  if (open.length === 0) return true;
  const first = open.reduce((least, one) => (one.length < least.length ? one : least));
  const left: Formula[] = open.filter((one) => one !== first).map((of) => ({ kind: "some", of }));
  return first.some((one) => isSatisfiable([...left, one], known));
}

/** In SMT-LIB 2: unsatisfiable if and only if the obligation holds. */
export function toSmt({ name, about, hypotheses, conclusion }: Obligation): string {
  const [truths, amounts] = namesIn([...hypotheses, conclusion].map(([, formula]) => formula));
  return [
    `; ${name}: ${about}`,
    "; Amounts are per unit of the worker's own reputation. Must be unsat.",
    "(set-logic QF_LRA)",
    ...[...truths].sort().map((one) => `(declare-const ${one} Bool)`),
    ...[...amounts].sort().map((one) => `(declare-const ${one} Real)`),
    ...hypotheses.flatMap(([words, formula]) => [`; ${words}`, `(assert ${smt(formula)})`]),
    `; not: ${conclusion[0]}`,
    `(assert (not ${smt(conclusion[1])}))`,
    "(check-sat)",
    "",
  ].join("\n");
}

function smt(formula: Formula): string {
  if (formula.kind === "is") return formula.name;
  if (formula.kind === "order") return `(${formula.strict ? "<" : "<="} ${formula.a} ${formula.b})`;
  if (formula.kind === "not") return `(not ${smt(formula.of)})`;
  const [sign, none] = formula.kind === "all" ? ["and", "true"] : ["or", "false"];
  return formula.of.length === 0 ? none : `(${sign} ${formula.of.map(smt).join(" ")})`;
}

function namesIn(formulas: readonly Formula[]): [truths: Set<string>, amounts: Set<string>] {
  const [truths, amounts] = [new Set<string>(), new Set<string>()];
  const look = (formula: Formula): void => {
    if (formula.kind === "is") truths.add(formula.name);
    else if (formula.kind === "order") for (const one of [formula.a, formula.b]) amounts.add(one);
    else if (formula.kind === "not") look(formula.of);
    else formula.of.forEach(look);
  };
  formulas.forEach(look);
  return [truths, amounts];
}
