/**
 * Amounts that a program cannot look into, in any arithmetic. An operator, a comparison, a coercion or a print of one throws
 * and says what to call. What JavaScript cannot trap (===, !, typeof, includes) comes out the same in every arithmetic, for
 * every operation makes a new box and all boxes look alike.
 */

import type { Amount, Arithmetic, Identified, Peeking } from "./amounts.js";

/** What a program does wrong; whoever runs it adds which program it is. */
export class ProgramError extends Error {}

const INSTEAD =
  "compare amounts with math.atMost(a, b), calculate with math.plus, math.minus, math.times and math.over, " +
  "and write a number as math.known(x)";

let inside: (box: Box) => Amount;
let ownerOf: (box: Box) => BoxedArithmetic;

class Box {
  readonly #inside: Amount;
  readonly #owner: BoxedArithmetic;

  constructor(inside: Amount, owner: BoxedArithmetic) {
    this.#inside = inside;
    this.#owner = owner;
  }

  // Not static members: a program reaches the class of a box by its constructor.
  static {
    inside = (box) => box.#inside;
    ownerOf = (box) => box.#owner;
  }

  static isBox(value: unknown): value is Box {
    return typeof value === "object" && value !== null && #inside in value;
  }

  [Symbol.toPrimitive](hint: string): never {
    return this.#misused(hint === "string" ? "an amount as a text" : "an amount as a number");
  }

  valueOf(): never {
    return this.#misused("an amount as a number");
  }

  toString(): never {
    return this.#misused("an amount as a text");
  }

  toLocaleString(): never {
    return this.#misused("an amount as a text");
  }

  toJSON(): never {
    return this.#misused("an amount as JSON");
  }

  /** What Node prints of it. */
  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return "[an amount]";
  }

  #misused(how: string): never {
    throw this.#owner.failing(new ProgramError(`uses ${how}: ${INSTEAD}`));
  }
}

Object.freeze(Box);
Object.freeze(Box.prototype);

/**
 * An arithmetic whose amounts are boxes around those of another one, for a single run. The first error of the arithmetic
 * stays even where a program catches it: what it did after that would rest on which arithmetic it is run in.
 */
export class BoxedArithmetic implements Peeking {
  readonly isFloating: boolean;
  /** What a program is handed: no more than it may call. */
  readonly handed: Arithmetic;
  readonly #inner: Peeking;
  #failure: { readonly error: unknown } | null = null;

  constructor(inner: Peeking) {
    this.#inner = inner;
    this.isFloating = inner.isFloating;
    this.handed = Object.freeze<Arithmetic>({
      known: (value) => this.known(value),
      plus: (a, b) => this.plus(a, b),
      minus: (a, b) => this.minus(a, b),
      times: (a, b) => this.times(a, b),
      over: (a, b) => this.over(a, b),
      atMost: (a, b) => this.atMost(a, b),
      sorted: (items, key) => this.sorted(items, key),
    });
  }

  /** The first error of the arithmetic in this run, if any. */
  get failure(): { readonly error: unknown } | null {
    return this.#failure;
  }

  /** Remembers an error that ends the run, and gives it back to be thrown. */
  failing(error: unknown): unknown {
    this.#failure ??= { error };
    return error;
  }

  /** What is in a box of this run; a plain number is known. */
  open(value: unknown): Amount {
    if (Box.isBox(value)) {
      if (ownerOf(value) === this) return inside(value);
      throw this.failing(new ProgramError("uses an amount of another run"));
    }
    if (typeof value === "number" && Number.isFinite(value)) return this.#inner.known(value);
    throw this.failing(
      new ProgramError(`uses ${shown(value)} as an amount: must be an amount or a finite number`),
    );
  }

  box(inner: Amount): Amount {
    return new Box(inner, this) as unknown as Amount;
  }

  /** A value that a program sets where an amount belongs: an amount of this run, or a number that becomes one. */
  amountOf(value: unknown): Amount {
    const inner = this.open(value);
    return Box.isBox(value) ? (value as unknown as Amount) : this.box(inner);
  }

