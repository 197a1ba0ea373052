/** What formulas are read with. `npm run build` bundles it, so that no package is installed for it. */

export { ceil, floor, mod, parse, round } from "mathjs/number";
