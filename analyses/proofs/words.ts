/** What is proved, in sentences. */

import { counted, listed, whole } from "../../src/lib/format.js";
import { paperRules } from "../../src/market/market.js";
import type { Finding, MechanismNote } from "../../src/report/result.js";
import { offeredRegimes, regimeWords } from "../../src/report/vocabulary.js";
import type { ProvedClaim } from "../../src/verdicts/proofs/prove.js";
import type { ProofResult, SettledShape } from "../proofs.js";
import {
  byMechanism,
  type Extent,
  holdsIn,
  holdsUpTo,
  includes,
  isEqual,
  mainExtent,
  quotedName,
  upToText,
} from "./shapes.js";
import { boundText, type Case, casesOf, shapeText, shareOf, worstOf } from "./views.js";

type Wanted = (claim: ProvedClaim) => boolean;

interface Statement {
  readonly text: string;
  readonly wanted: Wanted;
}

const anyLie: Wanted = ({ property }) => property === "joint";

/** From the strongest on. */
const statements: readonly Statement[] = [
  { text: "no lie about price, arrival or both gains", wanted: anyLie },
  {
    text: "with a sufficient budget no lie about price, arrival or both gains",
    wanted: (claim) => anyLie(claim) && claim.regime === "sufficient",
  },
  {
    text: "with a sufficient budget no lie gains that leaves the start where it is",
    wanted: (claim) => anyLie(claim) && claim.regime === "sufficient" && claim.start === "kept",
  },
];

/** The last one, and this besides. */
const priceAlone: Statement = {
  text: "with a sufficient budget no lie about the price alone gains, nor any lie that leaves the start where it is",
  wanted: ({ property, regime }) => property === "P5" && regime === "sufficient",
};

/** What holds in all of these shapes; null where nothing is claimed, or nothing holds. */
function strongest(shapes: readonly SettledShape[]): string | null {
  const holds = ({ wanted }: Statement) =>
    casesOf(shapes, wanted).length > 0 && shapes.every((shape) => holdsIn(shape, wanted));
  const found = statements.find(holds);
  if (found === undefined) return null;
  return found === statements.at(-1) && holds(priceAlone) ? priceAlone.text : found.text;
}

interface Proved {
  readonly text: string;
  /** Said behind it: what the other lies can gain. */
  readonly but: string;
  /** As in "up to 3 workers and 3 rounds of equal reputation". */
  readonly upTo: string;
}

/** What holds in all shapes of equal reputation up to the extent that was settled. */
function proved(shapes: readonly SettledShape[]): Proved | null {
  const extent = mainExtent(settledUpTo(shapes));
  if (extent === null) return null;
  const within = shapes.filter((shape) => isEqual(shape) && includes(extent, shape));
  const text = strongest(within);
  if (text === null) return null;
  const worst = worstOf(casesOf(within, (claim) => anyLie(claim) && claim.regime === "sufficient"));
  return {
    text,
    but: worst === null ? "" : `; one that moves it can gain up to ${worst.claim.worst} of the budget`,
    upTo: `${upToText([extent])} of equal reputation`,
  };
}

const settledUpTo = (shapes: readonly SettledShape[]): Extent[] => holdsUpTo(shapes, () => false);

const examinedIn = ({ shapes }: ProofResult): SettledShape[] => shapes.filter(({ examined }) => examined);

export function firstScreenNote(result: ProofResult): string | null {
  const found = proved(examinedIn(result));
  return found && `Proved for all costs, budgets and arrivals, for ${found.upTo}: ${found.text}${found.but}.`;
}

/** In prose. */
export const notes = ({ shapes }: ProofResult): MechanismNote[] =>
  byMechanism(shapes).flatMap((own) => {
    const [{ mechanism, auction }] = own as [SettledShape];
    const found = mechanism === auction.name ? proved(own) : null;
    if (found === null) return [];
    const text = `Proved: ${found.text}, for ${found.upTo}, all costs, budgets and arrivals.`;
    return [{ mechanism, text }];
  });

