/** Strategies against each other: what each earns beside the truth, alone and in populations of liars. */

import { type AnyAgent, bidsTruthfully, isInformed } from "../src/agents/agent.js";
import { isExact } from "../src/best-response/index.js";
import { rounded, threeDigits } from "../src/lib/format.js";
import { type Estimate, FEWEST } from "../src/lib/statistics.js";
import { estimateFrom } from "../src/lib/summaries.js";
import { atRelativeBudget, drawForSurvey } from "../src/market/draw.js";
import type { Market } from "../src/market/market.js";
import { regimes } from "../src/mechanisms/outcome.js";
import type { Chart, Column, Exhibit, Row, Table } from "../src/report/result.js";
import {
  amountColumn,
  captions,
  countColumn,
  intervalCells,
  intervalColumns,
  shareColumn,
  signedColour,
  textColumn,
  tooltipOf,
} from "../src/report/vocabulary.js";
import type { Analysis } from "../src/study/analysis.js";
import type { Profile, WorkContext } from "../src/study/job.js";
import { ALONE, type Contest, contest, EVERYBODY, MIXED, populationName } from "./tournament/populations.js";
import {
  gainOf,
  mergeStandings,
  type Standing,
  type Standings,
  standingOf,
  standingsOf,
  type Where,
} from "./tournament/standings.js";
import { captionOf, findingsOf, type Tournament, worldsOf } from "./tournament/words.js";

type Populations = Pick<Contest, "shares" | "measured" | "tasks">;

export interface TournamentSettings extends Populations {
  readonly workers: number;
  readonly rounds: number;
  /** Over the true cost of all rounds on offer. */
  readonly budgets: readonly number[];
  /** Markets at each budget. */
  readonly markets: number;
}

const size = { workers: 24, rounds: 10, budgets: [0.2, 0.5, 1], shares: [0.25, 0.5, 1] };

const settings: Record<Profile, TournamentSettings> = {
  quick: { ...size, markets: 16, measured: 7, tasks: 30 },
  full: { ...size, markets: 300, measured: 24, tasks: 60 },
};

/** Markets at one budget. */
export interface TournamentCell extends Populations {
  readonly workers: number;
  readonly rounds: number;
  readonly budget: number;
}

export interface TournamentResult extends Tournament {
  readonly settings: TournamentSettings;
  readonly exhibits: readonly Exhibit[];
}

export const tournament: Analysis<TournamentSettings, TournamentCell, Standings, TournamentResult> = {
  name: "tournament",
  question: "Which strategies earn more than the truth, alone and when others lie too?",
  part: "strategies",
  settings: ({ profile }) => settings[profile],
  plan: ({ budgets, markets, ...rest }) => budgets.map((budget) => ({ cell: { ...rest, budget }, markets })),
  job: {
    look(cell, k, context) {
      const stream = context.stream.fork(cell.budget).fork(k);
      const market = marketOf(cell, k, context);
      const scores = contest({ ...context, agents: playersOf(context), ...cell, market, stream });
      return standingsOf(scores, { budget: cell.budget, k });
    },
    merge: mergeStandings,
    cost: ({ workers, measured, shares, tasks }) =>
      0.04 * workers * measured * (shares.length + 1) + 3 * tasks,
  },
  conclude(gathered, chosen, context) {
    const found = gathered.flatMap(({ summary }) => (summary ? [summary] : []));
    const standings = found.reduce(mergeStandings, {} as Standings);
    const populations = [ALONE, ...chosen.shares.map(populationName), MIXED];
    const agents = playersOf(context);
    const exhibits = exhibitsOf(standings, chosen, context);
    return { agents, standings, populations, tasks: chosen.tasks, settings: chosen, exhibits };
  },
  tables: (result) => [tournamentTable(result), worldsTable(result)],
  charts: (result) => [payoffChart(result)],
  findings: findingsOf,
  methods: methodsOf,
  exhibits: ({ exhibits }) => exhibits,
};

/**
 * The truth and all who bid otherwise. Where the best lie to a mechanism takes a search of thousands, who looks for it in every bid is
 * left out.
 */
const playersOf = ({ agents, mechanism }: WorkContext): readonly AnyAgent[] =>
  agents.filter(
    (agent) =>
      (agent.traits.lies.length === 0 || !bidsTruthfully(agent)) &&
      (isExact(mechanism) || !isInformed(agent)),
  );

/** Market k at a budget. */
function marketOf({ workers, rounds, budget }: TournamentCell, k: number, { stream }: WorkContext): Market {
  const drawn = drawForSurvey({ workers, rounds }, stream.fork(budget).fork(k).fork("market"));
  return atRelativeBudget(drawn, budget);
}

const columns: Column[] = [
  textColumn("agent", "agent"),
  textColumn("population", "population"),
  textColumn("regime", "regime"),
  countColumn("markets", "markets"),
  countColumn("workers", "workers"),
  amountColumn("truthful", "utility of the truth"),
  amountColumn("gain", "gain over the truth"),
  ...intervalColumns("amount"),
  textColumn("verdict", "earns (95 %, all agents together)"),
  shareColumn("gained", "workers who gained"),
  shareColumn("lost", "workers who lost"),
  amountColumn("drift", "on top of where all tell the truth"),
  amountColumn("driftLow", "95 % from"),
  amountColumn("driftHigh", "to"),
];

/** Regimes, and all markets drawn together. */
const everyRegime = ["all", ...regimes] as const;

