import type { Analysis, AnalysisContext, AnalysisResult, Chart, Exhibit, Table } from "../src/analysis.js";
import type { AnyMechanism } from "../src/mechanism.js";
import { regimes } from "../src/regime.js";
import { type Certify, judge, type NamedLook, type Scene, tally } from "../src/survey/scoreboard.js";
import { board, isDecided } from "./properties/claims.js";
import { type DrawName, type Draws, drawAll, drawCells, readings } from "./properties/draws.js";
import { ratioChart, ratioFinding, ratioTable } from "./properties/ratios.js";
import { boardDraws, boardJob, paired, ratioDraws, ratioJob } from "./properties/survey.js";
import { type Cell, type ShareCell, scoreTable, shareTable, verdictTable } from "./properties/tables.js";
import { boardFindings, exhibitOf, shareSummary } from "./properties/words.js";

export interface PropertySettings {
  readonly draws: Draws;
  /** P4 takes long: it is asked of every so manieth market. */
  readonly everyForP4: number;
  readonly ratios: readonly number[];
  /** The markets of the ratio's sweep. */
  readonly ratioDraws: Draws;
}

const spread = { rounds: 10, sizes: [5, 10, 20, 40, 60], budgets: [0.1, 0.2, 0.35, 0.6, 1, 2, 4] };
const few = { rounds: 10, sizes: [10, 30], budgets: [0.3, 0.6, 1.2] };
const ratios = Array.from({ length: 18 }, (_, k) => (k + 2) / 20);

export const propertySettings: Record<AnalysisContext["profile"], PropertySettings> = {
  quick: {
    draws: { ...spread, perCell: 14, wide: 800 },
    everyForP4: 3,
    ratios,
    ratioDraws: { ...few, perCell: 12, wide: 72 },
  },
  full: {
    draws: { ...spread, perCell: 250, wide: 12_500 },
    everyForP4: 4,
    ratios,
    ratioDraws: { ...few, perCell: 400, wide: 2400 },
  },
};

export const properties: Analysis = {
  name: "properties",
  question: "Which of the paper's claims hold, in which regime and under which reading?",
  jobs: { board: boardJob, ratios: ratioJob },
  run: (context) => boardOf(context, propertySettings[context.profile]),
};

export async function boardOf(context: AnalysisContext, settings: PropertySettings): Promise<AnalysisResult> {
  const { mechanism } = context;
  const looks = await lookAll(context, settings);
  const swept = await sweepRatios(context, settings);
  const certify = await certifier(mechanism);
  const { cells, exhibits } = judgeAll([...looks, ...swept.filter(isHigh)], certify, mechanism);
  const shares = shareTable(shareCells(looks));
  const ratioRows = ratioTable(swept);
  return {
    tables: [verdictTable(cells, ["all", ...readings]), scoreTable(cells), shares, ratioRows],
    charts: [shareChart(shares), ratioChart(ratioRows)],
    findings: [...boardFindings(cells), ratioFinding(ratioRows)],
    leftOut: leftOut(settings),
    exhibits,
  };
}

/** Asks exact arithmetic, once of each break; mathjs is loaded here and not before. */
async function certifier(mechanism: AnyMechanism): Promise<Certify> {
  const { confirm } = await import("../src/hunt/confirm.js");
  const answers = new Map<Scene["found"], boolean | null>();
  return ({ market, found }) => {
    if (!answers.has(found)) answers.set(found, confirm(mechanism, market, found));
    return answers.get(found)!;
  };
}

/** A look at a drawn market in one reading. */
type Sight = NamedLook & { readonly draw: DrawName };

const isHigh = ({ market }: NamedLook): boolean => market.rules.firstRoundRatio > 0.5;

async function lookAll({ pool, stream }: AnalysisContext, settings: PropertySettings): Promise<Sight[]> {
  const { draws, everyForP4 } = settings;
  const cells = drawCells(draws).map(({ cell, markets }) => ({ cell: { of: cell, everyForP4 }, markets }));
  const seen = (await pool.gather(boardJob, cells)).flatMap((lists) => lists?.flat() ?? []);
  return paired(drawAll(draws, boardDraws(stream)), {}, seen);
}

async function sweepRatios({ pool, stream }: AnalysisContext, settings: PropertySettings): Promise<Sight[]> {
  const places = drawCells(settings.ratioDraws);
  const cells = settings.ratios.flatMap((firstRoundRatio) =>
    places.map(({ cell, markets }) => ({ cell: { of: cell, firstRoundRatio }, markets })),
  );
  const seen = await pool.gather(ratioJob, cells);
  const drawn = drawAll(settings.ratioDraws, ratioDraws(stream));
  return settings.ratios.flatMap((firstRoundRatio, k) => {
    const here = seen.slice(k * places.length, (k + 1) * places.length);
    const named = drawn.map((one) => ({ ...one, name: `${one.name}, ratio ${firstRoundRatio}` }));
    return paired(
      named,
      { firstRoundRatio },
      here.flatMap((lists) => lists?.flat() ?? []),
    );
  });
}

