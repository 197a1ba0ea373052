/** What charts are compiled and drawn with. `npm run build` bundles it, so that no package is installed for it. */

export { logger, None, parse, type Spec as VegaSpec, View } from "vega";
export { compile, type TopLevelSpec } from "vega-lite";
