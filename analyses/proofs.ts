/** The claims settled for all costs, all budgets and all arrivals of small shapes: proved, or the worst case there is. */

import { greatest, groups, sum } from "d3-array";
import { NotLinear } from "../src/auction/amounts.js";
import type { AnyMechanism } from "../src/auction/mechanism.js";
import { regimes } from "../src/auction/outcome.js";
import { isInformed } from "../src/auction/program.js";
import { capital, counted, listed, threeDigits, whole } from "../src/lib/format.js";
import { parseFraction, toNumber } from "../src/lib/fraction.js";
import { type Market, paperRules, type Reading } from "../src/market/market.js";
import { inNumbers, type ReplayableWitness } from "../src/proofs/find-witness.js";
import {
  allClaims,
  claimKey,
  type ProofClaim,
  type ProvedProperty,
  startEffects,
} from "../src/proofs/program.js";
import { type ProvedClaim, provedClaims } from "../src/proofs/prove.js";
import { isProvable, plainShape, type Shape, validateShape } from "../src/proofs/shape.js";
import type { ProofSummary } from "../src/proofs/worst.js";
import type { Chart, Exhibit, Finding, MechanismNote, Table } from "../src/report/result.js";
import {
  axis,
  captions,
  colour,
  column,
  lieChoice,
  type lies,
  lieWords,
  marks,
  offeredRegimes,
  rankedFindings,
  tableOf,
} from "../src/report/vocabulary.js";
import type { Analysis, Gathered, Profile } from "../src/study/analysis.js";
import type { Cells, WorkContext } from "../src/study/job.js";
import { type ProofCell, proofCells, proofJob, shapeOf } from "../src/study/proofs.js";

export interface ProofSettings {
  /** The most rounds with 1, 2, 3, … workers of equal reputation: of the mechanism examined, in prose. */
  readonly examined: readonly number[];
  /** Of the same in the other reading. */
  readonly otherReading: readonly number[];
  /** Of the other mechanisms. */
  readonly others: readonly number[];
  /** Of those that see all bids at once, which are quick to settle. */
  readonly offline: readonly number[];
  /** Other reputations, for the mechanism examined, in prose. */
  readonly unequal: readonly { readonly reputations: readonly number[]; readonly rounds: number }[];
}

const profiles: Record<Profile, ProofSettings> = {
  quick: {
    examined: [6, 6, 3, 2],
    otherReading: [3, 3, 3],
    others: [3, 3, 3],
    offline: [3, 3, 3],
    unequal: [
      { reputations: [1, 2], rounds: 3 },
      { reputations: [1, 2, 3], rounds: 2 },
      { reputations: [1, 2, 4], rounds: 3 },
    ],
  },
  full: {
    examined: [10, 10, 5, 3, 1],
    otherReading: [6, 6, 4, 3],
    others: [4, 4, 4, 3, 2],
    offline: [4, 4, 4, 4, 4],
    unequal: [
      { reputations: [1, 2], rounds: 6 },
      { reputations: [1, 2, 3], rounds: 3 },
      { reputations: [3, 2, 1], rounds: 3 },
      { reputations: [1, 2, 4], rounds: 3 },
      { reputations: [1, 10, 100], rounds: 3 },
      { reputations: [1, 2, 3, 4], rounds: 2 },
    ],
  },
};

/** Whether anything can be proved: the program is run for the first time here. */
function runsOnLines(mechanism: AnyMechanism): boolean {
  if (!isProvable(mechanism)) return false;
  try {
    proofCells(validateShape({ rounds: 1, reputations: [1] }, mechanism));
    return true;
  } catch (error) {
    if (error instanceof NotLinear) return false;
    throw error;
  }
}

const equalShapes = (most: readonly number[], reading: Reading = "prose") =>
  most.flatMap((last, k) =>
    Array.from({ length: last }, (_, r) => ({ rounds: r + 1, reputations: Array(k + 1).fill(1), reading })),
  );

