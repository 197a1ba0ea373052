/** tournament in tables, charts and sentences. */

import { type AnyAgent, isInformed } from "../../src/agents/agent.js";
import { listed, many, signed, threeDigits } from "../../src/lib/format.js";
import { type Estimate, FEWEST } from "../../src/lib/statistics.js";
import { estimateFrom, type Moments } from "../../src/lib/summaries.js";
import type { Bid } from "../../src/market/market.js";
import { type Regime, regimes } from "../../src/mechanisms/outcome.js";
import type { Chart, Exhibit, Finding, Table } from "../../src/report/result.js";
import {
  amountColumn,
  captions,
  countColumn,
  estimateColumns,
  type Field,
  nameAxis,
  shareColumn,
  signedColour,
  tableOf,
  textColumn,
  tooltipOf,
} from "../../src/report/vocabulary.js";
import type { TournamentSettings } from "../tournament.js";

export const ALONE = "alone";

export const EVERYBODY = "everybody plays it";

export const MIXED = "all agents mixed";

/** By --agent, as in overbid@25%. */
export const CHOSEN = "as chosen";

export interface TournamentResult extends Tournament {
  readonly settings: TournamentSettings;
  readonly exhibits: readonly Exhibit[];
}

type Placed = Where & { readonly standing: Standing; readonly together: number };

/** Means over markets of the mean over a market's workers. */
const columns: Field<Placed>[] = [
  textColumn("agent", "agent"),
  textColumn("population", "population"),
  textColumn("regime", "regime"),
  countColumn("markets", "markets", ({ standing }) => gainOf(standing).n),
  countColumn("workers", "workers", ({ standing }) => standing.workers),
  amountColumn("truthful", "utility of the truth", ({ standing }) => standing.truthful.mean),
  ...estimateColumns(amountColumn("gain", "gain over the truth"), ({ standing }: Placed) => gainOf(standing)),
  textColumn("verdict", "earns (95 %, all agents together)", ({ standing, together }) =>
    verdictOf(gainOf(standing, together)),
  ),
  shareColumn("gained", "workers who gained", ({ standing: { gained, workers } }) => gained / workers),
  shareColumn("lost", "workers who lost", ({ standing: { lost, workers } }) => lost / workers),
  ...estimateColumns(
    amountColumn("drift", "on top of where all tell the truth"),
    ({ standing }: Placed) => estimateFrom(standing.drift),
    { own: true },
  ),
];

/** Regimes, and all markets drawn together. */
const everyRegime = ["all", ...regimes] as const;

function tournamentTable({ standings, agents, populations }: Tournament): Table {
  const placed = agents.flatMap(({ name: agent }) =>
    populations.flatMap((population) =>
      everyRegime.flatMap((regime) => {
        const standing = standingOf(standings, { agent, population, regime });
        return standing ? [{ agent, population, regime, standing, together: agents.length }] : [];
      }),
    ),
  );
  return tableOf("tournament", "What each agent earns on top of the truth", placed, columns);
}

/** Decided only where the whole interval lies on one side. */
function verdictOf({ low, high, n }: Estimate): string {
  if (n < FEWEST) return "too few markets";
  return low > 0 ? "more" : high < 0 ? "less" : "undecided";
}

const worldsTable = (result: Tournament): Table =>
  tableOf(
    "truthful-workers",
    "What truthful workers earn in the mixed population, and the same workers where all tell the truth",
    worldsOf(result),
    [
      textColumn("world", "where"),
      ...estimateColumns(
        amountColumn("utility", "utility of a truthful worker"),
        ({ utility }: { utility: Estimate }) => utility,
      ),
      countColumn("markets", "markets", ({ utility }) => utility.n),
    ],
  );

