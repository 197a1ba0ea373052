/** All figures of the report: they follow their own choices, the theme and the width of the window. */

import { parse, type Spec as VegaSpec, View } from "vega";
import { drawnRows, hasData, ownRows, type PageChart } from "../charts.js";
import { mentioned } from "../markup.js";
import { type Cell, cellText, openingOf, type Row, summaryOf, type Table } from "../result.js";
import { inTheme, type Theme, themes } from "../theme.js";
import { go, isPrinting, onFields, onTheme, setFields, theme } from "./choices.js";
import { type Content, contentOf, element, exhibitIn, find, findAll, offerFile } from "./dom.js";

const tooltip = find("#tooltip");

/** Draws every chart in turn, and lets the page respond between two; one in a fold when that is opened. */
export async function drawCharts(): Promise<void> {
  const drawn: LiveChart[] = [];
  const redraw = () => {
    for (const chart of drawn) void chart.redraw();
  };
  onTheme(redraw);
  onResize(redraw);
  for (const place of findAll(".drawing[data-chart]")) {
    const draw = async () => void drawn.push(await drawChart(place));
    const fold = place.closest("details");
    if (fold) fold.addEventListener("toggle", draw, { once: true });
    else await draw();
    await new Promise((resolve) => setTimeout(resolve));
  }
}

async function drawChart(place: HTMLElement): Promise<LiveChart> {
  const content = contentOf(place);
  const figure = content.charts.get(place.dataset.chart!)!;
  const chosen = choicesOf(place, figure);
  let earlier = false;
  const tables = () =>
    [...content.tables.values()].map((now) => {
      const shown = (earlier ? content.earlier.get(now.name) : undefined) ?? now;
      return { ...shown, rows: drawnRows(figure, shown, chosen.now()) };
    });
  const opens = exhibitClick(content);
  const chart = await liveChart({ place, spec: figure.spec, tables, click: opens });
  chosen.onChange(() => void chart.refresh());
  if (content.earlier.has(figure.table))
    place.after(
      earlierSwitch((shown) => {
        earlier = shown;
        void chart.refresh();
      }),
    );
  offerDrawing(place, chart);
  return chart;
}

interface FigureChoices {
  now(): Readonly<Record<string, string>>;
  onChange(act: () => void): void;
}

/** A figure's own choices: they stand in the address, and the caption follows them. */
function choicesOf(place: HTMLElement, figure: PageChart): FigureChoices {
  const box = place.closest("figure")!;
  const pickers = [...box.querySelectorAll<HTMLSelectElement>("select[data-field]")];
  const opening = openingOf(figure);
  const now = () => Object.fromEntries(pickers.map((picker) => [picker.dataset.field!, picker.value]));
  const listeners: (() => void)[] = [];
  const told = () => {
    const text = summaryOf(figure, now());
    place.setAttribute("aria-label", text);
    box.querySelector("[data-summary]")!.innerHTML = mentioned(text).text;
    for (const act of listeners) act();
  };
  for (const picker of pickers)
    picker.addEventListener("change", () => {
      const opens = picker.value === opening[picker.dataset.field!];
      setFields({ [picker.id]: opens ? null : picker.value }, "new");
      told();
    });
  if (pickers.length > 0)
    onFields((address) => {
      const before = JSON.stringify(now());
      for (const picker of pickers) {
        const wanted = address.get(picker.id);
        const offered = [...picker.options].some(({ value }) => value === wanted);
        picker.value = offered ? wanted! : opening[picker.dataset.field!]!;
      }
      if (JSON.stringify(now()) !== before) told();
    });
  return { now, onChange: (act) => void listeners.push(act) };
}

/** Switches a chart between this run and the earlier one. */
function earlierSwitch(change: (earlier: boolean) => void): HTMLElement {
  const box = element("input", { type: "checkbox" });
  box.addEventListener("change", () => change(box.checked));
  return element("label", { class: "earlier" }, box, " show the earlier run");
}

const exhibitClick = (content: Content) => ({
  act(row: object) {
    const exhibit = exhibitIn(content, row as Record<string, unknown>);
    if (exhibit) go({ at: "_bench", exhibit: `${content.name}/${exhibit.name}` });
  },
  hint: (row: object) =>
    exhibitIn(content, row as Record<string, unknown>) ? "Click to open it on the live bench" : "",
});

