/** A user's program is asked again, on the same amounts, in whatever arithmetic: it must answer as it did. */

import type { Cone, Explorer } from "../lib/cone.js";
import type { Vector } from "../lib/integer-vector.js";
import { demandSameAnswer, isUsers, type Programmed } from "./program.js";

/** Of many runs of a user's program, whether this one is asked for again: the first ones, and now and then. */
export const isAskedAgain = (count: number): boolean => count < 4 || count % 16 === 0;

/** Where an explorer's run ended, and what came of it. */
interface Explored {
  readonly region: Cone;
  readonly point: Vector;
  readonly answer: unknown;
}

/** Asks a user's program again in regions that an explorer has found: it must decide and give the same. */
export class RepeatedRuns {
  #count = 0;
  #first: Explored | null = null;

  constructor(
    readonly mechanism: Programmed,
    readonly explorer: Explorer,
    /** Runs it once, and gives what is compared. */
    readonly run: () => unknown,
  ) {}

  /** After a run. */
  check(answer: () => unknown): void {
    if (!isUsers(this.mechanism)) return;
    const { region, point } = this.explorer;
    const explored = { region, point, answer: answer() };
    this.#first ??= explored;
    if (isAskedAgain(this.#count++)) this.#repeat(explored);
  }

  /** After the last one: what it answered first it must still answer. */
  end(): void {
    if (this.#first !== null) this.#repeat(this.#first);
  }

  #repeat({ region, point, answer }: Explored): void {
    const { result, strays } = this.explorer.repeat(region, point, this.run);
    demandSameAnswer(this.mechanism, answer, result, !strays);
  }
}
