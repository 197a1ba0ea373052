/** A search for counterexamples as text: what `hunt` prints for people. */

import { brief, counted, percent, table } from "../lib/format.js";
import { parseFraction } from "../lib/fraction.js";
import { regimes } from "../mechanisms/outcome.js";
import { KEPT } from "../verdicts/counterexamples/search.js";
import { amountWord, indented, marketLines, violationText } from "../verdicts/counterexamples/words.js";
import { claims } from "../verdicts/properties.js";
import type { HuntRecord } from "./hunt.js";

type Shown = NonNullable<HuntRecord["strong"]>;

export function huntText(record: HuntRecord): string {
  const parts = record.found ? foundText(record, record.found) : nothingText(record);
  if (record.stopped) parts.push(stoppedText(record));
  return `${parts.join("\n\n")}\n`;
}

function targetText({ property, regime, start, mechanism }: HuntRecord): string {
  const clause = { any: "", moved: ", lies that move the start", kept: ", lies that keep the start" }[start];
  return `${property} in regime ${regime}${clause}, mechanism ${mechanism}`;
}

const claimText = (property: HuntRecord["property"]): string =>
  `${claims[property].name}: ${claims[property].meaning}`;

function foundText(record: HuntRecord, found: NonNullable<HuntRecord["found"]>): string[] {
  const { searched, seed, smallest, strong, property } = record;
  const where =
    found.origin === "known"
      ? `in the one of ${counted(searched.known, "known market")} where it is largest`
      : `in market ${searched.markets} of seed ${seed}`;
  const size = counted(found.market.workers.length, "worker");
  const title = [
    `Broken: ${targetText(record)}`,
    `  ${claimText(property)}`,
    `  found ${where}, with ${size}: ${violationText(record.property, found)}`,
  ].join("\n");
  const parts = [
    title,
    [
      marketText("The smallest market found", record, smallest!),
      smallerText(record),
      ...provedText(record),
    ].join("\n"),
  ];
  if (!strong) return parts;
  const kept = `keeps at least ${100 * KEPT} % of the first ${amountWord(property)}, as a share of the budget`;
  if (JSON.stringify(strong.market) === JSON.stringify(smallest!.market))
    return [...parts, `It also ${kept}.`];
  return [...parts, marketText(`The smallest market found that ${kept}`, record, strong)];
}

/** How much the word "smallest" rests on. */
function smallerText({ searched, smallest, stopped }: HuntRecord): string {
  const drawn = `${counted(searched.smaller, "market")} drawn with fewer workers or rounds`;
  if (stopped || !smallest!.minimal) return `  Of ${drawn} so far, none breaks it.`;
  return `  No single step makes it smaller, and of ${drawn} none breaks it.`;
}

/** What is proved of its size, with its reputations and rules. */
function provedText({ property, smallest }: HuntRecord): string[] {
  const { proved, market, amount } = smallest!;
  if (proved === null) return [];
  const size = proved.smallest
    ? "  Proved: with these reputations and rules no market of fewer of these workers, or of fewer rounds, breaks it."
    : "  Proved: with these reputations and rules a market of fewer of these workers, or of fewer rounds, breaks it too.";
  const noun = amountWord(property);
  if (proved.worst === "unbounded") return [size, `  Proved: of this size the ${noun} has no bound.`];
  const worst = parseFraction(proved.worst).valueOf();
  const most = `${proved.worst} of the budget (${percent(worst)})`;
  const bound = proved.attained
    ? `the largest ${noun} is ${most}`
    : `the ${noun} stays below ${most}, however near it comes`;
  return [size, `  Proved: of this size ${bound}; here it is ${percent(amount / market.rules.budget)}.`];
}

function marketText(label: string, record: HuntRecord, shown: Shown): string {
  const sure = shown.certified ? "Certified in exact fractions." : "Found in floating point, not certified.";
  const start =
    shown.lie === null ? "" : shown.startMoved ? "; the lie moves the start" : "; the start stays";
  return [
    `${label}:`,
    marketLines(shown),
    `  ${capital(violationText(record.property, shown))}${start}. ${sure}`,
    `  market: ${JSON.stringify(shown.market)}`,
    `  replay: ${shown.replay}`,
  ].join("\n");
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function nothingText(record: HuntRecord): string[] {
  const { searched, seed, shareBound, regime } = record;
  const { markets, known, unconfirmed, byRegime } = searched;
  const tried = known === 0 ? "" : `, and ${counted(known, "known one")}`;
  const lines = [
    `Nothing found: ${targetText(record)}`,
    `  ${claimText(record.property)}`,
    `  searched ${counted(markets, "market")} of seed ${seed}${tried}`,
  ];
  if (unconfirmed > 0)
    lines.push(`  not counted: ${counted(unconfirmed, "market")} where rounding alone breaks it`);
  const parts = [lines.join("\n"), indented(searchedTable(searched))];
  if (shareBound !== null)
    parts.push(
      `With 95 % confidence, at most ${brief(100 * shareBound)} % of such markets with a worker in regime ${regime} ` +
        `break it\n(rule of three: 3 / ${byRegime[regime].markets}).`,
    );
  else if (byRegime[regime].markets > 0)
    parts.push(
      "No exact method is known for this mechanism: the search can miss a break in every market, so that\n" +
        "nothing found bounds no share of markets.",
    );
  return parts;
}

const searchedTable = ({ byRegime }: HuntRecord["searched"]): string =>
  table([
    { head: "regime", cells: regimes.map((regime) => regime) },
    { head: "markets", cells: regimes.map((regime) => String(byRegime[regime].markets)) },
    { head: "workers", cells: regimes.map((regime) => String(byRegime[regime].workers)) },
  ]);

const stoppedText = ({ found }: HuntRecord): string =>
  found
    ? "Stopped before the search for smaller markets was done."
    : "Stopped before all markets were drawn.";
