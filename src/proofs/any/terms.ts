/**
 * Amounts of an abstract run: quotients of polynomials in atoms. An atom is something that is not known as a number: the
 * budget, the number of rounds, what a sample of the others sets. Two amounts that are the same quotient are the same
 * number in every market.
 */

import type { Amount } from "../../auction/amounts.js";
import { exactly, type Fraction } from "../../lib/fraction.js";

/** Why nothing is proved: what a program does that no contract covers. */
export class Refusal extends Error {}

/** What an amount may depend on besides what is the same in the truthful and in the lying run. */
export const OWN_BID = 1;
/** On what became of the worker in earlier rounds. */
export const OWN_FATE = 2;
/** It is a value of one of the others, whichever is looked at. */
export const CROWD = 4;

/** A sum of monomials: its key lists the numbers of its atoms, each as often as it is a factor. */
type Polynomial = ReadonlyMap<string, bigint>;

interface Atom {
  readonly words: string;
  /** Above 0 in every market; or at least 0; or not known. */
  readonly sign: "above" | "least" | null;
  /** The atoms that it was made from. */
  readonly from: ReadonlySet<number>;
}

export let flagsOf: (term: Term) => number;
export let isTerm: (value: unknown) => value is Term;
let topOf: (term: Term) => Polynomial;
let belowOf: (term: Term) => Polynomial;

/** An amount, or a count such as the number of a round. A program cannot look inside. */
export class Term {
  readonly #top: Polynomial;
  readonly #below: Polynomial;
  readonly #flags: number;

  constructor(top: Polynomial, below: Polynomial, flags: number) {
    this.#top = top;
    this.#below = below;
    this.#flags = flags;
    Object.freeze(this);
  }

  static {
    topOf = (term) => term.#top;
    belowOf = (term) => term.#below;
    flagsOf = (term) => term.#flags;
    isTerm = (value): value is Term => typeof value === "object" && value !== null && #top in value;
  }

  [Symbol.toPrimitive](): never {
    throw new Refusal(
      "calculates with, or compares, an amount or a count as a plain number: rounds are gone through with auction.eachRound, " +
        "amounts made with math",
    );
  }

  toJSON(): never {
    return this[Symbol.toPrimitive]();
  }
}

/** As a program is handed it. */
export const amount = (term: Term): Amount => term as unknown as Amount;
export const count = (term: Term): number => term as unknown as number;

const ONE: Polynomial = new Map([["", 1n]]);

/** All atoms of the abstract runs that are compared with each other. */
export class Terms {
  readonly #atoms: Atom[] = [];
  readonly #known = new Map<string, number>();

  /** What is made from these, and from nothing else: the same key is the same unknown. */
  atom(key: string, words: string, from: readonly Term[] = [], flags = 0, sign: Atom["sign"] = null): Term {
    const whole = `${key}(${from.map((one) => this.key(one)).join(";")})`;
    let place = this.#known.get(whole);
    if (place === undefined) {
      place = this.#atoms.length;
      this.#atoms.push({ words, sign, from: new Set(from.flatMap((one) => [...this.#reach(one)])) });
      this.#known.set(whole, place);
    }
    const all = from.reduce((sum, one) => sum | flagsOf(one), flags);
    return new Term(new Map([[String(place), 1n]]), ONE, all);
  }

  known(value: number | Fraction | Term): Term {
    if (isTerm(value)) return value;
    const { s, n, d } = exactly(value as number | Fraction);
    return new Term(n === 0n ? new Map() : new Map([["", s * n]]), new Map([["", d]]), 0);
  }

  plus(a: Term, b: Term, sign = 1n): Term {
    const top = sum(product(topOf(a), belowOf(b)), product(topOf(b), belowOf(a)), sign);
    return reduced(top, product(belowOf(a), belowOf(b)), flagsOf(a) | flagsOf(b));
  }

  minus(a: Term, b: Term): Term {
    return this.plus(a, b, -1n);
  }

  times(a: Term, b: Term): Term {
    return reduced(product(topOf(a), topOf(b)), product(belowOf(a), belowOf(b)), flagsOf(a) | flagsOf(b));
  }

  over(a: Term, b: Term): Term {
    if (topOf(b).size === 0) throw new Refusal("divides an amount by zero");
    return reduced(product(topOf(a), belowOf(b)), product(belowOf(a), topOf(b)), flagsOf(a) | flagsOf(b));
  }

  flagged(a: Term, flags: number): Term {
    return new Term(topOf(a), belowOf(a), flagsOf(a) | flags);
  }

  /** The same, where others' values are no longer told apart: they are fixed in both runs. */
  ofCrowd(a: Term): Term {
    return new Term(topOf(a), belowOf(a), flagsOf(a) & ~CROWD);
  }

  isSame(a: Term, b: Term): boolean {
    return topOf(this.minus(a, b)).size === 0;
  }

