/** What esbuild makes for a report: the page, and what formulas, charts and Parquet files need. */

const shared = { bundle: true, minify: true, metafile: true, logLevel: "warning" };

export const page = {
  ...shared,
  entryPoints: ["main.ts", "live-bench/worker.ts", "style.css"].map((name) => `src/report/page/${name}`),
  format: "iife",
  target: "es2022",
  // A page has no address that its scripts were loaded from.
  define: { "import.meta.url": "undefined" },
  outdir: "dist/page",
};

export const libraries = {
  ...shared,
  entryPoints: ["src/lib/mathjs.ts", "src/report/charts.ts", "src/study/parquet.ts"],
  format: "esm",
  platform: "node",
  target: "node20",
  outbase: "src",
  outdir: "dist/src",
  allowOverwrite: true,
  external: ["canvas"],
};
