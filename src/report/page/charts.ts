/** All figures of the report: they follow their own choices, the theme and the width of the window. */

import { greatest } from "d3-array";
import type { Spec as VegaSpec, View } from "vega";
import { oneLine } from "../../lib/errors.js";
import { drawnRows, hasData, ownRows, type PageChart, viewOf } from "../charts.js";
import { mentioned } from "../markup.js";
import { type Cell, type Chosen, cellText, openingOf, type Row, summaryOf, type Table } from "../result.js";
import { inTheme, type Theme, themes } from "../theme.js";
import { go, isPrinting, onFields, onTheme, setFields, theme } from "./choices.js";
import { type Content, contentOf, element, exhibitIn, find, findAll, offerFile } from "./dom.js";

const tooltip = find("#tooltip");

/** Draws every chart in turn, and lets the page respond between two; one in a fold when that is opened. */
export async function drawCharts(): Promise<void> {
  const redraws: (() => void)[] = [];
  const redraw = () => {
    for (const act of redraws) act();
  };
  onTheme(redraw);
  onResize(redraw);
  for (const place of findAll(".drawing[data-chart]")) {
    const draw = () => orFlaw(place, async () => void redraws.push(await drawChart(place)));
    const fold = place.closest("details");
    if (fold) fold.addEventListener("toggle", draw, { once: true });
    else await draw();
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** A chart that cannot be drawn costs the reader this chart alone. */
async function orFlaw(place: HTMLElement, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    const words = `This figure cannot be shown: ${oneLine(error)}`;
    place.setAttribute("role", "group");
    place.replaceChildren(element("p", { class: "failed", role: "alert" }, words));
  }
}

/** Where a chart is drawn, and what with. */
interface Figure {
  readonly place: HTMLElement;
  readonly content: Content;
  /** The tables with the rows that are to be shown now. */
  tables(): readonly Table[];
  /** What it shows now, for those who cannot see it. */
  summary(): string;
}

/** Draws a chart; what it returns draws it anew, in the colours and the width of then. */
async function drawChart(place: HTMLElement): Promise<() => void> {
  const content = contentOf(place);
  const chart = content.charts.get(place.dataset.chart!)!;
  let earlier = false;
  let drawing: Drawing | undefined;
  const refresh = () =>
    orFlaw(place, async () => {
      if (!drawing) return;
      fill(drawing.view, drawing.spec, figure);
      await drawing.view.runAsync();
      addKeyboard(figure);
    });
  const chosen = choicesOf(place, chart, () => void refresh());
  const tables = () =>
    [...content.tables.values()].map((now) => {
      const shown = (earlier ? content.earlier.get(now.name) : undefined) ?? now;
      return { ...shown, rows: drawnRows(chart, shown, chosen()) };
    });
  const figure = { place, content, tables, summary: () => summaryOf(chart, chosen()) };
  drawing = await draw(chart.spec, figure);
  if (content.earlier.has(chart.table))
    place.after(
      earlierSwitch((shown) => {
        earlier = shown;
        void refresh();
      }),
    );
  offerDrawing(place, () => svgOf(drawing!.spec, figure));
  return () =>
    orFlaw(place, async () => {
      drawing!.view.finalize();
      drawing = await draw(chart.spec, figure);
    });
}

/** A figure's own choices, as they are whenever that is asked: they stand in the address, and the caption follows them. */
function choicesOf(place: HTMLElement, chart: PageChart, changed: () => void): () => Chosen {
  const box = place.closest("figure")!;
  const pickers = [...box.querySelectorAll<HTMLSelectElement>("select[data-field]")];
  const opening = openingOf(chart);
  const now = () => Object.fromEntries(pickers.map((picker) => [picker.dataset.field!, picker.value]));
  const show = () => {
    const text = summaryOf(chart, now());
    place.setAttribute("aria-label", text);
    find("[data-summary]", box).innerHTML = mentioned(text).text;
    changed();
  };
  for (const picker of pickers)
    picker.addEventListener("change", () => {
      const opens = picker.value === opening[picker.dataset.field!];
      setFields({ [picker.id]: opens ? null : picker.value }, "new");
      show();
    });
  if (pickers.length > 0)
    onFields((address) => {
      const before = JSON.stringify(now());
      for (const picker of pickers) {
        const wanted = address.get(picker.id);
        const offered = [...picker.options].some(({ value }) => value === wanted);
        picker.value = offered ? wanted! : opening[picker.dataset.field!]!;
      }
      if (JSON.stringify(now()) !== before) show();
    });
  return now;
}

/** Switches a chart between this run and the earlier one. */
function earlierSwitch(change: (earlier: boolean) => void): HTMLElement {
  const box = element("input", { type: "checkbox" });
  box.addEventListener("change", () => change(box.checked));
  return element("label", { class: "earlier" }, box, " show the earlier run");
}

function offerDrawing(place: HTMLElement, svg: () => Promise<string>): void {
  const button = find<HTMLButtonElement>("button[data-svg]", place.closest("figure")!);
  const name = `${button.dataset.of}.${button.dataset.svg}.svg`;
  button.addEventListener("click", async () => offerFile(name, await svg(), "image/svg+xml"));
}

/** Once the window has come to rest at another width. */
export function onResize(act: () => void): void {
  let width = innerWidth;
  let timer = 0;
  addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      if (innerWidth === width) return;
      width = innerWidth;
      act();
    }, 150) as unknown as number;
  });
}

