/** The live bench: the auction itself in the page, run again with every change. */

import { bidders } from "../../../market/market.js";
import { recordRun } from "../../../mechanisms/outcome.js";
import { traceText } from "../../../mechanisms/trace.js";
import { landscapeTable } from "../../live-bench.js";
import { amountText } from "../../tables.js";
import { type LiveChart, liveChart, onResize } from "../charts.js";
import { fields, go, onFields, onTheme, setFields } from "../choices.js";
import { landscape as landscapeSpec } from "../contents.js";
import { element, find, offerFile } from "../dom.js";
import { computeLandscape, type Landscape, markedRows } from "./landscape.js";
import { landscapeText, outcomeTable, verdictText, whyText } from "./outcome.js";
import { type BenchState, benchState, DRAWN, drawFields, type Get, gainsOf } from "./state.js";

const section = find(".bench");
const drawing = find(".bench-landscape .drawing");
const errorLine = find(".bench-error");

/** What is known of the worker on the bench, whatever it says; worked out once. */
interface KnownLandscape {
  readonly of: string;
  readonly landscape: Landscape;
}

let knownLandscape: KnownLandscape | null = null;
let now: BenchState;
let rows: ReturnType<typeof markedRows> = [];
let chart: LiveChart | null = null;

export async function startBench(): Promise<void> {
  listen(() => update(false));
  onFields(() => update(true));
  for (const name of ["truth", "best"] as const) control(name).addEventListener("click", () => bidAs(name));
  control("market").addEventListener("click", () => offer("market.json", now.market));
  control("bids").addEventListener("click", () => offer("bids.json", [now.bid]));
  const tables = () => [{ name: landscapeTable, rows }];
  chart = await liveChart({ place: drawing, spec: landscapeSpec, tables });
  const redraw = () => void chart?.redraw();
  onTheme(redraw);
  onResize(redraw);
}

const offer = (name: string, value: unknown): void =>
  offerFile(name, `${JSON.stringify(value)}\n`, "application/json");

/** Runs what the address says; what is wrong with it is said in the bench. */
function update(market: boolean): void {
  try {
    now = benchState(read);
    if (market) showMarket(now);
    run(now);
    errorLine.hidden = true;
  } catch (error) {
    errorLine.textContent = error instanceof Error ? error.message : String(error);
    errorLine.hidden = false;
  }
}

function bidAs(whose: "truth" | "best"): void {
  const { worker } = now;
  const { best } = landscapeOf(now);
  const { price, arrival } = whose === "best" ? best : { price: worker.cost, arrival: worker.arrival };
  setFields({ price: String(price), arrival: String(arrival) });
  update(false);
}

function landscapeOf({ market, mechanism, worker }: BenchState): Landscape {
  const of = JSON.stringify([market, mechanism.name, worker.id]);
  if (knownLandscape?.of !== of)
    knownLandscape = { of, landscape: computeLandscape({ market, mechanism, worker }) };
  return knownLandscape.landscape;
}

function run(bench: BenchState): void {
  const { market, mechanism, worker, bid } = bench;
  const landscape = landscapeOf(bench);
  const truth = recordRun({ market, mechanism, bids: [], traced: false });
  const lie = recordRun({ market, mechanism, bids: [bid], traced: true });
  const utility = lie.workers.find(({ id }) => id === worker.id)!.utility;
  showBid(bench, landscape);
  find(".bench .verdict").textContent = verdictText(bench, utility, landscape);
  find(".bench-why pre").textContent = whyText(bench);
  find(".bench-outcome .scroll").replaceChildren(outcomeTable({ market, truth, lie, worker: worker.id }));
  const context = { rules: market.rules, bidders: bidders(market.workers, [bid]) };
  find(".bench-trace pre").textContent = traceText(lie.trace ?? [], context);
  const words = landscapeText(bench, landscape);
  find(".bench-landscape .summary").textContent = words;
  drawing.setAttribute("aria-label", words);
  rows = markedRows(landscape, { worker, bid, utility });
  void chart?.refresh();
}

