/** Who has a lie that pays, which lie it is, what it brings, and where that comes from. */

import type {
  Analysis,
  AnalysisContext,
  AnalysisResult,
  Chart,
  Exhibit,
  Finding,
  Profile,
  Row,
  Table,
} from "../src/analysis.js";
import type { Causes } from "../src/causes.js";
import { type LieKind, lieKinds } from "../src/explain.js";
import { type Regime, regimes } from "../src/regime.js";
import { answeredExactly } from "../src/survey/inquiry.js";
import { meet, type PayingLie, type Person } from "../src/survey/liars.js";
import { grouped, quantile, shareOverMarkets } from "../src/survey/over-markets.js";
import { drawForSurvey } from "../src/survey/relative-budget.js";
import { capital, listed, many, money, percent, rounded, whole } from "../src/survey/words.js";

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
  run: (context) =>
    findLiars(context, settings[context.profile][answeredExactly(context.mechanism) ? "exact" : "searched"]),
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
    findings: findingsOf(people, liars, answeredExactly(context.mechanism)),
    leftOut: leftOutOf(people, liars, given, answeredExactly(context.mechanism)),
    exhibits: exhibitsOf(liars, context.mechanism.name),
  };
}

type Liar = Person & { readonly lie: PayingLie };

async function meetAll(context: AnalysisContext, given: WhoSettings): Promise<Person[]> {
  const { stream, mechanism, pool } = context;
  const { rounds, sizes, ratios, markets, asked } = given;
  const inputs = sizes.flatMap((workers) => Array.from({ length: markets }, (_, k) => ({ workers, k })));
  const met = await pool.map(inputs, ({ workers, k }) => {
    const drawn = drawForSurvey({ workers, rounds }, stream.fork(workers).fork(k));
    const market = `${workers}/${k}`;
    return ratios.flatMap((ratio) => meet(drawn, { market, workers, ratio }, { mechanism, asked }));
  });
  return met.flat();
}

/** At most so many, spread evenly over the list. */
function thinned<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, k) => items[Math.floor((k * items.length) / most)]!);
}

function pointTable(people: readonly Person[], { shown }: WhoSettings): Table {
  const visible = people.filter(({ reputation }) => reputation > 0);
  const picked = [
    ...thinned(
      visible.filter(({ lie }) => !lie),
      shown.others,
    ),
    ...thinned(
      visible.filter(({ lie }) => lie),
      shown.gaining,
    ).sort((a, b) => a.lie!.gain - b.lie!.gain),
  ];
  return {
    name: "people",
    title: "Workers by reputation and density (a sample)",
    columns: [
      { name: "regime", label: "Regime", kind: "text" },
      { name: "kind", label: "Kind of lie", kind: "text" },
      { name: "reputation", label: "Reputation", kind: "amount" },
      { name: "density", label: "True density", kind: "amount" },
      { name: "gain", label: "Gain of the best lie", kind: "amount" },
      { name: "workers", label: "Workers", kind: "count" },
      { name: "ratio", label: "Relative budget", kind: "amount" },
    ],
    rows: picked.map(({ regime, reputation, density, lie, workers, ratio }) => ({
      regime,
      kind: lie?.kind ?? "none",
      reputation,
      density: Number(density.toPrecision(4)),
      gain: Number((lie?.gain ?? 0).toPrecision(4)),
      workers,
      ratio,
    })),
  };
}

const BANDS = 10;

const bandOf = ({ reputation }: Person): number => Math.min(BANDS - 1, Math.floor(reputation * BANDS));

const everyRegime = ["all", ...regimes] as const;

const inRegime = <P extends Person>(people: readonly P[], regime: Regime | "all"): P[] =>
  regime === "all" ? [...people] : people.filter((person) => person.regime === regime);