interface Drawing {
  readonly view: View;
  /** The specification as it was made to fit. */
  readonly spec: VegaSpec;
}

/** A chart drawn by Vega, in the colours of the theme. Legends stand beside each other if it is wide enough. */
async function draw(spec: VegaSpec, figure: Figure): Promise<Drawing> {
  const { place } = figure;
  const fitting = inColumns(spec, widthOf(place));
  const drawing = await shown(fitting, figure);
  if (!legendsOverflow(place)) return drawing;
  drawing.view.finalize();
  return shown(withLegendsBelow(fitting, place), figure);
}

/** In print two charts stand side by side, a little smaller than on the screen. */
const PRINT_WIDTH = 440;

const widthOf = (place: HTMLElement): number => (isPrinting() ? PRINT_WIDTH : place.clientWidth);

async function shown(spec: VegaSpec, figure: Figure): Promise<Drawing> {
  const { place } = figure;
  place.replaceChildren();
  const view = filledView(spec, figure, theme()).initialize(place);
  addInteraction(view, figure);
  await view.runAsync();
  addKeyboard(figure);
  return { view, spec };
}

function filledView(spec: VegaSpec, figure: Figure, colours: Theme): View {
  const view = viewOf(JSON.parse(inTheme(JSON.stringify(spec), colours)), "svg");
  if (spec.signals?.some(({ name }) => name === "width")) view.signal("width", widthOf(figure.place));
  fill(view, spec, figure);
  return view.description(figure.summary());
}

/** In print colours, whatever the theme is. */
async function svgOf(spec: VegaSpec, figure: Figure): Promise<string> {
  const view = filledView(spec, figure, themes.light);
  const svg = await view.toSVG();
  view.finalize();
  return svg;
}

function legendsOverflow(place: HTMLElement): boolean {
  const edge = place.firstElementChild!.getBoundingClientRect().right;
  return [...place.querySelectorAll(".role-legend")].some(
    (legend) => legend.getBoundingClientRect().right > edge,
  );
}

function fill(view: View, spec: VegaSpec, { tables }: Figure): void {
  for (const { name, rows } of tables())
    if (hasData(spec as { data?: { name: string }[] }, name)) view.data(name, ownRows(rows));
}

/** Tooltips, and clicks that open the exhibit of a mark's row. */
function addInteraction(view: View, { content, tables }: Figure): void {
  view.tooltip((_, event, item, value) => {
    tooltip.hidden = value === null || value === undefined || value === "";
    if (tooltip.hidden) return;
    const row = (item?.datum ?? {}) as Row;
    const hint = exhibitIn(content, row) ? "Click to open it on the live bench" : "";
    showTooltip(event as MouseEvent, tooltipRows(value, tableOf(row, tables())), hint);
  });
  view.addEventListener("click", (_, item) => {
    if (item?.datum) openExhibit(content, item.datum as Row);
  });
}

function openExhibit(content: Content, row: Row): void {
  const exhibit = exhibitIn(content, row);
  if (exhibit) go({ at: "_bench", exhibit: `${content.name}/${exhibit.name}` });
}

/** The figure's own label says what it shows: Vega's groups of marks have no words of their own. */
function withoutRoles(place: HTMLElement): void {
  place.removeAttribute("aria-roledescription");
  for (const part of place.querySelectorAll("[role^=graphics]")) {
    part.removeAttribute("role");
    part.removeAttribute("aria-roledescription");
  }
}

type Mark = SVGElement & { readonly __data__?: { readonly datum?: Row } };

/** Marks that a click opens can be reached with the keyboard: one stop for a chart, arrow keys from mark to mark. */
function addKeyboard({ place, content, tables }: Figure): void {
  withoutRoles(place);
  const all = [...place.querySelectorAll<Mark>("path, rect, circle")];
  const opened = all.filter((mark) => mark.__data__?.datum && exhibitIn(content, mark.__data__.datum));
  place.setAttribute("role", opened.length === 0 ? "img" : "group");
  for (const [k, mark] of opened.entries()) {
    mark.setAttribute("tabindex", k === 0 ? "0" : "-1");
    mark.setAttribute("role", "button");
    const row = mark.__data__!.datum!;
    mark.setAttribute(
      "aria-label",
      `${rowWords(row, content, tableOf(row, tables()))}: open on the live bench`,
    );
    mark.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Enter" || event.key === " ") openExhibit(content, mark.__data__!.datum!);
      else if (step !== undefined) moveFocus(opened, (k + step + opened.length) % opened.length);
      else return;
      event.preventDefault();
    };
  }
}

