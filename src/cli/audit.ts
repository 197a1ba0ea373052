/** `candor audit`: every property of a mechanism, the smallest counterexamples, and what the publisher gets. */

import { brief, columnOf, counted, percent, table, wrapped } from "../lib/format.js";
import { jsonText } from "../lib/json.js";
import { comparedEverywhere } from "../mechanisms/index.js";
import { properties as meanings } from "../properties/properties.js";
import {
  type AuditedProperty,
  auditMechanism,
  auditSize,
  howText,
  isBrokenClaim,
  type MechanismAudit,
  type PublisherRow,
  publisherText,
  rowText,
} from "../verdicts/audit-mechanism.js";
import { measureText } from "../verdicts/claims.js";
import { splitFile } from "./extension.js";
import { textFacts } from "./prove-any.js";
import { resolveMechanism } from "./resolve.js";
import type { Session } from "./session.js";
import * as option from "./values.js";

const examples = `
MECHANISM is a file of your own (./mine.ts), or a name with options or without (vcg:units=4); candor list shows the names.

Where the mechanism has a program, claims are settled for any number of workers and rounds where that can be proved, and small
shapes for all costs, budgets and arrivals. Each property is also tried
on drawn markets, exactly in each where it has a program. A break comes with the smallest market found and why it pays. What its
source claims, in the field claims of the mechanism, stands beside. The exit code is 1 if a property breaks.

Examples:
  candor audit ./mine.ts
  candor audit fmore-second-score
  candor audit first-price --json`;

const argument = ["<mechanism>", "a mechanism: a file or a name"] as const;

const options = {
  markets: option
    .integer("<count>", "markets drawn for each property", { from: 1, to: 1_000_000 })
    .default(auditSize.markets),
  seed: option.text("<s>", "fixes which markets are drawn").default("1"),
  json: option.flag("print one JSON object"),
};

type Flags = option.FlagsOf<typeof options>;

export const define = option.command({ argument, options, help: examples }, run);

async function run(spec: string, { markets, seed, json }: Flags, session: Session): Promise<void> {
  const mechanism = await resolveMechanism(spec, "audit");
  const progress = session.progress("audited");
  const audit = await auditMechanism({
    mechanism,
    named: spec,
    size: { ...auditSize, markets, seed },
    program: await textFacts(spec, mechanism),
    others: comparedEverywhere.filter((one) => one !== mechanism),
    goesOn: (_, of) => {
      progress.tick("step", of);
      return session.goesOn();
    },
  });
  if (audit === null) return;
  if (audit.properties.some(({ verdict }) => verdict === "breaks")) session.exitCode = 1;
  const measure = measureText(mechanism);
  const { file } = splitFile(spec);
  if (file !== null && mechanism.uses?.budget !== false && !audit.recordsMoney) session.warn(SILENT);
  session.spool.write(json ? `${jsonText({ ...audit, measure })}\n` : text(audit, measure, session.columns));
}

const SILENT =
  "note: money never turned anybody down in a recorded decision, so every worker counts as sufficient; where the program checks " +
  "the budget, let it ask auction.fits or auction.offer, or say uses: { budget: false }";

function text(
  { mechanism, properties, publisher, unprovable }: MechanismAudit,
  measure: string,
  columns: number,
): string {
  const broken = properties.filter(({ verdict }) => verdict === "breaks");
  return `${[
    `${mechanism}: ${summaryText(properties)}`,
    "",
    propertyTable(properties),
    "",
    ...properties.map((one) => wrapped(`${howText(one)}.`, columns, `  ${rowText(one)}: `)),
    ...(unprovable === null ? [] : ["", wrapped(`Nothing can be proved: ${unprovable}.`, columns)]),
    ...broken.map((one, k) => {
      const same = broken.slice(0, k).find((other) => isSameBreak(one, other));
      const shown =
        same === undefined ? one.smallest!.detail : `  The market and the lie of ${rowText(same)}.`;
      return `\n${wrapped(breakTitle(one, measure), columns)}\n${shown}`;
    }),
    "",
    wrapped(`What the publisher gets (${publisherText}):`, columns),
    publisherTable(publisher),
  ].join("\n")}\n`;
}

function summaryText(properties: readonly AuditedProperty[]): string {
  const broken = properties.filter(({ verdict }) => verdict === "breaks").length;
  if (broken === 0) return `of ${counted(properties.length, "row")} none breaks`;
  const claimed = properties.filter(isBrokenClaim).length;
  const of = `${broken} of ${counted(properties.length, "row")} ${broken === 1 ? "breaks" : "break"}`;
  return claimed === 0 ? of : `${of}, ${claimed} of them claimed to hold`;
}

/** Found with the same market and the same lie. */
const isSameBreak = ({ smallest: a }: AuditedProperty, { smallest: b }: AuditedProperty): boolean =>
  JSON.stringify([a!.market, a!.lie]) === JSON.stringify([b!.market, b!.lie]);

function propertyTable(properties: readonly AuditedProperty[]): string {
  const column = columnOf(properties);
  return table([
    column("property", rowText),
    column("", ({ property }) => meanings[property].name),
    column("claimed", ({ claimed }) => (claimed === null ? "" : (claimed.says ?? "holds"))),
    column("verdict", ({ verdict }) => verdict),
  ]);
}

function breakTitle(one: AuditedProperty, measure: string): string {
  const { worst, property } = one;
  const size = worst === null ? "without bound" : `by up to ${percent(worst)} ${measure}`;
  return `${rowText(one)} breaks${property === "P4" ? "" : ` ${size}`}${claimedText(one)}.`;
}

function claimedText({ claimed }: AuditedProperty): string {
  if (claimed === null) return "";
  const { says = "holds", quote, where } = claimed;
  const words = quote === undefined ? "" : `: "${quote}"`;
  return `; its source says that it ${says}${words} (${where.replace(/\.$/, "")})`;
}

function publisherTable(rows: readonly PublisherRow[]): string {
  const column = columnOf(rows);
  return table([
    column("mechanism", ({ mechanism }) => mechanism),
    column("Σ Re · rounds", ({ utility }) => brief(utility)),
    column("budget spent", ({ spent }) => percent(spent)),
    column("per unit paid", ({ utilityPerUnitPaid }) =>
      utilityPerUnitPaid === null ? "–" : brief(utilityPerUnitPaid),
    ),
  ]);
}
