/** What is proved of the paper's auction for any number of workers and rounds: the one place where the ledger asks. */

import { parseFraction } from "../../lib/fraction.js";
import { paperRules } from "../../market/market.js";
import { online } from "../../mechanisms/online/online.js";
import { type AnyVerdict, settleForAny } from "../any-number.js";
import type { TheoremName } from "./claims.js";
import type { ReadingChoice } from "./readings.js";

/** A verdict for any number, with what it rests on besides the checked proof, or what is missing. */
export interface AnyNumber {
  readonly verdict: "proved" | "proved, given" | "not proved";
  readonly given: readonly string[];
  readonly why: string | null;
}

/** The paper claims truthfulness of a sufficient budget only. A task that starts on time cannot be made to start earlier. */
const isAbout = (theorem: TheoremName, { property, regime, start }: AnyVerdict): boolean =>
  property === theorem &&
  (theorem === "P1" || theorem === "P2" || (regime === "sufficient" && start !== "advanced"));

/** A theorem under the paper's first-round ratio, with one worker enough to start. */
export function settledForAny(theorem: TheoremName, reading: ReadingChoice): AnyNumber {
  const { verdicts } = known(reading);
  const about = verdicts.filter((one) => isAbout(theorem, one));
  const open = about.find(({ verdict }) => verdict === "not proved" || verdict === "breaks");
  if (open !== undefined || about.length === 0)
    return { verdict: "not proved", given: [], why: open?.why ?? "it was not asked" };
  const given = [
    ...new Set(about.flatMap((one) => one.given.map((argument) => argument.replace(/\.$/, "")))),
  ];
  return { verdict: given.length === 0 ? "proved" : "proved, given", given, why: null };
}

const settled = new Map<string, ReturnType<typeof settleForAny>>();

function known(reading: ReadingChoice): ReturnType<typeof settleForAny> {
  const key = JSON.stringify(reading);
  const found =
    settled.get(key) ??
    settleForAny(
      {
        mechanism: online,
        rounds: "any",
        firstRoundRatio: parseFraction("7/20"),
        minWorkers: paperRules.minWorkers,
        ...reading,
        flaw: null,
        textKnown: true,
      },
      { search: null },
    );
  settled.set(key, found);
  return found;
}