/** Under the paper's rules. */
function shapesOf(mechanism: AnyMechanism, settings: ProofSettings, context: WorkContext): Shape[] {
  const { examined, otherReading, others, offline, unequal } = settings;
  const shapes =
    mechanism !== context.mechanism
      ? equalShapes(mechanism.offline ? offline : others)
      : [
          ...equalShapes(examined),
          ...unequal,
          ...(readsRules(mechanism) ? equalShapes(otherReading, "pseudocode") : []),
        ];
  return shapes.map((shape) => validateShape(shape, mechanism));
}

/** A variant may fix the reading itself. */
const readsRules = ({ variantOf }: AnyMechanism): boolean => variantOf?.rules.reading === undefined;

/** The one examined first. */
const provable = ({ mechanism, mechanisms }: WorkContext): AnyMechanism[] =>
  [mechanism, ...mechanisms.filter((one) => one !== mechanism)].filter(runsOnLines);

const plan = (settings: ProofSettings, context: WorkContext): Cells<ProofCell>[] =>
  provable(context).flatMap((mechanism) =>
    shapesOf(mechanism, settings, context).map((shape) => proofCells(shape, mechanism.name)),
  );

const labelOf = (name: string, reading: Reading): string =>
  reading === "prose" ? name : `${name}, ${reading}`;

/** A shape of a mechanism, and what is claimed of it. */
function settled({ cell, summary }: Gathered<ProofCell, ProofSummary>, context: WorkContext) {
  const auction = context.mechanisms.find(({ name }) => name === cell.mechanism)!;
  const { reputations, rounds, reading } = cell;
  return {
    mechanism: labelOf(auction.name, reading),
    examined: auction === context.mechanism && reading === "prose",
    workers: reputations.length,
    rounds,
    reputations: new Set(reputations).size === 1 ? "equal" : reputations.join(", "),
    auction,
    // Without those that no market of the shape, or no lie, is a case of.
    claims: provedClaims(plainShape(shapeOf(cell, auction)), summary ?? {}).filter(({ cells }) => cells > 0),
  };
}

type SettledShape = ReturnType<typeof settled>;

function conclude(
  gathered: readonly Gathered<ProofCell, ProofSummary>[],
  _: ProofSettings,
  context: WorkContext,
) {
  const shapes = gathered.map((one) => settled(one, context));
  const examined = context.mechanism.name;
  const other = labelOf(examined, "pseudocode");
  const known = provable(context);
  return {
    examined,
    // Null where nothing of it was asked.
    otherReading: shapes.some(({ mechanism }) => mechanism === other) ? other : null,
    shapes,
    // Nothing can be proved about these.
    left: context.mechanisms.filter((one) => !known.includes(one)).map(({ name }) => name),
    shown: exhibitsOf(shapes),
  };
}

type ProofResult = ReturnType<typeof conclude>;

/** The shapes of each mechanism, in their order. */
const byMechanism = (shapes: readonly SettledShape[]) => groups(shapes, ({ mechanism }) => mechanism);

const isEqual = ({ reputations }: SettledShape): boolean => reputations === "equal";

type Wanted = (claim: ProvedClaim) => boolean;

const holdsIn = ({ claims }: SettledShape, wanted: Wanted): boolean =>
  claims.every((claim) => !wanted(claim) || claim.verdict === "proved");

/** Every market of at most so many workers and rounds. */
interface Extent {
  readonly workers: number;
  readonly rounds: number;
}

const includes = (big: Extent, small: Extent): boolean =>
  small.workers <= big.workers && small.rounds <= big.rounds;