function bandTable(people: readonly Person[]): Table {
  const rows = everyRegime.flatMap((regime) => {
    const bands = grouped(inRegime(people, regime), (person) => String(bandOf(person)));
    return Array.from({ length: BANDS }, (_, band) => bands.get(String(band)) ?? []).flatMap(
      (there, band): Row[] => {
        if (there.length === 0) return [];
        const markets = [...grouped(there, ({ market }) => market).values()];
        const { mean, low, high, n } = shareOverMarkets(
          markets.map((part) => part.filter(({ lie }) => lie).length / part.length),
        );
        const gaining = there.flatMap(({ lie }) => lie?.gain ?? []);
        return [
          {
            regime,
            from: band / BANDS,
            to: (band + 1) / BANDS,
            share: rounded(mean),
            low: rounded(low),
            high: rounded(high),
            meanGain: rounded(total(gaining) / gaining.length),
            seen: there.length,
            markets: n,
          },
        ];
      },
    );
  });
  return {
    name: "reputations",
    title: "Who has a lie that pays, by reputation",
    columns: [
      { name: "regime", label: "Regime", kind: "text" },
      { name: "from", label: "Reputation from", kind: "amount" },
      { name: "to", label: "to", kind: "amount" },
      { name: "share", label: "Can gain", kind: "share" },
      { name: "low", label: "95 % from", kind: "share" },
      { name: "high", label: "to", kind: "share" },
      { name: "meanGain", label: "Mean gain of those who gain", kind: "amount" },
      { name: "seen", label: "Workers asked", kind: "count" },
      { name: "markets", label: "Markets", kind: "count" },
    ],
    rows,
  };
}

const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const kinds = Object.keys(lieKinds) as LieKind[];

const gainsOf = (liars: readonly Liar[]): number[] => liars.map(({ lie }) => lie.gain);

function kindTable(liars: readonly Liar[]): Table {
  const rows = everyRegime.flatMap((regime) => {
    const there = inRegime(liars, regime);
    return kinds.flatMap((kind): Row[] => {
      const told = there.filter(({ lie }) => lie.kind === kind);
      if (told.length === 0) return [];
      const gains = gainsOf(told);
      const { mean, low, high } = shareOverMarkets(sharesOf(there, kind));
      return [
        {
          regime,
          kind,
          count: told.length,
          share: rounded(mean),
          low: rounded(low),
          high: rounded(high),
          meanGain: rounded(total(gains) / gains.length),
          maxGain: rounded(gains.reduce((most, gain) => Math.max(most, gain), 0)),
          part: rounded(total(gains) / total(gainsOf(there))),
        },
      ];
    });
  });
  return {
    name: "kinds",
    title: "Kinds of lie: how often each is the best, and what it brings",
    columns: [
      { name: "regime", label: "Regime", kind: "text" },
      { name: "kind", label: "Kind of lie", kind: "text" },
      { name: "count", label: "Workers", kind: "count" },
      { name: "share", label: "Of a market's paying lies", kind: "share" },
      { name: "low", label: "95 % from", kind: "share" },
      { name: "high", label: "to", kind: "share" },
      { name: "meanGain", label: "Mean gain", kind: "amount" },
      { name: "maxGain", label: "Largest gain", kind: "amount" },
      { name: "part", label: "Of all that is gained", kind: "share" },
    ],
    rows,
  };
}

/** Of each market's paying lies, the share of a kind. */
const sharesOf = (liars: readonly Liar[], kind: LieKind): number[] =>
  [...grouped(liars, ({ market }) => market).values()].map(
    (part) => part.filter(({ lie }) => lie.kind === kind).length / part.length,
  );

const causeWords: Readonly<Record<keyof Causes, string>> = {
  rounds: "rounds won or given up",
  price: "a better or worse price",
  budget: "the budget's limits",
  start: "the start moved",
};

const causeNames = Object.keys(causeWords) as (keyof Causes)[];

