/** Makes the bundles, with the licences of what is in them: the page's for the report, all for the package. */

import { readFileSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { libraries, page } from "./bundles.mjs";
import { noticesOf, RULE } from "./notices.mjs";

const [ofPage, ofLibraries] = (await Promise.all([build(page), build(libraries)])).map(
  ({ metafile }) => metafile,
);
const own = `candor (MIT)\n\n${readFileSync("LICENSE", "utf8").trim()}\n`;
writeFileSync("dist/page/licences.txt", own + RULE + noticesOf([ofPage]));
writeFileSync("dist/THIRD-PARTY.txt", noticesOf([ofPage, ofLibraries]));