/** Up to where all shapes of equal reputation were settled and no wanted claim breaks: the extents that none other includes. */
function holdsUpTo(shapes: readonly SettledShape[], wanted: Wanted): Extent[] {
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

const settledUpTo = (shapes: readonly SettledShape[]): Extent[] => holdsUpTo(shapes, () => false);

/** "up to 2 workers and 6 rounds, 3 workers and 3 rounds or 4 workers and 2 rounds". */
function upToText(extents: readonly Extent[]): string {
  const texts = extents.map(
    ({ workers, rounds }) => `${counted(workers, "worker")} and ${counted(rounds, "round")}`,
  );
  return `up to ${texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} or ${texts.at(-1)}`}`;
}

/** The one to name where there is room for one only: the most workers and rounds alike. */
const mainExtent = (extents: readonly Extent[]): Extent | undefined =>
  greatest(extents, ({ workers, rounds }) => 1000 * Math.min(workers, rounds) + Math.max(workers, rounds));

type Lie = (typeof lies)[number];

const lieOf: Readonly<Partial<Record<ProvedProperty, Lie>>> = { P5: "price", P6: "time", joint: "joint" };

/** The worst case as a number; none where it has no bound. */
const shareOf = ({ worst }: ProvedClaim): number =>
  worst === "unbounded" ? Number.POSITIVE_INFINITY : toNumber(parseFraction(worst));

/**
 * One exhibit for each worst case of a mechanism: of the first shape that has it, by the simpler lie where that gains as much;
 * and the name of the one that shows a claim's.
 */
function exhibitsOf(shapes: readonly SettledShape[]) {
  const exhibits = new Map<string, Exhibit>();
  const nameOf = new Map<ProvedClaim, string>();
  for (const shape of shapes)
    for (const claim of shape.claims) {
      // The bench shows markets in numbers.
      const shown = claim.witness && inNumbers(claim.witness);
      if (shown === null) continue;
      const { property, regime, start, worst } = claim;
      const keyOf = (one: ProvedProperty) => [shape.mechanism, one, regime, start, worst].join("/");
      const simpler = property === "joint" ? (["P5", "P6"] as const) : [];
      const known = [...simpler, property].map(keyOf).find((key) => exhibits.has(key));
      const key = known ?? keyOf(property);
      if (known === undefined) exhibits.set(key, exhibitOf(shape, claim, shown));
      nameOf.set(claim, exhibits.get(key)!.name);
    }
  return { exhibits: [...exhibits.values()], nameOf };
}

function exhibitOf(shape: SettledShape, claim: ProvedClaim, { market, bid }: ReplayableWitness): Exhibit {
  const { property, regime, start, worst } = claim;
  const { mechanism, workers, rounds, reputations, auction } = shape;
  const lie = lieOf[property];
  const which = [regime, ...(start === null ? [] : [`start ${start}`]), ...(lie ? [lieWords[lie]] : [])];
  const own = reputations === "equal" ? [] : [reputations];
  const name = [mechanism, property, regime, start ?? "", `${workers}x${rounds}`, ...own].join(" ");
  return {
    name: name.replace(/[^A-Za-z0-9]+/g, "-"),
    title: `${mechanism}, ${which.join(", ")}: ${happens(claim, market)} (${shapeText(shape)}; worst case ${worst})`,
    market,
    mechanism: auction.name,
    lie: bid,
  };
}

/** "3 workers, 2 rounds, reputations 1, 2, 4". */
const shapeText = ({ workers, rounds, reputations }: SettledShape): string =>
  `${counted(workers, "worker")}, ${counted(rounds, "round")}${reputations === "equal" ? "" : `, reputations ${reputations}`}`;

function happens({ witness, property }: ProvedClaim, market: Market): string {
  const { worker, gain } = witness!;
  const amount = threeDigits(toNumber(parseFraction(gain)));
  const budget = `of a budget of ${threeDigits(market.rules.budget)}`;
  if (property === "P2") return `the payments exceed the budget by ${amount} ${budget}`;
  return `worker ${worker} ${property === "P1" ? "loses" : "gains"} ${amount} ${budget}`;
}

const claimColumns = [
  column.text("property", "Claim"),
  column.text("lie", "Misstated"),
  column.text("regime", "Regime"),
  column.text("start", "Start"),
];

function claimCells({ property, regime, start }: ProofClaim) {
  return { property, lie: lieOf[property], regime, start };
}

const worstColumns = [
  column.text("worst", "Worst case, of the budget"),
  column.share("share", "In per cent"),
  column.text("attained", "Reached"),
];

function worstCells(claim: ProvedClaim) {
  return { worst: claim.worst, share: shareOf(claim), attained: claim.attained ? "yes" : "as a limit" };
}

const shapeColumns = [
  column.text("mechanism", "Mechanism"),
  column.count("workers", "Workers"),
  column.count("rounds", "Rounds"),
  column.text("reputations", "Reputations"),
  ...claimColumns,
  column.text("verdict", "Verdict"),
  ...worstColumns,
  column.count("cells", "Cells"),
  column.text("witness", "On the bench"),
];

/** A row for every claim on a shape; what is proved gains nothing. */
const settledIn = ({ shapes, shown }: ProofResult) =>
  shapes.flatMap(({ claims, ...shape }) =>
    claims.map((claim) => {
      const { verdict, cells } = claim;
      const worst = claim.witness === null ? { share: 0 } : worstCells(claim);
      return { ...shape, ...claimCells(claim), verdict, cells, ...worst, witness: shown.nameOf.get(claim) };
    }),
  );

const summaryColumns = [
  column.text("mechanism", "Mechanism"),
  ...claimColumns,
  column.text("provedFor", "Proved for"),
  ...worstColumns,
  column.text("shape", "First with"),
  column.text("witness", "On the bench"),
];

/** A row for every claim that some shape of a mechanism has a case of. */
const claimedOf = (mechanism: string, shapes: readonly SettledShape[], { shown }: ProofResult) =>
  allClaims.flatMap((claim) => {
    const wanted: Wanted = (one) => claimKey(one) === claimKey(claim);
    const cases = casesOf(shapes, wanted);
    if (cases.length === 0) return [];
    const [proved, worst] = [holdsUpTo(shapes, wanted), worstOf(cases)];
    const provedFor = proved.length === 0 ? "no shape" : upToText(proved);
    const row = { mechanism, ...claimCells(claim), provedFor };
    if (!worst) return [row];
    const [shape, witness] = [shapeText(worst.shape), shown.nameOf.get(worst.claim)];
    return [{ ...row, ...worstCells(worst.claim), shape, witness }];
  });

const tables = (result: ProofResult): Table[] => [
  tableOf(
    "summary",
    "What is proved, and the worst case: equal reputations, all costs, budgets and arrivals",
    byMechanism(result.shapes.filter(isEqual)).flatMap(([name, own]) => claimedOf(name, own, result)),
    summaryColumns,
  ),
  tableOf("claims", "Every shape and claim: proved, or the worst case", settledIn(result), shapeColumns),
];

/** A claim and the shape it is on. */
interface Case {
  readonly shape: SettledShape;
  readonly claim: ProvedClaim;
}

const casesOf = (shapes: readonly SettledShape[], wanted: Wanted): Case[] =>
  shapes.flatMap((shape) => shape.claims.filter(wanted).map((claim) => ({ shape, claim })));

/** The worst case; of equal ones the first. None where all are proved. */
const worstOf = (cases: readonly Case[]): Case | undefined =>
  greatest(
    cases.filter(({ claim }) => claim.witness !== null),
    ({ claim }) => shareOf(claim),
  );

/** What there is to prove of a mechanism: for each regime, of lies that leave the start where it is and of those that move it. */
const columns = regimes.flatMap((regime) => startEffects.map((start) => ({ regime, start })));

/** A mechanism, or its lies that move the start. */
const MOVED = "|moved";

/** Of a name with its reading, the lies that move the start are named by the reading. */
const SHORT = `replace(indexof(datum.label, '${MOVED}') < 0 ? datum.label : peek(split(datum.label, ', ')), '${MOVED}', ', start moved')`;

const ROW = `datum.mechanism + (datum.start === 'moved' ? '${MOVED}' : '')`;

const CELL = "isValid(datum.worst) ? (datum.attained === 'as a limit' ? '<' : '') + datum.worst : '0'";

/** A mechanism that is shown the costs ignores bids: that no lie gains says nothing about it. */
const hearsBids = ({ auction }: SettledShape): boolean => !isInformed(auction);

function charts({ shapes, examined }: ProofResult): Chart[] {
  const equal = byMechanism(shapes.filter((shape) => isEqual(shape) && hearsBids(shape)));
  if (equal.length === 0) return [];
  const names = equal.map(([name]) => name);
  const rows = names.flatMap((name) => [name, `${name}${MOVED}`]);
  const known = equal.flatMap(([, own]) => own.flatMap(({ claims }) => claims.map(shareOf)));
  const bare = { domain: false, ticks: false };
  return [
    {
      name: "worst",
      title: "The most that a lie can gain, as a share of the budget",
      table: "summary",
      choices: [lieChoice],
      spec: {
        height: { step: 20 },
        transform: [
          { filter: { field: "mechanism", oneOf: names } },
          { calculate: ROW, as: "row" },
          { calculate: CELL, as: "cell" },
          { calculate: "datum.share || 0", as: "part" },
        ],
        encoding: {
          x: axis.name("regime", regimes, { labelAngle: 0, ...bare }),
          y: axis.name("row", rows, { labelLimit: 180, labelExpr: SHORT, ...bare }),
          tooltip: marks.tooltip(summaryColumns),
        },
        layer: [
          {
            mark: "rect",
            encoding: { color: colour.background("part", Math.max(0.1, ...known.filter(Number.isFinite))) },
          },
          { mark: { type: "text", size: 10 }, encoding: { text: { field: "cell" } } },
        ],
      },
      summary: captions([lieChoice], ({ lie }) => captionOf(equal, lie as Lie, examined)),
      howToRead:
        "Over all settled shapes of equal reputation, all costs, budgets and arrivals. 0: proved that no lie gains; a fraction: the largest gain; “<”: a limit that is never reached. Rows without “start moved” are of lies that leave the start as it is. Empty: no lie of that kind, or no market in that regime.",
    },
  ];
}

/** How many of the rows are proved, and which columns of the mechanism examined. */
function captionOf(equal: ReturnType<typeof byMechanism>, lie: Lie, examined: string): string {
  const wanted: Wanted = ({ property }) => lieOf[property] === lie;
  const proved = equal.filter(([, own]) => !worstOf(casesOf(own, wanted))).map(([name]) => name);
  const text = `${capital(lieWords[lie])} misstated: it is proved that no lie gains under ${proved.length} of ${counted(equal.length, "mechanism")} (the two readings counted apart)`;
  const own = new Map(equal).get(examined);
  if (!own || proved.includes(examined)) return `${text}.`;
  const held = columns.filter(({ regime, start }) => {
    const cases = casesOf(own, (one) => wanted(one) && one.regime === regime && one.start === start);
    return cases.length > 0 && !worstOf(cases);
  });
  const where = held.map(({ regime, start }) => `${regime}, start ${start}`).join("; ");
  return `${text}. Under \`${examined}\` it is proved ${where === "" ? "in no regime" : `only in part: ${where}`}.`;
}