/** Of all readings, or of one. */
const isRead = ({ market }: NamedLook, reading: string): boolean =>
  reading === "all" || market.rules.reading === reading;

function judgeAll(
  looks: readonly NamedLook[],
  certify: Certify,
  mechanism: AnyMechanism,
): { cells: Cell[]; exhibits: Exhibit[] } {
  const exhibits = new Map<string, Exhibit>();
  const cells = ["all", ...readings].flatMap((reading) => {
    const read = looks.filter((look) => isRead(look, reading));
    return board.filter(isDecided).flatMap((claim) => {
      const mine = read.filter((look) => isHigh(look) === (claim.ratio === "high"));
      return regimesOf(claim).map((regime): Cell => {
        const judged = judge(tally(mine, { ...claim, regime }), certify);
        const exhibit = judged.witness && exhibitOf(claim, judged.witness, mechanism);
        const scene = JSON.stringify(exhibit && [exhibit.market, exhibit.lie]);
        if (exhibit && reading === "all" && !exhibits.has(scene)) exhibits.set(scene, exhibit);
        return { claim, reading, judged, exhibit: exhibits.get(scene)?.name ?? null };
      });
    });
  });
  return { cells, exhibits: [...exhibits.values()] };
}

/** An empty purse matters only where no budget event tells of it: then it has a row of its own. */
const regimesOf = ({ lies }: { lies: string }) => (lies === "empty" ? (["sufficient"] as const) : regimes);

function shareCells(looks: readonly Sight[]): ShareCell[] {
  return ["all", ...readings].flatMap((reading) =>
    (["paper", "wide"] as const).flatMap((draw) => {
      const mine = looks.filter((look) => look.draw === draw && isRead(look, reading));
      const claims = board.filter(isDecided).filter(({ ratio, lies }) => ratio === "low" && lies !== "empty");
      return claims.flatMap((claim) =>
        regimes.map((regime) => ({ claim, reading, draw, tally: tally(mine, { ...claim, regime }) })),
      );
    }),
  );
}

function shareChart(table: Table): Chart {
  const y = { field: "claim", type: "nominal", sort: null, title: null, axis: { labelLimit: 260 } };
  const regime = { field: "regime", type: "nominal", sort: regimes };
  const offset = { yOffset: regime, color: { ...regime, title: null } };
  const x = { type: "quantitative", title: "markets in which it breaks", axis: { format: ".0%" } };
  return {
    name: "shares",
    title: "How often a claim breaks in markets drawn as in the paper",
    table: table.name,
    spec: {
      height: { step: 11 },
      transform: [{ filter: "datum.draw === 'paper' && datum.markets > 0" }],
      layer: [
        {
          mark: { type: "rule" },
          encoding: { y, ...offset, x: { ...x, field: "low" }, x2: { field: "high" } },
        },
        { mark: { type: "point" }, encoding: { y, ...offset, x: { ...x, field: "share" } } },
      ],
    },
    summary: shareSummary(table),
    howToRead:
      "A point is the share of markets with a worker of that regime in which the claim breaks, its line the 95 % interval; where nothing was found the line ends at the rule-of-three bound.",
  };
}

function leftOut({ draws, everyForP4, ratioDraws, ratios }: PropertySettings): string[] {
  const { sizes, budgets, perCell, wide, rounds } = draws;
  return [
    `The paper's markets: ${perCell} each of ${sizes.join(", ")} workers at ${budgets.join(", ")} times the cost of all rounds on offer, ${rounds} rounds, first-round ratio 0.35, one worker enough to start.`,
    `Random markets: ${wide} of up to 12 workers and 8 rounds, first-round ratio up to 1/2, up to three workers needed to start, round numbers and so ties in half of them.`,
    `Each market is searched exactly for the paper's mechanism, but markets are a sample: "holds" says in how many it was seen to, and the bound how many might break it all the same.`,
    `A break below a millionth of the budget is not counted; one witness of each cell is confirmed in exact fractions, the other breaks are counted as floating point sees them. Lies are told in few digits and bring at least 99 % of the most there is to gain.`,
    `P4 was asked of one market in ${everyForP4}; workers without reputation are left out of it, for the rules exclude them. P3 is measured by cost-growth.`,
    `Ratios ${ratios[0]} to ${ratios.at(-1)}: the same ${ratioDraws.sizes.length * ratioDraws.budgets.length * ratioDraws.perCell + ratioDraws.wide} markets at each, P1 and P2 only.`,
  ];
}
