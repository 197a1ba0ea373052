/** Where truthfulness holds and where it breaks: who can gain by lying, over relative budget and number of workers. */

import type {
  Analysis,
  AnalysisContext,
  AnalysisResult,
  Chart,
  Column,
  Exhibit,
  Finding,
  Profile,
  Row,
  Table,
} from "../src/analysis.js";
import { type Regime, regimes } from "../src/regime.js";
import { answeredExactly } from "../src/survey/inquiry.js";
import { grouped } from "../src/survey/over-markets.js";
import { drawForSurvey } from "../src/survey/relative-budget.js";
import {
  type LieName,
  largest,
  lies,
  look,
  type Sight,
  type Sighting,
  type Summary,
  summed,
} from "../src/survey/sights.js";
import { capital, many, money, percent, rounded, whole } from "../src/survey/words.js";

export interface MapSettings {
  readonly rounds: number;
  readonly sizes: readonly number[];
  /** Budgets over the true cost of all rounds on offer. */
  readonly ratios: readonly number[];
  /** Markets drawn of each size; each is looked at under every budget. */
  readonly markets: number;
  /** Workers asked in each; null: everybody. */
  readonly asked: number | null;
}

const grid = {
  rounds: 10,
  sizes: [5, 10, 20, 40, 80, 160],
  ratios: [0.03, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.4, 2, 3, 5],
};
const coarse = { rounds: 10, sizes: [5, 10, 20], ratios: [0.1, 0.35, 1, 3] };

/** Sample sizes where answers are exact, and where each takes a search. */
export const settings: Readonly<Record<Profile, { exact: MapSettings; searched: MapSettings }>> = {
  quick: {
    exact: { ...grid, markets: 60, asked: null },
    searched: { ...coarse, markets: 6, asked: 2 },
  },
  full: {
    exact: { ...grid, markets: 1000, asked: null },
    searched: { ...coarse, markets: 100, asked: 4 },
  },
};

export const truthfulnessMap: Analysis = {
  name: "truthfulness-map",
  question: "Where can a worker gain by lying about its price, its arrival or both, and how much?",
  run: (context) =>
    mapTruthfulness(
      context,
      settings[context.profile][answeredExactly(context.mechanism) ? "exact" : "searched"],
    ),
};

export async function mapTruthfulness(context: AnalysisContext, given: MapSettings): Promise<AnalysisResult> {
  const sights = await survey(context, given);
  const cells = cellsOf(sights);
  const exact = answeredExactly(context.mechanism);
  const exhibits = exhibitsOf(cells, context.mechanism.name);
  return {
    tables: [mapTable(cells, new Set(exhibits.map(({ name }) => name))), situationTable(sights)],
    charts: [shareChart(cells), gainChart(cells), situationChart(sights)],
    findings: findingsOf(sights, cells, exact),
    leftOut: leftOutOf(sights, given, exact),
    exhibits,
  };
}

async function survey(context: AnalysisContext, given: MapSettings): Promise<Sight[]> {
  const { stream, mechanism, pool } = context;
  const { rounds, sizes, ratios, markets, asked } = given;
  const inputs = sizes.flatMap((workers) => Array.from({ length: markets }, (_, k) => ({ workers, k })));
  const seen = await pool.map(inputs, ({ workers, k }) => {
    const drawn = drawForSurvey({ workers, rounds }, stream.fork(workers).fork(k));
    const market = `${workers}/${k}`;
    return ratios.flatMap((ratio) => look(drawn, { market, workers, ratio }, { mechanism, asked }));
  });
  return seen.flat();
}

/** "all" regimes: everybody; "all" lies: any lie, which is the joint one. */
type OrAll<Name> = Name | "all";

interface Cell {
  readonly regime: OrAll<Regime>;
  readonly lie: OrAll<LieName>;
  readonly workers: number;
  readonly ratio: number;
  readonly sights: readonly Sight[];
}

function cellsOf(sights: readonly Sight[]): Cell[] {
  const places = [...grouped(sights, ({ workers, ratio }) => `${workers}/${ratio}`).values()];
  return places.flatMap((there) =>
    (["all", ...regimes] as const).flatMap((regime) =>
      (["all", ...lies] as const).flatMap((lie): Cell[] => {
        const { workers, ratio } = there[0]!;
        const part = chosen(there, regime, lie);
        return part.length === 0 ? [] : [{ regime, lie, workers, ratio, sights: part }];
      }),
    ),
  );
}

const chosen = (sights: readonly Sight[], regime: OrAll<Regime>, lie: OrAll<LieName>): Sight[] =>
  sights.filter(
    (sight) => (regime === "all" || sight.regime === regime) && sight.lie === (lie === "all" ? "joint" : lie),
  );

