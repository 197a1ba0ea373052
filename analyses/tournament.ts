import type { AnyAgent } from "../src/agents/agent.js";
import { rounded, threeDigits } from "../src/lib/format.js";
import { type Estimate, FEWEST } from "../src/lib/statistics.js";
import { estimateFrom } from "../src/lib/summaries.js";
import { regimes } from "../src/mechanisms/outcome.js";
import type { AnalysisResult, Chart, Exhibit, Row, Table } from "../src/report/result.js";
import type { AnalysisContext, StepwiseAnalysis } from "../src/study/analysis.js";
import { ALONE, MIXED, populationName } from "./tournament/populations.js";
import {
  type ArenaCell,
  arenaJob,
  arenaMarket,
  gainOf,
  mergeStandings,
  type Standing,
  type Standings,
  standingOf,
} from "./tournament/standings.js";
import { chartSummary, findingsOf } from "./tournament/words.js";

export interface TournamentSettings {
  readonly workers: number;
  readonly rounds: number;
  /** Over the true cost of all rounds on offer. */
  readonly budgets: readonly number[];
  /** Markets at each budget. */
  readonly markets: number;
  readonly shares: readonly number[];
  readonly measured: number;
  readonly tasks: number;
}

const size = { workers: 22, rounds: 10, budgets: [0.2, 0.5, 1], shares: [0.25, 0.5, 1] };

export const tournamentSettings: Record<AnalysisContext["profile"], TournamentSettings> = {
  quick: { ...size, markets: 16, measured: 7, tasks: 30 },
  full: { ...size, markets: 300, measured: 22, tasks: 60 },
};

export const tournament: StepwiseAnalysis = {
  name: "tournament",
  question: "Which strategies earn more than the truth, alone and when others lie too?",
  jobs: { arena: arenaJob },
  run: (context) => tournamentOf(context, tournamentSettings[context.profile]),
};

export async function tournamentOf(
  context: AnalysisContext,
  settings: TournamentSettings,
): Promise<AnalysisResult> {
  const standings = await playAll(context, settings);
  const table = tableOf(standings, context.agents, settings);
  return {
    tables: [table],
    charts: [chartOf(table)],
    findings: findingsOf(table, context.agents, settings),
    methods: methods(settings, context.agents),
    exhibits: exhibitsOf(standings, context, settings),
  };
}

async function playAll({ pool }: AnalysisContext, settings: TournamentSettings): Promise<Standings> {
  const { budgets, markets } = settings;
  const cells = budgets.map((budget) => ({ cell: cellAt(budget, settings), markets }));
  const found = await pool.gather(arenaJob, cells);
  return found.filter((standings) => standings !== null).reduce(mergeStandings, {});
}

function cellAt(budget: number, settings: TournamentSettings): ArenaCell {
  const { workers, rounds, shares, measured, tasks } = settings;
  return { workers, rounds, budget, shares, measured, tasks };
}

function tableOf(standings: Standings, agents: readonly AnyAgent[], { shares }: TournamentSettings): Table {
  const populations = [ALONE, ...shares.map(populationName), MIXED];
  const rows = agents.flatMap(({ name: agent }) =>
    populations.flatMap((population) =>
      (["all", ...regimes] as const).flatMap((regime) => {
        const seat = { agent, population, regime };
        const standing = standingOf(standings, seat);
        return standing ? [{ ...seat, ...rowOf(standing, agents.length) }] : [];
      }),
    ),
  );
  return { name: "tournament", title: "What each agent earns on top of the truth", columns, rows };
}

const columns: Table["columns"] = [
  { name: "agent", label: "agent", kind: "text" },
  { name: "population", label: "population", kind: "text" },
  { name: "regime", label: "regime", kind: "text" },
  { name: "markets", label: "markets", kind: "count" },
  { name: "workers", label: "workers", kind: "count" },
  { name: "truthful", label: "utility of the truth", kind: "amount" },
  { name: "gain", label: "gain over the truth", kind: "amount" },
  { name: "low", label: "95 % from", kind: "amount" },
  { name: "high", label: "to", kind: "amount" },
  { name: "verdict", label: "earns (95 %, all agents together)", kind: "text" },
  { name: "gained", label: "workers who gained", kind: "share" },
  { name: "lost", label: "workers who lost", kind: "share" },
  { name: "drift", label: "on top of a truthful world", kind: "amount" },
  { name: "driftLow", label: "95 % from", kind: "amount" },
  { name: "driftHigh", label: "to", kind: "amount" },
];

