/** The tables of landscapes. */

import { rounded } from "../../src/lib/format.js";
import { near } from "../../src/lib/tolerance.js";
import type { Bid } from "../../src/market/market.js";
import type { Column, Row, Table } from "../../src/report/result.js";
import { type Segment, strips } from "../shared/gains/utility-curve.js";
import type { View } from "./views.js";

const chosenColumns: readonly Column[] = [
  { name: "regime", label: "Regime", kind: "text" },
  { name: "ratio", label: "Relative budget", kind: "amount" },
  { name: "worker", label: "Worker", kind: "count" },
  { name: "reputation", label: "Reputation", kind: "amount" },
  { name: "cost", label: "Cost of a round", kind: "amount" },
  { name: "arrival", label: "Arrival", kind: "count" },
  { name: "truthful", label: "Utility of the truth", kind: "amount" },
  { name: "gain", label: "Gain of the best lie", kind: "amount" },
  { name: "bestPrice", label: "Its price", kind: "amount" },
  { name: "bestArrival", label: "Its arrival", kind: "count" },
  { name: "kind", label: "Kind of lie", kind: "text" },
  { name: "segments", label: "Pieces in sight", kind: "count" },
  { name: "witness", label: "Witness", kind: "text" },
];

export function chosenTable(views: readonly View[]): Table {
  return {
    name: "chosen",
    title: "The workers looked at",
    columns: chosenColumns,
    rows: views.map(({ regime, ratio, worker, response, lie, kind, outline, key }) => ({
      regime,
      ratio,
      worker: worker.id,
      reputation: worker.reputation,
      cost: worker.cost,
      arrival: worker.arrival,
      truthful: rounded(response.truthful),
      gain: rounded(response.gain),
      bestPrice: rounded(lie.price),
      bestArrival: lie.arrival,
      kind,
      segments: outline.segments.length,
      witness: key,
    })),
  };
}

const STRIPS = 8;

const outlineColumns: readonly Column[] = [
  { name: "what", label: "What", kind: "text" },
  { name: "arrival", label: "Arrival said", kind: "count" },
  { name: "price", label: "Price said from", kind: "amount" },
  { name: "price2", label: "to", kind: "amount" },
  { name: "utility", label: "Utility from", kind: "amount" },
  { name: "utility2", label: "to", kind: "amount" },
  { name: "more", label: "More than the truth brings", kind: "amount" },
];

export function outlineTable(view: View): Table {
  const { outline, response, worker, lie, key, regime } = view;
  const { truthful, gain, best } = response;
  const point = (what: string, { price, arrival }: Pick<Bid, "price" | "arrival">, utility: number): Row =>
    segmentRow(what, { arrival, price, price2: price, utility, utility2: utility }, truthful);
  const segments = outline.segments.flatMap((segment) => strips(segment, STRIPS));
  const kindOf = ({ price, price2 }: Segment) => (price === price2 ? "single price" : "piece");
  return {
    name: `outline-${key}`,
    title: `Utility of worker ${worker.id}, ${regime}: from price to price`,
    columns: outlineColumns,
    rows: [
      ...segments.map((segment) => segmentRow(kindOf(segment), segment, truthful)),
      point("truth", { price: worker.cost, arrival: worker.arrival }, truthful),
      ...(gain > 0 ? [point("best lie", lie, best.utility)] : []),
    ],
  };
}

function segmentRow(what: string, segment: Segment, truthful: number): Row {
  const { arrival, price, price2, utility, utility2 } = segment;
  const middle = (utility + utility2) / 2;
  const rise = near(middle, truthful) ? 0 : middle - truthful;
  return {
    what,
    arrival,
    price: rounded(price),
    price2: rounded(price2),
    utility: rounded(utility),
    utility2: rounded(utility2),
    more: rounded(rise),
  };
}