function causeTable(liars: readonly Liar[]): Table {
  const rows = everyRegime.flatMap((regime) =>
    (["all", ...kinds] as const).flatMap((kind) => {
      const told = inRegime(liars, regime).filter(({ lie }) => kind === "all" || lie.kind === kind);
      return told.length === 0 ? [] : causeRows(told).map((row) => ({ regime, kind, ...row }));
    }),
  );
  return {
    name: "causes",
    title: "Where gains come from",
    columns: [
      { name: "regime", label: "Regime", kind: "text" },
      { name: "kind", label: "Kind of lie", kind: "text" },
      { name: "cause", label: "Cause", kind: "text" },
      { name: "mean", label: "Mean part of a gain", kind: "amount" },
      { name: "sum", label: "Added up", kind: "amount" },
      { name: "part", label: "Of all that is gained", kind: "share" },
      { name: "helping", label: "Lies it helps", kind: "count" },
    ],
    rows,
  };
}

function causeRows(liars: readonly Liar[]): Row[] {
  const causes = liars.flatMap(({ lie }) => lie.causes ?? []);
  if (causes.length === 0) return [];
  return causeNames.map((name) => {
    const parts = causes.map((cause) => cause[name]);
    const sum = total(parts);
    return {
      cause: causeWords[name],
      mean: rounded(sum / parts.length),
      sum: rounded(sum),
      part: rounded(sum / total(gainsOf(liars))),
      helping: parts.filter((part) => part > 1e-9).length,
    };
  });
}

function pointChart(people: readonly Person[], liars: readonly Liar[]): Chart {
  const top = gainsOf(liars).reduce((most, gain) => Math.max(most, gain), 0);
  const gains = [0, Math.max(1, Math.ceil(top))];
  const x = { field: "reputation", type: "quantitative", title: "reputation", scale: { domain: [0, 1] } };
  const y = {
    field: "density",
    type: "quantitative",
    title: "true cost / reputation",
    scale: { type: "log", nice: false, domain: [0.35, 10], clamp: true },
  };
  const size = {
    field: "gain",
    type: "quantitative",
    scale: { type: "sqrt", domain: gains, range: [16, 240] },
    title: "gain of the best lie",
  };
  const color = {
    field: "gain",
    type: "quantitative",
    title: "gain of the best lie",
    scale: { type: "sqrt", domain: gains },
  };
  const tooltip = [
    { field: "reputation", title: "Reputation", format: ".3~f" },
    { field: "density", title: "Density", format: ".3~f" },
    { field: "gain", title: "Gain", format: ".3~f" },
    { field: "kind", title: "Kind of lie" },
    { field: "regime", title: "Regime" },
    { field: "workers", title: "Workers" },
    { field: "ratio", title: "Relative budget" },
  ];
  return {
    name: "people",
    title: "Who has a lie that pays",
    table: "people",
    spec: {
      encoding: { x, y, tooltip },
      layer: [
        {
          transform: [{ filter: "datum.gain === 0" }],
          mark: { type: "point", filled: false, size: 12, opacity: 0.35 },
        },
        {
          transform: [{ filter: "datum.gain > 0" }],
          mark: { type: "point", filled: true, opacity: 0.9 },
          encoding: { color, size },
        },
      ],
    },
    summary: whoText(people, liars),
    howToRead:
      "A filled point is a worker with a lie that pays, larger and in another colour the more it brings; small rings are a sample of the others. Densities beyond 10 are drawn at the edge.",
  };
}

function bandChart(people: readonly Person[]): Chart {
  const rows = bandTable(people).rows.filter(({ regime }) => regime === "all");
  const top = rows.reduce((a, b) => ((b.share as number) > (a.share as number) ? b : a));
  const x = {
    field: "from",
    type: "quantitative",
    bin: { binned: true, step: 1 / BANDS },
    title: "reputation",
  };
  const y = (field: string) => ({
    field,
    type: "quantitative",
    title: "share who can gain",
    axis: { format: "~%" },
  });
  return {
    name: "reputations",
    title: "Who has a lie that pays, by reputation",
    table: "reputations",
    spec: {
      transform: [{ calculate: "(datum.from + datum.to) / 2", as: "middle" }],
      layer: [
        {
          mark: { type: "bar", opacity: 0.6 },
          encoding: {
            x,
            x2: { field: "to" },
            y: y("share"),
            tooltip: [
              { field: "from", title: "Reputation from" },
              { field: "to", title: "to" },
              { field: "share", title: "Can gain", format: ".2%" },
              { field: "low", title: "95 % from", format: ".2%" },
              { field: "high", title: "to", format: ".2%" },
              { field: "meanGain", title: "Mean gain of those", format: ".3~f" },
            ],
          },
        },
        {
          mark: "rule",
          encoding: { x: { field: "middle", type: "quantitative" }, y: y("low"), y2: { field: "high" } },
        },
      ],
    },
    summary: `Share of workers with a lie that pays, by reputation; highest from ${top.from} to ${top.to}: ${percent(top.share as number)}.`,
    howToRead: "Bars are means over markets, lines their 95 % intervals.",
  };
}