export const findings = (result: ProofResult): Finding[] => [
  ...provedFinding(result),
  ...worstFinding(result),
  ...othersFinding(result),
  ...restFinding(result),
];

/** What is proved, and where sampling begins. */
function provedFinding(result: ProofResult): Finding[] {
  const own = examinedIn(result);
  if (own.length === 0)
    return [
      {
        text: `Nothing can be proved about ${quotedName(result.examined)}: it is not written as a text that runs on unknown amounts.`,
        weight: 30,
      },
    ];
  const unequal = own.filter((shape) => !isEqual(shape)).length;
  const more = unequal === 0 ? "" : `, and ${counted(unequal, "shape")} of unequal reputation`;
  const text = strongest(own) ?? "every claim is settled, each proved or with its worst case";
  return [
    {
      text: `Proved for all costs, budgets and arrivals of small markets in ${quotedName(result.examined)} (${upToText(settledUpTo(own))} of equal reputation${more}; prose): ${text}; what this report says of larger markets is sampled, not proved.`,
      weight: 80,
    },
  ];
}

/** The worst that a lie can do, by regime. */
function worstFinding(result: ProofResult): Finding[] {
  const own = examinedIn(result);
  const equal = own.filter(isEqual);
  const parts = offeredRegimes.flatMap((regime) => {
    const cases = casesOf(equal, (claim) => anyLie(claim) && claim.regime === regime);
    const worst = worstOf(cases);
    if (worst === null) return [];
    const kept = worstOf(cases.filter(({ claim }) => claim.start === "kept"));
    const only = kept === null ? ", only by moving the start" : "";
    return [`${regimeWords[regime]} ${boundText(worst.claim)}${only}`];
  });
  if (parts.length === 0) return [];
  const text = `The most that a lie can gain in these shapes of ${quotedName(result.examined)} is, as a fraction of the budget and with equal reputations (prose): ${listed(parts)}.`;
  return [{ text: `${text}${unequalText(own)}`, weight: 75 }];
}

/** Where unequal reputations make it worse. */
function unequalText(own: readonly SettledShape[]): string {
  const [equal, unequal] = [true, false].map((same) =>
    worstOf(
      casesOf(
        own.filter((shape) => isEqual(shape) === same),
        anyLie,
      ),
    ),
  );
  if (!unequal || (equal && shareOf(unequal.claim) <= shareOf(equal.claim))) return "";
  return ` Unequal reputations make it worse: ${boundText(unequal.claim)} with ${shapeText(unequal.shape)}.`;
}

/** The other mechanisms: those in which no lie gains, and the worst cases of the others. */
function othersFinding({ shapes, examined, otherReading }: ProofResult): Finding[] {
  const others = byMechanism(shapes).filter(
    ([one]) => one!.mechanism !== examined && one!.mechanism !== otherReading,
  );
  if (others.length === 0) return [];
  const judged = others.map((own) => ({ name: own[0]!.mechanism, worst: worstOf(casesOf(own, anyLie)) }));
  const honest = judged.filter(({ worst }) => worst === null).map(({ name }) => name);
  const gains = judged.flatMap(({ name, worst }) => (worst ? [{ name, worst }] : []));
  const sentences = [
    ...(honest.length > 0 ? [`no lie gains in any shape settled of ${listed(honest)}`] : []),
    ...(gains.length > 0 ? [`the worst case is ${worstList(gains)}`] : []),
  ];
  return [
    { text: `Among the other mechanisms (${commonText(others)}), ${sentences.join("; ")}.`, weight: 50 },
  ];
}

/** "1 of the budget in vanilla and two-stage, and 2/3 (0.667) in multi-stage". */
function worstList(gains: readonly { name: string; worst: Case }[]): string {
  const bounds = [...new Set(gains.map(({ worst }) => boundText(worst.claim)))];
  const items = bounds.map((bound) => {
    const names = gains.filter(({ worst }) => boundText(worst.claim) === bound).map(({ name }) => name);
    return `${bound === "1" ? "the whole budget" : `${bound} of it`} in ${listed(names)}`;
  });
  return items.join(", ");
}