/** Means over markets of the mean over a market's workers. */
function rowOf(standing: Standing, together: number): Row {
  const { workers, truthful, gained, lost } = standing;
  const [gain, drift] = [gainOf(standing), estimateFrom(standing.drift)];
  return {
    markets: gain.n,
    workers,
    truthful: rounded(truthful.mean),
    gain: rounded(gain.mean),
    low: rounded(gain.low),
    high: rounded(gain.high),
    verdict: verdictOf(gainOf(standing, together)),
    gained: rounded(gained / workers),
    lost: rounded(lost / workers),
    drift: rounded(drift.mean),
    driftLow: rounded(drift.low),
    driftHigh: rounded(drift.high),
  };
}

/** Decided only where the whole interval lies on one side. */
function verdictOf({ low, high, n }: Estimate): string {
  if (n < FEWEST) return "too few markets to tell";
  return low > 0 ? "more" : high < 0 ? "less" : "not told apart";
}

function chartOf(table: Table): Chart {
  const populations = [...new Set(table.rows.map(({ population }) => population))];
  const population = { field: "population", type: "nominal", sort: populations };
  const y = { field: "agent", type: "nominal", sort: null, title: null };
  const x = {
    type: "quantitative",
    title: "gain over telling the truth, per worker",
    scale: { type: "symlog", constant: FINEST, nice: false },
    axis: { values: ticks(table), format: "~g" },
  };
  const shared = { y, yOffset: population, color: { ...population, title: null, legend: { columns: 2 } } };
  return {
    name: "tournament",
    title: "What each agent earns on top of the truth",
    table: table.name,
    spec: {
      height: { step: 9 },
      layer: [
        { mark: { type: "rule" }, encoding: { x: { datum: 0 } } },
        {
          transform: [{ filter: "isValid(datum.low)" }],
          mark: { type: "rule" },
          encoding: { ...shared, x: { ...x, field: "low" }, x2: { field: "high" } },
        },
        { mark: { type: "point" }, encoding: { ...shared, x: { ...x, field: "gain" } } },
      ],
    },
    summary: chartSummary(table),
    howToRead:
      "A point is the mean over markets of what a worker earns by this agent's bid, less what the truth would have earned it against the same bids of the others; its line is the 95 % interval. Left of the rule, the truth is better. The scale is logarithmic away from 0.",
  };
}

/** Amounts around this are drawn to scale, larger ones by their logarithm: most are small, a few are huge. */
const FINEST = 0.05;

function ticks({ rows }: Table): number[] {
  const ends = rows.flatMap(({ low, high, gain }) => [Number(low ?? gain), Number(high ?? gain)]);
  const steps = [0.03, 0.1, 0.3, 1, 3, 10, 30, 100];
  const [least, most] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  return [...steps.map((step) => -step), 0, ...steps].filter((tick) => tick >= least && tick <= most);
}

/** For each agent the largest gain it made alone: there the others tell the truth, so the lie replays. */
function exhibitsOf(standings: Standings, context: AnalysisContext, settings: TournamentSettings): Exhibit[] {
  return context.agents.flatMap(({ name }): Exhibit[] => {
    const alone = standingOf(standings, { agent: name, population: ALONE, regime: "all" });
    if (!alone || alone.best.gain <= 0) return [];
    const { bid, gain, regime, budget, k } = alone.best;
    const market = arenaMarket(cellAt(budget, settings), k, context);
    const title = `${name}, ${regime}: worker ${bid.worker} gains ${threeDigits(gain)} by bidding ${threeDigits(bid.price)} at ${bid.arrival}`;
    return [{ name, title, market, mechanism: context.mechanism.name, lie: bid }];
  });
}

function methods(settings: TournamentSettings, agents: readonly AnyAgent[]): string[] {
  const { workers, rounds, budgets, markets, measured, tasks } = settings;
  const learns = agents.some(({ traits }) => traits.learns);
  return [
    `${markets} markets at each budget of ${budgets.join(", ")} times the cost of all rounds on offer, ${workers} workers, ${rounds} rounds, drawn as in the paper; in each, at most ${measured} workers of each population were measured, and all of the mixed one. Regimes are those of the truthful run.`,
    "Agents play at their default settings. Bids are made once: an agent that is shown the others' bids is shown truthful ones, and does not react to what the other agents bid.",
    "Gains are means over markets of the mean over a market's workers. Whether an agent earns more or less than the truth is judged by intervals that hold for all agents together with 95 % (Bonferroni); the intervals shown are those of single agents.",
    ...(learns
      ? [
          `Those who learn have ${tasks} earlier tasks of the same workers behind them, with arrivals drawn anew; one bid after that is measured.`,
        ]
      : []),
  ];
}
