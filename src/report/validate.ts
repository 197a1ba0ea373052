/** What an analysis returned, checked: a user's own file may return anything. */

import { z } from "zod";
import { clip, didYouMean, InputError, oneLine, plainError, showValue } from "../lib/errors.js";
import { withoutControls } from "../lib/format.js";
import { conforming, numberFrom } from "../lib/schema.js";
import { validateBids, validateMarket } from "../market/parse.js";
import { chartSvg, compileChart } from "./charts.js";
import { type AnalysisResult, asRead, type Chart, type Exhibit, type Table } from "./result.js";

const text = z.string({ error: "a text" });
/** Names become file names and addresses. */
const name = text.regex(/^[\w-]+$/, { error: "letters, digits, _ and -" });
const kind = z.enum(["count", "share", "amount", "text"], { error: '"count", "share", "amount" or "text"' });
const cell = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: "a text, a number, true, false or null",
});
const list = <Item extends z.ZodType>(item: Item, error = "a list") => z.array(item, { error });

const tableSchema = z.object({
  name,
  title: text,
  columns: list(z.object({ name: text, label: text, kind }), "a list of columns"),
  rows: list(z.record(z.string(), cell, { error: "an object of cells" }), "a list of rows"),
});

const choiceSchema = z.object({
  field: text,
  label: text,
  values: z.array(text).min(1),
  words: z.record(z.string(), text).optional(),
});
const chosenSchema = z.object({ chosen: z.record(z.string(), text), text });

const chartSchema = z.object({
  name,
  title: text,
  table: text,
  // A wrong specification costs the chart alone.
  spec: z.unknown(),
  choices: list(choiceSchema, "a list of choices").optional(),
  summary: z.union([text, list(chosenSchema, "a list of texts")], {
    error: "a text, or a list of texts for the choices",
  }),
  howToRead: text,
  firstScreen: z.literal(true).optional(),
});

const findingSchema = z.object(
  { text, weight: numberFrom(0, 100, "a number from 0 to 100") },
  { error: "an object with text and weight" },
);

const exhibitSchema = z.object({
  name: text,
  title: text,
  market: z.unknown(),
  mechanism: text,
  lie: z.unknown(),
  others: z.array(z.unknown()).optional(),
});

const noteSchema = z.object({ mechanism: text, text }, { error: "an object with mechanism and text" });

const oneLineError = { error: "a text of one line, at most 300 characters" };

const resultSchema = z.object(
  {
    tables: list(tableSchema),
    charts: list(chartSchema),
    findings: list(findingSchema),
    methods: list(text),
    exhibits: list(exhibitSchema).optional(),
    mechanismNotes: list(noteSchema).optional(),
    firstScreenNote: z
      .string(oneLineError)
      .regex(/^[^\n]{1,300}$/, oneLineError)
      .optional(),
  },
  { error: "a result: an object with tables, charts, findings and methods" },
);

const specSchema = z.record(z.string(), z.unknown(), { error: "a Vega-Lite specification" });

/** The result as it will be read again; throws an error that says what is wrong. A chart that cannot be drawn says why. */
export function checkedResult(given: AnalysisResult, source = "result"): AnalysisResult {
  const result = readAgain(given, source);
  conforming(resultSchema, result, { source });
  for (const part of ["tables", "charts", "exhibits"] as const)
    demandUnique(result[part] ?? [], source, part);
  const tables = new Map(result.tables.map((table) => [table.name, table]));
  for (const exhibit of result.exhibits ?? []) checkExhibit(exhibit, source);
  return {
    ...result,
    charts: result.charts.map((chart) => withFlaw(chart, () => checkChart(chart, tables))),
  };
}

function withFlaw({ flaw: _, ...chart }: Chart, check: () => void): Chart {
  try {
    check();
    return chart;
  } catch (error) {
    return { ...chart, flaw: withoutControls(oneLine(error)) };
  }
}

/** The result, in which charts that fail while they are drawn say so too. */
export async function drawnResult(result: AnalysisResult): Promise<AnalysisResult> {
  const charts: Chart[] = [];
  for (const chart of result.charts) charts.push(await tried(chart, result.tables));
  return { ...result, charts };
}

async function tried(chart: Chart, tables: readonly Table[]): Promise<Chart> {
  if (chart.flaw !== undefined) return chart;
  try {
    await chartSvg(chart, tables);
    return chart;
  } catch (error) {
    return withFlaw(chart, () => {
      throw plainError(`chart ${chart.name}`, `cannot be drawn: ${oneLine(error)}`);
    });
  }
}