function kindChart(liars: readonly Liar[]): Chart {
  const rows = kindTable(liars).rows.filter(({ regime }) => regime === "all");
  const told = rows.map(({ kind, part }) => `${kind} ${percent(part as number)}`);
  const y = { field: "kind", type: "nominal", sort: kinds, title: null };
  const x = (field: string) => ({
    field,
    type: "quantitative",
    title: "share",
    scale: { domain: [0, 1] },
    axis: { format: "~%" },
  });
  const tooltip = [
    { field: "kind", title: "Kind of lie" },
    { field: "regime", title: "Regime" },
    { field: "count", title: "Workers" },
    { field: "share", title: "Of a market's paying lies", format: ".1%" },
    { field: "part", title: "Of all that is gained", format: ".1%" },
    { field: "meanGain", title: "Mean gain", format: ".3~f" },
    { field: "maxGain", title: "Largest gain", format: ".3~f" },
  ];
  return {
    name: "kinds",
    title: "Kinds of lie: how often, and how much of all that is gained",
    table: "kinds",
    spec: {
      height: { step: 34 },
      encoding: { y },
      layer: [
        { mark: { type: "bar", opacity: 0.6 }, encoding: { x: x("part"), tooltip } },
        { mark: "rule", encoding: { x: x("low"), x2: { field: "high" } } },
        {
          mark: { type: "point", filled: true, size: 70, opacity: 1, color: "black", stroke: "white" },
          encoding: { x: x("share"), tooltip },
        },
      ],
    },
    summary: told.length === 0 ? "No lie pays." : `Of all that is gained: ${told.join(", ")}.`,
    howToRead: `Bars: the part of all that is gained. Points: how often the best lie is of this kind, as a mean over markets with its 95 % interval. ${kinds.map((kind) => `${capital(lieKinds[kind])}.`).join(" ")}`,
  };
}

function causeChart(liars: readonly Liar[]): Chart {
  const rows = causeTable(liars).rows.filter(({ regime, kind }) => regime === "all" && kind === "all");
  const told = rows.map(({ cause, mean }) => `${cause} ${signed(mean as number)}`);
  return {
    name: "causes",
    title: "Where gains come from",
    table: "causes",
    spec: {
      height: { step: 34 },
      mark: "bar",
      encoding: {
        y: {
          field: "cause",
          type: "nominal",
          sort: Object.values(causeWords),
          title: null,
          axis: { labelLimit: 260 },
        },
        x: { field: "mean", type: "quantitative", title: "mean part of a gain" },
        tooltip: [
          { field: "cause", title: "Cause" },
          { field: "kind", title: "Kind of lie" },
          { field: "regime", title: "Regime" },
          { field: "mean", title: "Mean part of a gain", format: "+.3~f" },
          { field: "part", title: "Of all that is gained", format: "+.1%" },
          { field: "helping", title: "Lies it helps" },
        ],
      },
    },
    summary: `The mean gain is made up of: ${told.join("; ")}.`,
    howToRead:
      "The four causes add up to the gain. Rounds and price are what the lie brings as if money had no end and the start did not move: by the paper's proofs never a gain. The start's part is what moving it would bring if money had no end; what the budget then takes back is in the budget's part.",
  };
}

/** With its sign; what is only rounding is 0. */
const signed = (x: number): string => {
  if (Math.abs(x) < 1e-6) return "0";
  return `${x > 0 ? "+" : "−"}${money(Math.abs(x))}`;
};

