/** Proofs in tables, a chart, and markets to replay. */

import { counted, listed, threeDigits, whole } from "../../src/lib/format.js";
import { parseFraction, toNumber } from "../../src/lib/fraction.js";
import { paperRules } from "../../src/market/market.js";
import { type Regime, regimes } from "../../src/mechanisms/outcome.js";
import type { Chart, Choice, Exhibit, Finding, MechanismNote, Table } from "../../src/report/result.js";
import {
  backgroundColour,
  captions,
  countColumn,
  type Field,
  type lies,
  lieWords,
  offeredRegimes,
  regimeWords,
  shareColumn,
  tableOf,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import {
  allClaims,
  type ProofClaim,
  type ProvedProperty,
  startEffects,
} from "../../src/verdicts/proofs/program.js";
import type { ProvedClaim } from "../../src/verdicts/proofs/prove.js";
import type { ProofResult, SettledShape } from "../proofs.js";

const isSame = (a: ProofClaim, b: ProofClaim): boolean =>
  a.property === b.property && a.regime === b.regime && a.start === b.start;

/** The name of a mechanism in a sentence, for its card. */
const quotedName = (mechanism: string): string => mechanism.replace(/^[\w-]+/, "`$&`");

/** The shapes of each mechanism, in their order. */
const byMechanism = (shapes: readonly SettledShape[]): SettledShape[][] =>
  [...new Set(shapes.map(({ mechanism }) => mechanism))].map((name) =>
    shapes.filter(({ mechanism }) => mechanism === name),
  );

const isEqual = ({ reputations }: SettledShape): boolean => reputations === "equal";

const holdsIn = ({ claims }: SettledShape, wanted: (claim: ProvedClaim) => boolean): boolean =>
  claims.every((claim) => !wanted(claim) || claim.verdict === "proved");

/** Every market of at most so many workers and rounds. */
interface Extent {
  readonly workers: number;
  readonly rounds: number;
}

const includes = (big: Extent, small: Extent): boolean =>
  small.workers <= big.workers && small.rounds <= big.rounds;

/** Up to where all shapes of equal reputation were settled and no wanted claim breaks: the extents that none other includes. */
function holdsUpTo(shapes: readonly SettledShape[], wanted: (claim: ProvedClaim) => boolean): Extent[] {
  const held = shapes.filter((shape) => isEqual(shape) && holdsIn(shape, wanted));
  const has = (workers: number, rounds: number) =>
    held.some((shape) => shape.workers === workers && shape.rounds === rounds);
  const settled = held.filter(({ workers, rounds }) =>
    Array.from({ length: workers * rounds }, (_, k) =>
      has((k % workers) + 1, Math.floor(k / workers) + 1),
    ).every(Boolean),
  );
  return settled
    .filter((one) => settled.every((other) => other === one || !includes(other, one)))
    .map(({ workers, rounds }) => ({ workers, rounds }));
}

const extentText = ({ workers, rounds }: Extent): string =>
  `${counted(workers, "worker")} and ${counted(rounds, "round")}`;

/** "up to 2 workers and 6 rounds, 3 workers and 3 rounds or 4 workers and 2 rounds". */
function upToText(extents: readonly Extent[]): string {
  const texts = extents.map(extentText);
  return `up to ${texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`}`;
}

/** The one to name where there is room for one only: the most workers and rounds alike. */
const mainExtent = (extents: readonly Extent[]): Extent | null =>
  extents.reduce<Extent | null>((a, b) => (a && sizeOf(a) >= sizeOf(b) ? a : b), null);

const sizeOf = ({ workers, rounds }: Extent): number =>
  1000 * Math.min(workers, rounds) + Math.max(workers, rounds);

type Lie = (typeof lies)[number];

const lieOf: Readonly<Partial<Record<ProvedProperty, Lie>>> = { P5: "price", P6: "time", joint: "joint" };

/** The worst case as a number; none where it has no bound. */
const shareOf = ({ worst }: ProvedClaim): number =>
  worst === "unbounded" ? Number.POSITIVE_INFINITY : toNumber(parseFraction(worst));

/** The markets to replay, and which of them shows a claim's worst case. */
export interface Shown {
  readonly exhibits: readonly Exhibit[];
  readonly nameOf: ReadonlyMap<ProvedClaim, string>;
}

/** One exhibit for each worst case of a mechanism: of the first shape that has it, by the simpler lie where that gains as much. */
export function exhibitsOf(shapes: readonly SettledShape[]): Shown {
  const exhibits = new Map<string, Exhibit>();
  const nameOf = new Map<ProvedClaim, string>();
  for (const shape of shapes)
    for (const claim of shape.claims) {
      if (claim.witness === null) continue;
      const { property, regime, start, worst } = claim;
      const keyOf = (one: ProvedProperty) => [shape.mechanism, one, regime, start, worst].join("/");
      const simpler = property === "joint" ? (["P5", "P6"] as const) : [];
      const known = [...simpler, property].map(keyOf).find((key) => exhibits.has(key));
      const key = known ?? keyOf(property);
      if (known === undefined) exhibits.set(key, exhibitOf(shape, claim));
      nameOf.set(claim, exhibits.get(key)!.name);
    }
  return { exhibits: [...exhibits.values()], nameOf };
}

function exhibitOf(
  shape: SettledShape,
  { witness, property, regime, start, ...claim }: ProvedClaim,
): Exhibit {
  const { market, bid } = witness!;
  const { mechanism, workers, rounds, reputations, auction } = shape;
  const lie = lieOf[property];
  const which = [regime, ...(start === null ? [] : [`start ${start}`]), ...(lie ? [lieWords[lie]] : [])];
  const own = reputations === "equal" ? [] : [reputations];
  return {
    name: [mechanism, property, regime, start ?? "", `${workers}x${rounds}`, ...own]
      .join(" ")
      .replace(/[^A-Za-z0-9]+/g, "-"),
    title: `${mechanism}, ${which.join(", ")}: ${happens({ ...claim, witness, property })} (${shapeText(shape)}; worst case ${claim.worst})`,
    market,
    mechanism: auction.name,
    lie: bid,
  };
}

/** "3 workers, 2 rounds, reputations 1, 2, 4". */
const shapeText = ({ workers, rounds, reputations }: SettledShape): string =>
  `${counted(workers, "worker")}, ${counted(rounds, "round")}${reputations === "equal" ? "" : `, reputations ${reputations}`}`;

function happens({ witness, property }: Pick<ProvedClaim, "witness" | "property">): string {
  const { market, worker, gain } = witness!;
  const amount = threeDigits(toNumber(parseFraction(gain)));
  const budget = `of a budget of ${threeDigits(market.rules.budget)}`;
  if (property === "P2") return `the payments exceed the budget by ${amount} ${budget}`;
  return `worker ${worker} ${property === "P1" ? "loses" : "gains"} ${amount} ${budget}`;
}

const claimColumns: Field<{ readonly of: ProofClaim }>[] = [
  textColumn("property", "Claim", ({ of }) => of.property),
  textColumn("lie", "Misstated", ({ of }) => lieOf[of.property]),
  textColumn("regime", "Regime", ({ of }) => of.regime),
  textColumn("start", "Start", ({ of }) => of.start),
];

/** What is proved gains nothing. */
const worstColumns: Field<{ readonly worst: ProvedClaim | null; readonly none: number | null }>[] = [
  textColumn("worst", "Worst case, of the budget", ({ worst }) => worst?.worst),
  shareColumn("share", "In per cent", ({ worst, none }) => (worst ? shareOf(worst) : none)),
  textColumn("attained", "Reached", ({ worst }) => worst && (worst.attained ? "yes" : "as a limit")),
];

/** A claim on a shape. */
interface Settled extends Omit<SettledShape, "claims"> {
  readonly of: ProvedClaim;
  readonly worst: ProvedClaim | null;
  readonly none: 0;
  readonly witness: string | undefined;
}

const settledIn = ({ shapes, shown }: ProofResult): Settled[] =>
  shapes.flatMap(({ claims, ...shape }) =>
    claims.map((of): Settled => {
      const worst = of.witness === null ? null : of;
      return { ...shape, of, worst, none: 0, witness: shown.nameOf.get(of) };
    }),
  );

const shapeColumns: Field<Settled>[] = [
  textColumn("mechanism", "Mechanism"),
  countColumn("workers", "Workers"),
  countColumn("rounds", "Rounds"),
  textColumn("reputations", "Reputations"),
  ...claimColumns,
  textColumn("verdict", "Verdict", ({ of }) => of.verdict),
  ...worstColumns,
  countColumn("cells", "Cells", ({ of }) => of.cells),
  textColumn("witness", "On the bench"),
];

/** Every claim that some shape of a mechanism has a case of. */
const claimedOf = (shapes: readonly SettledShape[], { shown }: ProofResult) =>
  allClaims.flatMap((of) => {
    const cases = casesOf(shapes, (one) => isSame(one, of));
    if (cases.length === 0) return [];
    const worst = worstOf(cases);
    return [
      {
        ...{ mechanism: shapes[0]!.mechanism, of, worst: worst?.claim ?? null, none: null },
        proved: holdsUpTo(shapes, (one) => isSame(one, of)),
        shape: worst && shapeText(worst.shape),
        witness: worst && shown.nameOf.get(worst.claim),
      },
    ];
  });

export const tables = (result: ProofResult): Table[] => [
  tableOf(
    "summary",
    "What is proved, and the worst case: equal reputations, all costs, budgets and arrivals",
    byMechanism(result.shapes.filter(isEqual)).flatMap((own) => claimedOf(own, result)),
    [
      textColumn("mechanism", "Mechanism"),
      ...claimColumns,
      textColumn("provedFor", "Proved for", ({ proved }) =>
        proved.length === 0 ? "no shape" : upToText(proved),
      ),
      ...worstColumns,
      textColumn("shape", "First with"),
      textColumn("witness", "On the bench"),
    ],
  ),
  tableOf("claims", "Every shape and claim: proved, or the worst case", settledIn(result), shapeColumns),
];

/** A claim and the shape it is on. */
interface Case {
  readonly shape: SettledShape;
  readonly claim: ProvedClaim;
}

const casesOf = (shapes: readonly SettledShape[], wanted: (claim: ProvedClaim) => boolean): Case[] =>
  shapes.flatMap((shape) => shape.claims.filter(wanted).map((claim) => ({ shape, claim })));

/** The worst case; of equal ones the first. Null where all are proved. */
function worstOf(cases: readonly Case[]): Case | null {
  const broken = cases.filter(({ claim }) => claim.witness !== null);
  return broken.reduce<Case | null>((a, b) => (a && shareOf(a.claim) >= shareOf(b.claim) ? a : b), null);
}

/** The columns of the chart: a regime, and whether a lie leaves the start where it is. */
const columns = regimes.flatMap((regime) => startEffects.map((start) => ({ regime, start })));

const rowLabel = ({ workers, rounds, reputations }: SettledShape): string =>
  `${reputations === "equal" ? workers : reputations.replaceAll(", ", ":")} × ${rounds}`;

const ROW =
  "(datum.reputations === 'equal' ? datum.workers : replace(datum.reputations, /, /g, ':')) + ' × ' + datum.rounds";

const COLUMN = "datum.regime + '|' + datum.start";

const CELL = "datum.verdict === 'proved' ? '0' : (datum.attained === 'as a limit' ? '<' : '') + datum.worst";

export function charts({ shapes }: ProofResult): Chart[] {
  const choices: Choice[] = [
    { field: "mechanism", label: "Mechanism", values: byMechanism(shapes).map(([one]) => one!.mechanism) },
    { field: "lie", label: "Misstated", values: ["joint", "price", "time"] },
  ];
  if (shapes.length === 0) return [];
  const known = shapes.flatMap(({ claims }) => claims.map(shareOf)).filter(Number.isFinite);
  return [
    {
      name: "worst",
      title: "The most that a lie can gain, as a share of the budget",
      table: "claims",
      choices,
      spec: {
        height: { step: 21 },
        transform: [
          { calculate: ROW, as: "row" },
          { calculate: COLUMN, as: "column" },
          { calculate: CELL, as: "cell" },
        ],
        encoding: {
          x: {
            field: "column",
            type: "nominal",
            sort: columns.map(({ regime, start }) => `${regime}|${start}`),
            title: "regime, and the start: kept or moved by the lie",
            axis: {
              labelExpr: "split(datum.label, '|')",
              labelFontSize: 9.5,
              labelOverlap: false,
              domain: false,
              ticks: false,
            },
          },
          y: {
            field: "row",
            type: "nominal",
            sort: [...new Set(shapes.map(rowLabel))],
            title: "workers × rounds",
            axis: { domain: false, ticks: false },
          },
          tooltip: tooltipOf(shapeColumns),
        },
        layer: [
          { mark: "rect", encoding: { color: backgroundColour("share", Math.max(0.1, ...known)) } },
          {
            mark: { type: "text", size: 10 },
            encoding: { text: { field: "cell" } },
          },
        ],
      },
      summary: captions(choices, (chosen) => caption(shapes, chosen)),
      howToRead:
        "Each cell is over all costs, budgets and arrivals: 0 where it is proved that no lie gains, else the largest gain there is, a limit that is never reached where “<” stands before it; no cell where nothing is such a case. Reputations are equal unless a row gives them (1:2:4); a click opens a market that shows the worst case.",
    },
  ];
}

function caption(shapes: readonly SettledShape[], chosen: Readonly<Record<string, string>>): string {
  const own = shapes.filter(({ mechanism }) => mechanism === chosen.mechanism);
  const about = `${quotedName(chosen.mechanism!)}, ${lieWords[chosen.lie as Lie]} misstated`;
  const inRegime = (regime: Regime) =>
    casesOf(own, (claim) => lieOf[claim.property] === chosen.lie && claim.regime === regime);
  const worst = offeredRegimes.flatMap((regime) => {
    const most = worstOf(inRegime(regime));
    return most ? [`${regime} ${boundText(most.claim)} with ${shapeText(most.shape)}`] : [];
  });
  if (worst.length === 0) return `${about}: proved in all these shapes, no lie gains.`;
  const proved = columns.filter(({ regime, start }) => {
    const cases = inRegime(regime).filter(({ claim }) => claim.start === start);
    return cases.length > 0 && worstOf(cases) === null;
  });
  const words = proved.map(({ regime, start }) => `${regime} with the start ${start}`);
  const rest = words.length === 0 ? "" : ` Proved in all these shapes: ${listed(words)}.`;
  return `${about}: the worst cases are ${worst.join("; ")}.${rest}`;
}

/** "13/40 (0.325; a limit)". */
function boundText(claim: ProvedClaim): string {
  const { worst, attained } = claim;
  if (worst === "unbounded") return "without bound";
  const limit = attained ? [] : ["a limit"];
  const decimal = worst.includes("/") ? [threeDigits(shareOf(claim))] : [];
  const more = [...decimal, ...limit].join("; ");
  return `${worst}${more === "" ? "" : ` (${more})`}`;
}

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