function offerDrawing(place: HTMLElement, chart: LiveChart): void {
  const button = find<HTMLButtonElement>("button[data-svg]", place.closest("figure")!);
  const name = `${button.dataset.of}.${button.dataset.svg}.svg`;
  button.addEventListener("click", async () => offerFile(name, await chart.svg(), "image/svg+xml"));
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

interface ChartSource {
  readonly place: HTMLElement;
  readonly spec: VegaSpec;
  /** The rows of each table as they are to be shown now. */
  readonly tables: () => readonly (Pick<Table, "name" | "rows"> & Partial<Table>)[];
  /** Called with the row of a mark that is clicked; what a click would do, in words, or "". */
  readonly click?: { act(row: Row): void; hint(row: Row): string };
}

interface LiveChart {
  /** Shows the rows of now. */
  refresh(): Promise<void>;
  /** Draws it anew, in the colours and the width of now. */
  redraw(): Promise<void>;
  svg(): Promise<string>;
}

/** A chart drawn by Vega, in the colours of the theme, with the rows of the choice. */
async function liveChart(source: ChartSource): Promise<LiveChart> {
  let { view, spec } = await draw(source);
  return {
    async refresh() {
      fill(view, source);
      await view.runAsync();
      addKeyboard(source);
    },
    async redraw() {
      view.finalize();
      ({ view, spec } = await draw(source));
    },
    svg: () => svgOf({ ...source, spec }),
  };
}

interface Drawing {
  readonly view: View;
  /** The specification as it was made to fit. */
  readonly spec: VegaSpec;
}

/** Legends stand beside each other if the chart is wide enough. */
async function draw(source: ChartSource): Promise<Drawing> {
  const { place, spec } = source;
  const fitting = inColumns(spec, widthOf(place));
  const drawing = await shown({ ...source, spec: fitting });
  if (!legendsOverflow(place)) return drawing;
  drawing.view.finalize();
  return shown({ ...source, spec: withLegendsBelow(fitting, place) });
}

/** In print two charts stand side by side, a little smaller than on the screen. */
const PRINT_WIDTH = 440;

const widthOf = (place: HTMLElement): number => (isPrinting() ? PRINT_WIDTH : place.clientWidth);

async function shown(source: ChartSource): Promise<Drawing> {
  const { place, spec } = source;
  place.replaceChildren();
  const view = viewOf(source, theme()).initialize(place);
  addInteraction(view, source);
  await view.runAsync();
  addKeyboard(source);
  return { view, spec };
}

function viewOf(source: ChartSource, colours: Theme): View {
  const { place, spec } = source;
  const view = new View(parse(themed(spec, colours)), { renderer: "svg" });
  if (spec.signals?.some(({ name }) => name === "width")) view.signal("width", widthOf(place));
  fill(view, source);
  return view;
}

/** In print colours, whatever the theme is. */
async function svgOf(source: ChartSource): Promise<string> {
  const view = viewOf(source, themes.light);
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

const themed = (spec: VegaSpec, colours: Theme): VegaSpec =>
  JSON.parse(inTheme(JSON.stringify(spec), colours));

function fill(view: View, { spec, tables }: ChartSource): void {
  for (const { name, rows } of tables())
    if (hasData(spec as { data?: { name: string }[] }, name)) view.data(name, ownRows(rows));
}

/** Tooltips and clicks. */
function addInteraction(view: View, { tables, click }: ChartSource): void {
  view.tooltip((_, event, item, value) => {
    if (value === null || value === undefined || value === "") return hideTooltip();
    const row = (item?.datum ?? {}) as Row;
    const own = bestTable(row, tables());
    showTooltip(event as MouseEvent, tooltipRows(value, own), click?.hint(row) ?? "");
  });
  if (!click) return;
  view.addEventListener("click", (_, item) => {
    if (item?.datum) click.act(item.datum as Row);
  });
}

/** The figure's own label says what it shows: Vega's groups of marks have no words of their own. */
function withoutRoles(place: HTMLElement): void {
  for (const part of place.querySelectorAll("[role^=graphics]")) {
    part.removeAttribute("role");
    part.removeAttribute("aria-roledescription");
  }
}

type Mark = SVGElement & { readonly __data__?: { readonly datum?: Row } };

/** Marks that a click opens can be reached with the keyboard: one stop for a chart, arrow keys from mark to mark. */
function addKeyboard({ place, click }: ChartSource): void {
  withoutRoles(place);
  if (!click) return;
  const all = [...place.querySelectorAll<Mark>("path, rect, circle")];
  const opened = all.filter((mark) => mark.__data__?.datum && click.hint(mark.__data__.datum) !== "");
  const label = place.dataset.title ?? "";
  place.setAttribute("role", opened.length === 0 ? "img" : "group");
  for (const [k, mark] of opened.entries()) {
    mark.setAttribute("tabindex", k === 0 ? "0" : "-1");
    mark.setAttribute("role", "button");
    mark.setAttribute("aria-label", `${label}: open mark ${k + 1} of ${opened.length} on the live bench`);
    mark.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Enter" || event.key === " ") click.act(mark.__data__!.datum!);
      else if (step !== undefined) moveFocus(opened, (k + step + opened.length) % opened.length);
      else return;
      event.preventDefault();
    };
  }
}

function moveFocus(marks: readonly SVGElement[], to: number): void {
  for (const [k, mark] of marks.entries()) mark.setAttribute("tabindex", k === to ? "0" : "-1");
  marks[to]!.focus();
}

/** The table a row is from: the one whose columns it has most of. */
function bestTable(row: Row, tables: ReturnType<ChartSource["tables"]>): Table | undefined {
  const shared = ({ columns = [] }: Partial<Table>) => columns.filter(({ name }) => name in row).length;
  const [best] = [...tables].sort((a, b) => shared(b) - shared(a));
  return best?.columns ? (best as Table) : undefined;
}

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
  const layout = spec.layout as { columns?: unknown } | undefined;
  const sizes = ((spec.signals ?? []) as readonly Sized[]).filter(isWidth);
  if (!layout || sizes.length === 0) return spec;
  const widest = Math.max(...sizes.map(({ value }) => value));
  const fits = Math.max(1, Math.floor((width + GAP) / (widest + MARGIN)));
  const columns = typeof layout.columns === "number" ? Math.min(layout.columns, fits) : fits;
  const most = Math.max(120, width - MARGIN);
  const signals = (spec.signals ?? []).map((signal) =>
    isWidth(signal as Sized)
      ? { ...signal, value: Math.min((signal as { value: number }).value, most) }
      : signal,
  );
  const wraps = layout.columns === undefined || typeof layout.columns === "number";
  return { ...spec, signals, ...(wraps && { layout: { ...layout, columns } }) } as VegaSpec;
}

