/** The tournament in tables, a payoff matrix and sentences. */

import { least } from "d3-array";
import { type AnyAgent, isInformed } from "../../src/agents/agent.js";
import { type Regime, regimes } from "../../src/auction/outcome.js";
import { many, stated, threeDigits } from "../../src/lib/format.js";
import { type Estimate, FEWEST } from "../../src/lib/statistics.js";
import { estimateFrom } from "../../src/lib/summaries.js";
import type { Chart, Exhibit, Finding, Table } from "../../src/report/result.js";
import {
  axis,
  captions,
  colour,
  column,
  type Field,
  marks,
  rankedFindings,
  regimeWords,
  tableOf,
} from "../../src/report/vocabulary.js";
import type { Standing, TournamentSettings } from "../tournament.js";

export const ALONE = "alone";

export const EVERYBODY = "everybody plays it";

export const MIXED = "all agents mixed";

/** By --agent, as in overbid@25%. */
export const CHOSEN = "as chosen";

interface Where {
  readonly agent: string;
  readonly population: string;
  /** Or all markets drawn together. */
  readonly regime: Regime | "all";
}

export type Standings = Record<string, Standing>;

export const keyOf = ({ agent, population, regime }: Where): string =>
  JSON.stringify([agent, population, regime]);

export interface TournamentResult {
  readonly settings: TournamentSettings;
  readonly agents: readonly AnyAgent[];
  readonly standings: Standings;
  /** In the order of their size, the mixed one last. */
  readonly populations: readonly string[];
  readonly exhibits: readonly Exhibit[];
}

/** An estimate that does not reach beyond 0 where no value does. */
function gainOf({ gain, least, most }: Standing, together = 1): Estimate {
  const { mean, low, high, n } = estimateFrom(gain, together);
  return { mean, n, low: least >= 0 ? Math.max(0, low) : low, high: most <= 0 ? Math.min(0, high) : high };
}

/** Where somebody was asked; `judged` has the interval that holds for all agents together. */
const placedIn = ({ agents, populations, standings }: TournamentResult) =>
  agents.flatMap(({ name: agent }) =>
    populations.flatMap((population) =>
      (["all", ...regimes] as const).flatMap((regime) => {
        const where = { agent, population, regime };
        const standing = standings[keyOf(where)];
        if (!standing) return [];
        return [{ ...where, standing, gain: gainOf(standing), judged: gainOf(standing, agents.length) }];
      }),
    ),
  );

type Placed = ReturnType<typeof placedIn>[number];

/** Decided only where the whole interval lies on one side. */
function verdictOf({ low, high, n }: Estimate): string {
  if (n < FEWEST) return "too few markets";
  return low > 0 ? "more" : high < 0 ? "less" : "undecided";
}

/** Means over markets of the mean over a market's workers. */
const columns: readonly Field<Placed>[] = [
  column.text("agent", "agent"),
  column.text("population", "population"),
  column.text("regime", "regime"),
  column.count("markets", "markets", ({ gain }) => gain.n),
  column.count("workers", "workers", ({ standing }) => standing.workers),
  column.amount("truthful", "utility of the truth", ({ standing }) => standing.truthful.mean),
  ...column.estimate<Placed>(column.amount("gain", "gain over the truth")),
  column.text("verdict", "earns (95 %, all agents together)", ({ judged }) => verdictOf(judged)),
  column.share("gained", "workers who gained", ({ standing: { gained, workers } }) => gained / workers),
  column.share("lost", "workers who lost", ({ standing: { lost, workers } }) => lost / workers),
  ...column.estimate(
    column.amount("drift", "on top of where all tell the truth"),
    ({ standing }: Placed) => estimateFrom(standing.drift),
    { own: true },
  ),
];

/** What truthful workers earn in the mixed population, the same workers where all tell the truth, and the difference. */
function worldsOf({ agents, standings }: TournamentResult) {
  const honest = agents.find(({ traits }) => traits.lies.length === 0);
  const standing = honest && standings[keyOf({ agent: honest.name, population: MIXED, regime: "all" })];
  if (!standing) return [];
  const { truthful, before, drift } = standing;
  return [
    { world: "mixed population", utility: estimateFrom(truthful) },
    { world: "all tell the truth", utility: estimateFrom(before) },
    { world: "difference", utility: estimateFrom(drift) },
  ];
}

type World = ReturnType<typeof worldsOf>[number];

const worldColumns: readonly Field<World>[] = [
  column.text("world", "where"),
  ...column.estimate<World>(column.amount("utility", "utility of a truthful worker")),
  column.count("markets", "markets", ({ utility }) => utility.n),
];

export function tables(result: TournamentResult): Table[] {
  const worldTitle =
    "What truthful workers earn in the mixed population, and the same workers where all tell the truth";
  return [
    tableOf("tournament", "What each agent earns on top of the truth", placedIn(result), columns),
    tableOf("truthful-workers", worldTitle, worldsOf(result), worldColumns),
  ];
}

/** Two digits; where there is little room, two decimals. */
const LABEL =
  "abs(datum.gain) < (width > 340 ? 0.0005 : 0.005) ? '0' : format(datum.gain, width > 340 || abs(datum.gain) >= 1 ? '+.2~r' : '+.2~f')";

/** Populations by how many workers play the agent. */
const SHORT = `{ "${ALONE}": "one", "${EVERYBODY}": "all", "${MIXED}": "mixed" }[datum.label] || replace(datum.label, " play it", "")`;

