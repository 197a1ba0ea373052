/** A small analysis with real numbers, as a user would write one: every kind of chart, choices, exhibits. */

import {
  type Analysis,
  bestResponses,
  type Column,
  captions,
  collectJob,
  drawMarket,
  type Exhibit,
  estimate,
  type Job,
  type JobContext,
  type Market,
  paperRules,
  type Response,
  type Row,
  share,
} from "candor";

/** A label that must stay text wherever it is shown. */
export const HOSTILE = "<img src=x onerror=alert(1)>";

const budgets = [2, 4, 8, 16];
const sizes = [4, 8, 12];
const readings = ["prose", "pseudocode"] as const;

export interface Cell {
  readonly budget: number;
  readonly workers: number;
  readonly reading: (typeof readings)[number];
}

export interface Searched extends Cell {
  readonly market: Market;
  readonly responses: readonly Response[];
}

const column = (name: string, label: string, kind: Column["kind"]): Column => ({ name, label, kind });

const lookAt: Job<Cell, Searched[]> = collectJob(search, () => 2);

export default {
  name: "truthfulness-map",
  question: "Where can a worker gain by a lie?",
  part: "gains",
  settings: () => ({ markets: 8 }),
  plan: ({ markets }) =>
    readings.flatMap((reading) =>
      budgets.flatMap((budget) => sizes.map((workers) => ({ cell: { budget, workers, reading }, markets }))),
    ),
  job: lookAt,
  conclude: (gathered) => {
    const searched = gathered.flatMap(({ summary }) => summary ?? []);
    return {
      searched,
      points: searched.flatMap(pointsOf),
      exhibits: withOneOfMine(searched.flatMap(exhibitOf).slice(0, 6)),
    };
  },
  tables: ({ searched, points, exhibits }) => [
    mapTable(searched, exhibits),
    trendTable(searched),
    pointTable(points),
    verdictTable(exhibits),
    sizeTable(searched),
  ],
  charts: () => [mapChart, trendChart, pointChart, pairChart],
  findings: ({ points }) => {
    const gaining = points.filter(({ gain }) => (gain as number) > 0).length;
    return [
      { text: `Of ${points.length} workers ${gaining} could gain by a lie.`, weight: Math.min(100, gaining) },
      { text: `A worker called ${HOSTILE} is only a name; rrafl is a mechanism.`, weight: 1 },
    ];
  },
  methods: () => ["Coalitions of workers are not looked at."],
  exhibits: ({ exhibits }) => exhibits,
  firstScreenNote: () => `Proved for ${HOSTILE} alone.`,
} satisfies Analysis<{ markets: number }, Cell, Searched[], Result>;

export interface Result {
  readonly searched: readonly Searched[];
  readonly points: readonly Row[];
  readonly exhibits: readonly Exhibit[];
}

function search(cell: Cell, k: number, { stream }: JobContext): Searched {
  const { budget, workers, reading } = cell;
  const rules = { ...paperRules, budget, rounds: 5, reading };
  const market = drawMarket({ rules, workers }, stream.fork(`${budget}/${workers}`).fork(k));
  return { ...cell, market, responses: bestResponses(market).workers };
}

/** A verdict that holds, and one whose cell opens its witness. */
function verdictTable(exhibits: readonly Exhibit[]) {
  const rows = [
    { claim: "P5", sufficient: "holds", tight: "breaks", tightWitness: exhibits[0]!.name },
    { claim: "P6", sufficient: "holds", tight: "holds", tightWitness: null },
  ];
  const columns = [
    column("claim", "claim", "text"),
    column("sufficient", "sufficient", "text"),
    column("tight", "tight", "text"),
    column("tightWitness", "witness", "text"),
  ];
  return { name: "verdicts", title: "The verdicts", columns, rows, firstScreen: true } as const;
}

/** Short, and drawn by no figure; a column without a label of its own is headed by its name. */
function sizeTable(searched: readonly Searched[]) {
  const rows = readings.map((reading) => ({
    reading,
    markets: searched.filter((one) => one.reading === reading).length,
  }));
  const columns = [column("reading", "", "text"), column("markets", "markets", "count")];
  return { name: "sizes", title: "How many markets were searched", columns, rows };
}

const regimeRows = ["all", "sufficient", "tight", "late start", "late and tight"];

function mapTable(searched: readonly Searched[], exhibits: readonly Exhibit[]) {
  const cells = [...new Map(searched.map((one) => [cellName(one), one])).values()];
  const rows = regimeRows.flatMap((regime) =>
    cells.flatMap(({ budget, workers, reading }): Row[] => {
      const here = searched.filter((one) => cellName(one) === cellName({ budget, workers, reading }));
      const of = here
        .flatMap(({ responses }) => responses)
        .filter((one) => regime === "all" || one.regime === regime);
      if (of.length === 0) return [];
      const { mean, low, high, n } = share(of.filter(({ gain }) => gain > 0).length, of.length);
      const witness = exhibits.find(({ market }) => here.some((one) => one.market === market))?.name ?? null;
      return [{ regime, reading, budget, workers, share: mean, low, high, n, witness }];
    }),
  );
  const columns = [
    column("regime", "regime", "text"),
    column("reading", "reading", "text"),
    column("budget", "budget", "amount"),
    column("workers", "workers", "count"),
    column("share", "workers who can gain", "share"),
    column("low", "at least", "share"),
    column("high", "at most", "share"),
    column("n", "workers looked at", "count"),
    column("witness", "witness", "text"),
  ];
  return { name: "map", title: "Who can gain, by budget and size", columns, rows };
}

