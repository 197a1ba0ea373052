/** The charts of landscapes. */

import { capital, threeDigits } from "../../src/lib/format.js";
import type { Chart } from "../../src/report/result.js";
import type { Outline } from "../shared/gains/utility-curve.js";
import { inWords, type View } from "./views.js";

const only = (...whats: string[]) => ({ filter: { field: "what", oneOf: whats } });

const shape = {
  field: "what",
  type: "nominal",
  title: null,
  scale: { domain: ["truth", "best lie"], range: ["circle", "diamond"] },
};

/** Black within white is seen on any ground. */
const marked = {
  type: "point",
  filled: true,
  size: 140,
  opacity: 1,
  color: "black",
  stroke: "white",
  strokeWidth: 1.5,
};

const tooltip = [
  { field: "what", title: "What" },
  { field: "arrival", title: "Arrival said" },
  { field: "price", title: "Price said from", format: ".4~g" },
  { field: "price2", title: "to", format: ".4~g" },
  { field: "utility", title: "Utility", format: ".4~g" },
  { field: "more", title: "More than the truth", format: ".4~g" },
];

const priceAxis = ({ top }: Outline) => ({
  field: "price",
  type: "quantitative",
  title: "price said",
  scale: { domain: [0, Number(top.toPrecision(3))], nice: false, zero: true },
});

const titleOf = ({ regime, worker }: View): string => `${capital(regime)}: worker ${worker.id}`;

export function lineChart(view: View): Chart {
  const { key, outline, worker } = view;
  const x = priceAxis(outline);
  const y = { field: "utility", type: "quantitative", title: "utility" };
  const color = { field: "arrival", type: "ordinal", title: "arrival said" };
  const strokeWidth = { condition: { test: `datum.arrival === ${worker.arrival}`, value: 5 }, value: 2 };
  return {
    name: `lines-${key}`,
    title: `${titleOf(view)}, utility against price, a line per arrival`,
    table: `outline-${key}`,
    spec: {
      layer: [
        {
          transform: [only("piece")],
          mark: { type: "rule", clip: true },
          encoding: { x, x2: { field: "price2" }, y, y2: { field: "utility2" }, color, strokeWidth, tooltip },
        },
        {
          transform: [only("single price")],
          mark: { type: "point", filled: true, size: 14, clip: true },
          encoding: { x, y, color, tooltip },
        },
        { transform: [only("truth")], mark: { type: "rule", strokeDash: [3, 4] }, encoding: { y } },
        {
          transform: [only("truth", "best lie")],
          mark: marked,
          encoding: { x, y, shape, tooltip },
        },
      ],
    },
    summary: inWords(view),
    howToRead: `${outline.exact ? "Exact: each stretch is a straight piece, and a jump is a price at which a decision changes." : "Sampled: between two prices tried, anything may happen."} The true cost is ${threeDigits(worker.cost)}; the dashed line is what the truth brings, the thick ones are at the true arrival.`,
  };
}

export function heatChart(view: View): Chart {
  const { key, outline, response } = view;
  const [less, more] = [Math.max(response.truthful, response.gain, 0.01), Math.max(response.gain, 0.01)];
  const domain = [-less, response.gain > 0 ? more : less].map((end) => Number(end.toPrecision(3)));
  const x = priceAxis(outline);
  const y = { field: "arrival", type: "ordinal", title: "arrival said" };
  const color = {
    field: "more",
    type: "quantitative",
    title: "more than truth",
    scale: { domain, domainMid: 0, clamp: true },
  };
  return {
    name: `heat-${key}`,
    title: `${titleOf(view)}, price × arrival`,
    table: `outline-${key}`,
    spec: {
      height: { step: 26 },
      layer: [
        {
          transform: [only("piece")],
          mark: { type: "rect", clip: true },
          encoding: { x, x2: { field: "price2" }, y, color, tooltip },
        },
        {
          transform: [only("truth", "best lie")],
          mark: marked,
          encoding: { x, y, shape, tooltip },
        },
      ],
    },
    summary: inWords(view),
    howToRead: `Colour: utility less that of the truth; losses beyond ${threeDigits(less)} look the same. Pieces of a single price are too narrow to be seen here.`,
  };
}