const anyLie: Wanted = ({ property }) => property === "joint";

/** From the strongest on: what may be proved, and how to say what else a lie can do. */
const statements: readonly { readonly text: string; readonly only: string; readonly wanted: Wanted }[] = [
  { text: "no lie about price, arrival or both gains", only: "", wanted: anyLie },
  {
    text: "with a sufficient budget no lie gains",
    only: "",
    wanted: (claim) => anyLie(claim) && claim.regime === "sufficient",
  },
  {
    text: "with a sufficient budget no lie gains that leaves the start where it is",
    only: "with a sufficient budget only a lie that moves the start gains",
    wanted: (claim) => anyLie(claim) && claim.regime === "sufficient" && claim.start === "kept",
  },
];

/** The strongest statement that holds in all shapes of equal reputation up to the extent that was settled. */
function proved(shapes: readonly SettledShape[]) {
  const extent = mainExtent(settledUpTo(shapes));
  if (!extent) return null;
  const within = shapes.filter((shape) => isEqual(shape) && includes(extent, shape));
  const found = statements.find(
    ({ wanted }) => casesOf(within, wanted).length > 0 && within.every((shape) => holdsIn(shape, wanted)),
  );
  if (found === undefined) return null;
  const { text, only } = found;
  const worst = worstOf(casesOf(within, (claim) => anyLie(claim) && claim.regime === "sufficient"));
  return {
    text,
    // The same, with the most that other lies gain.
    bound: only === "" || !worst ? text : `${only}, at most ${worst.claim.worst} of the budget`,
    upTo: `up to ${counted(extent.workers, "equally reputed worker")} and ${counted(extent.rounds, "round")}`,
  };
}