  /** Whether it is at most 0, by the signs of what it is made of; null where they do not say. */
  isAtMostZero(a: Term): boolean | null {
    if (topOf(a).size === 0) return true;
    const [top, below] = [signOf(topOf(a)), signOf(belowOf(a))];
    const signs = [...atomsOf(a)].map((place) => this.#atoms[place]!.sign);
    if (top === null || below === null || signs.includes(null)) return null;
    if (top * below < 0) return true;
    return signs.includes("least") ? null : false;
  }

  /** Whether an atom, or one that it was made from, is in it. */
  rests(a: Term, on: Term): boolean {
    const [place] = atomsOf(on);
    return this.#reach(a).has(place!);
  }

  /** The sum over all rounds: of what is the same in each, or linear in how far the rounds are. */
  summed(a: Term, rounds: Term, progress: Term, round: Term): Term | null {
    const [place] = atomsOf(progress);
    if (this.#below(a, place!) || this.rests(a, round)) return null;
    const parts: [Map<string, bigint>, Map<string, bigint>] = [new Map(), new Map()];
    for (const [key, by] of topOf(a)) {
      const factors = key === "" ? [] : key.split(",");
      const others = factors.filter((one) => one !== String(place));
      const power = factors.length - others.length;
      if (power > 1) return null;
      parts[power]!.set(others.join(), by);
    }
    const [level, rising] = parts.map((top) => reduced(top, belowOf(a), flagsOf(a)));
    return this.times(rounds, this.plus(level!, this.over(rising!, this.known(2))));
  }

  #below(a: Term, place: number): boolean {
    return [...belowOf(a).keys()].some((key) => key.split(",").includes(String(place)));
  }

  #reach(a: Term): Set<number> {
    return new Set([...atomsOf(a)].flatMap((place) => [place, ...this.#atoms[place]!.from]));
  }

  key(a: Term): string {
    const text = (sum: Polynomial) =>
      [...sum]
        .map(([key, by]) => `${by}*${key}`)
        .sort()
        .join("+");
    return `${text(topOf(a))}/${text(belowOf(a))}`;
  }

  /** For people. */
  words(a: Term): string {
    const text = (sum: Polynomial) => {
      const parts = [...sum].map(([key, by]) => {
        const names = key === "" ? [] : key.split(",").map((place) => this.#atoms[Number(place)]!.words);
        return [...(by === 1n && names.length > 0 ? [] : [String(by)]), ...names].join(" · ");
      });
      return parts.length === 0 ? "0" : parts.join(" + ");
    };
    const [top, below] = [text(topOf(a)), text(belowOf(a))];
    return below === "1" ? top : `(${top}) / (${below})`;
  }
}

function atomsOf(a: Term): Set<number> {
  const keys = [...topOf(a).keys(), ...belowOf(a).keys()].filter((key) => key !== "");
  return new Set(keys.flatMap((key) => key.split(",").map(Number)));
}

/** 1 or −1 where all coefficients have that sign. */
function signOf(a: Polynomial): 1 | -1 | null {
  const values = [...a.values()];
  if (values.every((by) => by > 0n)) return 1;
  return values.every((by) => by < 0n) ? -1 : null;
}

function sum(a: Polynomial, b: Polynomial, sign: bigint): Polynomial {
  const total = new Map(a);
  for (const [key, by] of b) put(total, key, sign * by);
  return total;
}

function product(a: Polynomial, b: Polynomial): Polynomial {
  const total = new Map<string, bigint>();
  for (const [p, s] of a)
    for (const [q, t] of b) {
      const factors = [p, q].filter((key) => key !== "").flatMap((key) => key.split(","));
      put(total, factors.sort((x, y) => Number(x) - Number(y)).join(), s * t);
    }
  return total;
}

function put(total: Map<string, bigint>, key: string, by: bigint): void {
  const all = (total.get(key) ?? 0n) + by;
  if (all === 0n) total.delete(key);
  else total.set(key, all);
}

/** Without whole numbers and atoms that divide all of it. */
function reduced(top: Polynomial, below: Polynomial, flags: number): Term {
  if (top.size === 0) return new Term(top, ONE, flags);
  const common = [...top.values(), ...below.values()].reduce(divisor, 0n);
  const sign = [...below.values()][0]! < 0n ? -1n : 1n;
  const shared = [...top.keys(), ...below.keys()]
    .map((key) => (key === "" ? [] : key.split(",")))
    .reduce(both);
  const without = (sum: Polynomial): Polynomial =>
    new Map([...sum].map(([key, by]) => [removed(key, shared), by / (sign * common)]));
  return new Term(without(top), without(below), flags);
}

function both(a: readonly string[], b: readonly string[]): string[] {
  const left = [...b];
  return a.filter((one) => {
    const place = left.indexOf(one);
    if (place >= 0) left.splice(place, 1);
    return place >= 0;
  });
}

function removed(key: string, shared: readonly string[]): string {
  const left = key === "" ? [] : key.split(",");
  for (const one of shared) left.splice(left.indexOf(one), 1);
  return left.join();
}

function divisor(a: bigint, b: bigint): bigint {
  let [p, q] = [a < 0n ? -a : a, b < 0n ? -b : b];
  while (q !== 0n) [p, q] = [q, p % q];
  return p;
}