const isWidth = (signal: Sized): signal is Sized & { value: number } =>
  /(^|_)width$/.test(signal.name) && typeof signal.value === "number";

type TooltipRow = readonly [label: string, text: string];

/** What a mark says: a row in the words of its table's columns, or what its specification says. */
function tooltipRows(value: unknown, table: Table | undefined): readonly TooltipRow[] {
  if (typeof value !== "object" || value === null) return [["", String(value)]];
  // Vega-Lite writes a missing value as "null".
  const said = Object.entries(value as Record<string, Cell>).filter(
    ([, cell]) => cell !== null && cell !== "null",
  );
  const columns = table?.columns.filter(({ name }) => said.some(([field]) => field === name)) ?? [];
  const row = value as Record<string, Cell>;
  if (columns.length > 0) return columns.map(({ name, label, kind }) => [label, cellText(row[name], kind)]);
  return said.map(([title, cell]) => [title, cellText(cell, "amount")]);
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
  tooltip.hidden = false;
  const { offsetWidth: width, offsetHeight: height } = tooltip;
  const left = Math.min(at.clientX + 14, innerWidth - width - 8);
  const top = at.clientY + height + 22 > innerHeight ? at.clientY - height - 12 : at.clientY + 16;
  tooltip.style.transform = `translate(${Math.max(8, left)}px, ${Math.max(8, top)}px)`;
}

function hideTooltip(): void {
  tooltip.hidden = true;
}
