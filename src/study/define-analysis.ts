/** An analysis from rows and accumulators: what a market gives, how it adds up, and what is shown of it. */

import { plainError, showValue } from "../lib/errors.js";
import {
  type Accumulated,
  type Breakdown,
  mergeAll,
  type ShownBreakdown,
  together,
} from "../report/accumulators.js";
import type { AnalysisResult } from "../report/result.js";
import { isExact } from "../responses/index.js";
import type { Analysis } from "./analysis.js";
import type { Cells, JobContext, WorkContext } from "./job.js";

// biome-ignore lint/suspicious/noExplicitAny: each breakdown has keys and measures of its own.
type Breakdowns<Row> = Readonly<Record<string, Breakdown<Row, any, any>>>;

type ShownOf<Sums> = {
  // biome-ignore lint/suspicious/noExplicitAny: of whatever rows.
  readonly [Name in keyof Sums]: Sums[Name] extends Breakdown<any, infer Keys, infer Measures>
    ? ShownBreakdown<Keys, Measures>
    : never;
};

type Optional = "part" | "takesMarkets" | "needsMarkets" | "takesAgents" | "options" | "duration";

interface Definition<Cell, Row, Sums extends Breakdowns<Row>>
  extends Pick<Analysis, "name" | "question" | Optional> {
  /** What to look at: cells, and how many markets of each. */
  plan(context: WorkContext): readonly Cells<Cell>[];
  /** The rows of market k of a cell. */
  look(cell: Cell, k: number, context: JobContext): readonly Row[] | Promise<readonly Row[]>;
  /** About how many milliseconds a market of this cell takes. */
  cost(cell: Cell): number;
  readonly sums: Sums;
  /** What is shown of the sums of all markets. */
  render(shown: ShownOf<Sums>, context: WorkContext): AnalysisResult;
}

/** The smallest way to write an analysis; where it needs more steps, write an `Analysis`. */
export function defineAnalysis<Cell, Row, Sums extends Breakdowns<Row>>(
  definition: Definition<Cell, Row, Sums>,
): Analysis<null, Cell, unknown, AnalysisResult> {
  const { plan, look, cost, sums, render, ...rest } = definition;
  for (const [field, given] of Object.entries({ plan, look, cost, render }))
    if (typeof given !== "function")
      throw plainError("defineAnalysis", `${field} must be a function, got ${showValue(given)}`);
  if (typeof sums !== "object" || sums === null)
    throw plainError("defineAnalysis", `sums must be breakdowns by name, got ${showValue(sums)}`);
  const all = together(sums as Readonly<Record<string, Breakdown<Row, unknown, unknown>>>);
  type All = Accumulated<typeof all>;
  return {
    ...rest,
    settings: () => null,
    plan: (_, context) => plan(context),
    job: {
      async look(cell, k, context) {
        const rows = await look(cell, k, context);
        if (Array.isArray(rows)) return all.of(rows);
        throw plainError("look", `must give a list of rows, got ${showValue(rows)}`);
      },
      merge: (left, right) => all.merge(left as All, right as All),
      cost,
    },
    conclude(gathered, _, context) {
      const merged = mergeAll(all, gathered as readonly { readonly summary: All | null }[]) ?? all.of([]);
      const exact = isExact(context.mechanism);
      const shown = Object.entries(sums).map(([name, one]) => [name, one.shown(merged[name]!, exact)]);
      return render(Object.fromEntries(shown) as ShownOf<Sums>, context);
    },
    tables: ({ tables }) => tables,
    charts: ({ charts }) => charts,
    findings: ({ findings }) => findings,
    methods: ({ methods }) => methods,
    exhibits: ({ exhibits = [] }) => exhibits,
    mechanismNotes: ({ mechanismNotes = [] }) => mechanismNotes,
    firstScreenNote: ({ firstScreenNote = null }) => firstScreenNote,
  };
}
