/** Bundles the page of a report, and what formulas, charts and Parquet files need, with the licences of what is in them. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const shared = { bundle: true, minify: true, metafile: true, logLevel: "warning" };
const page = ["main.ts", "live-bench/worker.ts", "style.css"].map((name) => `src/report/page/${name}`);
const made = await Promise.all([
  build({ ...shared, entryPoints: page, format: "iife", target: "es2022", outdir: "dist/page" }),
  build({
    ...shared,
    entryPoints: ["src/lib/mathjs.ts", "src/report/charts.ts", "src/study/parquet.ts"],
    format: "esm",
    platform: "node",
    target: "node20",
    outbase: "src",
    outdir: "dist/src",
    allowOverwrite: true,
    external: ["canvas"],
  }),
]);

const inputs = made.flatMap(({ metafile }) => Object.keys(metafile.inputs));
const packages = [
  ...new Set(inputs.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [])),
];
writeFileSync("dist/THIRD-PARTY.txt", packages.sort().map(noticeOf).join("\n"));

function noticeOf(name) {
  const folder = join("node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = existsSync(folder) && readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(join(folder, file), "utf8").trim() : "";
  return `${name} ${version}, ${license}\n\n${text}\n`;
}
