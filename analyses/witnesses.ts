import { isFast } from "../src/best-response/index.js";
import { percent, whole } from "../src/lib/format.js";
import type { AnalysisResult, Chart, Table } from "../src/report/result.js";
import type { AnalysisContext, StepwiseAnalysis } from "../src/study/analysis.js";
import { type HuntingSettings, huntAll, huntJob, lookAgain, type Prey, preys } from "./witnesses/quarries.js";
import { causesTable, exhibitsOf, galleryTable, pieceOf, runsTable } from "./witnesses/tables.js";
import { findingsOf } from "./witnesses/words.js";

export interface WitnessSettings extends HuntingSettings {
  /** Where best responses are searched for, which is slow: so much fewer markets. */
  readonly fewer: number;
  readonly preys: readonly Prey[];
}

export const witnessSettings: Record<AnalysisContext["profile"], WitnessSettings> = {
  quick: { markets: 600, seeds: 1, fewer: 20, preys },
  full: { markets: 20_000, seeds: 5, fewer: 40, preys },
};

export const witnesses: StepwiseAnalysis = {
  name: "witnesses",
  question: "What are the smallest markets that break each claim, and why does the lie pay there?",
  jobs: { hunts: huntJob },
  run: (context) => galleryOf(context, witnessSettings[context.profile]),
};

export async function galleryOf(
  context: AnalysisContext,
  settings: WitnessSettings,
): Promise<AnalysisResult> {
  const { mechanism, pool } = context;
  const markets = Math.ceil(settings.markets / (isFast(mechanism) ? 1 : settings.fewer));
  const hunting = { markets, seeds: settings.seeds };
  const hunts = await huntAll(settings.preys, pool, hunting);
  const shared = await pool.map(hunts, (hunted) => lookAgain(hunted, mechanism, hunts));
  const pieces = shared.map((hunted) => pieceOf(hunted, mechanism));
  const causes = causesTable(pieces);
  return {
    tables: [galleryTable(pieces, mechanism, hunting), runsTable(pieces), causes],
    charts: causes.rows.length === 0 ? [] : [causesChart(causes)],
    findings: findingsOf(pieces),
    methods: [
      `Each hunt draws up to ${whole(markets)} markets for each of ${settings.seeds === 1 ? "one seed" : `${settings.seeds} seeds`}, of up to 12 workers and 10 rounds (four times as many for joint lies that keep the start of a sufficient market), and ends at the first break it finds: another seed may lead to another, smaller market. A hunt that found nothing is also tried on the markets that the other hunts found.`,
      "Regimes are met as often as they are drawn; the column of markets drawn counts all of them.",
      "A break below a millionth of the budget is not hunted. Lies are told in few digits and bring at least 99 % of the most there is to gain.",
    ],
    exhibits: exhibitsOf(pieces, mechanism),
  };
}

function causesChart(table: Table): Chart {
  return {
    name: "causes",
    title: "Where the gain of each witness comes from",
    table: table.name,
    spec: {
      height: { step: 20 },
      mark: { type: "bar" },
      encoding: {
        y: { field: "witness", type: "nominal", sort: null, title: null, axis: { labelLimit: 300 } },
        x: { field: "ofBudget", type: "quantitative", title: "share of the budget", axis: { format: ".0%" } },
        color: { field: "cause", type: "nominal", title: null },
      },
    },
    summary: causesSummary(table),
    howToRead:
      "The parts of a bar add up to the gain of that witness's lie: rounds won or given up, a better or worse price for the rest, money that the budget kept from the truth or from the lie, and the start that moved. Parts left of 0 are what the lie cost.",
  };
}

function causesSummary({ rows }: Table): string {
  const gains = new Map<string, number>();
  for (const { cause, ofBudget } of rows) {
    if (Number(ofBudget) > 0) gains.set(String(cause), (gains.get(String(cause)) ?? 0) + Number(ofBudget));
  }
  const total = [...gains.values()].reduce((sum, value) => sum + value, 0);
  const parts = [...gains]
    .sort((a, b) => b[1] - a[1])
    .map(([cause, value]) => `${cause} ${percent(value / total)}`);
  return `What witnesses win, all together, comes from ${parts.join(", ")}.`;
}
