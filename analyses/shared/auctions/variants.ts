/** Readings and settings that might change a verdict, each put in the place of the auction it varies. */

import { listed } from "../../../src/lib/format.js";
import { variantOf } from "../../../src/mechanisms/index.js";
import type { AnyMechanism } from "../../../src/mechanisms/mechanism.js";
import type { Cell, Finding, Row } from "../../../src/report/result.js";
import type { Ledgers } from "./accounts.js";
import { claimText } from "./claim-text.js";
import { type Claim, isVerdict, type Judged, judge, replaced } from "./claims.js";
import type { Scale } from "./held.js";
import { places } from "./words.js";

export interface Variant {
  readonly base: string;
  readonly mechanism: AnyMechanism;
}

/** Rules under which the mechanism in question is tried too. */
const rulesTried = [
  "reading=pseudocode",
  "firstRoundRatio=0.1",
  "firstRoundRatio=0.2",
  "firstRoundRatio=0.5",
] as const;

const optionsTried: Readonly<Record<string, readonly string[]>> = {
  vanilla: ["seed=1", "seed=2"],
  "fixed-threshold": ["density=0.5", "density=1"],
};

/** Of the mechanism in question under other rules, where it leaves them open, and of benchmarks with other options. */
export function variantsOf(ours: AnyMechanism, mechanisms: readonly AnyMechanism[]): Variant[] {
  const settled = ours.variantOf?.rules ?? {};
  const free = rulesTried.filter((setting) => !(setting.split("=")[0]! in settled));
  const vary = (mechanism: AnyMechanism, settings: readonly string[]): Variant[] =>
    settings.map((setting) => ({ base: mechanism.name, mechanism: variantOf(mechanism, setting) }));
  const rivals = mechanisms.filter(({ name }) => name !== ours.name);
  return [...vary(ours, free), ...rivals.flatMap((rival) => vary(rival, optionsTried[rival.name] ?? []))];
}

/** A claim with a variant in it, beside the same claim without. */
export interface Trial {
  readonly variant: Variant;
  readonly claim: Claim;
  readonly plain: readonly Judged[];
  readonly varied: readonly Judged[];
}

/** The claims as they are judged without any variant. */
interface Plain {
  readonly judged: readonly Judged[];
  readonly ledgers: ReadonlyMap<number, Ledgers>;
  readonly together: number;
}

export function trialsOf(variants: readonly Variant[], { judged, ledgers, together }: Plain): Trial[] {
  const claims = [...new Set(judged.map(({ claim }) => claim))];
  return variants.flatMap((variant) =>
    claims.flatMap((claim) => {
      const other = replaced(claim, variant.base, variant.mechanism.name);
      const plain = judged.filter((one) => one.claim === claim);
      const varied = other && plain.map(({ at }) => judge(other, { at, together }, ledgers.get(at)!));
      return varied ? [{ variant, claim: other, plain, varied }] : [];
    }),
  );
}

export function trialRow({ variant, claim, plain, varied }: Trial, { axis, values }: Scale): Row {
  const count = (judged: readonly Judged[], verdict: Judged["verdict"]) =>
    judged.filter(isVerdict(verdict)).length;
  const changed = varied.filter(({ verdict }, k) => verdict !== plain[k]!.verdict).map(({ at }) => at);
  const row: Record<string, Cell> = { setting: variant.mechanism.name, claim: claimText(claim) };
  for (const verdict of ["holds", "breaks", "undecided"] as const) row[verdict] = count(varied, verdict);
  return {
    ...row,
    before: count(plain, "holds"),
    changed: changed.length > 0 ? places(changed, values, axis) : "nowhere",
  };
}

/** One sentence for each setting that changes where claims hold, and one for those that change nothing. */
export function trialFindings(trials: readonly Trial[], scale: Scale): Finding[] {
  const names = [...new Set(trials.map(({ variant }) => variant.mechanism.name))];
  const texts = names.map((name) => ({
    name,
    changes: trials.filter(({ variant }) => variant.mechanism.name === name).flatMap(changeText),
    idle: idleText(
      trials.filter(({ variant }) => variant.mechanism.name === name),
      scale,
    ),
  }));
  const inert = texts.filter(({ changes }) => changes.length === 0).map(({ name }) => name);
  const moved = texts.filter(({ changes }) => changes.length > 0);
  return [
    ...moved.map(({ name, changes, idle }) => ({
      text: `With ${name} the claims hold at other numbers of the ${scale.values.length} ${scale.axis.nouns}: ${listed(changes)}.${idle}`,
      weight: 25,
    })),
    ...(inert.length > 0
      ? [{ text: `With ${listed(inert)} every claim holds as often as without.`, weight: 20 }]
      : []),
  ];
}

/** Where a variant pays nobody, so that nothing can be said of it. */
function idleText(trials: readonly Trial[], { axis, values }: Scale): string {
  const idle = trials[0]!.varied.filter(({ gap }) => gap.difference.n === 0).map(({ at }) => at);
  return idle.length > 0 ? ` It pays nobody ${places(idle, values, axis)}.` : "";
}

function changeText({ variant, claim, plain, varied }: Trial): string[] {
  const [before, after] = [plain, varied].map((judged) => judged.filter(isVerdict("holds")).length);
  return before === after
    ? []
    : [`${shortText(claim, variant.mechanism.name)} at ${after} instead of ${before}`];
}

/** The claim once it is clear which auction it is about. */
function shortText({ kind, pair: [one, other] }: Claim, about: string): string {
  const relation = { best: "at least as good as", close: "close to", above: "above" }[kind];
  return one === about ? `${relation} ${other}` : `${one} ${relation} it`;
}
