/** Colours of charts, light and dark. Specifications hold names such as "theme:ink"; a theme puts colours in their place. */

/** Okabe and Ito's colours, which people with any colour vision tell apart; yellow and black are left out. */
const light = {
  ink: "#1c1b19",
  soft: "#5d5a54",
  line: "#d8d4cb",
  paper: "#ffffff",
  one: "#0072b2",
  two: "#d55e00",
  three: "#009e73",
  four: "#aa4a84",
  five: "#b57800",
  six: "#3f8fc4",
  seven: "#6b6862",
  /** From nothing, which is nearly the paper, to much. */
  rampa: "#fbf4e8",
  rampb: "#fdd49e",
  rampc: "#fc8d59",
  rampd: "#d7301f",
  rampe: "#7f0000",
  /** From few to many, all of them readable on the paper. */
  ordera: "#472d7b",
  orderb: "#31688e",
  orderc: "#1f968b",
  orderd: "#3aae5c",
  ordere: "#9a9a00",
  /** One for each mechanism, in the whole report. */
  online: "#0072b2",
  fixedthreshold: "#d55e00",
  rrafl: "#009e73",
  proportionalshare: "#aa4a84",
  vanilla: "#7d7a73",
  bidgreedy: "#9a6a00",
  approximateoptimal: "#1c1b19",
  twostage: "#3f8fc4",
  multistage: "#7a5cb8",
  postedrounds: "#c02942",
  fallingprice: "#5a8500",
  roundauctions: "#b0189b",
  pruning: "#8a3b12",
  learnedprice: "#00807a",
  /** One for each regime. */
  sufficient: "#1a8a80",
  tight: "#d07a00",
  latestart: "#7b4fa3",
  /** One for each kind of lie. */
  price: "#2f6db5",
  time: "#c2578f",
  joint: "#3d3a35",
};

export type Theme = typeof light;

const dark: Theme = {
  ink: "#eceae4",
  soft: "#aaa69c",
  line: "#3d3c39",
  paper: "#171716",
  one: "#5ab4ec",
  two: "#f58a4b",
  three: "#3fc79c",
  four: "#dd92bd",
  five: "#e8b23c",
  six: "#9ad0f2",
  seven: "#b5b1a8",
  rampa: "#23201f",
  rampb: "#5c1d6b",
  rampc: "#b83a6e",
  rampd: "#f4793b",
  rampe: "#fbe28a",
  ordera: "#9d8be0",
  orderb: "#5f9fd8",
  orderc: "#3fc1b5",
  orderd: "#86d36a",
  ordere: "#f0e04a",
  online: "#5ab4ec",
  fixedthreshold: "#f58a4b",
  rrafl: "#3fc79c",
  proportionalshare: "#dd92bd",
  vanilla: "#a8a49b",
  bidgreedy: "#d9a93a",
  approximateoptimal: "#eceae4",
  twostage: "#9ad0f2",
  multistage: "#b7a1ea",
  postedrounds: "#f0748a",
  fallingprice: "#a4cc4e",
  roundauctions: "#f58ae6",
  pruning: "#e0956b",
  learnedprice: "#52d1c8",
  sufficient: "#48c4b8",
  tight: "#f3ab45",
  latestart: "#c09be6",
  price: "#79b0ee",
  time: "#eb96c1",
  joint: "#dcd8cf",
};

export const themes = { light, dark } as const;

export type ThemeName = keyof typeof themes;

/** A theme's colour by its name, as charts and their scales hold it. */
export const named = (name: keyof Theme): string => `theme:${name}`;

/** A specification whose black and white are those of the theme. */
export const withNamedColours = <Spec extends object>(spec: Spec): Spec =>
  JSON.parse(JSON.stringify(spec), (_, value) =>
    value === "black" ? named("ink") : value === "white" ? named("paper") : value,
  );

/** A compiled specification, as text, in a theme's colours. */
export function inTheme(specification: string, theme: Theme): string {
  return specification.replace(/theme:([a-z]+)/g, (text, name) => theme[name as keyof Theme] ?? text);
}

const ramp = (["rampa", "rampb", "rampc", "rampd", "rampe"] as const).map(named);

const order = (["ordera", "orderb", "orderc", "orderd", "ordere"] as const).map(named);

const font = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

const lettering = {
  labelFont: font,
  titleFont: font,
  labelColor: named("soft"),
  titleColor: named("ink"),
  labelFontSize: 12,
  titleFontSize: 12,
  titleFontWeight: 500,
} as const;

/** Vega-Lite's configuration of every chart. */
export const chartConfig = {
  // A figure's own label says what it shows; the marks' labels would be read one by one.
  aria: false,
  background: "transparent",
  font,
  padding: 4,
  view: { stroke: null },
  axis: {
    ...lettering,
    domainColor: named("line"),
    tickColor: named("line"),
    gridColor: named("line"),
    gridOpacity: 0.6,
    labelOverlap: true,
    titlePadding: 10,
  },
  axisY: { titleAlign: "left", titleAngle: 0, titleAnchor: "start", titleX: 0, titleY: -14 },
  axisXDiscrete: { labelAngle: 0 },
  axisQuantitative: { tickCount: 6 },
  legend: {
    ...lettering,
    orient: "top",
    titleOrient: "left",
    offset: 12,
    symbolType: "circle",
    gradientLength: 160,
    labelLimit: 220,
  },
  header: { ...lettering, labelFontSize: 13, labelColor: named("ink") },
  title: { font, color: named("ink"), anchor: "start", fontSize: 13, fontWeight: 500 },
  mark: { color: named("one"), tooltip: { content: "data" } },
  text: { color: named("ink"), font, fontSize: 12 },
  rule: { color: named("soft") },
  line: { strokeWidth: 2 },
  point: { filled: true, size: 55 },
  scale: { rectBandPaddingInner: 0.03 },
  area: { opacity: 0.2 },
  range: {
    category: (["one", "two", "three", "four", "five", "six", "seven"] as const).map(named),
    ramp: { scheme: ramp },
    heatmap: { scheme: ramp },
    ordinal: { scheme: order },
    diverging: { scheme: "blueorange" },
  },
} as const;
