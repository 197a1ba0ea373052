/** The two pictures of the live bench: what every price would bring a worker, and who can gain. */

import type { Bid, Worker } from "../../../market/market.js";
import { landscapeTable } from "../../landscape-spec.js";
import type { Row } from "../../result.js";
import { amountText } from "../../tables.js";
import { type LiveChart, liveChart, onResize } from "../charts.js";
import { onTheme } from "../choices.js";
import { landscape as landscapeSpec } from "../contents.js";
import { element, find } from "../dom.js";
import { type Gain, type Landscape, utilityOf } from "./answers.js";
import { landscapeText, type Told } from "./words.js";

const drawing = find(".bench-landscape .drawing");
const strip = find(".bench-map .strip");

let chart: LiveChart | null = null;
let rows: readonly Row[] = [];
let drawn: Promise<void> | null = null;
let outdated = false;

/** Draws the landscape with what is known now; while it is being drawn, later calls are taken together. */
export async function showLandscape(told: Told, landscape: Landscape): Promise<void> {
  const words = landscapeText(told, landscape);
  find(".bench-landscape .summary").textContent = words;
  drawing.setAttribute("aria-label", words);
  const { worker, bid, outcome } = told;
  rows = markedRows(landscape, { worker, bid, utility: utilityOf(outcome.said, worker.id) });
  outdated = true;
  drawn ??= draw().finally(() => {
    drawn = null;
  });
  await drawn;
}

async function draw(): Promise<void> {
  while (outdated) {
    outdated = false;
    if (chart) await chart.refresh();
    else chart = await firstChart();
  }
}

async function firstChart(): Promise<LiveChart> {
  const made = await liveChart({
    place: drawing,
    spec: landscapeSpec,
    tables: () => [{ name: landscapeTable, rows }],
  });
  const redraw = () => void made.redraw();
  onTheme(redraw);
  onResize(redraw);
  return made;
}

interface Marked {
  readonly worker: Worker;
  readonly bid: Bid;
  /** What the bid brings. */
  readonly utility: number;
}

/** The landscape with the truth, the best lie and the bid on it. */
function markedRows({ rows, best, truthful }: Landscape, { worker, bid, utility }: Marked): Row[] {
  const point = (what: string, price: number, arrival: number, value: number): Row => ({
    what,
    price,
    arrival,
    utility: value,
  });
  return [
    ...rows.map((row) => ({ ...row, current: row.arrival === bid.arrival })),
    point("truth", worker.cost, worker.arrival, truthful),
    point("best lie", best.price, best.arrival, best.utility),
    point("bid", bid.price, bid.arrival, utility),
  ];
}

export interface ShownGains {
  readonly gains: ReadonlyMap<number, Gain>;
  readonly workers: readonly Worker[];
  readonly chosen: number | null;
  /** Whether a worker's gain is of what is on the bench now. */
  known(id: number): boolean;
}

/** Pixels that an id below a bar takes. */
const ID_WIDTH = 24;

/** A bar for each worker, as high as its gain. */
export function showStrip({ gains, workers, chosen, known }: ShownGains): void {
  const ids = workers.map(({ id }) => id).sort((a, b) => a - b);
  if (strip.childElementCount !== ids.length)
    strip.replaceChildren(...ids.map(() => element("span", {}, element("i"))));
  strip.classList.toggle("named", ids.length * ID_WIDTH <= strip.clientWidth);
  const most = Math.max(...ids.map((id) => gains.get(id)?.gain ?? 0), Number.MIN_VALUE);
  for (const [k, id] of ids.entries()) {
    const bar = strip.children[k] as HTMLElement;
    const gain = gains.get(id);
    bar.dataset.worker = String(id);
    bar.className = [id === chosen ? "chosen" : "", known(id) ? "" : "late"].join(" ").trim();
    bar.title = gain ? gainTitle(gain) : `worker ${id}`;
    (bar.firstElementChild as HTMLElement).style.height = `${(100 * Math.max(0, gain?.gain ?? 0)) / most}%`;
  }
}

const gainTitle = ({ id, gain, priceGain, timeGain }: Gain): string =>
  gain > 0
    ? `worker ${id} can gain ${amountText(gain)} (by price alone ${amountText(priceGain)}, by time alone ${amountText(timeGain)})`
    : `worker ${id} cannot gain`;

export function onBar(choose: (worker: number) => void): void {
  strip.addEventListener("click", ({ target }) => {
    const bar = (target as Element).closest<HTMLElement>("[data-worker]");
    if (bar) choose(Number(bar.dataset.worker));
  });
}
