/** The live bench: the auction itself in the page, run again with every change. */

import { bidders } from "../../../market/market.js";
import { recordRun } from "../../../mechanisms/run-record.js";
import { traceText } from "../../../mechanisms/trace-text.js";
import { landscapeTable } from "../../landscape-chart.js";
import { type LiveChart, liveChart } from "../chart.js";
import { onResize } from "../charts.js";
import { landscape as landscapeSpec } from "../contents.js";
import { find, offerFile } from "../dom.js";
import { onFields, setFields } from "../hash.js";
import { onTheme } from "../theme-toggle.js";
import { control, listen, read, showBid, showMarket } from "./form.js";
import { type Landscape, markedRows, survey } from "./landscape.js";
import { outcomeTable } from "./outcome.js";
import { type Bench, benchOf } from "./state.js";
import { landscapeText, verdictText, whyText } from "./words.js";

const place = find(".bench-landscape .drawing");
const complaint = find(".bench-error");

/** What is known of the worker on the bench, whatever it says; worked out once. */
interface Known {
  readonly of: string;
  readonly landscape: Landscape;
}

let known: Known | null = null;
let now: Bench;
let rows: ReturnType<typeof markedRows> = [];
let chart: LiveChart | null = null;

export async function startBench(): Promise<void> {
  listen(() => attempt(false));
  onFields(() => attempt(true));
  for (const name of ["truth", "best"] as const) control(name).addEventListener("click", () => sayAs(name));
  control("market").addEventListener("click", () => offer("market.json", now.market));
  control("bids").addEventListener("click", () => offer("bids.json", [now.bid]));
  const tables = () => [{ name: landscapeTable, rows }];
  chart = await liveChart({ place, spec: landscapeSpec, tables });
  const redraw = () => void chart?.redraw();
  onTheme(redraw);
  onResize(redraw);
}

const offer = (name: string, value: unknown): void =>
  offerFile(name, `${JSON.stringify(value)}\n`, "application/json");

/** Runs what the address says; what is wrong with it is said in the bench. */
function attempt(market: boolean): void {
  try {
    now = benchOf(read);
    if (market) showMarket(now);
    run(now);
    complaint.hidden = true;
  } catch (error) {
    complaint.textContent = error instanceof Error ? error.message : String(error);
    complaint.hidden = false;
  }
}

function sayAs(whose: "truth" | "best"): void {
  const { worker } = now;
  const { best } = landscapeOf(now);
  const { price, arrival } = whose === "best" ? best : { price: worker.cost, arrival: worker.arrival };
  setFields({ price: String(price), arrival: String(arrival) });
  attempt(false);
}

function landscapeOf({ market, mechanism, worker }: Bench): Landscape {
  const of = JSON.stringify([market, mechanism.name, worker.id]);
  if (known?.of !== of) known = { of, landscape: survey({ market, mechanism, worker }) };
  return known.landscape;
}

function run(bench: Bench): void {
  const { market, mechanism, worker, bid } = bench;
  const landscape = landscapeOf(bench);
  const truth = recordRun({ market, mechanism, bids: [], traced: false });
  const lie = recordRun({ market, mechanism, bids: [bid], traced: true });
  const utility = lie.workers.find(({ id }) => id === worker.id)!.utility;
  showBid(bench, landscape);
  find(".bench .verdict").textContent = verdictText(bench, utility, landscape);
  find(".bench-why pre").textContent = whyText(bench);
  find(".bench-outcome .scroll").replaceChildren(outcomeTable({ market, truth, lie, worker: worker.id }));
  const known = { rules: market.rules, bidders: bidders(market.workers, [bid]) };
  find(".bench-trace pre").textContent = traceText(lie.trace ?? [], known);
  const words = landscapeText(bench, landscape);
  find(".bench-landscape .summary").textContent = words;
  place.setAttribute("aria-label", words);
  rows = markedRows(landscape, { worker, bid, utility });
  void chart?.refresh();
}
