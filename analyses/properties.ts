import { isExact } from "../src/best-response/index.js";
import type { AnyMechanism } from "../src/mechanisms/mechanism.js";
import { regimes } from "../src/mechanisms/outcome.js";
import type { AnalysisResult, Chart, Exhibit, Table } from "../src/report/result.js";
import type { AnalysisContext, StepwiseAnalysis } from "../src/study/analysis.js";
import { type Draws, drawCells } from "./properties/draws.js";
import { ratioChart, ratioFindings, ratioTable } from "./properties/ratios.js";
import { boardJob, type RatioSummary, ratioJob } from "./properties/survey.js";
import { type Cell, type ShareCell, scoreTable, shareTable, verdictTable } from "./properties/tables.js";
import { mergeBoards, places, type Tallies, tallyAt } from "./properties/tallies.js";
import { boardFindings, exhibitOf, shareSummary } from "./properties/words.js";
import { type Certify, judge } from "./shared/gains/scoreboard.js";

export interface PropertySettings {
  readonly draws: Draws;
  /** P4 takes long: it is asked of every so manieth market. */
  readonly everyForP4: number;
  readonly ratios: readonly number[];
  /** The markets of the ratio's sweep. */
  readonly ratioDraws: Draws;
}

const spread = { rounds: 10, sizes: [5, 10, 20, 40, 60], budgets: [0.1, 0.2, 0.35, 0.6, 1, 2, 4] };
const few = { rounds: 10, sizes: [10, 30], budgets: [0.3, 0.6, 1.2] };
const ratios = Array.from({ length: 18 }, (_, k) => (k + 2) / 20);

export const propertySettings: Record<AnalysisContext["profile"], PropertySettings> = {
  quick: {
    draws: { ...spread, perCell: 30, wide: 1700 },
    everyForP4: 3,
    ratios,
    ratioDraws: { ...few, perCell: 12, wide: 72 },
  },
  full: {
    draws: { ...spread, perCell: 250, wide: 12_500 },
    everyForP4: 4,
    ratios,
    ratioDraws: { ...few, perCell: 400, wide: 2400 },
  },
};

export const properties: StepwiseAnalysis = {
  name: "properties",
  question: "Which of the paper's claims hold, in which regime and under which reading?",
  jobs: { board: boardJob, ratios: ratioJob },
  run: (context) => boardOf(context, propertySettings[context.profile]),
};

export async function boardOf(context: AnalysisContext, settings: PropertySettings): Promise<AnalysisResult> {
  const { mechanism } = context;
  const drawn = await lookAll(context, settings);
  const swept = await sweepRatios(context, settings);
  const certify = await certifier(mechanism);
  const all = swept.map(({ board }) => board).reduce(mergeBoards, drawn);
  const { cells, exhibits } = judgeAll(all, certify, mechanism);
  const shares = shareTable(shareCells(drawn));
  const ratioRows = ratioTable(swept);
  return {
    tables: [verdictTable(cells), scoreTable(cells), shares, ratioRows],
    charts: [shareChart(shares, isExact(mechanism)), ratioChart(ratioRows)],
    findings: [...boardFindings(cells), ...ratioFindings(ratioRows)],
    methods: methods(settings, isExact(mechanism)),
    exhibits,
  };
}

/** Asks exact arithmetic, once of each break; mathjs is loaded here and not before. */
async function certifier(mechanism: AnyMechanism): Promise<Certify> {
  const { confirm } = await import("../src/verdicts/counterexamples/violations.js");
  const answers = new Map<string, boolean | null>();
  return ({ market, found }) => {
    const key = JSON.stringify([market, found]);
    if (!answers.has(key)) answers.set(key, confirm(mechanism, market, found));
    return answers.get(key)!;
  };
}

/** The board of all that is drawn; the paper's markets and random ones have tallies of their own. */
async function lookAll({ pool }: AnalysisContext, { draws, everyForP4 }: PropertySettings): Promise<Tallies> {
  const cells = drawCells(draws).map(({ cell, markets }) => ({ cell: { of: cell, everyForP4 }, markets }));
  const seen = await pool.gather(boardJob, cells);
  return seen.reduce<Tallies>((sum, one) => mergeBoards(sum, one ?? {}), {});
}