/** A control of the bench; they show what is on it, and change the page's address. */
const control = <Kind extends HTMLElement = HTMLInputElement>(name: string): Kind =>
  find<Kind>(`[name="${name}"]`, section);

/** From the address; an address with something to draw means a drawn market. */
const read: Get = (name) => {
  const said = fields();
  const value = said.get(name);
  if (value !== null) return value;
  if (name === "exhibit") return drawFields.some((field) => said.has(field)) ? DRAWN : "";
  return drawFields.some((field) => field === name) ? control(name).dataset.draw! : "";
};

const nobody = { worker: null, price: null, arrival: null };

/** `change` is called after the address has changed. */
function listen(change: () => void): void {
  const exhibit = control("exhibit");
  exhibit.addEventListener("change", () =>
    go({ ...nobody, ...nothingDrawn(), exhibit: exhibit.value, at: null }),
  );
  for (const name of drawFields)
    control(name).addEventListener("change", () =>
      go({ ...nobody, exhibit: DRAWN, [name]: control(name).value, at: null }),
    );
  control("auction").addEventListener("change", () => go({ auction: control("auction").value, at: null }));
  control("worker").addEventListener("change", () =>
    go({ ...nobody, worker: control("worker").value, at: null }),
  );
  const say = (name: string, from: string) =>
    control(from).addEventListener("input", () => {
      setFields({ [name]: control(from).value, at: null });
      change();
    });
  say("price", "price");
  say("price", "price-exact");
  say("arrival", "arrival");
  find("form", section).addEventListener("submit", (event) => event.preventDefault());
}

const nothingDrawn = (): Record<string, null> => Object.fromEntries(drawFields.map((name) => [name, null]));

/** Shows the market and its workers. */
function showMarket({ market, exhibit, mechanism, worker }: BenchState): void {
  const picked = control<HTMLSelectElement>("exhibit");
  picked.value = exhibit ? pathOf(picked, exhibit.title, read("exhibit")) : DRAWN;
  for (const name of drawFields) {
    control(name).value = read(name);
    control(name).closest("label")!.hidden = exhibit !== null;
  }
  control<HTMLSelectElement>("auction").value = mechanism.name;
  const gains = gainsOf(market, mechanism);
  const options = market.workers.map(({ id, reputation, cost, arrival }) => {
    const type = `reputation ${amountText(reputation)}, cost ${amountText(cost)}, arrival ${arrival}`;
    const gain = gains.get(id) ?? 0;
    const can = gain > 0 ? ` – can gain ${amountText(gain)}` : "";
    return element("option", { value: String(id) }, `${id}: ${type}${can}`);
  });
  control<HTMLSelectElement>("worker").replaceChildren(...options);
  control("worker").value = String(worker.id);
}

/** The address's own words, or the option with the exhibit's title where the address says nothing. */
const pathOf = (picked: HTMLSelectElement, title: string, said: string): string =>
  said !== "" ? said : ([...picked.options].find(({ text }) => text === title)?.value ?? "");

/** Shows the bid, and how far it can go. */
function showBid({ market, worker, bid }: BenchState, { priceLimit }: Landscape): void {
  const [price, exact, arrival] = [control("price"), control("price-exact"), control("arrival")];
  price.max = String(Math.max(priceLimit, bid.price));
  price.value = String(bid.price);
  if (document.activeElement !== exact) exact.value = String(bid.price);
  arrival.min = String(worker.arrival);
  arrival.max = String(market.rules.rounds);
  arrival.disabled = worker.arrival === market.rules.rounds;
  arrival.value = String(bid.arrival);
  control<HTMLOutputElement>("price-text").value =
    `${amountText(bid.price)} (cost ${amountText(worker.cost)})`;
  control<HTMLOutputElement>("arrival-text").value = `${bid.arrival} (truly ${worker.arrival})`;
}