  known(value: number): Amount {
    if (typeof value === "number" && Number.isFinite(value)) return this.box(this.#inner.known(value));
    throw this.failing(new ProgramError(`calls math.known(${shown(value)}): must be a finite number`));
  }

  plus(a: Amount | number, b: Amount | number): Amount {
    return this.#calculated("plus", a, b);
  }

  minus(a: Amount | number, b: Amount | number): Amount {
    return this.#calculated("minus", a, b);
  }

  times(a: Amount | number, b: Amount | number): Amount {
    return this.#calculated("times", a, b);
  }

  over(a: Amount | number, b: Amount | number): Amount {
    if (this.isZero(b)) throw this.failing(new ProgramError("divides an amount by zero"));
    return this.#calculated("over", a, b);
  }

  atMost(a: Amount | number, b: Amount | number): boolean {
    return this.#compared("atMost", a, b);
  }

  peekAtMost(a: Amount | number, b: Amount | number): boolean {
    return this.#compared("peekAtMost", a, b);
  }

  sorted<Item extends Identified>(items: readonly Item[], key: (item: Item) => Amount | number): Item[] {
    return this.#ordered("sorted", items, key);
  }

  peekSorted<Item extends Identified>(items: readonly Item[], key: (item: Item) => Amount | number): Item[] {
    return this.#ordered("peekSorted", items, key);
  }

  isKnown(a: Amount | number): boolean {
    return this.#inner.isKnown(this.open(a));
  }

  value(a: Amount | number): number {
    return this.#inner.value(this.open(a));
  }

  #calculated(operation: "plus" | "minus" | "times" | "over", a: unknown, b: unknown): Amount {
    const [p, q] = [this.open(a), this.open(b)];
    let result: Amount;
    try {
      result = this.#inner[operation](p, q);
    } catch (error) {
      throw this.failing(error);
    }
    if (this.isFloating && !this.#fits(operation, result, [p, q]))
      throw this.failing(new ProgramError("calculates an amount too large or too small for floating point"));
    return this.box(result);
  }

  /** Whether a number neither overflowed, nor became 0 though nothing that it was made of is 0. */
  #fits(operation: "plus" | "minus" | "times" | "over", result: Amount, of: readonly Amount[]): boolean {
    const inner = this.#inner;
    if (!inner.isKnown(result)) return true;
    const value = inner.value(result);
    if (!Number.isFinite(value)) return false;
    if (value !== 0 || operation === "plus" || operation === "minus") return true;
    return of.some((amount) => inner.isKnown(amount) && inner.value(amount) === 0);
  }

  #compared(operation: "atMost" | "peekAtMost", a: unknown, b: unknown): boolean {
    const [p, q] = [this.open(a), this.open(b)];
    try {
      return this.#inner[operation](p, q);
    } catch (error) {
      throw this.failing(error);
    }
  }

  /** Keys and ids are asked for once each, in order, whatever the arithmetic: asking may have effects. */
  #ordered<Item extends Identified>(
    operation: "sorted" | "peekSorted",
    items: readonly Item[],
    key: (item: Item) => Amount | number,
  ): Item[] {
    const entries: { readonly id: number; readonly item: Item; readonly key: Amount }[] = [];
    for (const item of items) entries.push({ id: this.#idOf(item), item, key: this.open(key(item)) });
    // Ties go by id: two of the same would come in an order of the arithmetic's own.
    if (new Set(entries.map(({ id }) => id)).size < entries.length)
      throw this.failing(new ProgramError("sorts two items of the same id"));
    try {
      return this.#inner[operation](entries, (entry) => entry.key).map(({ item }) => item);
    } catch (error) {
      throw this.failing(error);
    }
  }

  #idOf({ id }: Identified): number {
    if (typeof id === "number" && Number.isFinite(id)) return id;
    throw this.failing(new ProgramError(`sorts something without an id: must be a number, got ${shown(id)}`));
  }

  /** Whether it is 0, whatever is unknown. */
  isZero(a: Amount | number): boolean {
    const [inner, amount] = [this.#inner, this.open(a)];
    return inner.isKnown(amount) && inner.value(amount) === 0;
  }
}

/** A value as a short text that runs no code of its own. */
function shown(value: unknown): string {
  if (typeof value === "number" || value === undefined || value === null) return String(value);
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 37)}…` : value);
  if (Box.isBox(value)) return "an amount";
  if (typeof value === "object") return Array.isArray(value) ? "a list" : "an object";
  return typeof value === "function" ? "a function" : `a ${typeof value}`;
}