function findingsOf(people: readonly Person[], liars: readonly Liar[], exact: boolean): Finding[] {
  const bound = exact ? "" : " Lies were searched: all this is a lower bound.";
  return [
    { text: `${whoText(people, liars)}${bound}`, weight: 4 },
    ...bandText(people, liars),
    ...kindText(liars),
    ...causeText(liars),
  ];
}

function whoText(people: readonly Person[], liars: readonly Liar[]): string {
  if (liars.length === 0) return `Of ${many(people.length, "worker")} none has a lie that pays.`;
  const others = people.filter(({ lie }) => !lie);
  const median = (group: readonly Person[], trait: "reputation" | "density") =>
    money(
      quantile(
        group.map((person) => person[trait]),
        0.5,
      ),
    );
  const has = liars.length === 1 ? "has" : "have";
  return `Of ${many(people.length, "worker")} ${whole(liars.length)} ${has} a lie that pays; their median reputation is ${median(liars, "reputation")} (others ${median(others, "reputation")}), their median density ${median(liars, "density")} (others ${median(others, "density")}).`;
}

/** The lowest and the highest band of reputations. */
function bandText(people: readonly Person[], liars: readonly Liar[]): Finding[] {
  const rows = bandTable(people).rows.filter(({ regime }) => regime === "all");
  const [low, high] = [rows[0], rows.at(-1)];
  if (liars.length === 0 || !low || !high || low === high) return [];
  const told = ({ from, to, share }: Row) =>
    `${percent(share as number)} with a reputation from ${from} to ${to}`;
  const shares = rows.map(({ share }) => share as number);
  const steady = shares.every((share, k) => k === 0 || share >= shares[k - 1]!);
  const how = steady ? "; the share never falls from one band of reputations to the next" : "";
  return [{ text: `A lie pays for ${told(low)} and for ${told(high)}${how}.`, weight: 5 }];
}

function kindText(liars: readonly Liar[]): Finding[] {
  const rows = kindTable(liars).rows.filter(({ regime }) => regime === "all");
  if (rows.length === 0) return [];
  const ranked = [...rows].sort((a, b) => (b.part as number) - (a.part as number));
  const told = ranked.map(
    ({ kind, count, part, maxGain }) =>
      `${kind} (${many(count as number, "worker")}, ${percent(part as number)} of all that is gained, at most ${money(maxGain as number)})`,
  );
  const never = kinds.filter((kind) => !rows.some((row) => row.kind === kind));
  const rest = never.length === 0 ? "" : ` Never best: ${listed(never)}.`;
  return [{ text: `By what they bring in all, the lies are ${listed(told)}.${rest}`, weight: 5 }];
}

function causeText(liars: readonly Liar[]): Finding[] {
  const told = regimes.flatMap((regime) => {
    const there = inRegime(liars, regime);
    const rows = causeRows(there);
    if (rows.length === 0) return [];
    const part = (name: keyof Causes) => rows.find(({ cause }) => cause === causeWords[name])!.sum as number;
    const gained = money(total(gainsOf(there)));
    return [
      `${regime} ${gained} (${signed(part("budget"))} from the budget's limits, ${signed(part("start"))} from moving the start, ${signed(part("rounds") + part("price"))} from rounds and prices themselves)`,
    ];
  });
  return told.length === 0 ? [] : [{ text: `All gains added up, by regime: ${told.join("; ")}.`, weight: 5 }];
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
function exhibitsOf(liars: readonly Liar[], mechanism: string): Exhibit[] {
  return kinds.flatMap((kind): Exhibit[] => {
    const told = liars.filter(({ lie }) => lie.kind === kind);
    if (told.length === 0) return [];
    const { lie } = told.reduce((a, b) => (b.lie.gain > a.lie.gain ? b : a));
    const { market, bid, truthful, regime } = lie.sighting;
    const title = `${capital(lieKinds[kind])} (${regime}): worker ${bid.worker} of ${market.workers.length} gains ${money(lie.gain)} on top of ${money(truthful)}`;
    return [{ name: kind, title, market, mechanism, lie: bid }];
  });
}