const examinedIn = ({ shapes }: ProofResult): SettledShape[] => shapes.filter(({ examined }) => examined);

function firstScreenNote(result: ProofResult): string | null {
  const own = examinedIn(result);
  const found = proved(own);
  return (
    found && `Proved for ${found.upTo}, all costs, budgets and arrivals: ${found.bound}.${priceText(own)}`
  );
}

/** The first shape of equal reputation in which the price alone gains with a sufficient budget: rare in markets drawn as in the paper. */
function priceText(shapes: readonly SettledShape[]): string {
  const breaks = ({ property, regime, witness }: ProvedClaim) =>
    property === "P5" && regime === "sufficient" && witness !== null;
  const [first] = casesOf(shapes.filter(isEqual), breaks);
  if (!first) return "";
  const { workers, rounds } = first.shape;
  return ` With ${counted(workers, "worker")} and ${counted(rounds, "round")} a false price alone gains, too.`;
}

/** In prose. */
const notes = ({ shapes }: ProofResult): MechanismNote[] =>
  byMechanism(shapes.filter(hearsBids)).flatMap(([mechanism, own]) => {
    const found = mechanism === own[0]!.auction.name ? proved(own) : null;
    if (found === null) return [];
    return [{ mechanism, text: `Proved for ${found.upTo}, all costs, budgets and arrivals: ${found.text}.` }];
  });