function payoffChart(result: Tournament): Chart {
  const { rows } = tournamentTable(result);
  const present = everyRegime.filter((regime) => rows.some((row) => row.regime === regime));
  const choices = [{ field: "regime", label: "Regime", values: present }];
  const most = Math.max(...rows.map(({ gain }) => Math.abs(Number(gain))));
  const decided = { test: "datum.verdict === 'more' || datum.verdict === 'less'", value: 1 };
  return {
    name: "payoffs",
    title: "Payoff matrix: what each agent earns on top of the truth, a worker",
    table: "tournament",
    choices,
    spec: {
      height: { step: 28 },
      encoding: {
        x: {
          ...nameAxis("population", result.populations, { orient: "top", grid: false, labelExpr: SHORT }),
          title: "workers that play it",
        },
        y: nameAxis("agent", null, { labelLimit: 160, grid: false }),
      },
      layer: [
        {
          mark: { type: "rect", opacity: 0.55 },
          encoding: { color: signedColour("gain", most), tooltip: tooltipOf(columns) },
        },
        {
          transform: [{ calculate: LABEL, as: "label" }],
          mark: { type: "text", tooltip: null },
          encoding: { text: { field: "label" }, opacity: { condition: decided, value: 0.55 } },
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

export function methods({ settings: chosen, agents }: TournamentResult): string[] {
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
    ...(agents.some(({ traits }) => traits.lies.includes("coalition"))
      ? [
          "Who lies in a coalition has a partner who plays the same agent, of the other group where there is one; gains are means over both, beside the truth of both. Alone means one such pair.",
        ]
      : []),
    ...(learns
      ? [
          `Those who learn have ${tasks} earlier tasks of the same workers behind them, with arrivals drawn anew; one bid after that is measured.`,
        ]
      : []),
  ];
}

/** What an agent did in a population, in one regime or in all. Values are means over a market's workers. */
export interface Standing {
  readonly workers: number;
  readonly gain: Moments;
  /** The least and the greatest gain of a market. */
  readonly least: number;
  readonly most: number;
  readonly truthful: Moments;
  readonly before: Moments;
  readonly drift: Moments;
  /** How many workers gained, and how many lost. */
  readonly gained: number;
  readonly lost: number;
  readonly best: Best;
}

/** The worker who gained most, and where: the market is drawn again when it is wanted. */
export interface Best {
  readonly gain: number;
  readonly bid: Bid;
  readonly partner?: Bid;
  readonly regime: Regime;
  readonly budget: number;
  readonly k: number;
}

interface Where {
  readonly agent: string;
  readonly population: string;
  readonly regime: Regime | "all";
}

export type Standings = Record<string, Standing>;

export const keyOf = ({ agent, population, regime }: Where): string =>
  JSON.stringify([agent, population, regime]);

/** Null where nobody was asked. */
export const standingOf = (standings: Standings, where: Where): Standing | null =>
  standings[keyOf(where)] ?? null;

/** An estimate that does not reach beyond 0 where no value does. */
function gainOf({ gain, least, most }: Standing, together = 1): Estimate {
  const { mean, low, high, n } = estimateFrom(gain, together);
  return { mean, n, low: least >= 0 ? Math.max(0, low) : low, high: most <= 0 ? Math.min(0, high) : high };
}

interface Tournament {
  readonly agents: readonly AnyAgent[];
  readonly standings: Standings;
  /** In the order of their size, the mixed one last. */
  readonly populations: readonly string[];
  readonly tasks: number;
}

export const findings = (result: Tournament): Finding[] => [
  ...result.agents.filter(isInformed).flatMap((agent) => informedFinding(agent, result)),
  ...worstFinding(result),
  ...selfDefeatFinding(result),
  ...result.agents.filter(({ traits }) => traits.learns).flatMap((agent) => learnerFinding(agent, result)),
  ...worldsFinding(result),
];

/** In these populations, all regimes of the markets drawn. */
const inAll = ({ standings }: Tournament, agent: string, population: string): Standing | null =>
  standingOf(standings, { agent, population, regime: "all" });

/** "+0.02 (+0.01 to +0.03; 48 markets)". */
function amountText(estimate: Estimate, show: (x: number) => string = signed): string {
  const { mean, low, high, n } = estimate;
  if (low === 0 && high === 0) return `nothing (${many(n, "market")})`;
  const interval = Number.isFinite(low) ? `${show(low)} to ${show(high)}` : "no interval";
  return `${show(mean)} (${interval}; ${many(n, "market")})`;
}

/** " in late-start runs", nothing for all regimes. */
const runsText = (regime: Where["regime"]): string =>
  regime === "all" ? "" : ` in ${regime.replace("late start", "late-start")} runs`;

function informedFinding({ name }: AnyAgent, { standings }: Tournament): Finding[] {
  const parts = regimes.flatMap((regime) => {
    const where: Where = { agent: name, population: ALONE, regime };
    const standing = standingOf(standings, where);
    return standing ? [`${amountText(gainOf(standing))}${runsText(regime)}`] : [];
  });
  if (parts.length === 0) return [];
  return [
    { text: `Shown all bids, the ${name} alone among the truthful gains ${listed(parts)}.`, weight: 65 },
  ];
}

/** Gains of all agents in a population, least first. */
const ordered = (result: Tournament, population: string) =>
  result.agents
    .flatMap(({ name }) => {
      const standing = inAll(result, name, population);
      return standing ? [{ name, standing, gain: gainOf(standing) }] : [];
    })
    .sort((a, b) => a.gain.mean - b.gain.mean);

function worstFinding(result: Tournament): Finding[] {
  const [worst] = ordered(result, ALONE);
  if (!worst || worst.gain.mean >= 0) return [];
  const truth = threeDigits(worst.standing.truthful.mean);
  const text = `Alone among the truthful the ${worst.name} loses most: ${amountText(worst.gain)} a worker, where the truth earns ${truth}.`;
  return [{ text, weight: 40 }];
}

/** Where a strategy that all play makes the truth worth most. */
function selfDefeatFinding(result: Tournament): Finding[] {
  const [worst] = ordered(result, EVERYBODY);
  if (!worst || worst.gain.mean >= 0) return [];
  const { mean, low, high, n } = worst.gain;
  const better = amountText({ mean: -mean, low: -high, high: -low, n }, threeDigits);
  const text = `Where all workers play ${worst.name}, one of them would earn ${better} more by telling the truth.`;
  return [{ text, weight: 35 }];
}

function learnerFinding({ name }: AnyAgent, result: Tournament): Finding[] {
  const standing = inAll(result, name, ALONE);
  if (!standing) return [];
  const text = `After ${many(result.tasks, "task")} the ${name}, alone among the truthful, earns ${amountText(gainOf(standing))} a worker compared with the truth.`;
  return [{ text, weight: 30 }];
}

/** What truthful workers earn in the mixed population, the same workers where all tell the truth, and the difference. */
function worldsOf(result: Tournament): { world: string; utility: Estimate }[] {
  const honest = result.agents.find(({ traits }) => traits.lies.length === 0);
  const standing = honest && inAll(result, honest.name, MIXED);
  if (!standing) return [];
  const { truthful, before, drift } = standing;
  return [
    { world: "mixed population", utility: estimateFrom(truthful) },
    { world: "all tell the truth", utility: estimateFrom(before) },
    { world: "difference", utility: estimateFrom(drift) },
  ];
}

function worldsFinding(result: Tournament): Finding[] {
  const [mixed, truthful, difference] = worldsOf(result).map(({ utility }) => utility);
  if (!mixed || !truthful || !difference) return [];
  const earned = (utility: Estimate) => amountText(utility, threeDigits);
  const text = `Truthful workers earn ${earned(mixed)} a worker in the mixed population; the same workers earn ${earned(truthful)} where all tell the truth, a difference of ${amountText(difference)}.`;
  return [{ text, weight: 45 }];
}

/** Who earns most and least in a regime, alone. */
function captionOf({ standings, agents }: Tournament, regime: Where["regime"]): string {
  const gains = agents
    .flatMap(({ name }) => {
      const standing = standingOf(standings, { agent: name, population: ALONE, regime });
      return standing ? [{ name, gain: gainOf(standing) }] : [];
    })
    .sort((a, b) => b.gain.mean - a.gain.mean);
  const [best, worst] = [gains[0], gains.at(-1)];
  if (!best || !worst) return `Nobody was asked${runsText(regime)}.`;
  const most =
    best.gain.mean > 0
      ? `the ${best.name} earns most (${signed(best.gain.mean)} a worker)`
      : "no agent earned more than the truth";
  return `Alone among the truthful${runsText(regime)}, ${most}; the ${worst.name} earns least (${signed(worst.gain.mean)}; ${many(best.gain.n, "market")}).`;
}

export const tables = (result: Tournament): Table[] => [tournamentTable(result), worldsTable(result)];

export const charts = (result: Tournament): Chart[] => [payoffChart(result)];
