/** The files of a report: the page, the data, and a CSV for each table; or the charts alone. */

import { readFileSync } from "node:fs";
import { chartSvg, payloadOf, sizeWarning } from "../report/charts.js";
import { chartOfFirstScreen, reportHtml } from "../report/html.js";
import { dataText, type Provenance, type ReportData, tablesOf } from "../report/result.js";
import { csvText } from "../report/tables.js";
import { type NewFile, textFile } from "./write-files.js";

export interface Made {
  readonly files: readonly NewFile[];
  readonly warning: string | null;
}

export interface ReportRequest {
  readonly data: ReportData;
  readonly provenance: Provenance;
  readonly earlier: ReportData | null;
}

/** What `npm run build` has bundled for the page. */
const asset = (name: string): string => readFileSync(new URL(`../../page/${name}`, import.meta.url), "utf8");

export async function pageAndData({ data, provenance, earlier }: ReportRequest): Promise<Made> {
  const first = chartOfFirstScreen(data);
  const picture = first && (await chartSvg(first.chart, first.tables));
  const payload = payloadOf(data, earlier);
  const assets = {
    script: asset("main.js"),
    style: asset("style.css"),
    benchWorker: asset("live-bench/worker.js"),
  };
  const page = reportHtml({ data, provenance, earlier, payload, picture, assets });
  const tables = tablesOf(data).map(({ analysis, table }) =>
    textFile(`${analysis}.${table.name}.csv`, csvText(table)),
  );
  const measured = data.analyses.some(({ timed }) => timed)
    ? [textFile("measured.json", dataText(data, "measured"))]
    : [];
  const files = [
    textFile("report.html", page),
    textFile("data.json", dataText(data)),
    ...measured,
    ...tables,
  ];
  return { files, warning: sizeWarning(page, payload) };
}

export async function drawings({ analyses }: ReportData): Promise<Made> {
  const all = analyses.flatMap(({ name, result }) =>
    (result?.charts ?? []).map(async (chart) =>
      textFile(`${name}.${chart.name}.svg`, await chartSvg(chart, result?.tables ?? [])),
    ),
  );
  return { files: await Promise.all(all), warning: null };
}
