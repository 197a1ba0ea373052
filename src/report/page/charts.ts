/** All charts of the report: they follow the choice, the theme and the width of the window. */

import { chosenRows } from "../facets.js";
import { type LiveChart, liveChart } from "./chart.js";
import { choice, onChoice } from "./choice.js";
import { type Content, contentOf, exhibitIn } from "./contents.js";
import { element, findAll, offerFile } from "./dom.js";
import { go } from "./hash.js";
import { onTheme } from "./theme-toggle.js";

interface Placed {
  readonly chart: LiveChart;
  readonly place: HTMLElement;
}

/** Draws every chart in turn, and lets the page breathe between two. */
export async function drawCharts(): Promise<void> {
  const placed: Placed[] = [];
  const all = (act: (chart: LiveChart) => Promise<void>) => () => {
    for (const { chart } of placed) void act(chart);
  };
  onChoice(all((chart) => chart.refresh()));
  onTheme(all((chart) => chart.redraw()));
  onResize(all((chart) => chart.redraw()));
  for (const place of findAll(".drawing[data-chart]")) {
    const chart = await drawChart(place);
    placed.push({ chart, place });
    await new Promise((resolve) => setTimeout(resolve));
  }
  offerDrawings(placed);
}

async function drawChart(place: HTMLElement): Promise<LiveChart> {
  const content = contentOf(place);
  const { spec, table } = content.charts.get(place.dataset.chart!)!;
  let earlier = false;
  const tables = () =>
    [...content.tables.values()].map((now) => {
      const shown = (earlier ? content.earlier.get(now.name) : undefined) ?? now;
      return { ...shown, rows: chosenRows(shown, choice()) };
    });
  const chart = await liveChart({ place, spec, tables, click: exhibitClick(content) });
  if (content.earlier.has(table))
    place.after(
      earlierSwitch((chosen) => {
        earlier = chosen;
        void chart.refresh();
      }),
    );
  return chart;
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

function offerDrawings(placed: readonly Placed[]): void {
  for (const button of findAll<HTMLButtonElement>("button[data-svg]")) {
    const drawing = button.closest("figure")?.querySelector(".drawing");
    const found = placed.find(({ place }) => place === drawing);
    const name = `${button.dataset.of}.${button.dataset.svg}.svg`;
    button.addEventListener("click", async () => {
      if (found) offerFile(name, await found.chart.svg(), "image/svg+xml");
    });
  }
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