function tournamentTable({ standings, agents, populations }: Tournament): Table {
  const rows = agents.flatMap(({ name: agent }) =>
    populations.flatMap((population) =>
      everyRegime.flatMap((regime) => {
        const where: Where = { agent, population, regime };
        const standing = standingOf(standings, where);
        return standing ? [{ ...where, ...cellsOf(standing, agents.length) }] : [];
      }),
    ),
  );
  return { name: "tournament", title: "What each agent earns on top of the truth", columns, rows };
}

/** Means over markets of the mean over a market's workers. */
function cellsOf(standing: Standing, together: number): Row {
  const { workers, truthful, gained, lost } = standing;
  const [gain, drift] = [gainOf(standing), estimateFrom(standing.drift)];
  return {
    markets: gain.n,
    workers,
    truthful: rounded(truthful.mean),
    gain: rounded(gain.mean),
    ...intervalCells(gain),
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
  if (n < FEWEST) return "too few markets";
  return low > 0 ? "more" : high < 0 ? "less" : "undecided";
}

const worldsTable = (result: Tournament): Table => ({
  name: "truthful-workers",
  title: "What truthful workers earn in the mixed population, and the same workers where all tell the truth",
  columns: [
    textColumn("world", "where"),
    amountColumn("utility", "utility of a truthful worker"),
    ...intervalColumns("amount"),
    countColumn("markets", "markets"),
  ],
  rows: worldsOf(result).map(({ world, utility }) => ({
    world,
    utility: rounded(utility.mean),
    ...intervalCells(utility),
    markets: utility.n,
  })),
});

function payoffChart(result: Tournament): Chart {
  const { rows } = tournamentTable(result);
  const present = everyRegime.filter((regime) => rows.some((row) => row.regime === regime));
  const choices = [{ field: "regime", label: "Regime", values: present }];
  const most = Math.max(...rows.map(({ gain }) => Math.abs(Number(gain))));
  const shared = {
    x: {
      field: "population",
      type: "nominal",
      sort: result.populations,
      title: "workers that play it",
      axis: { orient: "top", grid: false, labelExpr: SHORT },
    },
    y: { field: "agent", type: "nominal", sort: null, title: null, axis: { labelLimit: 160, grid: false } },
  };
  const decided = { test: "datum.verdict === 'more' || datum.verdict === 'less'", value: 1 };
  return {
    name: "payoffs",
    title: "Payoff matrix: what each agent earns on top of the truth, a worker",
    table: "tournament",
    choices,
    spec: {
      height: { step: 28 },
      layer: [
        {
          mark: { type: "rect", opacity: 0.55 },
          encoding: { ...shared, color: signedColour("gain", most), tooltip: tooltipOf(columns) },
        },
        {
          transform: [{ calculate: LABEL, as: "label" }],
          mark: { type: "text", tooltip: null },
          encoding: {
            ...shared,
            text: { field: "label" },
            opacity: { condition: decided, value: 0.55 },
          },
        },
      ],
    },
    summary: captions(choices, ({ regime }) => captionOf(result, regime as Where["regime"])),
    howToRead:
      "A row is an agent, a column how many workers play it: one among truthful workers, a part of them, all, or a population of all agents mixed. The number is the mean gain over telling the truth against the same bids of the others; orange loses, blue gains. Faint numbers are not shown to differ from 0.",
  };
}

/** Two digits, one where there is little room. */
const LABEL = "abs(datum.gain) < 0.0005 ? '0' : format(datum.gain, width > 340 ? '+.2~r' : '+.1~r')";

/** Populations by how many workers play the agent. */
const SHORT = `{ "${ALONE}": "one", "${EVERYBODY}": "all", "${MIXED}": "mixed" }[datum.label] || replace(datum.label, " play it", "")`;

/** For each agent the largest gain it made alone: there the others tell the truth, so the lie replays. */
function exhibitsOf(standings: Standings, chosen: TournamentSettings, context: WorkContext): Exhibit[] {
  return playersOf(context).flatMap(({ name }): Exhibit[] => {
    const alone = standingOf(standings, { agent: name, population: ALONE, regime: "all" });
    if (!alone || alone.best.gain <= 0) return [];
    const { bid, gain, regime, budget, k } = alone.best;
    const market = marketOf({ ...chosen, budget }, k, context);
    const title = `${name}, ${regime}: worker ${bid.worker} gains ${threeDigits(gain)} by bidding ${threeDigits(bid.price)} at ${bid.arrival}`;
    return [{ name, title, market, mechanism: context.mechanism.name, lie: bid }];
  });
}

function methodsOf({ settings: chosen, agents }: TournamentResult): string[] {
  const { workers, rounds, budgets, markets, measured, tasks } = chosen;
  const learns = agents.some(({ traits }) => traits.learns);
  return [
    `${markets} markets at each budget of ${budgets.join(", ")} times the cost of all rounds on offer, ${workers} workers, ${rounds} rounds, drawn as in the paper; in each, at most ${measured} workers of each population were measured, and all of the mixed one. Regimes are those of the truthful run.`,
    `Agents play at their default settings, and bid once. ${
      agents.some(isInformed)
        ? "Those that are shown the others' bids see the truth where they look at each other."
        : "None of them is shown the others' bids."
    }`,
    "Gains are means over markets of the mean over a market's workers. Whether an agent earns more or less than the truth is judged by intervals that hold for all agents of a population together with 95 % (Bonferroni); the intervals shown are those of single agents.",
    ...(learns
      ? [
          `Those who learn have ${tasks} earlier tasks of the same workers behind them, with arrivals drawn anew; one bid after that is measured.`,
        ]
      : []),
  ];
}
