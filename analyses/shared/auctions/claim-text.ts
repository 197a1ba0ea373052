/** What the data say of the paper's claims, in words. */

import { capital, listed, percent } from "../../../src/lib/format.js";
import type { Finding } from "../../../src/report/result.js";
import { CLOSE, type Claim, isVerdict, type Judged } from "./claims.js";
import type { Scale } from "./held.js";
import { by, places } from "./words.js";

export function claimText({ kind, pair: [one, other] }: Claim): string {
  if (kind === "close") return `${one} is at most ${percent(CLOSE)} below ${other}`;
  return kind === "best" ? `${one} gives at least as much as ${other}` : `${one} gives more than ${other}`;
}

const placesOf = (judged: readonly Judged[], { axis, values }: Scale): string =>
  places(
    judged.map(({ at }) => at),
    values,
    axis,
  );

const sizesOf = (judged: readonly Judged[]): string => by(judged.map(({ gap }) => gap.relative.mean));

/** One sentence for each claim on the mechanism in question, and one for all claims on the yardstick. */
export function claimFindings(judged: readonly Judged[], scale: Scale): Finding[] {
  const told = judged.filter(({ gap }) => gap.difference.n > 0);
  const claims = [...new Set(told.map(({ claim }) => claim))];
  const about = (claim: Claim) => told.filter((one) => one.claim === claim);
  const best = told.filter(({ claim }) => claim.kind === "best");
  return [
    ...(best.length > 0 ? [bestFinding(best, scale)] : []),
    ...claims
      .filter(({ kind }) => kind !== "best")
      .map((claim) => ({
        text: claim.kind === "close" ? closeText(about(claim), scale) : aboveText(about(claim), scale),
        weight: about(claim).every(isVerdict("holds")) ? 35 : 55,
      })),
  ];
}

function bestFinding(judged: readonly Judged[], scale: Scale): Finding {
  const name = judged[0]!.claim.pair[0];
  const looked = scale.values.filter((value) => judged.some((one) => one.at === value));
  const doubtful = looked.filter((value) =>
    judged.some((one) => one.at === value && one.verdict !== "holds"),
  );
  const sure = looked.filter((value) => !doubtful.includes(value));
  const most = `no auction of the paper's figure gives more per unit paid than ${name}`;
  const exceptions = [...new Set(judged.map(({ claim }) => claim))]
    .map((claim) => judged.filter((one) => one.claim === claim && one.verdict !== "holds"))
    .filter((cases) => cases.length > 0)
    .map((cases) => exceptionText(cases, scale));
  const first = sure.length > 0 ? [`${capital(places(sure, scale.values, scale.axis))} ${most}`] : [];
  const text = `${[...first, ...exceptions.map(first.length > 0 ? String : capital)].join("; ")}.`;
  return { text, weight: doubtful.length > 0 ? 50 : 30 };
}

function exceptionText(cases: readonly Judged[], scale: Scale): string {
  const [one, other] = cases[0]!.claim.pair;
  const breaks = cases.filter(isVerdict("breaks"));
  if (breaks.length === 0) return `${placesOf(cases, scale)} ${other} cannot be told from ${one}`;
  return `${placesOf(breaks, scale)} ${other} gives more than ${one} (${sizesOf(breaks)})`;
}

function closeText(judged: readonly Judged[], scale: Scale): string {
  const [one, other] = judged[0]!.claim.pair;
  const parts = [
    part(judged, "holds", (some) => `is at most ${percent(CLOSE)} below ${other} ${placesOf(some, scale)}`),
    part(judged, "breaks", (some) => `further below ${placesOf(some, scale)}`),
    part(judged, "undecided", (some) => `on the margin ${placesOf(some, scale)}`),
  ].flat();
  const opening = judged.some(isVerdict("holds"))
    ? ""
    : `is nowhere shown to be at most ${percent(CLOSE)} below ${other}: `;
  const gaps = judged.map(({ gap }) => gap.relative.mean).filter(Number.isFinite);
  return `Per unit paid ${one} ${opening}${parts.join(", ")}; it gives from ${moreOrLess(Math.min(...gaps))} to ${moreOrLess(Math.max(...gaps))}.`;
}

function aboveText(judged: readonly Judged[], scale: Scale): string {
  const [one, other] = judged[0]!.claim.pair;
  const sized = (some: readonly Judged[]) => `${placesOf(some, scale)} (${sizesOf(some)})`;
  const parts = [
    part(judged, "holds", (some) => `more than ${other} ${sized(some)}`),
    part(
      judged,
      "breaks",
      (some) => `less ${judged.some(isVerdict("holds")) ? "" : `than ${other} `}${sized(some)}`,
    ),
    part(
      judged,
      "undecided",
      (some) => `an amount not shown to differ ${placesOf(some, scale)} (the interval contains 0)`,
    ),
  ].flat();
  return `Per unit paid ${one} gives ${listed(parts)}.`;
}

function part(
  judged: readonly Judged[],
  verdict: Judged["verdict"],
  text: (some: readonly Judged[]) => string,
): string[] {
  const some = judged.filter(isVerdict(verdict));
  return some.length > 0 ? [text(some)] : [];
}

const moreOrLess = (x: number): string => (x < 0 ? `${percent(-x)} less` : `${percent(x)} more`);
