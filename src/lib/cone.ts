/**
 * Cones that are closed on some sides and open on others, by their inequalities and their generators at once (the double
 * description method of Motzkin et al.). Whatever is asked of a linear form on a cone is read off its values at the
 * generators, exactly, thin cones and ties included. A polyhedron is the cone over it.
 */

import { combined, dot, type Integer, negated, sumOf, type Vector } from "./integer-vector.js";

/** form ≥ 0, or form > 0 where strict. */
export interface Inequality {
  readonly form: Vector;
  readonly strict: boolean;
}

/** A ray of the cone, and the rows that are 0 on it: a bit each. */
interface Generator {
  readonly at: Vector;
  readonly tight: Bits;
}

export interface Cone {
  readonly rows: readonly Inequality[];
  readonly generators: readonly Generator[];
}

type Bits = readonly number[];

const WORD = 31;

const withBit = (bits: Bits, place: number): Bits => {
  const more = bits.slice();
  const word = Math.floor(place / WORD);
  while (more.length <= word) more.push(0);
  more[word]! |= 1 << (place % WORD);
  return more;
};

const hasBit = (bits: Bits, place: number): boolean =>
  ((bits[Math.floor(place / WORD)] ?? 0) & (1 << (place % WORD))) !== 0;

const both = (a: Bits, b: Bits): Bits => a.map((word, k) => word & (b[k] ?? 0));

function includes(bits: Bits, part: Bits): boolean {
  for (let k = 0; k < part.length; k++) if ((part[k]! & ~(bits[k] ?? 0)) !== 0) return false;
  return true;
}

/** All points whose coordinates are ≥ 0, or > 0 where said; exact, or in floating point. */
export function orthant(positive: readonly boolean[], floating = false): Cone {
  const unit = (place: number) => {
    const vector = positive.map((_, k) => (k === place ? 1 : 0));
    return floating ? Float64Array.from(vector) : vector;
  };
  const tightOf = (place: number): Bits =>
    positive.reduce<Bits>((bits, _, k) => (k === place ? bits : withBit(bits, k)), []);
  return {
    rows: positive.map((strict, k) => ({ form: unit(k), strict })),
    generators: positive.map((_, k) => ({ at: unit(k), tight: tightOf(k) })),
  };
}

/** A point of the cone that is 0 on no row that some other point of the cone is not 0 on. */
export const interiorPoint = ({ generators }: Cone): Vector => sumOf(generators.map(({ at }) => at));

/** Where a form is at most 0, and where it is above 0; null for a part that has no points. */
interface Parts {
  readonly atMost: Cone | null;
  readonly above: Cone | null;
}

export function divided(cone: Cone, form: Vector): Parts {
  const { generators } = cone;
  const values = new Array<Integer>(generators.length);
  let [above, below, even] = [0, 0, 0];
  for (let k = 0; k < generators.length; k++) {
    const value = dot(form, generators[k]!.at);
    values[k] = value;
    if (value > 0) above++;
    else if (value < 0) below++;
    else even++;
  }
  if (above === 0) return { atMost: cone, above: null };
  if (below > 0) return cut(cone, form, values);
  if (even === 0) return { atMost: null, above: cone };
  const face = generators.filter((_, k) => values[k] === 0);
  if (!meets(cone.rows, face)) return { atMost: null, above: cone };
  return touched(cone, form, values);
}

/** The form is 0 on a face, and above 0 elsewhere. */
function touched({ rows, generators }: Cone, form: Vector, values: readonly Integer[]): Parts {
  const place = rows.length;
  const marked = generators.map(({ at, tight }, k) => ({
    at,
    tight: values[k] === 0 ? withBit(tight, place) : tight,
  }));
  const on = marked.filter((_, k) => values[k] === 0);
  return {
    atMost: { rows: [...rows, { form: negated(form), strict: false }], generators: on },
    above: { rows: [...rows, { form, strict: true }], generators: marked },
  };
}

/** Both sides have the new rays in common: one between each two neighbours of which one is above and one below. */
function cut({ rows, generators }: Cone, form: Vector, values: readonly Integer[]): Parts {
  const place = rows.length;
  const [above, below, even]: [Generator[], Generator[], Generator[]] = [[], [], []];
  for (const [k, generator] of generators.entries()) {
    const value = values[k]!;
    if (value > 0) above.push(generator);
    else if (value < 0) below.push(generator);
    else even.push({ at: generator.at, tight: withBit(generator.tight, place) });
  }
  for (const [i, one] of generators.entries()) {
    if (!(values[i]! > 0)) continue;
    for (const [j, other] of generators.entries()) {
      if (!(values[j]! < 0)) continue;
      const tight = both(one.tight, other.tight);
      if (!adjacent(generators, one, other, tight)) continue;
      const at = combined(one.at, -values[j]!, other.at, values[i]!).vector;
      even.push({ at, tight: withBit(tight, place) });
    }
  }
  return {
    atMost: { rows: [...rows, { form: negated(form), strict: false }], generators: [...below, ...even] },
    above: { rows: [...rows, { form, strict: true }], generators: [...above, ...even] },
  };
}

