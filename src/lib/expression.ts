/**
 * Formulas a user writes (`re/3 + 1/15 + u/5`): read by a parser of our own straight into closures, so that nothing but
 * numbers, the named variables and the listed functions can be reached.
 */

import { clip, didYouMean, InputError, plainError } from "./errors.js";

/** A compiled expression; whatever it gives is a finite number, or it throws an InputError. */
type Expression = (scope: Readonly<Record<string, number>>) => number;

const LONGEST = 1000;

/**
 * Reads an expression over the given variables. A comparison counts as 1 or 0. The source ("--cost") starts every
 * message, at once for what is not allowed and later for a value that is not finite.
 */
export function parseExpression(text: string, variables: readonly string[], source: string): Expression {
  if (text.trim() === "") throw plainError(source, "the expression is empty");
  if (text.length > LONGEST) throw plainError(source, `the expression is longer than ${LONGEST} characters`);
  const run = new Parser(text, { variables, source }).whole();
  return (scope) => {
    const value = run(scope);
    if (Number.isFinite(value)) return value;
    const given = variables.map((name) => `${name} = ${scope[name]}`).join(", ");
    throw plainError(
      source,
      `${clip(text)} gives ${value}${given && ` for ${given}`}; must be a finite number`,
    );
  };
}

interface Bounds {
  readonly variables: readonly string[];
  readonly source: string;
}

interface Token {
  readonly kind: "number" | "name" | "sign" | "end";
  readonly text: string;
  /** Where it begins, from 1. */
  readonly at: number;
}

const TOKEN =
  /\s*(?:(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<name>[\p{L}_$][\p{L}\d_$]*)|(?<sign>[<>=!]=|[^\s]))/gu;

function tokensOf(text: string): Token[] {
  const tokens = [...text.trimEnd().matchAll(TOKEN)].map((match): Token => {
    const { number, name, sign = "" } = match.groups!;
    const [kind, found] = number
      ? (["number", number] as const)
      : name
        ? (["name", name] as const)
        : (["sign", sign] as const);
    return { kind, text: found, at: match.index + match[0].length - found.length + 1 };
  });
  return [...tokens, { kind: "end", text: "", at: text.trimEnd().length + 1 }];
}

/** Recursive descent, a method per level of precedence, the loosest first. */
class Parser {
  private readonly tokens: readonly Token[];
  private place = 0;

  constructor(
    private readonly text: string,
    private readonly bounds: Bounds,
  ) {
    this.tokens = tokensOf(text);
  }

  whole(): Expression {
    const run = this.choice();
    if (this.next.kind !== "end") throw this.unexpected();
    return run;
  }

  private get next(): Token {
    return this.tokens[this.place]!;
  }

  /** The next token's text if it is one of these, which is then read. */
  private take(...texts: readonly string[]): string | undefined {
    const { kind, text } = this.next;
    if (kind === "number" || kind === "end" || !texts.includes(text)) return undefined;
    this.place++;
    return text;
  }

  private demand(text: string): void {
    if (this.take(text) === undefined) throw this.unexpected();
  }

  private choice(): Expression {
    const test = this.comparison();
    if (!this.take("?")) return test;
    const yes = this.choice();
    this.demand(":");
    const no = this.choice();
    return (scope) => {
      const verdict = test(scope);
      return Number.isNaN(verdict) ? verdict : verdict !== 0 ? yes(scope) : no(scope);
    };
  }

  /** `a < b`, and chains such as `0 < a <= b`. */
  private comparison(): Expression {
    const sides = [this.sum()];
    const holds: ((a: number, b: number) => boolean)[] = [];
    for (let sign = this.take(...comparisons.keys()); sign; sign = this.take(...comparisons.keys())) {
      holds.push(comparisons.get(sign)!);
      sides.push(this.sum());
    }
    if (holds.length === 0) return sides[0]!;
    return (scope) => {
      const values = sides.map((side) => side(scope));
      if (values.some(Number.isNaN)) return Number.NaN;
      return holds.every((hold, k) => hold(values[k]!, values[k + 1]!)) ? 1 : 0;
    };
  }

