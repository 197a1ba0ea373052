/** What analyses build tables and charts from: columns, intervals, captions for choices, tooltips and the report's colours. */

import { rounded } from "../lib/format.js";
import type { Estimate } from "../lib/statistics.js";
import { regimes } from "../mechanisms/outcome.js";
import type { Choice, ChosenText, Column, Row } from "./result.js";
import { named, type Theme, themes } from "./theme.js";

const columnOf =
  (kind: Column["kind"]) =>
  (name: string, label: string): Column => ({ name, label, kind });

export const countColumn = columnOf("count");
export const shareColumn = columnOf("share");
export const amountColumn = columnOf("amount");
export const textColumn = columnOf("text");

/** The ends of a 95 % interval, in the unit of what it is an interval of. */
export const intervalColumns = (kind: Column["kind"]): Column[] => [
  { name: "low", label: "95 % from", kind },
  { name: "high", label: "to", kind },
];

/** An estimate as cells; ends that nothing is known of are null. */
export const intervalCells = ({ low, high }: Pick<Estimate, "low" | "high">): Row => ({
  low: rounded(low),
  high: rounded(high),
});

const formats = { count: ",d", share: ".2~%", amount: ".3~f", text: undefined } as const;

/** A mark's tooltip: these columns of its table, in their words. */
export const tooltipOf = (columns: readonly Column[], names?: readonly string[]): object[] =>
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

/** The colour channel of a chart that tells mechanisms apart: those named, in this order. */
export const mechanismColour = (field: string, names: readonly string[]): object => ({
  field,
  type: "nominal",
  title: "mechanism",
  sort: names,
  scale: coloured(names),
});

export const regimeColour = (field: string): object => ({
  field,
  type: "nominal",
  title: "regime",
  sort: regimes,
  scale: coloured(regimes),
});

/** price: misstated alone; time: the arrival alone; joint: either or both. */
export const lieColour = (field: string): object => ({
  field,
  type: "nominal",
  title: "misstated",
  sort: lies,
  scale: coloured(lies),
});
