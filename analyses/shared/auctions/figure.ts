/** Figures 2 and 3 of the paper: every auction in the same markets along one axis, and the paper's claims about them. */

import { listed } from "../../../src/lib/format.js";
import type { AnalysisResult, Finding } from "../../../src/report/result.js";
import type { AnalysisContext, Profile, StepwiseAnalysis } from "../../../src/study/analysis.js";
import type { Setting } from "./accounts.js";
import { claimFindings } from "./claim-text.js";
import { claimsOf, judge } from "./claims.js";
import { figureCharts } from "./figure-charts.js";
import { claimsTable, perUnitTable, repairsTable, settingsTable, utilityTable } from "./figure-tables.js";
import { moneyFindings, repairFindings } from "./figure-text.js";
import type { Held } from "./held.js";
import { ledgerJob, ledgersAt } from "./ledgers.js";
import { trialFindings, trialsOf, variantsOf } from "./variants.js";
import type { Axis } from "./words.js";

export interface FigureSizes {
  /** The places on the axis, increasing. */
  readonly values: readonly number[];
  /** How many at each. */
  readonly markets: number;
}

export interface Figure {
  readonly name: string;
  readonly question: string;
  readonly axis: Axis;
  readonly sizes: Readonly<Record<Profile, FigureSizes>>;
  readonly settingAt: (value: number) => Setting;
}

export const figureAnalysis = (figure: Figure): StepwiseAnalysis => ({
  name: figure.name,
  question: figure.question,
  jobs: { ledgers: ledgerJob },
  run: (context) => runFigure(figure, context, figure.sizes[context.profile]),
});

export async function runFigure(
  { axis, settingAt }: Figure,
  context: AnalysisContext,
  { values, markets }: FigureSizes,
): Promise<AnalysisResult> {
  const { mechanism, mechanisms } = context;
  const variants = variantsOf(mechanism, mechanisms);
  const found = await ledgersAt(values.map(settingAt), markets, context);
  const ledgers = new Map(values.map((value, k) => [value, found[k]!]));
  const auctions = [
    mechanism.name,
    ...mechanisms.map(({ name }) => name).filter((name) => name !== mechanism.name),
  ];
  const held: Held = { axis, values, ours: mechanism.name, auctions, markets, settingAt, ledgers };
  const claims = claimsOf(held.ours, auctions);
  const together = claims.length * values.length;
  const judged = claims.flatMap((claim) =>
    values.map((at) => judge(claim, { at, together }, ledgers.get(at)!)),
  );
  const trials = trialsOf(variants, { judged, ledgers, together });
  const tables = [
    perUnitTable(held),
    utilityTable(held),
    repairsTable(held),
    claimsTable(judged, held),
    settingsTable(trials, held),
  ];
  const findings: Finding[] = [
    ...claimFindings(judged, held),
    ...trialFindings(trials, held),
    ...moneyFindings(held),
    ...repairFindings(held),
  ];
  return { tables, charts: figureCharts(held), findings, methods: methods(held) };
}

function methods({ markets, values, axis, auctions }: Held): string[] {
  return [
    `${markets.toLocaleString("en-US")} markets at each of ${values.length} ${axis.nouns}, the same for all ${auctions.length} auctions. ` +
      "Each 95 % interval of a mean stands for its own place; with as many places as here, about one in twenty may miss. " +
      "Verdicts on claims, and what is said of repairs, rest on wider intervals that hold at all places together with 95 % (Bonferroni); " +
      "other settings are judged by the same intervals, without counting their number: they are exploratory.",
    "Utility per unit paid does not exist where nothing is paid: such markets are left out of its means, and out of a " +
      "difference if either auction paid nothing. The publisher's utility counts them as 0.",
    `All workers tell the truth; what they say when lying pays is another question. Only ${listed(["the prices", "reputations", "arrivals"])} of the paper's ` +
      "experiments were drawn, with 10 rounds.",
  ];
}