/** One summary per ratio. */
async function sweepRatios({ pool }: AnalysisContext, settings: PropertySettings) {
  const places = drawCells(settings.ratioDraws);
  const cells = settings.ratios.flatMap((firstRoundRatio) =>
    places.map(({ cell, markets }) => ({ cell: { of: cell, firstRoundRatio }, markets })),
  );
  const seen = await pool.gather(ratioJob, cells);
  return settings.ratios.map((ratio, k) => {
    const here = seen.slice(k * places.length, (k + 1) * places.length).flatMap((one) => one ?? []);
    return { ratio, ...here.reduce<RatioSummary>(ratioJob.merge, { counts: {}, board: {} }) };
  });
}

function judgeAll(
  tallies: Tallies,
  certify: Certify,
  mechanism: AnyMechanism,
): { cells: Cell[]; exhibits: Exhibit[] } {
  // One for each claim, regime and family: of the prose, or where that breaks nothing of the pseudocode.
  const exhibits = new Map<string, Exhibit>();
  const cells = places.map((place): Cell => {
    const judged = judge(tallyAt(tallies, place), certify);
    const exhibit = judged.witness && exhibitOf(place, judged.witness, mechanism);
    const about = [place.claim.label, place.regime, place.family].join("; ");
    if (exhibit && !exhibits.has(about)) exhibits.set(about, exhibit);
    const shown = exhibit?.name === exhibits.get(about)?.name;
    return { ...place, judged, exhibit: exhibit && shown ? exhibit.name : null };
  });
  return { cells, exhibits: [...exhibits.values()] };
}

const shareCells = (drawn: Tallies): ShareCell[] =>
  places
    .filter(({ claim }) => claim.ratio === "low")
    .map((place) => ({ ...place, tally: tallyAt(drawn, place) }));

function shareChart(table: Table, exact: boolean): Chart {
  const y = { field: "claim", type: "nominal", sort: null, title: null, axis: { labelLimit: 260 } };
  const regime = { field: "regime", type: "nominal", sort: regimes };
  const offset = { yOffset: regime, color: { ...regime, title: null } };
  const x = { type: "quantitative", title: "markets in which it breaks", axis: { format: ".0%" } };
  return {
    name: "shares",
    title: "How often a claim breaks",
    table: table.name,
    spec: {
      height: { step: 11 },
      transform: [{ filter: "datum.markets > 0" }],
      layer: [
        {
          transform: [{ filter: "isValid(datum.high)" }],
          mark: { type: "rule" },
          encoding: { y, ...offset, x: { ...x, field: "low" }, x2: { field: "high" } },
        },
        { mark: { type: "point" }, encoding: { y, ...offset, x: { ...x, field: "share" } } },
      ],
    },
    summary: shareSummary(table),
    howToRead: exact
      ? "A point is the share of markets with a worker of that regime in which the claim breaks, its line the 95 % interval; where nothing was found the line ends at the rule-of-three bound."
      : "A point is the share of markets with a worker of that regime in which a break was found. P1 and P2 take no search, and their lines are 95 % intervals; for the others a search can miss, in every market, so that their points are lower bounds and have no line.",
  };
}

function methods({ draws, everyForP4, ratioDraws, ratios }: PropertySettings, exact: boolean): string[] {
  const { sizes, budgets, perCell, wide, rounds } = draws;
  return [
    `The paper's markets: ${perCell} each of ${sizes.join(", ")} workers at ${budgets.join(", ")} times the cost of all rounds on offer, ${rounds} rounds, first-round ratio 0.35, one worker enough to start.`,
    `Random markets: ${wide} of up to 12 workers and 8 rounds, first-round ratio up to 1/2, up to three workers needed to start, round numbers and so ties in half of them.`,
    exact
      ? `Each market is decided exactly, but markets are a sample: "holds" says in how many it was seen to, and the bound how many might break it all the same.`
      : "No exact method is known for this mechanism: gains, and bids that win, were searched for, and a search can miss in every market. What was not found is undecided, whatever the number of markets; P1 and P2 take no search.",
    "Shares of markets have Wilson's 95 % interval; shares of workers are pooled over markets.",
    `A break below a millionth of the budget is not counted; one witness of each cell is confirmed in exact fractions, the other breaks are counted as floating point sees them. Lies are told in few digits and bring at least 99 % of the most there is to gain.`,
    `P4 was asked of one market in ${everyForP4}; workers without reputation are left out of it, for the rules exclude them. P3 is measured by cost-growth.`,
    `Ratios ${ratios[0]} to ${ratios.at(-1)}: the same ${ratioDraws.sizes.length * ratioDraws.budgets.length * ratioDraws.perCell + ratioDraws.wide} markets at each, P1 and P2 only.`,
  ];
}