const estimated: readonly Column[] = [
  { name: "share", label: "Can gain", kind: "share" },
  { name: "low", label: "95 % from", kind: "share" },
  { name: "high", label: "to", kind: "share" },
  { name: "moving", label: "Gain by moving the start", kind: "share" },
  { name: "meanGain", label: "Mean gain of those who gain", kind: "amount" },
  { name: "maxGain", label: "Largest gain", kind: "amount" },
  { name: "markets", label: "Markets", kind: "count" },
  { name: "seen", label: "Workers asked", kind: "count" },
];

function estimates(sights: readonly Sight[]): Row {
  const { share, seen, meanGain, most } = summed(sights);
  const moving = summed(sights, (sight) => sight.moving).share.mean;
  return {
    share: rounded(share.mean),
    low: rounded(share.low),
    high: rounded(share.high),
    moving: rounded(moving),
    meanGain: rounded(meanGain),
    maxGain: rounded(most?.gain ?? 0),
    markets: share.n,
    seen,
  };
}

function mapTable(cells: readonly Cell[], witnesses: ReadonlySet<string>): Table {
  return {
    name: "map",
    title: "Who can gain, by relative budget and number of workers",
    columns: [
      { name: "regime", label: "Regime", kind: "text" },
      { name: "lie", label: "Lie", kind: "text" },
      { name: "workers", label: "Workers", kind: "count" },
      { name: "ratio", label: "Relative budget", kind: "amount" },
      ...estimated,
      { name: "witness", label: "Witness", kind: "text" },
    ],
    rows: cells.map((cell) => {
      const { regime, lie, workers, ratio, sights } = cell;
      const name = witnessOf(cell)?.name ?? "";
      const witness = witnesses.has(name) && (lie === "all" || lie === "joint") ? name : null;
      return { regime, lie, workers, ratio, ...estimates(sights), witness };
    }),
  };
}

interface Witness {
  readonly name: string;
  readonly title: string;
  readonly sighting: Sighting;
}

/** The largest gain of a cell. */
function witnessOf({ workers, ratio, sights }: Cell): Witness | null {
  const sighting = largest(sights.map(({ most }) => most));
  if (!sighting) return null;
  const { regime, gain, truthful, bid } = sighting;
  const name = `map-${workers}-${ratio}-${regime.replace(" ", "-")}`;
  const title = `${workers} workers at relative budget ${ratio}, ${regime}: worker ${bid.worker} gains ${money(gain)} on top of ${money(truthful)}`;
  return { name, title, sighting };
}

/** The worst cell of each regime first, then one of every cell in which somebody gains. */
function exhibitsOf(cells: readonly Cell[], mechanism: string): Exhibit[] {
  const everyLie = cells.filter(({ lie }) => lie === "all");
  const worst = regimes.flatMap((regime) => worstCell(everyLie, regime) ?? []);
  const found = [...worst, ...everyLie.filter(({ regime }) => regime === "all")].flatMap(
    (cell) => witnessOf(cell) ?? [],
  );
  const unique = new Map(found.map((witness) => [witness.name, witness]));
  return [...unique.values()].map(({ name, title, sighting }) => {
    const { market, bid } = sighting;
    return { name, title, market, mechanism, lie: bid };
  });
}

/** The cell with the highest share; null where nobody gains. */
function worstCell(cells: readonly Cell[], regime: OrAll<Regime>): Cell | null {
  const there = cells.filter((cell) => cell.regime === regime && cell.lie === "all");
  const rated = there.map((cell) => ({ cell, share: summed(cell.sights).share.mean }));
  const worst = rated.reduce((a, b) => (b.share > a.share ? b : a), rated[0] ?? { cell: null, share: 0 });
  return worst.share > 0 ? worst.cell : null;
}

/** Regimes as a plain column: a reader's choice of one regime must not empty the comparison of all. */
function situationTable(sights: readonly Sight[]): Table {
  const rows = (["all", ...regimes] as const).flatMap((regime) =>
    lies.flatMap((told): Row[] => {
      const part = chosen(sights, regime, told);
      if (part.length === 0) return [];
      const { gained, moving } = summed(part);
      return [{ situation: regime, told, ...estimates(part), gained, gainedMoving: moving }];
    }),
  );
  return {
    name: "situations",
    title: "Who can gain, by regime and by what is misstated",
    columns: [
      { name: "situation", label: "Regime", kind: "text" },
      { name: "told", label: "What is misstated", kind: "text" },
      ...estimated,
      { name: "gained", label: "Could gain", kind: "count" },
      { name: "gainedMoving", label: "of them by moving the start", kind: "count" },
    ],
    rows,
  };
}

