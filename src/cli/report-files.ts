/** The files of a report: the page, the data, and a CSV for each table; or the charts alone. */

import { readFileSync } from "node:fs";
import { mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { plainError } from "../lib/errors.js";
import { parseJson } from "../lib/json.js";
import { chartSvg, payloadOf, sizeWarning } from "../report/charts.js";
import { chartOfFirstScreen, reportHtml } from "../report/html.js";
import { dataText, type Provenance, type ReportData, tablesOf } from "../report/result.js";
import { csvText } from "../report/tables.js";
import { lives } from "../study/lock.js";
import type { Sink } from "../study/row-files.js";
import { readText } from "./input.js";

interface Made {
  readonly files: readonly NewFile[];
  readonly warning: string | null;
}

interface Page {
  readonly page: string;
  readonly warning: string | null;
}

interface ReportRequest {
  readonly data: ReportData;
  readonly provenance: Provenance;
  readonly earlier: ReportData | null;
}

/** What `npm run build` has bundled for the page. */
const asset = (name: string): string => readFileSync(new URL(`../../page/${name}`, import.meta.url), "utf8");

/** The report as one HTML file, and a warning where it is large. */
export async function pageOf({ data, provenance, earlier }: ReportRequest): Promise<Page> {
  const first = chartOfFirstScreen(data);
  const picture = first && (await chartSvg(first.chart, first.tables));
  const payload = payloadOf(data, earlier);
  const assets = {
    script: asset("main.js"),
    style: asset("style.css"),
    benchWorker: asset("live-bench/worker.js"),
  };
  const page = reportHtml({ data, provenance, earlier, payload, picture, assets });
  return { page, warning: sizeWarning(page, payload) };
}

export async function pageAndData(request: ReportRequest): Promise<Made> {
  const { data } = request;
  const { page, warning } = await pageOf(request);
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
  return { files, warning };
}

export async function drawings({ analyses }: ReportData): Promise<Made> {
  const all = analyses.flatMap(({ name, result }) =>
    (result?.charts ?? []).map(async (chart) =>
      textFile(`${name}.${chart.name}.svg`, await chartSvg(chart, result?.tables ?? [])),
    ),
  );
  return { files: await Promise.all(all), warning: null };
}

interface NewFile {
  readonly name: string;
  /** Writes the content piece by piece; false if it was stopped, and there shall be no file. */
  readonly fill: (sink: Sink) => Promise<boolean>;
}

const textFile = (name: string, text: string): NewFile => ({
  name,
  fill: async (sink) => {
    await sink(text);
    return true;
  },
});

/** All are written beside their places first, and then moved there. */
export async function writeFiles(folder: string, files: readonly NewFile[]): Promise<void> {
  const disk: Disk = (work) => work.catch((error) => cannotWrite(folder, error));
  const begun = files.map(({ name }) => join(folder, `.${name}.${process.pid}@${hostname()}.part`));
  const whole: boolean[] = [];
  try {
    await disk(mkdir(folder, { recursive: true }));
    await disk(removeLeftovers(folder));
    for (const [k, file] of files.entries()) whole.push(await write(begun[k]!, file, disk));
    for (const [k, { name }] of files.entries())
      if (whole[k]) await disk(rename(begun[k]!, join(folder, name)));
  } finally {
    await Promise.all(begun.map((path) => rm(path, { force: true }).catch(() => {})));
  }
}

/** What a process began to write and was killed over. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const [, pid, host] = /^\..*\.(\d+)@(.+)\.part$/.exec(name) ?? [];
    if (pid === undefined || host !== hostname()) continue;
    if (Number(pid) === process.pid || !lives(Number(pid))) await rm(join(folder, name), { force: true });
  }
}

/** Whatever the disk refuses is said in one line. */
type Disk = <T>(work: Promise<T>) => Promise<T>;

function cannotWrite(folder: string, { code }: NodeJS.ErrnoException): never {
  throw plainError(folder, `cannot be written to (${code})`);
}

async function write(path: string, { fill }: NewFile, disk: Disk): Promise<boolean> {
  const file = await disk(open(path, "w"));
  try {
    return await fill((piece) => disk(file.writeFile(piece)));
  } finally {
    await disk(file.close());
  }
}

const list = z.array(z.unknown());
const tablesShape = z.object({ tables: z.array(z.object({ columns: list, rows: list })) });
const reportShape = z.object({
  candor: z.string(),
  analyses: z.array(z.object({ name: z.string(), result: tablesShape.nullable() })),
});

export async function readEarlier(path: string): Promise<ReportData> {
  const value = parseJson(await readText(path), path);
  if (reportShape.safeParse(value).success) return value as ReportData;
  throw plainError(path, "must be the data.json of a report");
}
