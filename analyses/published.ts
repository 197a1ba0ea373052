/** What published mechanisms claim, and what of that is proved, holds on drawn markets, or breaks. */

import type { AnyMechanism } from "../src/auction/mechanism.js";
import { counted, listed, many, whole } from "../src/lib/format.js";
import { mechanisms } from "../src/mechanisms/index.js";
import type { Exhibit, Finding, Table } from "../src/report/result.js";
import { column, rankedFindings, tableOf } from "../src/report/vocabulary.js";
import type { Analysis, Profile } from "../src/study/analysis.js";
import { collectJob, type WorkContext } from "../src/study/job.js";
import {
  type AuditedProperty,
  type AuditSize,
  auditMechanism,
  auditSize,
  howText,
  isBrokenClaim,
  rowText,
} from "../src/verdicts/audit-mechanism.js";
import { measureText } from "../src/verdicts/claims.js";
import { violationText } from "../src/verdicts/counterexamples/violations.js";

export interface PublishedSettings {
  readonly size: AuditSize;
  /** By name; all that have claims, or stand in comparisons of claims, where left out. */
  readonly mechanisms?: readonly string[];
}

const profiles: Record<Profile, PublishedSettings> = {
  quick: { size: { ...auditSize, markets: 40 } },
  full: { size: { ...auditSize, markets: 1000 } },
};

interface PublishedCell {
  readonly mechanism: string;
  readonly size: AuditSize;
}

/** The one that is examined, and all whose sources' claims are known or looked for. */
const looked = ({ mechanism }: Pick<WorkContext, "mechanism">): AnyMechanism[] => {
  const known = Object.values<AnyMechanism>(mechanisms).filter(
    ({ claims, comparison }) => claims !== undefined || comparison === "published",
  );
  return known.includes(mechanism) ? known : [mechanism, ...known];
};

/** An audited property of a mechanism. */
interface PublishedRow extends AuditedProperty {
  readonly mechanism: string;
  readonly year: number | null;
  readonly measure: string;
}

const job = collectJob<PublishedCell, PublishedRow[]>(
  async (cell, _, context) => {
    const mechanism = looked(context).find(({ name }) => name === cell.mechanism)!;
    const audit = await auditMechanism({ mechanism, named: mechanism.name, size: cell.size });
    const about = {
      mechanism: mechanism.name,
      year: mechanism.year ?? null,
      measure: measureText(mechanism),
    };
    return audit!.properties.map((property) => ({ ...about, ...property }));
  },
  ({ size }) => 1000 + 20 * size.markets,
);

interface PublishedResult {
  readonly rows: readonly PublishedRow[];
  readonly settings: PublishedSettings;
}

const exhibitName = (row: PublishedRow): string | null =>
  row.smallest === null ? null : `${row.mechanism}: ${rowText(row)}`;

const claimedText = ({ claimed }: PublishedRow): string | null => claimed && (claimed.says ?? "holds");

const quoteText = ({ claimed }: PublishedRow): string | null =>
  claimed &&
  `${claimed.quote === undefined ? "" : `"${claimed.quote}" `}(${claimed.where.replace(/\.$/, "")})`;

const sizeText = ({ smallest }: PublishedRow): string | null =>
  smallest &&
  `${counted(smallest.market.workers.length, "worker")}, ${counted(smallest.market.rules.rounds, "round")}`;

const tables = ({ rows }: PublishedResult): Table[] => [
  tableOf("claims", "What is claimed of each mechanism, and what is found", rows, [
    column.text("mechanism", "Mechanism", ({ mechanism }) => mechanism),
    column.count("year", "Year", ({ year }) => year),
    column.text("property", "Property", rowText),
    column.text("claimed", "Its source says", claimedText),
    column.text("verdict", "Found", ({ verdict }) => verdict),
    column.text("how", "How", howText),
    column.share("worst", "Worst case found", ({ property, worst, verdict }) =>
      verdict === "breaks" && property !== "P4" ? worst : null,
    ),
    column.text("measure", "As a share", ({ property, verdict, worst, measure }) => {
      if (verdict !== "breaks" || property === "P4") return null;
      return worst === null ? "without bound" : measure;
    }),
    column.text("witness", "Smallest market that breaks it", exhibitName),
    column.text("size", "Its size", sizeText),
    column.count("cells", "Cells of proofs", ({ cells }) => cells),
    column.text("quote", "In its source", quoteText),
    column.text("replay", "Replay", ({ smallest }) => smallest?.replay),
  ]),
];

