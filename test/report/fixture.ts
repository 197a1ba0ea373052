/** A small analysis with real numbers, as a user would write one: every kind of chart, facets, exhibits. */

import {
  type AnalysisResult,
  bestResponses,
  type Column,
  drawMarket,
  type Exhibit,
  estimate,
  type Market,
  paperRules,
  type Response,
  type Row,
  type StepwiseAnalysis,
  type Stream,
  share,
} from "candor";

/** A label that must stay text wherever it is shown. */
export const HOSTILE = "<img src=x onerror=alert(1)>";

const budgets = [2, 4, 8, 16];
const sizes = [4, 8, 12];
const readings = ["prose", "pseudocode"] as const;

interface Cell {
  readonly budget: number;
  readonly workers: number;
  readonly reading: (typeof readings)[number];
}

interface Searched extends Cell {
  readonly market: Market;
  readonly responses: readonly Response[];
}

const column = (name: string, label: string, kind: Column["kind"]): Column => ({ name, label, kind });

const fixture: StepwiseAnalysis = {
  name: "truthfulness-map",
  question: "Where can a worker gain by a lie?",
  async run({ stream, pool }) {
    const cells = readings.flatMap((reading) =>
      budgets.flatMap((budget) => sizes.map((workers) => ({ budget, workers, reading }))),
    );
    const searched = await pool.map(cells, (cell) => search(cell, stream));
    return resultOf(searched.flat());
  },
};

export default fixture;

function search(cell: Cell, stream: Stream): Searched[] {
  const { budget, workers, reading } = cell;
  return Array.from({ length: 8 }, (_, k) => {
    const rules = { ...paperRules, budget, rounds: 5, reading };
    const market = drawMarket({ rules, workers }, stream.fork(`${budget}/${workers}`).fork(k));
    return { ...cell, market, responses: bestResponses(market).workers };
  });
}

function resultOf(searched: readonly Searched[]): AnalysisResult {
  const points = searched.flatMap(pointsOf);
  const exhibits = searched.flatMap(exhibitOf).slice(0, 6);
  const gaining = points.filter(({ gain }) => (gain as number) > 0).length;
  return {
    tables: [mapTable(searched, exhibits), trendTable(searched), pointTable(points)],
    charts: [mapChart, trendChart, pointChart, pairChart],
    findings: [
      { text: `Of ${points.length} workers ${gaining} could gain by a lie.`, weight: Math.min(100, gaining) },
      { text: `A worker called ${HOSTILE} is only a name.`, weight: 1 },
    ],
    methods: ["Coalitions of workers."],
    exhibits,
  };
}

const regimeRows = ["all", "sufficient", "tight", "late start"];

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

const words = {
  summary: "A chart of the numbers in the table.",
  howToRead: "Each mark is a row of the table.",
};

const mapChart = {
  ...words,
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
};

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
