/**
 * Formulas a user writes (`re/3 + 1/15 + u/5`): read by mathjs's parser, checked piece by piece against a short list of
 * what is allowed, and compiled to closures of our own, so that nothing else can be reached. Loading mathjs takes a
 * third of a second: import this module only where a formula was given.
 */

import { clip, didYouMean, type InputError, plainError } from "./errors.js";
import { ceil, floor, mod, parse, round } from "./mathjs.js";

/** A compiled expression; whatever it gives is a finite number, or it throws an InputError. */
type Expression = (scope: Readonly<Record<string, number>>) => number;

/** mathjs's tree, as far as it is allowed. */
type Piece = { toString(): string } & (
  | { type: "ConstantNode"; value: unknown }
  | { type: "SymbolNode"; name: string }
  | { type: "ParenthesisNode"; content: Piece }
  | { type: "OperatorNode"; fn: string; args: Piece[] }
  | { type: "RelationalNode"; conditionals: string[]; params: Piece[] }
  | { type: "ConditionalNode"; condition: Piece; trueExpr: Piece; falseExpr: Piece }
  | { type: "FunctionNode"; fn: Piece; args: Piece[] }
  | { type: "BlockNode" }
);

const LONGEST = 1000;

/**
 * Reads an expression over the given variables. A comparison counts as 1 or 0. The source ("--cost") starts every
 * message, at once for what is not allowed and later for a value that is not finite.
 */
export function parseExpression(text: string, variables: readonly string[], source: string): Expression {
  const run = compile(readTree(text, source), { variables, source });
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

function readTree(text: string, source: string): Piece {
  if (text.trim() === "") throw plainError(source, "the expression is empty");
  if (text.length > LONGEST) throw plainError(source, `the expression is longer than ${LONGEST} characters`);
  try {
    return parse(text) as unknown as Piece;
  } catch (error) {
    const why =
      error instanceof RangeError || !(error instanceof Error) ? "too deeply nested" : error.message;
    throw plainError(source, `cannot read ${JSON.stringify(clip(text))}: ${why}`);
  }
}

interface Bounds {
  readonly variables: readonly string[];
  readonly source: string;
}

function compile(piece: Piece, bounds: Bounds): Expression {
  switch (piece.type) {
    case "ConstantNode":
      return compileNumber(piece, piece.value, bounds);
    case "SymbolNode":
      return compileVariable(piece.name, bounds);
    case "ParenthesisNode":
      return compile(piece.content, bounds);
    case "OperatorNode":
      if (comparisons.has(piece.fn)) return compileComparison([piece.fn], piece.args, bounds);
      if (!operators.has(piece.fn)) throw refusal(quote(piece), bounds);
      return called(operators.get(piece.fn)!, piece.args, bounds);
    case "RelationalNode":
      return compileComparison(piece.conditionals, piece.params, bounds);
    case "ConditionalNode":
      return compileCondition(all([piece.condition, piece.trueExpr, piece.falseExpr], bounds));
    case "FunctionNode":
      return compileCall(piece, piece.fn.toString(), piece.args, bounds);
    case "BlockNode":
      throw refusal("several statements", bounds);
    default:
      throw refusal(quote(piece), bounds);
  }
}

const all = (pieces: readonly Piece[], bounds: Bounds) => pieces.map((piece) => compile(piece, bounds));

function called(run: Operation, args: readonly Piece[], bounds: Bounds): Expression {
  const values = all(args, bounds);
  const [left, right] = values;
  // A list of values takes four times as long.
  if (values.length === 1) return (scope) => run(left!(scope));
  if (values.length === 2) return (scope) => run(left!(scope), right!(scope));
  return (scope) => run(...values.map((value) => value(scope)));
}

function compileNumber(piece: Piece, value: unknown, bounds: Bounds): Expression {
  if (typeof value !== "number" || !Number.isFinite(value)) throw refusal(quote(piece), bounds);
  return () => value;
}

function compileVariable(name: string, bounds: Bounds): Expression {
  if (!bounds.variables.includes(name))
    throw refusal(`the name "${clip(name)}"`, bounds, didYouMean(name, bounds.variables));
  return (scope) => scope[name] ?? Number.NaN;
}

const compileCondition =
  ([test, yes, no]: readonly Expression[]): Expression =>
  (scope) => {
    const verdict = test!(scope);
    return Number.isNaN(verdict) ? verdict : verdict !== 0 ? yes!(scope) : no!(scope);
  };

/** `a < b`, and chains such as `0 < a <= b`. */
function compileComparison(names: readonly string[], params: readonly Piece[], bounds: Bounds): Expression {
  const sides = all(params, bounds);
  const holds = names.map((name) => comparisons.get(name)!);
  return (scope) => {
    const values = sides.map((side) => side(scope));
    if (values.some(Number.isNaN)) return Number.NaN;
    return holds.every((hold, k) => hold(values[k]!, values[k + 1]!)) ? 1 : 0;
  };
}

function compileCall(piece: Piece, name: string, args: readonly Piece[], bounds: Bounds): Expression {
  const found = functions.get(name);
  if (found === undefined) throw refusal(`the function "${clip(name)}"`, bounds, hintForCall(name, bounds));
  if (args.length >= found.least && args.length <= found.most) return called(found.run, args, bounds);
  const why = `${name} takes ${arityOf(found)}, not ${args.length}`;
  throw plainError(bounds.source, `${clip(piece.toString())}: ${why}`);
}

function hintForCall(name: string, bounds: Bounds): string {
  if (bounds.variables.includes(name)) return `"${name}" is a number: write ${name} * (…)`;
  return didYouMean(name, functions.keys());
}

function refusal(what: string, { variables, source }: Bounds, hint = ""): InputError {
  const names = [...variables, ...functions.keys()].join(", ");
  const rule = `allowed are numbers, + - * / ^ mod, comparisons, a ? b : c, parentheses, ${names}`;
  return plainError(source, `${what} is not allowed; ${hint === "" ? "" : `${hint} `}${rule}`);
}

const quote = (piece: Piece): string => clip(piece.toString());

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
  return plainError(source, `"${clip(part.trim())}" ${shape}${hint && `; ${hint}`}`);
}

