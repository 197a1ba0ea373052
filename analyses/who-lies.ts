/** Who has a lie that pays, which lie it is, what it brings, and where that comes from. */

import type { Analysis, AnalysisContext, AnalysisResult, Exhibit, Profile } from "../src/analysis.js";
import { isExact } from "../src/best-response/index.js";
import { lieKinds } from "../src/explain.js";
import { atRelativeBudget, surveyed } from "../src/survey/relative-budget.js";
import { capital, listed, many, money, whole } from "../src/survey/words.js";
import { bandChart, causeChart, kindChart, pointChart } from "./who-lies/charts.js";
import { findingsOf } from "./who-lies/findings.js";
import { kinds, type Liar, type Person } from "./who-lies/people.js";
import { whoJob } from "./who-lies/survey.js";
import { bandTable, causeTable, kindTable, pointTable } from "./who-lies/tables.js";

export interface WhoSettings {
  readonly rounds: number;
  readonly sizes: readonly number[];
  /** Relative budgets; every market is looked at under each. */
  readonly ratios: readonly number[];
  /** Markets drawn of each size. */
  readonly markets: number;
  /** Workers asked in each; null: everybody. */
  readonly asked: number | null;
  /** At most so many points of those who gain, and of those who do not, are shown. */
  readonly shown: { readonly gaining: number; readonly others: number };
}

const crowd = {
  rounds: 10,
  sizes: [5, 10, 20, 40, 80],
  ratios: [0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.4, 2, 3],
  shown: { gaining: 700, others: 500 },
};

const few = { ...crowd, sizes: [5, 10], ratios: [0.2, 0.7, 2] };

/** Sample sizes where answers are exact, and where each takes a search. */
export const settings: Readonly<Record<Profile, { exact: WhoSettings; searched: WhoSettings }>> = {
  quick: {
    exact: { ...crowd, markets: 70, asked: null },
    searched: { ...few, markets: 10, asked: 2 },
  },
  full: {
    exact: { ...crowd, markets: 500, asked: null },
    searched: { ...few, markets: 200, asked: 2 },
  },
};

export const whoLies: Analysis = {
  name: "who-lies",
  question: "Who has a lie that pays, which one is it, and where does the gain come from?",
  jobs: { who: whoJob },
  run: (context) =>
    findLiars(context, settings[context.profile][isExact(context.mechanism) ? "exact" : "searched"]),
};

export async function findLiars(context: AnalysisContext, given: WhoSettings): Promise<AnalysisResult> {
  const people = await meetAll(context, given);
  const liars = people.flatMap((person) => (person.lie ? [{ ...person, lie: person.lie }] : []));
  const tables = [pointTable(people, given), bandTable(people), kindTable(liars), causeTable(liars)];
  return {
    tables,
    charts: [
      pointChart(people, liars),
      bandChart(people),
      kindChart(liars),
      ...(liars.some(({ lie }) => lie.causes) ? [causeChart(liars)] : []),
    ],
    findings: findingsOf(people, liars, isExact(context.mechanism)),
    leftOut: leftOutOf(people, liars, given, isExact(context.mechanism)),
    exhibits: exhibitsOf(liars, context, given),
  };
}

async function meetAll({ pool }: AnalysisContext, given: WhoSettings): Promise<Person[]> {
  const { rounds, sizes, ratios, markets, asked } = given;
  const cells = sizes.map((workers) => ({ cell: { workers, rounds, ratios, asked }, markets }));
  const met = await pool.gather(whoJob, cells);
  return sizes.flatMap((workers, s) =>
    (met[s] ?? []).flatMap((byRatio, k) => {
      const market = `${workers}/${k}`;
      return byRatio.flatMap((people, r) =>
        people.map((one) => ({
          ...{ market, workers, k, ratio: ratios[r]! },
          ...one,
          density: one.cost / one.reputation,
        })),
      );
    }),
  );
}

function leftOutOf(
  people: readonly Person[],
  liars: readonly Liar[],
  given: WhoSettings,
  exact: boolean,
): string[] {
  const { markets, sizes, ratios, rounds, shown, asked } = given;
  const [gaining, others] = [
    Math.min(liars.length, shown.gaining),
    Math.min(people.length - liars.length, shown.others),
  ];
  return [
    `${many(markets, "market")} drawn of each size (${listed(sizes.map(String))} workers, ${rounds} rounds), each under ${ratios.length} relative budgets from ${ratios[0]} to ${ratios.at(-1)}.`,
    `The scatter shows ${whole(gaining)} of ${whole(liars.length)} who gain and ${whole(others)} of ${whole(people.length - liars.length)} who do not, spread evenly over the markets; all tables count everybody.`,
    "Each worker is counted once with its best lie; others that pay less may be of another kind.",
    exact
      ? "Best lies are exact."
      : `Lies were searched${asked === null ? "" : ` for ${many(asked, "worker")} of each market`}: gains are lower bounds, and causes are known only for the paper's mechanism.`,
  ];
}

/** The largest gain of each kind. */
function exhibitsOf(
  liars: readonly Liar[],
  { stream, mechanism }: AnalysisContext,
  { rounds }: WhoSettings,
): Exhibit[] {
  return kinds.flatMap((kind): Exhibit[] => {
    const told = liars.filter(({ lie }) => lie.kind === kind);
    if (told.length === 0) return [];
    const { lie, workers, k, ratio } = told.reduce((a, b) => (b.lie.gain > a.lie.gain ? b : a));
    const market = atRelativeBudget(surveyed({ workers, rounds }, k, stream), ratio);
    const title = `${capital(lieKinds[kind])} (${lie.regime}): worker ${lie.bid.worker} of ${workers} gains ${money(lie.gain)} on top of ${money(lie.truthful)}`;
    return [{ name: kind, title, market, mechanism: mechanism.name, lie: lie.bid }];
  });
}