function readAgain(given: AnalysisResult | undefined, source: string): AnalysisResult {
  try {
    return given === undefined ? (given as never) : asRead(given);
  } catch (error) {
    throw plainError(source, `its result cannot be written as JSON: ${oneLine(error)}`);
  }
}

function demandUnique(items: readonly { name: string }[], source: string, part: string): void {
  const names = items.map(({ name }) => name);
  const twice = names.find((name, k) => names.indexOf(name) < k);
  if (twice !== undefined) throw plainError(source, `${part}: two are called ${showValue(twice)}`);
}

function checkExhibit({ name, market, lie, others = [] }: Exhibit, source: string): void {
  const where = `${source}: exhibit ${clip(name)}`;
  const valid = validateMarket(market, `${where}: market`);
  if (lie !== null) validateBids([lie, ...others], valid, `${where}: lie`);
}

function checkChart(chart: Chart, tables: ReadonlyMap<string, Table>): void {
  const where = `chart ${chart.name}`;
  const table = tables.get(chart.table);
  if (!table) throw plainError(where, `draws the table ${showValue(chart.table)}, which is not there`);
  conforming(specSchema, chart.spec, { source: `${where}: spec` });
  checkChoices(chart, table, where);
  checkMarks(chart.spec, where);
  checkFields(chart.spec, table, where);
  checkOwn(chart.spec, where);
  try {
    compileChart(chart);
  } catch (error) {
    throw plainError(where, `cannot be drawn: ${oneLine(error)}`);
  }
}

/** What would load something, or lead out of the report. */
function checkOwn(spec: object, source: string): void {
  for (const name of ["href", "url"])
    if (partsWith(spec, name).length > 0)
      throw plainError(source, `${name}: charts load nothing and link to nothing`);
  for (const { mark } of partsWith(spec, "mark"))
    if (mark === "image" || (mark as { type?: unknown }).type === "image")
      throw plainError(source, "mark: an image would be loaded; charts load nothing");
}

/** A reader must be able to choose every value, and find a text for it. */
function checkChoices(chart: Chart, table: Table, source: string): void {
  const { choices = [], summary } = chart;
  for (const { field, values } of choices)
    for (const value of values)
      if (!table.rows.some((row) => row[field] === value))
        throw plainError(
          source,
          `choices: no row of the table ${table.name} has ${field} ${showValue(value)}`,
        );
  const combinations = choices.reduce((product, { values }) => product * values.length, 1);
  if (typeof summary !== "string" && summary.length !== combinations)
    throw plainError(source, `summary: ${summary.length} texts for ${combinations} combinations of choices`);
}

/** Vega-Lite's marks, simple and composite. */
const marks = [
  ..."arc area bar circle geoshape image line point rect rule square text tick trail".split(" "),
  ..."boxplot errorband errorbar".split(" "),
];

/** Vega-Lite says of an unknown mark that it cannot read properties of undefined. */
function checkMarks(spec: object, source: string): void {
  for (const { mark } of partsWith(spec, "mark")) {
    const type = typeof mark === "object" && mark !== null ? (mark as { type?: unknown }).type : mark;
    if (typeof type === "string" && marks.includes(type)) continue;
    const guess = typeof type === "string" ? didYouMean(type, marks) : "";
    const expected = `one of ${marks.join(", ")}${guess === "" ? "" : ` (${guess})`}`;
    throw new InputError({ source, path: ["mark"], expected, kind: "invalid", got: type });
  }
}

/** A field that no row has draws an empty chart without a word; those that transforms make are known by "as". */
function checkFields(spec: object, table: Table, source: string): void {
  const own = ["data", "pivot", "fold", "flatten", "lookup", "density", "quantile", "regression", "loess"];
  if (table.rows.length === 0 || own.some((key) => partsWith(spec, key).length > 0)) return;
  const made = partsWith(spec, "as").flatMap(({ as }) => as as string | string[]);
  const known = new Set([...table.columns.map((column) => column.name), ...made]);
  for (const row of table.rows) for (const name of Object.keys(row)) known.add(name);
  for (const { field } of partsWith(spec, "field")) {
    if (typeof field !== "string" || known.has(field.replaceAll("\\", ""))) continue;
    const names = [...known];
    const expected = `a field of the table ${table.name} (${didYouMean(field, names) || `it has ${names.join(", ")}`})`;
    throw new InputError({ source, path: ["field"], expected, kind: "invalid", got: field });
  }
}

/** All objects in a specification that have a key of this name. */
function partsWith(part: unknown, key: string): Record<string, unknown>[] {
  if (typeof part !== "object" || part === null) return [];
  const inner = Object.values(part).flatMap((value) => partsWith(value, key));
  return key in part && !Array.isArray(part) ? [part as Record<string, unknown>, ...inner] : inner;
}
