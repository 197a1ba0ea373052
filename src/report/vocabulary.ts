/** What analyses build tables and charts from: columns, intervals, captions for choices, tooltips and the report's colours. */

import { type Regime, regimes } from "../auction/outcome.js";
import { capital, rounded } from "../lib/format.js";
import type { Estimate } from "../lib/statistics.js";
import type { Cell, Choice, ChosenText, Column, Finding, Row, Table } from "./result.js";
import { named, type Theme, themes } from "./theme.js";

/** A column, and how its cell is read from whatever a row is made of; else it is what that has under the column's name. */
export interface Field<Item> extends Column {
  readonly cell?: (item: Item) => Cell | undefined;
}

const columnOf =
  (kind: Column["kind"]) =>
  <Item = unknown>(name: string, label: string, cell?: Field<Item>["cell"]): Field<Item> => ({
    ...{ name, label, kind },
    ...(cell && { cell }),
  });

type Interval = Pick<Estimate, "mean" | "low" | "high">;

/**
 * A column with an estimate's mean, and those of the ends of its interval; in a table with several these have names of their own.
 * The estimate is what an item has under the column's name, or what it is read by.
 */
function estimateColumns<Item>(
  { name, label, kind }: Column,
  of: (item: Item) => Interval | null = (item) => (item as Record<string, Interval>)[name]!,
  { from = "95 % from", own = false } = {},
): Field<Item>[] {
  const [low, high] = own ? [`${name}Low`, `${name}High`] : ["low", "high"];
  return [
    { name, label, kind, cell: (item) => of(item)?.mean },
    { name: low!, label: from, kind, cell: (item) => of(item)?.low },
    { name: high!, label: "to", kind, cell: (item) => of(item)?.high },
  ];
}

/** Columns, by what is in their cells. */
export const column = {
  count: columnOf("count"),
  share: columnOf("share"),
  amount: columnOf("amount"),
  text: columnOf("text"),
  estimate: estimateColumns,
  /** For estimates whose intervals hold together with others. */
  together: { from: "95 % together, from" },
};

/** A text column for each regime; those whose names end in "Witness" hold the exhibits that the cells of the others open. */
export const regimeFields = <Item>(
  cell: (regime: Regime, item: Item) => string | null | undefined,
  ending = "",
  about = "",
): Field<Item>[] =>
  regimes.map((regime) => {
    const name = regime.replace(/ (.)/g, (_, letter: string) => letter.toUpperCase());
    return column.text(`${name}${ending}`, `${capital(regime)}${about}`, (item) => cell(regime, item));
  });

/** A row for each item. Shares and amounts have six digits; what is not a number, or not known, is null. */
export function tableOf<Item>(
  name: string,
  title: string,
  items: readonly Item[],
  fields: readonly Field<Item>[],
): Table {
  const value = ({ name, cell, kind }: Field<Item>, item: Item): Cell => {
    const found = (cell ? cell(item) : (item as Row)[name]) ?? null;
    return typeof found === "number" && kind !== "count" ? rounded(found) : found;
  };
  return {
    name,
    title,
    columns: fields.map(({ name, label, kind }) => ({ name, label, kind })),
    rows: items.map((item) => Object.fromEntries(fields.map((field) => [field.name, value(field, item)]))),
  };
}

/** Sentences with their weights; one that is empty, for there is nothing to say, is left out. */
export const rankedFindings = (...said: readonly (readonly [weight: number, text: string])[]): Finding[] =>
  said.flatMap(([weight, text]) => (text === "" ? [] : [{ text, weight }]));

const formats = { count: ",d", share: ".2~%", amount: ".3~f", text: undefined } as const;

/** A mark's tooltip: these columns of its table, in their words. */
const tooltipOf = (columns: readonly Column[], names?: readonly string[]): object[] =>
  columns
    .filter(({ name }) => names?.includes(name) ?? true)
    .map(({ name, label, kind }) => ({
      field: name,
      title: label,
      ...(formats[kind] && { format: formats[kind] }),
    }));

/** A text for every combination of choices. */
export function captions(
  choices: readonly Choice[],
  textOf: (chosen: Readonly<Record<string, string>>) => string,
): ChosenText[] {
  const combinations = choices.reduce<Record<string, string>[]>(
    (chosen, { field, values }) =>
      chosen.flatMap((one) => values.map((value) => ({ ...one, [field]: value }))),
    [{}],
  );
  return combinations.map((chosen) => ({ chosen, text: textOf(chosen) }));
}

export const lies = ["price", "time", "joint"] as const;

/** A scale in which a name has the same colour in every chart; what has none of its own is grey. */
function coloured(names: readonly string[]): object {
  const range = names.map((name) => {
    const own = name.replace(/[^a-z]/g, "");
    return named(own in themes.light ? (own as keyof Theme) : "seven");
  });
  return { domain: names, range };
}

/** A scale for up to five names that have no colour of their own, in colours that mean nothing else in the report. */
const otherColours = (names: readonly string[]): object => ({
  domain: names,
  range: (["ordera", "orderc", "ordere", "orderb", "orderd"] as const).slice(0, names.length).map(named),
});

/** The colour channel of a chart that tells mechanisms apart: those named, in this order. */
const mechanismColour = (field: string, names: readonly string[]): object => ({
  field,
  type: "nominal",
  title: "mechanism",
  sort: names,
  scale: coloured(names),
});