const exhibits = ({ rows }: PublishedResult): Exhibit[] =>
  rows.flatMap((row) => {
    const { smallest, mechanism, property } = row;
    if (smallest === null) return [];
    const { market, lie } = smallest;
    const title = `${mechanism}: ${violationText({ property, ...smallest }, market)}`;
    return [{ name: exhibitName(row)!, title, market, mechanism, lie }];
  });

function findings({ rows }: PublishedResult): Finding[] {
  const claims = rows.filter(({ claimed }) => claimed !== null && claimed.says !== "breaks");
  const broken = claims.filter(isBrokenClaim);
  const proved = claims.filter(({ verdict }) => verdict.startsWith("proved"));
  const sources = new Set(claims.map(({ mechanism }) => mechanism)).size;
  return rankedFindings(
    [58, claimsText(claims.length, sources, proved.length, broken)],
    [44, unclaimedText(rows.filter(isUnclaimedPriceGain))],
  );
}

/** Of all workers, where the source says nothing. */
const isUnclaimedPriceGain = ({ claimed, property, regime, verdict }: PublishedRow): boolean =>
  claimed === null && property === "P5" && regime === null && verdict === "breaks";

function claimsText(
  claims: number,
  sources: number,
  proved: number,
  broken: readonly PublishedRow[],
): string {
  const named = broken.map((row) => `${rowText(row)} of \`${row.mechanism}\``);
  const breaks =
    broken.length === 0
      ? "none breaks"
      : `${whole(broken.length)} ${broken.length === 1 ? "breaks" : "break"} here: ${listed(named)}`;
  return `Of ${many(claims, "claim")} of ${many(sources, "published mechanism")}, as restated in this model, ${whole(proved)} are proved, for small shapes or for any number, and ${breaks}.`;
}

const unclaimedText = (rows: readonly PublishedRow[]): string =>
  rows.length === 0
    ? ""
    : `A misstated price gains under ${listed([...new Set(rows.map(({ mechanism }) => `\`${mechanism}\``))])}, whose sources, as far as they were read, do not claim otherwise of all workers.`;

function methods({ settings: { size } }: PublishedResult): string[] {
  const { markets, workers, rounds, shapes, mostCells } = size;
  return [
    "Each mechanism is restated from its source in this model: `candor list NAME` says what was read of it, what was left out and what is second-hand. A break is one of the restated rule in this model, not of the paper in its own.",
    `Proofs are for all costs, all budgets and all arrivals of ${many(shapes.length, "shape")} (workers x rounds), with the paper's ratio of 0.35; a shape of more than ${whole(mostCells)} cells is left out.`,
    `Each property is also tried on ${many(markets, "drawn market")} of at most ${workers} workers and ${rounds} rounds; the smallest market is what the worst of these shrinks to.`,
    "A worst case is the worst one found, as a share of the budget, or of what the dearest worker costs where a mechanism looks at no budget.",
  ];
}

export const published: Analysis<PublishedSettings, PublishedCell, PublishedRow[][], PublishedResult> = {
  name: "published",
  question: "What do published mechanisms claim, and what of that is so?",
  part: "mechanisms",
  settings: ({ profile }) => profiles[profile],
  plan: ({ size, mechanisms: chosen }, context) =>
    looked(context)
      .map(({ name }) => name)
      .filter((name) => chosen === undefined || chosen.includes(name))
      .map((mechanism) => ({ cell: { mechanism, size }, markets: 1 })),
  job,
  conclude: (gathered, settings) => ({
    rows: gathered.flatMap(({ summary }) => summary!.flat()),
    settings,
  }),
  tables,
  charts: () => [],
  findings,
  methods,
  exhibits,
};