/** Two rays span a face of their own if no third lies on all the rows that both lie on. */
function adjacent(generators: readonly Generator[], one: Generator, other: Generator, tight: Bits): boolean {
  for (const third of generators)
    if (third !== one && third !== other && includes(third.tight, tight)) return false;
  return true;
}

/** Whether no strict row is 0 on all of the generators: then points between them are in the cone. */
function meets(rows: readonly Inequality[], generators: readonly Generator[]): boolean {
  if (generators.length === 0) return false;
  const tight = generators.map((generator) => generator.tight).reduce(both);
  return !rows.some(({ strict }, place) => strict && hasBit(tight, place));
}

/** Whether a form is above 0 somewhere in the cone. */
export const isPositiveSomewhere = ({ generators }: Cone, form: Vector): boolean =>
  generators.some(({ at }) => dot(form, at) > 0);

/** The rays on which a form that is never above 0 in the cone is 0; none if no point of the cone is on that face. */
export function zeroFace({ rows, generators }: Cone, form: Vector): Vector[] {
  const face = generators.filter(({ at }) => dot(form, at) === 0);
  return meets(rows, face) ? face.map(({ at }) => at) : [];
}

export const contains = ({ rows }: Cone, point: Vector): boolean =>
  rows.every(({ form, strict }) => {
    const value = dot(form, point);
    return strict ? value > 0 : value >= 0;
  });

/** Told of every decision of an explorer, in order, for whoever writes a certificate. */
export interface Witnessing {
  /** A run begins in a region. */
  begins(region: Cone, point: Vector): void;
  /** A comparison comes out one way in all of the region. */
  decided(region: Cone, form: Vector, atMost: boolean): void;
  /** It does not: the run goes on in one part. */
  divides(form: Vector, atMost: boolean): void;
}

/**
 * Goes through all regions of unknowns in which a program takes the same decisions, ties and thin regions included. Each
 * run is made at an inner point of a region; a comparison that comes out one way in all of the region is decided, any
 * other one divides the region: the run goes on in the part of its point, the other part waits for a run of its own. The
 * regions in which runs end have no point in common, and every point is in one of them.
 */
export class Explorer {
  region: Cone;
  point: Vector = [];
  private readonly waiting: Cone[];
  /** While a run is repeated: whether it has decided something that does not hold in all of its region. */
  private repeated: { strays: boolean } | null = null;
  private readonly floating: boolean;

  constructor(
    whole: Cone,
    private readonly witnessing?: Witnessing,
  ) {
    this.floating = whole.generators.some(({ at }) => at instanceof Float64Array);
    this.region = whole;
    this.waiting = [whole];
  }

  /** Takes the region that was divided off last and is not to be skipped; false if none waits. */
  begin(skips: (region: Cone) => boolean = () => false): boolean {
    let region = this.waiting.pop();
    while (region !== undefined && skips(region)) region = this.waiting.pop();
    if (region === undefined) return false;
    this.region = region;
    this.point = interiorPoint(region);
    this.witnessing?.begins(region, this.point);
    return true;
  }

  /**
   * Repeats a run in the region in which it ended: nothing is divided off, and no decision is told. It strays where a
   * decision does not hold in all of the region; in floating point that cannot be seen.
   */
  repeat<Result>(region: Cone, point: Vector, run: () => Result): { result: Result; strays: boolean } {
    const before = { region: this.region, point: this.point };
    const repeated = { strays: false };
    Object.assign(this, { region, point, repeated });
    try {
      return { result: run(), strays: repeated.strays };
    } finally {
      Object.assign(this, { ...before, repeated: null });
    }
  }

  private decideAgain(form: Vector, repeated: { strays: boolean }): boolean {
    const holds = this.peek(form);
    if (!this.floating) {
      const { atMost, above } = divided(this.region, form);
      repeated.strays ||= (holds ? above : atMost) !== null;
    }
    return holds;
  }

  decide(form: Vector): boolean {
    if (this.repeated !== null) return this.decideAgain(form, this.repeated);
    const { atMost, above } = divided(this.region, form);
    if (atMost === null || above === null) {
      this.witnessing?.decided(this.region, form, above === null);
      return above === null;
    }
    const holds = this.peek(form);
    this.witnessing?.divides(form, holds);
    this.region = holds ? atMost : above;
    this.waiting.push(holds ? above : atMost);
    return holds;
  }

  peek(form: Vector): boolean {
    return !(dot(form, this.point) > 0);
  }
}