  private sum(): Expression {
    return this.leftToRight(["+", "-"], () => this.product());
  }

  private product(): Expression {
    return this.leftToRight(["*", "/", "mod", "%"], () => this.signed());
  }

  private leftToRight(signs: readonly string[], operand: () => Expression): Expression {
    let run = operand();
    for (let sign = this.take(...signs); sign; sign = this.take(...signs)) {
      const [left, right, operate] = [run, operand(), operators.get(sign)!];
      run = (scope) => operate(left(scope), right(scope));
    }
    return run;
  }

  /** A sign binds looser than a power: -x^2 is -(x^2), and 2^-1 is a half. */
  private signed(): Expression {
    if (this.take("+")) return this.signed();
    if (this.take("-")) {
      const run = this.signed();
      return (scope) => -run(scope);
    }
    const base = this.operand();
    if (!this.take("^")) return base;
    const exponent = this.signed();
    return (scope) => base(scope) ** exponent(scope);
  }

  private operand(): Expression {
    const { kind, text } = this.next;
    if (kind === "number") return this.number();
    if (kind === "name") {
      this.place++;
      return this.take("(") ? this.call(text) : this.variable(text);
    }
    this.demand("(");
    const inside = this.choice();
    this.demand(")");
    return inside;
  }

  private number(): Expression {
    const { text } = this.next;
    const value = Number(text);
    if (!Number.isFinite(value)) throw refusal(text, this.bounds);
    this.place++;
    const { kind, text: after } = this.next;
    if ((kind === "name" && after !== "mod") || after === "(")
      throw plainError(this.bounds.source, `cannot read ${this.quoted}: write ${text} * ${after}`);
    return () => value;
  }

  private variable(name: string): Expression {
    if (this.bounds.variables.includes(name)) return (scope) => scope[name] ?? Number.NaN;
    throw refusal(`the name "${clip(name)}"`, this.bounds, didYouMean(name, this.bounds.variables));
  }

  private call(name: string): Expression {
    const called = functions.get(name);
    if (called === undefined)
      throw refusal(`the function "${clip(name)}"`, this.bounds, hintForCall(name, this.bounds));
    const values: Expression[] = [];
    while (!this.take(")")) {
      if (values.length > 0) this.demand(",");
      values.push(this.choice());
    }
    if (values.length < called.least || values.length > called.most)
      throw plainError(
        this.bounds.source,
        `${clip(this.text)}: ${name} takes ${arityOf(called)}, not ${values.length}`,
      );
    return (scope) => called.run(...values.map((value) => value(scope)));
  }

  private get quoted(): string {
    return JSON.stringify(clip(this.text));
  }

  private unexpected(): InputError {
    const { kind, text, at } = this.next;
    const what =
      kind === "end" ? "it ends too early" : `${JSON.stringify(text)} at character ${at} is not expected`;
    return plainError(this.bounds.source, `cannot read ${this.quoted}: ${what}; ${allowed(this.bounds)}`);
  }
}

function hintForCall(name: string, bounds: Bounds): string {
  if (bounds.variables.includes(name)) return `"${name}" is a number: write ${name} * (…)`;
  return didYouMean(name, functions.keys());
}

const allowed = ({ variables }: Bounds): string =>
  `allowed are numbers, + - * / ^ mod, comparisons, a ? b : c, parentheses, ${[...variables, ...functions.keys()].join(", ")}`;

const refusal = (what: string, bounds: Bounds, hint = ""): InputError =>
  plainError(bounds.source, `${what} is not allowed; ${hint === "" ? "" : `${hint} `}${allowed(bounds)}`);

interface FormulaBounds<Target extends string> extends Bounds {
  /** The names that may stand left of an equals sign. */
  readonly targets: readonly Target[];
}

