/** The report is tested in a real browser. */

import { ensure } from "./debian.mjs";

ensure({
  path: process.env.CHROMIUM ?? "/usr/bin/chromium",
  package: "chromium",
  why: "the report",
  otherwise: ", or set CHROMIUM to where it is",
  mayInstall: process.env.CHROMIUM === undefined,
});