type Operation = (...values: number[]) => number;

/** As mathjs compares, and [M13]: 0.1 + 0.2 equals 0.3. */
const equal = (a: number, b: number): boolean =>
  a === b || Math.abs(a - b) <= Math.max(1e-12 * Math.max(Math.abs(a), Math.abs(b)), 1e-15);

const comparisons = new Map<string, (a: number, b: number) => boolean>([
  ["smaller", (a, b) => a < b && !equal(a, b)],
  ["smallerEq", (a, b) => a < b || equal(a, b)],
  ["larger", (a, b) => a > b && !equal(a, b)],
  ["largerEq", (a, b) => a > b || equal(a, b)],
  ["equal", equal],
  ["unequal", (a, b) => !equal(a, b)],
]);

const operators = new Map<string, Operation>([
  ["add", (a, b) => a! + b!],
  ["subtract", (a, b) => a! - b!],
  ["multiply", (a, b) => a! * b!],
  ["divide", (a, b) => a! / b!],
  ["pow", (a, b) => a! ** b!],
  ["mod", (a, b) => mod(a!, b!)],
  ["unaryMinus", (a) => -a!],
  ["unaryPlus", (a) => a!],
]);

/** A function and how many values it takes. */
interface NamedFunction {
  readonly least: number;
  readonly most: number;
  readonly run: Operation;
}

const functions = new Map<string, NamedFunction>([
  ["abs", { least: 1, most: 1, run: (x) => Math.abs(x!) }],
  ["ceil", { least: 1, most: 1, run: (x) => ceil(x!) }],
  ["floor", { least: 1, most: 1, run: (x) => floor(x!) }],
  ["round", { least: 1, most: 1, run: (x) => round(x!) }],
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
