import type { AnyAgent } from "../src/agent.js";
import type {
  Analysis,
  AnalysisContext,
  AnalysisResult,
  Chart,
  Exhibit,
  Row,
  Table,
} from "../src/analysis.js";
import type { Market } from "../src/market.js";
import { regimes } from "../src/regime.js";
import { type Estimate, estimate } from "../src/statistics.js";
import { grouped } from "../src/survey/over-markets.js";
import { atRelativeBudget, drawForSurvey } from "../src/survey/relative-budget.js";
import { money, rounded } from "../src/survey/words.js";
import { ALONE, contest, MIXED, type PopulationScore, populationName } from "./tournament/populations.js";
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

export const tournament: Analysis = {
  name: "tournament",
  question: "Which strategies earn more than the truth, alone and when others lie too?",
  run: (context) => tournamentOf(context, tournamentSettings[context.profile]),
};

export async function tournamentOf(
  context: AnalysisContext,
  settings: TournamentSettings,
): Promise<AnalysisResult> {
  const scores = await playAll(context, settings);
  const table = tableOf(scores, context.agents, settings);
  return {
    tables: [table],
    charts: [chartOf(table)],
    findings: findingsOf(table, context.agents, settings),
    leftOut: leftOut(settings, context.agents),
    exhibits: exhibitsOf(scores, context),
  };
}

/** A score and the market it was made in. */
interface Placed extends PopulationScore {
  readonly market: Market;
  readonly name: string;
}

async function playAll(context: AnalysisContext, settings: TournamentSettings): Promise<Placed[]> {
  const { mechanism, agents, pool, stream } = context;
  const { workers, rounds, budgets, markets } = settings;
  const inputs = budgets.flatMap((budget) => Array.from({ length: markets }, (_, k) => ({ budget, k })));
  const scores = await pool.map(inputs, ({ budget, k }) => {
    const own = stream.fork(budget).fork(k);
    const market = atRelativeBudget(drawForSurvey({ workers, rounds }, own.fork("market")), budget);
    const played = contest({ ...settings, market, mechanism, agents, stream: own });
    return played.map((score) => ({ ...score, market, name: `${budget} ${k}` }));
  });
  return scores.flat();
}

function tableOf(
  scores: readonly Placed[],
  agents: readonly AnyAgent[],
  { shares }: TournamentSettings,
): Table {
  const populations = [ALONE, ...shares.map(populationName), MIXED];
  const cells = grouped(scores, ({ agent, population }) => JSON.stringify([agent, population]));
  const rows = agents.flatMap(({ name }) =>
    populations.flatMap((population) => {
      const cell = cells.get(JSON.stringify([name, population])) ?? [];
      return ["all", ...regimes].flatMap((regime) => {
        const mine = cell.filter((score) => regime === "all" || score.regime === regime);
        return mine.length === 0 ? [] : [rowOf({ agent: name, population, regime }, mine)];
      });
    }),
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
  { name: "gained", label: "workers who gained", kind: "share" },
  { name: "lost", label: "workers who lost", kind: "share" },
  { name: "drift", label: "on top of a truthful world", kind: "amount" },
];

const NOISE = 1e-9;

/** Means over markets of the mean over a market's workers. */
function rowOf(about: { agent: string; population: string; regime: string }, scores: readonly Placed[]): Row {
  const markets = [...grouped(scores, ({ name }) => name).values()];
  const over = (value: (score: Placed) => number) =>
    bounded(markets.map((part) => part.reduce((sum, score) => sum + value(score), 0) / part.length));
  const gain = over((score) => score.gain);
  const part = (holds: (score: Placed) => boolean) => rounded(scores.filter(holds).length / scores.length);
  return {
    ...about,
    markets: markets.length,
    workers: scores.length,
    truthful: rounded(over((score) => score.truthful).mean),
    gain: rounded(gain.mean),
    low: rounded(gain.low),
    high: rounded(gain.high),
    gained: part((score) => score.gain > NOISE),
    lost: part((score) => score.gain < -NOISE),
    drift: rounded(over((score) => score.drift).mean),
  };
}

/** An estimate that does not reach beyond 0 where no value does. */
function bounded(values: readonly number[]): Estimate {
  const { mean, low, high, n } = estimate(values);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return { mean, n, low: least >= 0 ? Math.max(0, low) : low, high: most <= 0 ? Math.min(0, high) : high };
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
        { mark: { type: "rule" }, encoding: { ...shared, x: { ...x, field: "low" }, x2: { field: "high" } } },
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
function exhibitsOf(scores: readonly Placed[], { agents, mechanism }: AnalysisContext): Exhibit[] {
  return agents.flatMap(({ name }): Exhibit[] => {
    const alone = scores.filter(
      (score) => score.agent === name && score.population === ALONE && score.gain > 1e-6,
    );
    if (alone.length === 0) return [];
    const { bid, gain, market, regime } = alone.reduce((a, b) => (b.gain > a.gain ? b : a));
    const title = `${name}, ${regime}: worker ${bid.worker} gains ${money(gain)} by bidding ${money(bid.price)} at ${bid.arrival}`;
    return [{ name, title, market, mechanism: mechanism.name, lie: bid }];
  });
}

function leftOut(settings: TournamentSettings, agents: readonly AnyAgent[]): string[] {
  const { workers, rounds, budgets, markets, measured, tasks } = settings;
  const learns = agents.some(({ traits }) => traits.learns);
  return [
    `${markets} markets at each budget of ${budgets.join(", ")} times the cost of all rounds on offer, ${workers} workers, ${rounds} rounds, drawn as in the paper; in each, at most ${measured} workers of each population were measured, and all of the mixed one. Regimes are those of the truthful run.`,
    "Agents play at their default settings, and nobody answers the others' answers: those who are shown the bids see each other as truthful.",
    ...(learns
      ? [
          `Those who learn have ${tasks} earlier tasks of the same workers behind them, with arrivals drawn anew; one bid after that is measured.`,
        ]
      : []),
  ];
}