const cellName = ({ budget, workers, reading }: Cell): string => `${budget} ${workers} ${reading}`;

function trendTable(searched: readonly Searched[]) {
  const rows = readings.flatMap((reading) =>
    budgets.map((budget): Row => {
      const of = searched.filter((one) => one.reading === reading && one.budget === budget);
      const { mean, low, high } = estimate(
        of.map(({ responses }) => Math.max(...responses.map(({ gain }) => gain))),
      );
      return { reading, budget, mean, low, high };
    }),
  );
  const columns = [
    column("reading", "reading", "text"),
    column("budget", "budget", "amount"),
    column("mean", "best gain, mean", "amount"),
    column("low", "from", "amount"),
    column("high", "to", "amount"),
  ];
  return { name: "trend", title: "The best gain by budget", columns, rows };
}

const pointsOf = ({ market, responses, reading }: Searched): Row[] =>
  responses.map(({ id, gain, regime }) => {
    const { reputation, cost } = market.workers[id]!;
    return { regime, reading, label: `${HOSTILE} ${id}`, reputation, density: cost / reputation, gain };
  });

function pointTable(rows: readonly Row[]) {
  const columns = [
    column("regime", "regime", "text"),
    column("reading", "reading", "text"),
    column("label", "worker", "text"),
    column("reputation", "reputation", "amount"),
    column("density", "density", "amount"),
    column("gain", "gain", "amount"),
  ];
  return { name: "points", title: "Every worker", columns, rows };
}

function exhibitOf({ market, responses }: Searched): Exhibit[] {
  const best = [...responses].sort((a, b) => b.gain - a.gain)[0]!;
  if (best.gain <= 0) return [];
  const { price, arrival } = best.best;
  const name = `${market.rules.reading}-${market.rules.budget}-${market.workers.length}-${best.gain.toFixed(6)}`;
  const title = `${HOSTILE} worker ${best.id} gains ${best.gain.toFixed(2)}`;
  return [{ name, title, market, mechanism: "online", lie: { worker: best.id, price, arrival } }];
}

/** As in a report of a mechanism of the user's own, which the page does not have. */
const withOneOfMine = (exhibits: readonly Exhibit[]): Exhibit[] => [
  ...exhibits,
  { ...exhibits[0]!, name: "of-mine", title: "A market of mine", mechanism: "mine" },
];

const words = {
  summary: "A chart of the numbers in the table.",
  howToRead: "Each mark is a row of the table.",
};

const choices = [
  { field: "regime", label: "Regime", values: regimeRows },
  { field: "reading", label: "Reading", values: [...readings], words: { prose: "the text's" } },
];

const mapChart = {
  choices,
  summary: captions(choices, ({ regime, reading }) => `The share of workers, ${regime}, ${reading}.`),
  howToRead: words.howToRead,
  firstScreen: true,
  name: "map",
  title: "The share of workers who can gain",
  table: "map",
  spec: {
    mark: "rect",
    encoding: {
      x: { field: "budget", type: "ordinal", title: "budget" },
      y: { field: "workers", type: "ordinal", title: "workers", sort: "descending" },
      color: { field: "share", type: "quantitative", title: "can gain", legend: { format: "%" } },
    },
  },
} as const;

const trendChart = {
  ...words,
  name: "trend",
  title: "The best gain in a market, with 95 % intervals",
  table: "trend",
  spec: {
    layer: [
      { mark: "area", encoding: { y: { field: "low", type: "quantitative" }, y2: { field: "high" } } },
      { mark: { type: "line", point: true }, encoding: { y: { field: "mean", type: "quantitative" } } },
    ],
    encoding: {
      x: { field: "budget", type: "quantitative", scale: { type: "log" } },
      color: { field: "reading", type: "nominal" },
    },
  },
};

const pointChart = {
  ...words,
  name: "points",
  title: "Who they are",
  table: "points",
  spec: {
    mark: "point",
    encoding: {
      x: { field: "reputation", type: "quantitative" },
      y: { field: "density", type: "quantitative", scale: { type: "log" } },
      color: { field: "regime", type: "nominal" },
      size: { field: "gain", type: "quantitative" },
    },
  },
};

const pairChart = {
  ...words,
  name: "pair",
  title: "Regime by regime",
  table: "points",
  spec: {
    facet: { field: "regime", type: "nominal" },
    columns: 3,
    spec: {
      width: 220,
      height: 160,
      mark: "point",
      encoding: {
        x: { field: "reputation", type: "quantitative" },
        y: { field: "gain", type: "quantitative" },
      },
    },
  },
};