/** Reads a list of formulas, as in `price = 1.2*cost; arrival = arrival + 1`. */
export function parseFormulas<Target extends string>(
  text: string,
  { targets, variables, source }: FormulaBounds<Target>,
): ReadonlyMap<Target, Expression> {
  const formulas = new Map<Target, Expression>();
  for (const part of text.split(";")) {
    if (part.trim() === "") continue;
    const [, name = "", right = ""] = /^\s*([A-Za-z_]\w*)\s*=(?!=)(.*)$/s.exec(part) ?? [];
    const target = targets.find((known) => known === name);
    if (target === undefined) throw badTarget(part, name, { targets, variables, source });
    if (formulas.has(target)) throw plainError(source, `"${target}" is set twice`);
    formulas.set(target, parseExpression(right, variables, `${source}: ${target}`));
  }
  if (formulas.size === 0) throw plainError(source, `no formula; write ${targets.join(" or ")} = …`);
  return formulas;
}

function badTarget(part: string, name: string, { targets, source }: FormulaBounds<string>): InputError {
  const shape = `must set ${targets.join(" or ")}, as in "${targets[0]} = …"`;
  const hint = name === "" ? "" : didYouMean(name, targets);
  return new InputError({
    source,
    path: [],
    expected: `"${clip(part.trim())}" ${shape}${hint && `; ${hint}`}`,
    kind: "plain",
  });
}

type Operation = (...values: number[]) => number;

/** As in [M13]: 0.1 + 0.2 equals 0.3. */
const equal = (a: number, b: number): boolean =>
  a === b || Math.abs(a - b) <= Math.max(1e-12 * Math.max(Math.abs(a), Math.abs(b)), 1e-15);

const comparisons = new Map<string, (a: number, b: number) => boolean>([
  ["<", (a, b) => a < b && !equal(a, b)],
  ["<=", (a, b) => a < b || equal(a, b)],
  [">", (a, b) => a > b && !equal(a, b)],
  [">=", (a, b) => a > b || equal(a, b)],
  ["==", equal],
  ["!=", (a, b) => !equal(a, b)],
]);

/** A whole number that rounding has missed by a little is that number. */
const floor = (x: number): number => (equal(x, Math.round(x)) ? Math.round(x) : Math.floor(x));

const modulo: Operation = (a, b) => (b === 0 ? a! : a! - b! * floor(a! / b!));

const operators = new Map<string, (a: number, b: number) => number>([
  ["+", (a, b) => a + b],
  ["-", (a, b) => a - b],
  ["*", (a, b) => a * b],
  ["/", (a, b) => a / b],
  ["mod", modulo],
  ["%", modulo],
]);

/** A function and how many values it takes. */
interface NamedFunction {
  readonly least: number;
  readonly most: number;
  readonly run: Operation;
}

const functions = new Map<string, NamedFunction>([
  ["abs", { least: 1, most: 1, run: (x) => Math.abs(x!) }],
  ["ceil", { least: 1, most: 1, run: (x) => -floor(-x!) }],
  ["floor", { least: 1, most: 1, run: (x) => floor(x!) }],
  ["round", { least: 1, most: 1, run: (x) => Math.sign(x!) * Math.round(Math.abs(x!)) }],
  ["sqrt", { least: 1, most: 1, run: (x) => Math.sqrt(x!) }],
  ["cbrt", { least: 1, most: 1, run: (x) => Math.cbrt(x!) }],
  ["exp", { least: 1, most: 1, run: (x) => Math.exp(x!) }],
  ["log", { least: 1, most: 2, run: (x, base) => Math.log(x!) / (base === undefined ? 1 : Math.log(base)) }],
  ["log2", { least: 1, most: 1, run: (x) => Math.log2(x!) }],
  ["log10", { least: 1, most: 1, run: (x) => Math.log10(x!) }],
  ["min", { least: 1, most: Infinity, run: Math.min }],
  ["max", { least: 1, most: Infinity, run: Math.max }],
  ["pow", { least: 2, most: 2, run: (x, y) => x! ** y! }],
  ["sign", { least: 1, most: 1, run: (x) => Math.sign(x!) }],
]);

/** "1", "1 or 2", "at least 1". */
function arityOf({ least, most }: NamedFunction): string {
  if (most === Infinity) return `at least ${least}`;
  return least === most ? `${least}` : `${least} or ${most}`;
}