/** More of a row is long to listen to. */
const HEARD = 5;

/** The first cells of a row, as in "regime tight, can gain 3.1 %", without the name of the market it opens. */
function rowWords(row: Row, content: Content, table: Table | undefined): string {
  const cells = Object.entries(row).filter(([, cell]) => !content.exhibits.has(String(cell)));
  const words = tooltipRows(Object.fromEntries(cells), table).slice(0, HEARD);
  return words.map(([label, text]) => `${label} ${text}`).join(", ");
}

function moveFocus(marks: readonly SVGElement[], to: number): void {
  for (const [k, mark] of marks.entries()) mark.setAttribute("tabindex", k === to ? "0" : "-1");
  marks[to]!.focus();
}

/** The table a row is from: the one whose columns it has most of. */
const tableOf = (row: Row, tables: readonly Table[]): Table | undefined =>
  greatest(tables, ({ columns }) => columns.filter(({ name }) => name in row).length);

/** Room for an axis and its labels beside each view. */
const MARGIN = 70;
const GAP = 20;

interface Sized {
  readonly name: string;
  readonly value?: unknown;
}

/** A legend's symbol, and the room between two entries. */
const SYMBOL = 30;

/** Each legend stands below the one before, with as many entries in a row as there is room for. */
function withLegendsBelow(spec: VegaSpec, place: HTMLElement): VegaSpec {
  const labels = [...place.querySelectorAll<SVGGraphicsElement>(".role-legend-label text")];
  const widest = Math.max(0, ...labels.map((label) => label.getBBox().width));
  const columns = Math.max(1, Math.floor((widthOf(place) - MARGIN) / (widest + SYMBOL)));
  const layout = { top: { direction: "vertical", anchor: "start", margin: 6 } };
  const config = spec.config as { legend?: object };
  return {
    ...spec,
    config: { ...config, legend: { ...config.legend, titleOrient: "top", columns, layout } },
  } as VegaSpec;
}

/** Several views, each of a fixed size, stand one below the other where the width is too small for them. */
function inColumns(spec: VegaSpec, width: number): VegaSpec {
  const { layout, signals = [] } = spec as { layout?: { columns?: unknown }; signals?: readonly Sized[] };
  const widths = signals.filter(isWidth).map(({ value }) => value);
  if (!layout || widths.length === 0) return spec;
  const fits = Math.max(1, Math.floor((width + GAP) / (Math.max(...widths) + MARGIN)));
  const { columns = fits } = layout;
  const most = Math.max(120, width - MARGIN);
  const fitting = signals.map((signal) =>
    isWidth(signal) ? { ...signal, value: Math.min(signal.value, most) } : signal,
  );
  const wrapped = typeof columns === "number" && { layout: { ...layout, columns: Math.min(columns, fits) } };
  return { ...spec, signals: fitting, ...wrapped } as VegaSpec;
}

const isWidth = (signal: Sized): signal is Sized & { value: number } =>
  /(^|_)width$/.test(signal.name) && typeof signal.value === "number";

type TooltipRow = readonly [label: string, text: string];

/** What a mark says: a row in the words of its table's columns, or what its specification says. */
function tooltipRows(value: unknown, table: Table | undefined): readonly TooltipRow[] {
  if (typeof value !== "object" || value === null) return [["", String(value)]];
  const row = value as Record<string, Cell>;
  // Vega-Lite writes a missing value as "null".
  const shown = Object.keys(row).filter((field) => row[field] !== null && row[field] !== "null");
  const columns = table?.columns.filter(({ name }) => shown.includes(name)) ?? [];
  if (columns.length > 0) return columns.map(({ name, label, kind }) => [label, cellText(row[name], kind)]);
  return shown.map((title) => [title, cellText(row[title], "amount")]);
}

function showTooltip(
  at: { readonly clientX: number; readonly clientY: number },
  content: readonly TooltipRow[],
  hint: string,
): void {
  const rows = content.map(([label, text]) =>
    element("div", {}, element("span", {}, label), element("b", {}, text)),
  );
  tooltip.replaceChildren(...rows, ...(hint === "" ? [] : [element("em", {}, hint)]));
  const { offsetWidth: width, offsetHeight: height } = tooltip;
  const left = Math.min(at.clientX + 14, innerWidth - width - 8);
  const top = at.clientY + height + 22 > innerHeight ? at.clientY - height - 12 : at.clientY + 16;
  tooltip.style.transform = `translate(${Math.max(8, left)}px, ${Math.max(8, top)}px)`;
}
