/** Verdicts as text: what `check` prints for people. */

import { brief, type Column, counted, table } from "../lib/format.js";
import { regimes } from "../mechanisms/outcome.js";
import type { Audit, Mispayment } from "../verdicts/myerson.js";
import { claims } from "../verdicts/properties.js";
import type { CheckReport } from "./check.js";

type ShownVerdict = CheckReport["verdicts"][number];
type ShownWitness = ShownVerdict["witnesses"][number];

export function checkText(source: string, { mechanism, verdicts }: CheckReport): string {
  const witnesses = verdicts.flatMap((verdict) => verdict.witnesses.map((witness) => witnessText(witness)));
  return `${[`${source}: mechanism ${mechanism}`, verdictTable(verdicts), ...witnesses].join("\n\n")}\n`;
}

function verdictTable(verdicts: readonly ShownVerdict[]): string {
  const column = (head: string, cell: (verdict: ShownVerdict) => string): Column => ({
    head,
    cells: verdicts.map(cell),
  });
  const rows = table([
    column("", ({ property }) => property.padEnd(5)),
    column("verdict", ({ verdict }) => verdict),
    ...regimes.map((regime) => column(regime, ({ byRegime }) => byRegime[regime] ?? "–")),
  ]).split("\n");
  const notes = ["", ...verdicts.map(({ property, method }) => `${claims[property].name} (${method})`)];
  return rows.map((row, k) => (k === 0 ? row : `${row}   ${notes[k]}`)).join("\n");
}

function witnessText(witness: ShownWitness): string {
  const { property, regime, certified, replay } = witness;
  const sure = certified === null ? "not certified: found in floating point" : "certified in exact fractions";
  const lines = [`${property} breaks (${regime}): ${sentence(witness)}; ${sure}.`];
  if ("audit" in witness && witness.audit) lines.push(`  ${auditText(witness.audit)}`);
  return [...lines, `  replay: ${replay}`].join("\n");
}

function sentence(witness: ShownWitness): string {
  const { property, worker, lie, amount } = witness;
  if (property === "P1") return `worker ${worker} is paid ${brief(amount)} less than its cost`;
  if (property === "P2") return `the payments exceed the budget by ${brief(amount)}`;
  if (property === "P4" || lie === null) return `no bid gets worker ${worker} selected and paid`;
  const price = witness.exactPrice ? `${witness.exactPrice} (${lie.price})` : lie.price;
  const says = property === "P5" ? `bidding ${price}` : property === "P6" ? `arriving at ${lie.arrival}` : "";
  const both = says || `bidding ${price} and arriving at ${lie.arrival}`;
  return `worker ${worker} gains ${brief(amount)} by ${both}`;
}

/** Why a price lie can pay, by Myerson's two conditions. */
export function auditText({ monotone, rises, paidAsMyerson, mispayment }: Audit): string {
  if (monotone && paidAsMyerson)
    return "Myerson: a higher price never sells more rounds, and every price is paid what truthfulness requires.";
  const [rise] = rises;
  const parts: string[] = [];
  if (rise)
    parts.push(
      `a price of ${rise.lower.price} sells ${counted(rise.lower.rounds, "round")}, the higher price of ${rise.higher.price} sells ${rise.higher.rounds}`,
    );
  if (mispayment) parts.push(mispaymentText(mispayment));
  return `Myerson: ${parts.join("; ")}.`;
}

function mispaymentText({ price, side, paid, myerson }: Mispayment): string {
  const where = side === "at" ? `a price of ${brief(price)} is` : `prices just ${side} ${brief(price)} are`;
  return `${where} paid ${brief(paid)}, where truthfulness requires ${brief(myerson)}`;
}
