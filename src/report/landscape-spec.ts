/** The chart of the live bench: what every price would bring a worker. */

/** Rows: what = piece (price, price2, utility, utility2, arrival) or point; truth, best lie, bid (price, utility). */
export const landscapeTable = "landscape";

const only = (...whats: string[]) => ({ filter: { field: "what", oneOf: whats } });

const x = { field: "price", type: "quantitative", title: "price said" } as const;
const y = { field: "utility", type: "quantitative", title: "utility" } as const;

const colour = {
  field: "arrival",
  type: "ordinal",
  title: "arrival said",
} as const;

/** The arrival of the bid stands out. */
const opacity = { condition: { test: "datum.current", value: 1 }, value: 0.35 } as const;

const shape = {
  field: "what",
  type: "nominal",
  title: null,
  legend: { orient: "bottom" },
  scale: { domain: ["truth", "best lie", "bid"], range: ["circle", "diamond", "cross"] },
} as const;

const tooltip = [
  { field: "what", type: "nominal", title: "what" },
  { field: "price", type: "quantitative", title: "price", format: ".5~g" },
  { field: "utility", type: "quantitative", title: "utility", format: ".5~g" },
  { field: "arrival", type: "ordinal", title: "arrival" },
] as const;

/** Utility against price, a line per arrival, with the truth, the best lie and the bid marked. */
export const landscapeSpec = {
  height: 320,
  layer: [
    {
      transform: [only("piece")],
      mark: { type: "rule", strokeWidth: 2.5, strokeCap: "butt" },
      encoding: { x, x2: { field: "price2" }, y, y2: { field: "utility2" }, color: colour, opacity, tooltip },
    },
    {
      transform: [only("point")],
      mark: { type: "point", size: 18, filled: true },
      encoding: { x, y, color: colour, opacity, tooltip },
    },
    {
      transform: [only("truth")],
      mark: { type: "rule", strokeDash: [3, 4], color: "theme:soft" },
      encoding: { y, tooltip },
    },
    {
      transform: [only("truth", "best lie", "bid")],
      mark: {
        type: "point",
        filled: true,
        size: 170,
        color: "theme:ink",
        stroke: "theme:paper",
        strokeWidth: 1.5,
      },
      encoding: { x, y, shape, tooltip },
    },
  ],
};