export function charts(result: TournamentResult): Chart[] {
  const placed = placedIn(result);
  const values = [...new Set(placed.map(({ regime }) => regime))];
  const choices = [{ field: "regime", label: "Regime", values }];
  const most = Math.max(...placed.map(({ gain }) => Math.abs(gain.mean)));
  const decided = { test: "datum.verdict === 'more' || datum.verdict === 'less'", value: 1 };
  return [
    {
      name: "payoffs",
      title: "Payoff matrix: mean gain of a worker over the truth",
      table: "tournament",
      choices,
      spec: {
        height: { step: 22 },
        encoding: {
          x: {
            ...axis.name("population", result.populations, { orient: "top", grid: false, labelExpr: SHORT }),
            title: "workers that play it",
          },
          y: axis.name("agent", null, { labelLimit: 160, grid: false }),
        },
        layer: [
          {
            mark: { type: "rect", opacity: 0.55 },
            encoding: { color: colour.signed("gain", most), tooltip: marks.tooltip(columns) },
          },
          {
            transform: [{ calculate: LABEL, as: "label" }],
            mark: { type: "text", tooltip: null },
            encoding: { text: { field: "label" }, opacity: { condition: decided, value: 0.55 } },
          },
        ],
      },
      summary: captions(choices, ({ regime }) => captionOf(placed, regime as Where["regime"])),
      howToRead:
        "Columns say who plays the agent: one worker, a part, all, or all agents mixed. Gains are over the truth against the same bids of the others; faint ones are not shown to differ from 0.",
    },
  ];
}

/** How many agents earn more or less than the truth where one worker plays them. */
function captionOf(placed: readonly Placed[], regime: Where["regime"]): string {
  const alone = placed.filter((one) => one.population === ALONE && one.regime === regime);
  const markets = Math.max(0, ...alone.map(({ gain }) => gain.n));
  const where = `${regime === "all" ? "" : ` ${regimeWords[regime]}`} (${many(markets, "market")})`;
  if (markets < FEWEST) return `One worker plays the agent${where}: too few to judge.`;
  const among = (verdict: string) => alone.filter(({ judged }) => verdictOf(judged) === verdict).length;
  return `One worker plays the agent${where}: ${among("more") || "none"} of ${alone.length} earn more than the truth, ${among("less") || "none"} less (95 %, all agents together).`;
}

export function findings(result: TournamentResult): Finding[] {
  const placed = placedIn(result).filter(({ regime }) => regime === "all");
  const inPopulation = (name: string) => placed.filter(({ population }) => population === name);
  const found = rankedFindings(
    [65, informedText(result, inPopulation(ALONE))],
    [45, worldsText(result)],
    [40, aloneText(inPopulation(ALONE))],
    [35, everybodyText(inPopulation(EVERYBODY))],
  );
  return found.length > 0 ? found : rankedFindings([10, "No agent is judged on so few markets."]);
}

function informedText({ agents }: TournamentResult, alone: readonly Placed[]): string {
  const informed = agents.find(isInformed);
  const found = alone.find(({ agent }) => agent === informed?.name);
  if (!found || found.gain.n < FEWEST) return "";
  const [gain, interval] = stated(found.judged, "change");
  return `Shown all bids, one ${found.agent} among truthful workers gains ${gain} on average (${interval}, all agents together).`;
}

function worldsText(result: TournamentResult): string {
  const [mixed, truthful, difference] = worldsOf(result).map(({ utility }) => utility);
  if (!mixed || !truthful || !difference || difference.n < FEWEST) return "";
  const [change, interval] = stated(difference, "change");
  return `A truthful worker earns ${threeDigits(mixed.mean)} in the mixed population and ${threeDigits(truthful.mean)} where all tell the truth: a difference of ${change} (${interval}; ${many(difference.n, "market")}).`;
}

/** The agent that loses most. */
const worstOf = (placed: readonly Placed[]): Placed | undefined =>
  least(
    placed.filter(({ gain }) => gain.mean < 0 && gain.n >= FEWEST),
    ({ gain }) => gain.mean,
  );

function aloneText(alone: readonly Placed[]): string {
  const worst = worstOf(alone);
  if (!worst) return "";
  const [loss, interval] = stated(worst.judged, "change");
  return `One ${worst.agent} among truthful workers loses most of all agents: ${loss} on average (${interval}, all agents together).`;
}

function everybodyText(everybody: readonly Placed[]): string {
  const worst = worstOf(everybody);
  if (!worst) return "";
  const { mean, low, high } = worst.judged;
  const [more, interval] = stated({ mean: -mean, low: -high, high: -low }, "change");
  return `Where all workers play ${worst.agent}, one of them would gain ${more} by telling the truth (${interval}, all agents together).`;
}

export function methods({ settings, agents }: TournamentResult): string[] {
  const { workers, rounds, budgets, markets, measured, tasks } = settings;
  const paired = agents.some(({ traits }) => traits.lies.includes("coalition"));
  const learns = agents.some(({ traits }) => traits.learns);
  return [
    `${markets} markets at each budget of ${budgets.join(", ")} times the cost of all rounds on offer, ${workers} workers, ${rounds} rounds, drawn as in the paper; in each, at most ${measured} workers of each population were measured, and all of the mixed one. Regimes are those of the truthful run.`,
    `Agents play at their default settings, and bid once. ${
      agents.some(isInformed)
        ? "Those that are shown the others' bids see the truth where they look at each other."
        : "None of them is shown the others' bids."
    }`,
    "Gains are means over markets of the mean over a market's workers. Whether an agent earns more or less than the truth is judged by intervals that hold for all agents of a population together with 95 % (Bonferroni); the intervals of the table are those of single agents.",
    paired
      ? "Who lies in a coalition has a partner who plays the same agent, of the other group where there is one; gains are means over both, beside the truth of both. Alone means one such pair."
      : "",
    learns
      ? `Those who learn have ${tasks} earlier tasks of the same workers behind them, with arrivals drawn anew; one bid after that is measured.`
      : "",
  ].filter(Boolean);
}
