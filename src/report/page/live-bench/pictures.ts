/** The two pictures of the live bench: what every price would bring a worker, and who can gain. Plain SVG, which follows a slider at once. */

import { nice, ticks } from "d3-array";
import type { Bid, Worker } from "../../../market/market.js";
import { amountText } from "../../result.js";
import { onResize } from "../charts.js";
import { element, find } from "../dom.js";
import type { Gain, Landscape, Line } from "./answers.js";

/** A new element of a drawing; its look is in the style sheet. */
function shape<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number>> = {},
): SVGElementTagNameMap[Tag] {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}

const path = (name: string): SVGPathElement => shape("path", { class: name });

const drawing = find(".bench-landscape .drawing");
const HEIGHT = 270;
const margin = { left: 46, right: 14, top: 26, bottom: 34 } as const;

const curve = {
  svg: shape("svg", { height: HEIGHT }),
  grid: path("grid"),
  labels: shape("g", { class: "ticks" }),
  others: path("others"),
  said: path("said"),
  truthful: path("truthful"),
  marks: shape("g", { class: "marks" }),
};

/** What the landscape shows besides the utility at every price. */
interface Marked {
  readonly worker: Worker;
  readonly bid: Bid;
  /** What the bid brings. */
  readonly utility: number;
}

type Scales = ReturnType<typeof scalesOf>;

let shown: { readonly landscape: Landscape; readonly marked: Marked } | null = null;
let scales: Scales | null = null;
let width = 0;

/** Calls back with the price at which the reader points in the landscape. */
export function startPictures(events: { price(price: number): void; choose(worker: number): void }): void {
  const { svg, grid, labels, others, said, truthful, marks } = curve;
  svg.append(grid, labels, truthful, others, said, marks);
  drawing.replaceChildren(svg);
  onResize(() => {
    width = 0;
    if (shown) showLandscape(shown.landscape, shown.marked);
  });
  const point = (event: PointerEvent) => {
    if (!scales || event.buttons !== 1) return;
    const inside = event.clientX - svg.getBoundingClientRect().left - margin.left;
    const share = inside / (scales.width - margin.left - margin.right);
    events.price(Number((Math.min(1, Math.max(0, share)) * scales.priceLimit).toPrecision(4)));
  };
  svg.addEventListener("pointerdown", (event) => {
    svg.setPointerCapture(event.pointerId);
    point(event);
  });
  svg.addEventListener("pointermove", point);
  strip.addEventListener("click", (event) => {
    const worker = workerAt(event);
    if (worker !== undefined) events.choose(worker);
  });
  strip.addEventListener("pointermove", (event) => {
    strip.title = titles.get(workerAt(event) ?? -1) ?? "";
  });
}

/** The landscape with the truth, the best lie and the bid on it. */
export function showLandscape(landscape: Landscape, marked: Marked): void {
  shown = { landscape, marked };
  width ||= drawing.clientWidth;
  scales = scalesOf(landscape, marked);
  curve.svg.setAttribute("viewBox", `0 0 ${scales.width} ${HEIGHT}`);
  drawAxes(scales);
  const { arrival } = marked.bid;
  const ofArrival = (now: boolean) => landscape.lines.filter((line) => (line.arrival === arrival) === now);
  curve.others.setAttribute("d", linesPath(ofArrival(false), scales));
  curve.said.setAttribute("d", linesPath(ofArrival(true), scales));
  const level = scales.y(landscape.truthful);
  curve.truthful.setAttribute("d", `M${margin.left} ${level}H${scales.width - margin.right}`);
  drawMarks(landscape, marked, scales);
}

/** From a price and a utility to a place in the drawing. */
function scalesOf({ lines, truthful, best, priceLimit }: Landscape, { utility }: Marked) {
  const values = [0, truthful, best.utility, utility];
  for (const { utilityFrom, utilityTo } of lines) values.push(utilityFrom, utilityTo);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const [low, high] = nice(least, most > least ? most : least + 1, 5);
  const [across, down] = [width - margin.left - margin.right, HEIGHT - margin.top - margin.bottom];
  const place = (value: number) => Math.round(10 * value) / 10;
  return {
    ...{ width, priceLimit, low, high },
    x: (price: number) => place(margin.left + (across * Math.min(price, priceLimit)) / priceLimit),
    y: (value: number) => place(margin.top + (down * (high - value)) / (high - low)),
  };
}

/** Single prices are strokes of no length, which round ends make dots. */
const linesPath = (lines: readonly Line[], { x, y }: Scales): string =>
  lines
    .map(({ from, to, utilityFrom, utilityTo }) => `M${x(from)} ${y(utilityFrom)}L${x(to)} ${y(utilityTo)}`)
    .join("");

function drawAxes({ x, y, width, low, high, priceLimit }: Scales): void {
  const prices = ticks(0, priceLimit, Math.min(8, width / 70));
  const values = ticks(low, high, 5);
  const [left, right, bottom] = [margin.left, width - margin.right, HEIGHT - margin.bottom];
  const lines = [
    ...values.map((value) => `M${left} ${y(value)}H${right}`),
    ...prices.map((price) => `M${x(price)} ${margin.top}V${bottom}`),
  ];
  curve.grid.setAttribute("d", lines.join(""));
  curve.labels.replaceChildren(
    ...values.map((value) => label(amountText(value), [left - 6, y(value) + 4], "end")),
    ...prices.map((price) => label(amountText(price), [x(price), bottom + 16], "middle")),
    label("utility", [0, 12], "start"),
    label("price it says", [right, HEIGHT - 2], "end"),
  );
}