const axes = {
  x: {
    field: "ratio",
    type: "ordinal",
    title: "budget / true cost of all rounds on offer",
    axis: { labelAngle: 0 },
  },
  y: { field: "workers", type: "ordinal", sort: "descending", title: "workers" },
};

const tooltip = [
  { field: "workers", title: "Workers" },
  { field: "ratio", title: "Relative budget" },
  { field: "regime", title: "Regime" },
  { field: "lie", title: "Lie" },
  { field: "share", title: "Can gain", format: ".2%" },
  { field: "low", title: "95 % from", format: ".2%" },
  { field: "high", title: "to", format: ".2%" },
  { field: "moving", title: "by moving the start", format: ".2%" },
  { field: "meanGain", title: "Mean gain of those", format: ".3~f" },
  { field: "maxGain", title: "Largest gain", format: ".3~f" },
  { field: "markets", title: "Markets" },
];

function heatmap(color: object): object {
  return {
    height: { step: 28 },
    encoding: axes,
    layer: [
      { mark: "rect", encoding: { color, tooltip } },
      {
        transform: [{ filter: "datum.share === 0" }],
        mark: { type: "point", size: 6, filled: true },
        encoding: { tooltip },
      },
    ],
  };
}

const legendShares = [0, 0.01, 0.05, 0.1, 0.2, 0.5, 1];

const everything = (cells: readonly Cell[]): Cell[] =>
  cells.filter(({ regime, lie }) => regime === "all" && lie === "all");

const placeOf = ({ workers, ratio }: Cell): string => `${workers} workers at a relative budget of ${ratio}`;

function shareChart(cells: readonly Cell[]): Chart {
  const top = Math.max(0.01, ...cells.map(({ sights }) => summed(sights).share.mean));
  const scale = { type: "sqrt", domain: [0, Math.ceil(top * 20) / 20] };
  const worst = worstCell(cells, "all");
  const empty = everything(cells).filter(({ sights }) => summed(sights).gained === 0).length;
  const peak = worst
    ? ` It is highest with ${placeOf(worst)}: ${percent(summed(worst.sights).share.mean)}.`
    : "";
  return {
    name: "share",
    title: "Share of workers who can gain by lying",
    table: "map",
    spec: heatmap({
      field: "share",
      type: "quantitative",
      title: "can gain",
      scale,
      legend: { format: "~%", values: legendShares },
    }),
    summary: `Share of workers who can gain, over relative budget and number of workers.${peak} In ${empty} of ${everything(cells).length} cells nobody could.`,
    howToRead:
      "Each cell is a market size and a budget, relative to the true cost of all rounds on offer. The colour is the share of workers with a lie that pays, as a mean over markets; a dot marks cells where nobody has one; an empty place had no worker in the chosen regime.",
  };
}

function gainChart(cells: readonly Cell[]): Chart {
  const top = largest(cells.flatMap(({ sights }) => sights.map(({ most }) => most)));
  const scale = { type: "sqrt", domain: [0, Math.max(1, Math.ceil(top?.gain ?? 0))] };
  const where = everything(cells).find(({ sights }) => sights.some(({ most }) => most && most === top));
  return {
    name: "gain",
    title: "Largest gain by lying",
    table: "map",
    spec: heatmap({ field: "maxGain", type: "quantitative", title: "largest gain", scale }),
    summary: where
      ? `The largest gain, ${money(top!.gain)}, is found with ${placeOf(where)}.`
      : "Nobody gains anything.",
    howToRead:
      "The same cells; the colour is the largest gain of any worker seen there, in money. A round costs a worker a third on average. More markets can only find larger ones.",
  };
}

function situationChart(sights: readonly Sight[]): Chart {
  const shares = regimes.map((regime) => {
    const part = chosen(sights, regime, "joint");
    return part.length === 0
      ? `${regime}: nobody was in it`
      : `${regime}: ${percent(summed(part).share.mean)}`;
  });
  const y = { field: "situation", type: "nominal", sort: ["all", ...regimes], title: null };
  const told = { field: "told", type: "nominal", sort: [...lies] };
  const x = (field: string) => ({
    field,
    type: "quantitative",
    title: "share of workers who can gain",
    axis: { format: "~%" },
  });
  return {
    name: "situations",
    title: "Who can gain, by regime and by what is misstated",
    table: "situations",
    spec: {
      encoding: { y, yOffset: told, color: { ...told, title: "misstated" } },
      layer: [
        { mark: "rule", encoding: { x: x("low"), x2: { field: "high" } } },
        {
          mark: { type: "point", filled: true, size: 60 },
          encoding: {
            x: x("share"),
            tooltip: [
              { field: "situation", title: "Regime" },
              { field: "told", title: "Misstated" },
              ...tooltip.slice(4),
            ],
          },
        },
      ],
    },
    summary: `Share of workers who can gain by misstating price, arrival or both, by regime: ${shares.join("; ")}.`,
    howToRead:
      "Points are means over markets, lines their 95 % intervals over markets; where nobody gained, the line ends at the rule-of-three bound, and where only a few markets showed a gain it is as wide as their number allows.",
  };
}