/** The regimes that there are rows of, or all. */
const regimeColour = (field: string, present: readonly string[] = regimes): object => ({
  field,
  type: "nominal",
  title: "regime",
  sort: regimes,
  scale: coloured(regimes.filter((regime) => present.includes(regime))),
  legend: { symbolOpacity: 1 },
});

/** price: misstated alone; time: the arrival alone; joint: either or both. */
const lieColour = (field: string): object => ({
  field,
  type: "nominal",
  title: "misstated",
  sort: lies,
  scale: coloured(lies),
  legend: { symbolOpacity: 1, labelExpr: `${JSON.stringify(lieWords)}[datum.label]` },
});

/** As a legend has room for. */
export const lieWords: Readonly<Record<(typeof lies)[number], string>> = {
  price: "price alone",
  time: "arrival alone",
  joint: "either or both",
};

/** A channel of names, in this order. */
const nameAxis = (field: string, sort: readonly string[] | object | null, axis?: object): object => ({
  field,
  type: "nominal",
  sort,
  title: null,
  ...(axis && { axis }),
});

/** A channel of numbers. */
const amountAxis = (field: string, title: string | null, more: object = {}): object => ({
  field,
  type: "quantitative",
  title,
  ...more,
});

/** One on which equal steps multiply, with ticks at these values. */
const logAxis = (field: string, title: string | null, values: readonly number[], more: object = {}) =>
  amountAxis(field, title, { scale: { type: "log", nice: false, ...more }, axis: { format: "~g", values } });

/** What a mark stands for, and the ends of its interval: columns of the chart's table. */
interface Ends {
  readonly value: string;
  readonly low?: string;
  readonly high?: string;
}

const known = (field: string): object => ({ filter: `isValid(datum.${field})` });

/** Points, with lines from end to end of their intervals where these are known; along x, on the axis given. */
const pointsWithIntervals = (
  axis: (field: string) => object,
  { value, low = "low", high = "high", size = 70 }: Ends & { readonly size?: number },
): object[] => [
  {
    transform: [known(high)],
    mark: { type: "rule", strokeWidth: 2, tooltip: null },
    encoding: { x: axis(low), x2: { field: high } },
  },
  { mark: { type: "point", size, opacity: 1 }, encoding: { x: axis(value) } },
];

/** Lines through points, in bands from end to end of their intervals where these are known; the axis is y. */
const linesWithBands = (
  axis: (field: string) => object,
  { value, low = "low", high = "high", width }: Ends & { readonly width?: object },
): object[] => [
  {
    transform: [known(high)],
    mark: { type: "area", opacity: 0.18, tooltip: null },
    encoding: { y: axis(low), y2: { field: high } },
  },
  { mark: { type: "line", tooltip: null }, encoding: { y: axis(value), ...(width && { size: width }) } },
  { mark: { type: "point", size: 40, opacity: 1 }, encoding: { y: axis(value) } },
];

/** A channel of shares, in per cent. */
const percentAxis = (field: string, title: string, scale?: object): object => ({
  field,
  type: "quantitative",
  title,
  axis: { format: "~%" },
  ...(scale && { scale }),
});

/** The title of an axis of relative budgets. */
export const relativeBudget = "budget / true cost of all rounds on offer";

/** A regime within a sentence. */
export const regimeWords: Readonly<Record<Regime, string>> = {
  sufficient: "where the budget is sufficient",
  tight: "where the budget is tight",
  "late start": "where only the start is late",
  "late and tight": "where the start is late and the budget tight",
};

/** In the order in which figures offer them: those with most to see first. */
export const offeredRegimes: readonly Regime[] = ["tight", "late and tight", "late start", "sufficient"];

/** A figure's choice of what is misstated. */
export const lieChoice: Choice = {
  field: "lie",
  label: "Misstated",
  values: ["joint", "price", "time"],
  words: lieWords,
};

/** A figure's choice of regime: those that its table has. */
export const regimeChoice = (known: readonly Regime[]): Choice => ({
  field: "regime",
  label: "Regime",
  values: offeredRegimes.filter((regime) => known.includes(regime)),
});

/** From nothing to much, in colours on which a text can be read. */
const backgroundColour = (field: string, most: number): object => ({
  field,
  type: "quantitative",
  legend: null,
  scale: { type: "sqrt", domain: [0, most], range: [named("rampa"), named("rampc")], interpolate: "rgb" },
});

/** Grey and dark, which stand for nothing by themselves: for a chart's two kinds of marks, or two lines. */
const greyAndDark = (both: readonly string[]): object => ({
  scale: { domain: both, range: [named("seven"), named("ink")] },
  legend: { symbolOpacity: 1 },
  type: "nominal",
  title: null,
});

/** Losses, nothing, gains: equal steps away from 0 multiply, so that small amounts show beside large ones. */
const signedColour = (field: string, most: number): object => ({
  field,
  type: "quantitative",
  legend: null,
  scale: {
    type: "symlog",
    constant: most / 300,
    domain: [-most, 0, most],
    range: [named("two"), named("paper"), named("one")],
    interpolate: "rgb",
  },
});

/** Channels, by what they show. */
export const axis = { amount: amountAxis, log: logAxis, percent: percentAxis, name: nameAxis };

/** Channels and scales of colours, by what they tell apart. */
export const colour = {
  mechanism: mechanismColour,
  regime: regimeColour,
  lie: lieColour,
  /** For up to five names that have no colour of their own. */
  other: otherColours,
  background: backgroundColour,
  signed: signedColour,
  greyAndDark,
};

/** Marks with what is known of them. */
export const marks = { points: pointsWithIntervals, lines: linesWithBands, tooltip: tooltipOf };