const outlines: Readonly<Record<string, string>> = {
  truth: "m-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0z",
  "best lie": "m0 -8l8 8l-8 8l-8 -8z",
  "this bid": "m-2 -8h4v6h6v4h-6v6h-4v-6h-6v-4h6z",
};

/** The truth has its label below and lies have theirs above, or the other way round; two lies in nearly the same place share one. */
const NEAR = { x: 70, y: 18 } as const;

function drawMarks({ best, truthful }: Landscape, { worker, bid, utility }: Marked, scales: Scales): void {
  const isTruth = ({ price, arrival }: Pick<Bid, "price" | "arrival">) =>
    price === worker.cost && arrival === worker.arrival;
  const at = (name: string, price: number, value: number) => ({
    name,
    x: scales.x(price),
    y: scales.y(value),
  });
  const truth = at("truth", worker.cost, truthful);
  const lies = [
    ...(isTruth(best) ? [] : [at("best lie", best.price, best.utility)]),
    ...(isTruth(bid) ? [] : [at("this bid", bid.price, utility)]),
  ];
  const [first, second] = lies;
  const joined = second && Math.abs(first!.x - second.x) < NEAR.x && Math.abs(first!.y - second.y) < NEAR.y;
  const low = truth.y > HEIGHT - margin.bottom - NEAR.y;
  const above = low || lies.some(({ x, y }) => Math.abs(x - truth.x) < 2 * NEAR.x && y > truth.y);
  const labelled = joined ? [{ ...second, name: "this bid, best lie" }] : lies;
  const named = ({ name, x, y }: typeof truth, down: number) =>
    x > 0.6 * scales.width ? label(name, [x - 7, y + down], "end") : label(name, [x + 7, y + down], "start");
  curve.marks.replaceChildren(
    ...[truth, ...lies].map(({ name, x, y }) =>
      shape("path", { d: `M${x} ${y}${outlines[name]}`, "data-mark": name }),
    ),
    named(truth, above ? -10 : 18),
    ...labelled.map((lie) => named(lie, above ? 18 : -10)),
  );
}

function label(text: string, [x, y]: readonly [number, number], anchor: string): SVGTextElement {
  const made = shape("text", { x, y, "text-anchor": anchor });
  made.textContent = text;
  return made;
}

const strip = find(".bench-map .strip");
const bars = {
  svg: shape("svg", { preserveAspectRatio: "none" }),
  chosen: path("chosen"),
  known: path("known"),
  late: path("late"),
};
const names = element("div", { class: "names" });
let ids: readonly number[] = [];
const titles = new Map<number, string>();

interface ShownGains {
  readonly gains: ReadonlyMap<number, Gain>;
  readonly workers: readonly Worker[];
  readonly chosen: number | null;
  /** Whether a worker's gain is of what is on the bench now. */
  known(id: number): boolean;
}

/** A bar for each worker, as high as its gain. */
export function showStrip({ gains, workers, chosen, known }: ShownGains): void {
  layStrip(workers.map(({ id }) => id).sort((a, b) => a - b));
  // Who gains without bound has the highest bar.
  const most = Math.max(
    ...ids.map((id) => gains.get(id)?.gain ?? 0).filter(Number.isFinite),
    Number.MIN_VALUE,
  );
  const drawn = { known: "", late: "", chosen: "" };
  titles.clear();
  for (const [k, id] of ids.entries()) {
    const gain = gains.get(id);
    titles.set(id, gain ? gainTitle(gain) : `worker ${id}`);
    if (id === chosen) drawn.chosen = `M${k} 0h1V100h-1z`;
    if (!gain || gain.gain <= 0) continue;
    const height = Math.round(1000 * Math.min(1, gain.gain / most)) / 10;
    drawn[known(id) ? "known" : "late"] += `M${k + 0.14} 100v-${height}h.72V100z`;
  }
  for (const part of ["chosen", "known", "late"] as const) bars[part].setAttribute("d", drawn[part]);
  for (const [k, name] of [...names.children].entries()) name.classList.toggle("chosen", ids[k] === chosen);
}

/** More ids than these do not fit below the bars. */
const NAMED = 12;

/** Anew where other workers are shown. */
function layStrip(now: readonly number[]): void {
  if (String(now) === String(ids)) return;
  ids = now;
  bars.svg.setAttribute("viewBox", `0 0 ${ids.length} 100`);
  bars.svg.replaceChildren(bars.chosen, bars.known, bars.late);
  names.replaceChildren(...(ids.length <= NAMED ? ids.map((id) => element("span", {}, String(id))) : []));
  strip.replaceChildren(bars.svg, names);
  strip.style.maxWidth = `${ids.length * 2.2}rem`;
}

function workerAt({ clientX }: MouseEvent): number | undefined {
  const { left, width: whole } = strip.getBoundingClientRect();
  return ids[Math.floor(((clientX - left) / whole) * ids.length)];
}

const gainTitle = ({ id, gain, priceGain, timeGain }: Gain): string =>
  gain > 0
    ? `worker ${id} can gain ${amountText(gain)} (by price alone ${amountText(priceGain)}, by time alone ${amountText(timeGain)})`
    : `worker ${id} cannot gain`;