const findings = (result: ProofResult): Finding[] =>
  rankedFindings(
    [80, provedText(result)],
    [75, worstText(result)],
    [50, othersText(result)],
    [40, restText(result)],
  );

/** What is proved, and where sampling begins. */
function provedText(result: ProofResult): string {
  const { examined } = result;
  const own = examinedIn(result);
  if (own.length === 0)
    return `Nothing can be proved about \`${examined}\`: it has no program that runs on unknown amounts.`;
  const found = proved(own);
  if (found === null) return "";
  return `Proved for ${found.upTo} under \`${examined}\` (prose), all costs, budgets and arrivals: ${found.text}. What this report says of larger markets is sampled, not proved.`;
}

/** The worst that a lie can do, by regime; and where unequal reputations make it worse. */
function worstText(result: ProofResult): string {
  const own = examinedIn(result);
  const [equal, unequal] = [true, false].map((same) => own.filter((shape) => isEqual(shape) === same));
  const parts = offeredRegimes.flatMap((regime) => {
    const cases = casesOf(equal!, (claim) => anyLie(claim) && claim.regime === regime);
    const worst = worstOf(cases);
    if (!worst) return [];
    const kept = worstOf(cases.filter(({ claim }) => claim.start === "kept"));
    return [`${worst.claim.worst} (${regime}${kept ? "" : ", by moving the start"})`];
  });
  if (parts.length === 0) return "";
  const text = `In the shapes settled, the most that a lie gains under \`${result.examined}\` (prose, equal reputations), as a share of the budget, is ${listed(parts)}.`;
  const [worst, other] = [equal!, unequal!].map((shapes) => worstOf(casesOf(shapes, anyLie)));
  if (!other || shareOf(other.claim) <= shareOf(worst!.claim)) return text;
  return `${text} With reputations ${other.shape.reputations} it is ${other.claim.worst} (${other.claim.regime}).`;
}

/** "13/40 of the budget". */
function boundText({ claim: { worst } }: Case): string {
  if (worst === "unbounded") return "any multiple of the budget";
  return worst === "1" ? "the whole budget" : `${worst} of the budget`;
}

/** The other mechanisms: those in which no lie gains, and the worst cases of the others. */
function othersText({ shapes, examined, otherReading }: ProofResult): string {
  const others = byMechanism(shapes.filter(hearsBids)).filter(
    ([name]) => name !== examined && name !== otherReading,
  );
  const bounds = groups(others, ([, own]) => {
    const worst = worstOf(casesOf(own, anyLie));
    return worst ? boundText(worst) : "nothing";
  }).map(([bound, under]) => ({ bound, names: listed(under.map(([name]) => name)) }));
  const honest = bounds.find(({ bound }) => bound === "nothing");
  const gains = bounds.filter((one) => one !== honest).map(({ bound, names }) => `${bound} under ${names}`);
  const settled = commonText(others.map(([, own]) => own));
  return [
    honest ? `Proved for ${settled}: no lie gains under ${honest.names}.` : "",
    gains.length > 0 ? `A lie can gain ${gains.join(", ")}.` : "",
  ]
    .filter(Boolean)
    .join(" ");
}