/** The shapes that all of them were settled for. */
function commonText(mechanisms: readonly (readonly SettledShape[])[]): string {
  const [first, ...rest] = mechanisms;
  const everywhere = first!.filter((shape) =>
    rest.every((own) =>
      own.some((one) => isEqual(one) && one.workers === shape.workers && one.rounds === shape.rounds),
    ),
  );
  return `at least ${upToText(settledUpTo(everywhere))} of equal reputation`;
}

/** Individual rationality, budget feasibility, and the other reading. */
function restFinding(result: ProofResult): Finding[] {
  const { shapes, examined, otherReading } = result;
  const own = shapes.filter(({ mechanism }) => mechanism === examined || mechanism === otherReading);
  if (own.length === 0) return [];
  const parts = (["P1", "P2"] as const).map((property) => {
    const broken = own.filter((shape) => !holdsIn(shape, (claim) => claim.property === property)).length;
    const verdict = broken === 0 ? "is proved in all" : `breaks in ${broken}`;
    return `${property === "P1" ? "individual rationality (P1)" : "budget feasibility (P2)"} ${verdict}`;
  });
  const text = `Of the ${own.length} shapes of ${quotedName(examined)}${otherReading === null ? "" : " in both readings"}, ${listed(parts)}.`;
  return [{ text: `${text}${readingText(result)}`, weight: 40 }];
}

/** Whether the other reading has other worst cases. */
function readingText({ shapes, otherReading }: ProofResult): string {
  const other = shapes.filter(({ mechanism }) => mechanism === otherReading);
  if (other.length === 0) return "";
  const verdicts = ({ claims }: SettledShape) =>
    claims.map(({ property, regime, start, worst, attained }) =>
      [property, regime, start, worst, attained].join("/"),
    );
  const same = other.filter(({ workers, rounds, ...shape }) => {
    const prose = shapes.find(
      (one) => one.examined && isEqual(one) && one.workers === workers && one.rounds === rounds,
    );
    return prose && verdicts(prose).join() === verdicts({ ...shape, workers, rounds }).join();
  });
  return ` The two readings have the same worst cases in ${same.length === other.length ? "all" : `${same.length} of`} ${other.length} shapes settled in both.`;
}

export function methods({ shapes, left }: ProofResult): string[] {
  const cells = shapes.flatMap(({ claims }) => claims).reduce((sum, claim) => sum + claim.cells, 0);
  const reached = byMechanism(shapes).map((own) => ({
    name: quotedName(own[0]!.mechanism),
    upTo: upToText(settledUpTo(own)),
  }));
  const settled = [...new Set(reached.map(({ upTo }) => upTo))].map(
    (upTo) => `${upTo} for ${listed(reached.filter((one) => one.upTo === upTo).map(({ name }) => name))}`,
  );
  return [
    `A shape fixes the mechanism, its reading, the workers' reputations, their ids 0, 1, … (which put them into two groups in turn and break ties) and the number of rounds, with the paper's first-round ratio of ${paperRules.firstRoundRatio} and at least ${counted(paperRules.minWorkers, "worker")} to start with. All costs, the liar's price and the budget are unknowns; all true arrivals, all liars and all false arrivals are gone through.`,
    `Everything that can happen falls into finitely many cells, in which all decisions are the same and the gain is linear; the largest gain of a cell is at one of its corners. Cells are worked out in whole numbers and fractions, ties and thin cells included: nothing is sampled or rounded. Counted for each claim, ${whole(cells)} cells were gone through in ${counted(shapes.length, "shape")}.`,
    `Every worst case comes with a market that was run in exact fractions; where the worst case is a limit, the market comes within 1 % of it. What is proved can be checked by other code: candor prove --certificate FILE writes the proof of a shape down, and candor prove --verify FILE checks it.`,
    `Shapes of equal reputation were settled ${settled.join("; ")}. Nothing follows from this for larger shapes, other ids or other ratios.`,
    ...(left.length === 0
      ? []
      : [`Nothing can be proved about ${listed(left)}, which does not run on unknown amounts.`]),
  ];
}
