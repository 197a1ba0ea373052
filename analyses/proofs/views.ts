/** Proofs in tables, a chart, and markets to replay. */

import { counted, listed, rounded, threeDigits } from "../../src/lib/format.js";
import { parseFraction, toNumber } from "../../src/lib/fraction.js";
import { type Regime, regimes } from "../../src/mechanisms/outcome.js";
import type { Chart, Choice, Exhibit, Row, Table } from "../../src/report/result.js";
import {
  backgroundColour,
  captions,
  countColumn,
  type lies,
  lieWords,
  offeredRegimes,
  shareColumn,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import { type ProvedProperty, starts } from "../../src/verdicts/proofs/program.js";
import type { ProvedClaim } from "../../src/verdicts/proofs/prove.js";
import { allClaims, type Claim } from "../../src/verdicts/proofs/worst.js";
import type { ProofResult, SettledShape } from "../proofs.js";
import { byMechanism, holdsUpTo, isEqual, isSame, quotedName, upToText } from "./shapes.js";

type Lie = (typeof lies)[number];

const lieOf: Readonly<Partial<Record<ProvedProperty, Lie>>> = { P5: "price", P6: "time", joint: "joint" };

/** The worst case as a number; none where it has no bound. */
export const shareOf = ({ worst }: ProvedClaim): number =>
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
export const shapeText = ({ workers, rounds, reputations }: SettledShape): string =>
  `${counted(workers, "worker")}, ${counted(rounds, "round")}${reputations === "equal" ? "" : `, reputations ${reputations}`}`;

function happens({ witness, property }: Pick<ProvedClaim, "witness" | "property">): string {
  const { market, worker, gain } = witness!;
  const amount = threeDigits(toNumber(parseFraction(gain)));
  const budget = `of a budget of ${threeDigits(market.rules.budget)}`;
  if (property === "P2") return `the payments exceed the budget by ${amount} ${budget}`;
  return `worker ${worker} ${property === "P1" ? "loses" : "gains"} ${amount} ${budget}`;
}

const claimColumns = [
  textColumn("property", "Claim"),
  textColumn("lie", "Misstated"),
  textColumn("regime", "Regime"),
  textColumn("start", "Start"),
];

const worstColumns = [
  textColumn("worst", "Worst case, of the budget"),
  shareColumn("share", "In per cent"),
  textColumn("attained", "Reached"),
];

const shapeColumns = [
  textColumn("mechanism", "Mechanism"),
  countColumn("workers", "Workers"),
  countColumn("rounds", "Rounds"),
  textColumn("reputations", "Reputations"),
  ...claimColumns,
  textColumn("verdict", "Verdict"),
  ...worstColumns,
  countColumn("cells", "Cells"),
  textColumn("witness", "On the bench"),
];

export const tables = (result: ProofResult): Table[] => [
  {
    name: "summary",
    title: "What is proved, and the worst case: equal reputations, all costs, budgets and arrivals",
    columns: [
      textColumn("mechanism", "Mechanism"),
      ...claimColumns,
      textColumn("provedFor", "Proved for"),
      ...worstColumns,
      textColumn("shape", "First with"),
      textColumn("witness", "On the bench"),
    ],
    rows: byMechanism(result.shapes.filter(isEqual)).flatMap((own) => summaryRows(own, result)),
  },
  {
    name: "claims",
    title: "Every shape and claim: proved, or the worst case",
    columns: shapeColumns,
    rows: result.shapes.flatMap((shape) => claimRows(shape, result)),
  },
];

const claimCells = ({ property, regime, start }: Claim): Row => ({
  property,
  lie: lieOf[property] ?? null,
  regime,
  start,
});

const worstCells = (claim: ProvedClaim | null): Row => ({
  worst: claim?.worst ?? null,
  share: claim && rounded(shareOf(claim)),
  attained: claim && (claim.attained ? "yes" : "as a limit"),
});

const claimRows = (
  { mechanism, workers, rounds, reputations, claims }: SettledShape,
  { shown }: ProofResult,
): Row[] =>
  claims.map((claim) => ({
    ...{ mechanism, workers, rounds, reputations },
    ...claimCells(claim),
    verdict: claim.verdict,
    ...worstCells(claim.witness === null ? null : claim),
    // What is proved gains nothing.
    ...(claim.witness === null && { share: 0 }),
    cells: claim.cells,
    witness: shown.nameOf.get(claim) ?? null,
  }));

/** A row for every claim that some shape of the mechanism has a case of. */
function summaryRows(shapes: readonly SettledShape[], { shown }: ProofResult): Row[] {
  return allClaims.flatMap((claim) => {
    const cases = casesOf(shapes, (one) => isSame(one, claim));
    if (cases.length === 0) return [];
    const worst = worstOf(cases);
    const proved = holdsUpTo(shapes, (one) => isSame(one, claim));
    return [
      {
        mechanism: shapes[0]!.mechanism,
        ...claimCells(claim),
        provedFor: proved.length === 0 ? "no shape" : upToText(proved),
        ...worstCells(worst?.claim ?? null),
        shape: worst && shapeText(worst.shape),
        witness: (worst && shown.nameOf.get(worst.claim)) ?? null,
      },
    ];
  });
}

/** A claim and the shape it is on. */
export interface Case {
  readonly shape: SettledShape;
  readonly claim: ProvedClaim;
}

export const casesOf = (shapes: readonly SettledShape[], wanted: (claim: ProvedClaim) => boolean): Case[] =>
  shapes.flatMap((shape) => shape.claims.filter(wanted).map((claim) => ({ shape, claim })));

/** The worst case; of equal ones the first. Null where all are proved. */
export function worstOf(cases: readonly Case[]): Case | null {
  const broken = cases.filter(({ claim }) => claim.witness !== null);
  return broken.reduce<Case | null>((a, b) => (a && shareOf(a.claim) >= shareOf(b.claim) ? a : b), null);
}

/** The columns of the chart: a regime, and whether a lie leaves the start where it is. */
const columns = regimes.flatMap((regime) => starts.map((start) => ({ regime, start })));

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
export function boundText(claim: ProvedClaim): string {
  const { worst, attained } = claim;
  if (worst === "unbounded") return "without bound";
  const limit = attained ? [] : ["a limit"];
  const decimal = worst.includes("/") ? [threeDigits(shareOf(claim))] : [];
  const more = [...decimal, ...limit].join("; ");
  return `${worst}${more === "" ? "" : ` (${more})`}`;
}
