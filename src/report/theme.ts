/** Colours of charts, light and dark. Specifications hold names such as "theme:ink"; a theme puts colours in their place. */

/** Light and dark. Okabe and Ito's colours, which people with any colour vision tell apart; yellow and black are left out. */
const colours = {
  ink: ["#1c1b19", "#eceae4"],
  soft: ["#5d5a54", "#aaa69c"],
  line: ["#d8d4cb", "#3d3c39"],
  paper: ["#ffffff", "#171716"],
  one: ["#0072b2", "#5ab4ec"],
  two: ["#d55e00", "#f58a4b"],
  three: ["#009e73", "#3fc79c"],
  four: ["#aa4a84", "#dd92bd"],
  five: ["#b57800", "#e8b23c"],
  six: ["#3f8fc4", "#9ad0f2"],
  seven: ["#6b6862", "#b5b1a8"],
  /** From nothing, which is nearly the paper, to much. */
  rampa: ["#fbf4e8", "#23201f"],
  rampb: ["#fdd49e", "#5c1d6b"],
  rampc: ["#fc8d59", "#b83a6e"],
  rampd: ["#d7301f", "#f4793b"],
  rampe: ["#7f0000", "#fbe28a"],
  /** From few to many, all of them readable on the paper. */
  ordera: ["#472d7b", "#9d8be0"],
  orderb: ["#31688e", "#5f9fd8"],
  orderc: ["#1f968b", "#3fc1b5"],
  orderd: ["#3aae5c", "#86d36a"],
  ordere: ["#9a9a00", "#f0e04a"],
  /** One for each mechanism, in the whole report. */
  online: ["#0072b2", "#5ab4ec"],
  fixedthreshold: ["#d55e00", "#f58a4b"],
  rrafl: ["#009e73", "#3fc79c"],
  proportionalshare: ["#aa4a84", "#dd92bd"],
  vanilla: ["#7d7a73", "#a8a49b"],
  bidgreedy: ["#9a6a00", "#d9a93a"],
  approximateoptimal: ["#1c1b19", "#eceae4"],
  twostage: ["#3f8fc4", "#9ad0f2"],
  multistage: ["#7a5cb8", "#b7a1ea"],
  postedrounds: ["#c02942", "#f0748a"],
  fallingprice: ["#5a8500", "#a4cc4e"],
  roundauctions: ["#b0189b", "#f58ae6"],
  pruning: ["#8a3b12", "#e0956b"],
  learnedprice: ["#00807a", "#52d1c8"],
  /** One for each regime. */
  sufficient: ["#1a8a80", "#48c4b8"],
  tight: ["#d07a00", "#f3ab45"],
  latestart: ["#7b4fa3", "#c09be6"],
  lateandtight: ["#a33b5a", "#e58aa5"],
  /** One for each kind of lie. */
  price: ["#2f6db5", "#79b0ee"],
  time: ["#c2578f", "#eb96c1"],
  joint: ["#3d3a35", "#dcd8cf"],
} as const;

type ColourName = keyof typeof colours;

export type Theme = Readonly<Record<ColourName, string>>;

const themeAt = (place: 0 | 1): Theme =>
  Object.fromEntries(Object.entries(colours).map(([name, both]) => [name, both[place]])) as Theme;

export const themes = { light: themeAt(0), dark: themeAt(1) };

export type ThemeName = keyof typeof themes;

/** A theme's colour by its name, as charts and their scales hold it. */
export const named = (name: ColourName): string => `theme:${name}`;

/** A specification whose black and white are those of the theme. */
export const withNamedColours = <Spec extends object>(spec: Spec): Spec =>
  JSON.parse(JSON.stringify(spec), (_, value) =>
    value === "black" ? named("ink") : value === "white" ? named("paper") : value,
  );

/** A compiled specification, as text, in a theme's colours. */
export function inTheme(specification: string, theme: Theme): string {
  return specification.replace(/theme:([a-z]+)/g, (text, name) => theme[name as ColourName] ?? text);
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
  // Numbers of axes and tooltips as in sentences: "20 %" with a space that does not break.
  locale: {
    number: {
      decimal: ".",
      thousands: ",",
      grouping: [3],
      currency: ["", ""],
      percent: "\u00a0%",
      minus: "−",
    },
  },
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