/** The shapes that all of them were settled for. */
function commonText([first = [], ...rest]: readonly (readonly SettledShape[])[]): string {
  const everywhere = first.filter((shape) => rest.every((own) => own.some((one) => isSame(one, shape))));
  return `${upToText(settledUpTo(everywhere))} with equal reputations`;
}

/** Whether it is of equal reputation, and as large as the other. */
const isSame = (one: SettledShape, { workers, rounds }: SettledShape): boolean =>
  isEqual(one) && one.workers === workers && one.rounds === rounds;

/** Individual rationality, budget feasibility, and the other reading. */
function restText(result: ProofResult): string {
  const { shapes, examined, otherReading } = result;
  const own = shapes.filter(({ mechanism }) => mechanism === examined || mechanism === otherReading);
  if (own.length === 0) return "";
  const breaks = (["P1", "P2"] as const).filter((property) =>
    own.some((shape) => !holdsIn(shape, (claim) => claim.property === property)),
  );
  const verdict = breaks.length === 0 ? "are proved" : `are not both proved (${listed(breaks)} breaks)`;
  const prose = examinedIn(result).length;
  const both = otherReading === null ? "" : ` (${prose} prose, ${own.length - prose} pseudocode)`;
  return `Individual rationality (P1) and budget feasibility (P2) ${verdict} in all ${counted(own.length, "shape")} of \`${examined}\`${both}.${readingText(result)}`;
}

/** Whether the other reading has other worst cases. */
function readingText({ shapes, otherReading }: ProofResult): string {
  const other = shapes.filter(({ mechanism }) => mechanism === otherReading);
  if (other.length === 0) return "";
  const verdicts = ({ claims }: SettledShape) =>
    claims.map((claim) => [claimKey(claim), claim.worst, claim.attained].join()).join();
  const same = other.filter((shape) => {
    const prose = shapes.find((one) => one.examined && isSame(one, shape));
    return prose && verdicts(prose) === verdicts(shape);
  });
  return ` The two readings have the same worst cases in ${same.length} of ${counted(other.length, "shape")} settled in both.`;
}

function methods({ shapes, left }: ProofResult): string[] {
  const cells = sum(shapes, ({ claims }) => sum(claims, (claim) => claim.cells));
  const reached = groups(byMechanism(shapes), ([, own]) => upToText(settledUpTo(own)));
  const settled = reached.map(([upTo, those]) => `${upTo} for ${listed(those.map(([name]) => name))}`);
  return [
    `A shape fixes the mechanism, its reading, the workers' reputations, their ids 0, 1, … (which put them into two groups in turn and break ties) and the number of rounds, with the paper's first-round ratio of ${paperRules.firstRoundRatio} and at least ${counted(paperRules.minWorkers, "worker")} to start with. All costs, the liar's price and the budget are unknowns; all true arrivals, all liars and all false arrivals are gone through.`,
    `Everything that can happen falls into finitely many cells, in which all decisions are the same and the gain is linear; the largest gain of a cell is at one of its corners. Cells are worked out in whole numbers and fractions, ties and thin cells included: nothing is sampled or rounded. Counted for each claim, ${whole(cells)} cells were gone through in ${counted(shapes.length, "shape")}.`,
    "Every worst case comes with a market that was run in exact fractions; where the worst case is a limit, the market comes within 1 % of it. What is proved can be checked by other code: candor prove --certificate FILE writes the proof of a shape down, and candor prove --verify FILE checks it.",
    `Shapes of equal reputation were settled ${settled.join("; ")}. Nothing follows from this for larger shapes, other ids or other ratios.`,
    left.length === 0
      ? ""
      : `Nothing can be proved about ${listed(left)}, which does not run on unknown amounts.`,
  ].filter(Boolean);
}

export const proofs: Analysis<ProofSettings, ProofCell, ProofSummary, ProofResult> = {
  name: "proofs",
  question: "What is proved for all costs, budgets and arrivals, and what is the worst that a lie can do?",
  part: "claims",
  settings: ({ profile }) => profiles[profile],
  plan,
  job: proofJob,
  conclude,
  tables,
  charts,
  findings,
  methods,
  exhibits: ({ shown }) => shown.exhibits,
  mechanismNotes: notes,
  firstScreenNote,
};