function findingsOf(sights: readonly Sight[], cells: readonly Cell[], exact: boolean): Finding[] {
  return [
    { text: byRegimeText(sights, exact), weight: 10 },
    ...worstText(cells),
    { text: byLieText(sights, exact), weight: 5 },
    ...sizeText(sights),
  ];
}

function byRegimeText(sights: readonly Sight[], exact: boolean): string {
  const parts = regimes.flatMap((regime) => {
    const part = chosen(sights, regime, "joint");
    return part.length === 0 ? [] : [regimeText(regime, part, exact)];
  });
  const bound = exact ? "" : " These are lower bounds: lies were searched, not proved absent.";
  return `${capital(parts.join("; "))}.${bound}`;
}

const settingWords: Readonly<Record<Regime, string>> = {
  sufficient: "where the budget was sufficient",
  tight: "where it was tight",
  "late start": "where the start was late",
};

function regimeText(regime: Regime, part: readonly Sight[], exact: boolean): string {
  const { share, seen, gained, moving, most } = summed(part);
  const where = `${settingWords[regime]} (${many(share.n, "market")}),`;
  if (!most) return `${where} no worker of ${whole(seen)} ${exact ? "could gain" : "was found to gain"}`;
  const could = exact ? "could gain" : `${gained === 1 ? "was" : "were"} found to gain`;
  const start = moving === gained ? ", always by moving the start" : "";
  return `${where} ${whole(gained)} of ${many(seen, "worker")} ${could} (${percent(share.mean)} in the average market), at most ${money(most.gain)} on top of ${money(most.truthful)}${start}`;
}

function worstText(cells: readonly Cell[]): Finding[] {
  const worst = worstCell(cells, "all");
  if (!worst) return [];
  const { mean, low, high } = summed(worst.sights).share;
  const text = `Lying pays most often with ${placeOf(worst)}: ${percent(mean)} of workers can gain (95 %: ${percent(low)} to ${percent(high)}).`;
  return [{ text, weight: 6 }];
}

function byLieText(sights: readonly Sight[], exact: boolean): string {
  const [price, time, joint] = lies.map((lie) => summed(chosen(sights, "all", lie))) as [
    Summary,
    Summary,
    Summary,
  ];
  if (joint.gained === 0)
    return `No lie about price, arrival or both ${exact ? "gains" : "was found to gain"} anything.`;
  const of = (part: Summary) => percent(part.gained / joint.gained);
  const both = `${many(joint.onlyBoth, "worker")} (${percent(joint.onlyBoth / joint.gained)})`;
  const start = `${percent(joint.moving / joint.gained)} of the best lies move the start`;
  return `Of ${many(joint.gained, "worker")} who can gain, ${of(price)} can by price alone, ${of(time)} by coming late alone, and ${both} only by misstating both; ${start}.`;
}

function sizeText(sights: readonly Sight[]): Finding[] {
  const sizes = [...grouped(chosen(sights, "all", "joint"), ({ workers }) => String(workers)).values()];
  const [small, large] = [sizes[0], sizes.at(-1)];
  if (!small || !large || small === large) return [];
  const [few, lots] = [summed(small).share.mean, summed(large).share.mean];
  const trend = few > lots ? "rarer" : "more frequent";
  if (few === lots) return [];
  const text = `Lies that pay get ${trend} as markets grow: ${percent(few)} of workers with ${small[0]!.workers}, ${percent(lots)} with ${large[0]!.workers}, over all budgets looked at.`;
  return [{ text, weight: 4 }];
}

function leftOutOf(sights: readonly Sight[], given: MapSettings, exact: boolean): string[] {
  const { sizes, ratios, markets, rounds, asked } = given;
  const { seen } = summed(chosen(sights, "all", "joint"));
  return [
    `${many(markets, "market")} drawn of each of ${sizes.length} sizes (the paper's distributions to four decimals, ${rounds} rounds, ratio 0.35, prose), each under ${ratios.length} budgets: ${whole(seen)} workers asked. Cells of one size share their markets.`,
    "Rounds before a worker's arrival count as not on offer; the relative budget is over Σ cost · (T − arrival + 1).",
    exact
      ? "Each answer is exact; shares and gains are estimates because markets are drawn."
      : `Lies were searched, not solved: every gain is a lower bound${asked === null ? "" : `, and only ${many(asked, "worker")} of each market were asked`}.`,
  ];
}
