/** `candor check`: verdicts on the paper's claims, market by market. */

import { type AnyMechanism, mayLeaveOut } from "../auction/mechanism.js";
import { type Regime, regimes } from "../auction/outcome.js";
import { brief, columnOf, counted, table } from "../lib/format.js";
import {
  properties as claims,
  isAboutLies,
  type PropertyName,
  propertyNames,
} from "../properties/properties.js";
import type { SourcedMarket } from "../study/job.js";
import { type AnyVerdict, theoremsFor, theoremText } from "../verdicts/any-number.js";
import { replayCommand } from "../verdicts/explain.js";
import { type Audit, audit, type Mispayment } from "../verdicts/myerson.js";
import { isOutside, OUTSIDE } from "../verdicts/outside.js";
import { type CheckOptions, check, type Verdict } from "../verdicts/properties.js";
import { respond } from "./best-response.js";
import { answerEach, jsonLines, marketFiles, marketHelp, mechanismOption } from "./input.js";
import { textFacts } from "./prove-any.js";
import { resolveMechanism } from "./resolve.js";
import { csvRules } from "./rules.js";
import type { Session } from "./session.js";
import { demandSize } from "./sizes.js";
import * as option from "./values.js";

const examples = `${marketHelp}

A verdict is "holds" (exact, of this market), "breaks" (with a witness that replays), "none found" (computed or searched, and
nothing found) or "not proved" (P3, which one market says nothing about). The exit code is 1 if one breaks.

Examples:
  candor check market.json
  candor check bids.csv --budget 125 --rounds 10
  candor draw --workers 20 --budget 25 --count 100 | candor check - --json`;

const options = {
  ...csvRules,
  mechanism: mechanismOption,
  property: option.word("<name>", "this one only: P1 … P6 or joint", propertyNames),
  json: jsonLines,
};

type Flags = option.FlagsOf<typeof options>;

export const define = option.command({ argument: marketFiles, options, help: examples }, run);

async function run(paths: readonly string[], flags: Flags, session: Session): Promise<void> {
  const mechanism = await resolveMechanism(flags.mechanism);
  const text = await textFacts(flags.mechanism, mechanism);
  const progress = session.progress("checked");
  const summary = new Summary();
  await answerEach(paths, { ...flags, leftOut: mayLeaveOut(mechanism) }, session, async (sourced) => {
    const properties = flags.property ? [flags.property] : propertyNames;
    if (properties.some((property) => !ofOneRun.includes(property)))
      demandSize(sourced.market, sourced.source, "check");
    const responses = properties.some(isAboutLies)
      ? { responses: await respond({ market: sourced.market, source: sourced.source, mechanism }, session) }
      : {};
    if (session.signal.aborted) return null;
    const options = { mechanism, named: flags.mechanism, properties, inFractions: true, ...responses };
    const theorems = theoremsFor(mechanism, sourced.market.rules, text).filter(({ property }) =>
      properties.some((one) => one === property),
    );
    const record = { ...(await checkMarket(sourced, options)), theorems: theorems.map(theoremJson) };
    if (record.verdicts.some(({ verdict }) => verdict === "breaks")) session.exitCode = 1;
    summary.add(record);
    progress.tick("market");
    return { record, text: () => checkText(sourced.source, record, theoremText(theorems)) };
  });
  if (summary.markets < 2) return;
  if (flags.json) session.warn(summary.text());
  else session.spool.write(`\n\n${summary.text()}\n`);
}

/** What the truthful run alone decides, whatever its size. */
const ofOneRun: readonly PropertyName[] = ["P1", "P2", "P3"];

/** Of many markets: how many broke what. */
class Summary {
  markets = 0;
  private broken = 0;
  private readonly counts = new Map<PropertyName, Partial<Record<Verdict["verdict"], number>>>();

  add({ verdicts }: CheckReport): void {
    this.markets++;
    if (verdicts.some(({ verdict }) => verdict === "breaks")) this.broken++;
    for (const { property, verdict } of verdicts) {
      const count = this.counts.get(property) ?? {};
      this.counts.set(property, { ...count, [verdict]: (count[verdict] ?? 0) + 1 });
    }
  }

  text(): string {
    const all = [...this.counts];
    const having = (verdict: Verdict["verdict"]) =>
      all.flatMap(([property, count]) => (count[verdict] ? [`${property} in ${count[verdict]}`] : []));
    const open = having("none found");
    return [
      `${this.broken} of ${this.markets} markets break a property`,
      this.broken === 0 ? "" : `: ${having("breaks").join(", ")}`,
      open.length === 0 ? "" : `; none found, and not exact: ${open.join(", ")}`,
      ".",
    ].join("");
  }
}

/** Of what holds for any number of workers and rounds: what it is about, and what it rests on. */
const theoremJson = ({ property, regime, start, verdict, given }: AnyVerdict) => ({
  property,
  regime,
  ...(start !== null && { start }),
  verdict,
  ...(given.length > 0 && { given }),
});

type CheckReport = Awaited<ReturnType<typeof checkMarket>>;

/** Verdicts, each witness with its certificate, its audit and the command that replays it. */
async function checkMarket(
  { market, source }: SourcedMarket,
  options: CheckOptions & { readonly mechanism: AnyMechanism; readonly named: string },
) {
  const { mechanism, named } = options;
  const verdicts = check(market, options);
  const certified = await Promise.all(verdicts.map((verdict) => certificate(market, verdict, mechanism)));
  return {
    mechanism: mechanism.name,
    verdicts: certified.map((verdict) => ({
      ...verdict,
      outsideClaim: regimes.filter((regime) => isOutside(mechanism, verdict.property, regime)),
      witnesses: verdict.witnesses.map((witness) => ({
        ...witness,
        ...(verdict.property === "P5" && { audit: audit(market, witness.worker!, mechanism) }),
        replay: replayCommand({ source, market, lie: witness.lie, mechanism: named }),
      })),
    })),
  };
}

/** The twin is loaded only where there is something to certify. */
async function certificate(
  market: SourcedMarket["market"],
  verdict: Verdict,
  mechanism: AnyMechanism,
): Promise<Verdict> {
  if (verdict.witnesses.length === 0) return { ...verdict, witnesses: [] };
  const { certifiedVerdict } = await import("../verdicts/certify.js");
  return certifiedVerdict(market, verdict, mechanism);
}

type ShownVerdict = CheckReport["verdicts"][number];
type ShownWitness = ShownVerdict["witnesses"][number];

function checkText(source: string, { mechanism, verdicts }: CheckReport, theorems: string | null): string {
  const witnesses = verdicts.flatMap((verdict) =>
    verdict.witnesses.map((witness) => witnessText(witness, verdict)),
  );
  return `${[`${source}: mechanism ${mechanism}`, verdictTable(verdicts), ...(theorems ? [theorems] : []), ...witnesses].join("\n\n")}\n`;
}

/** What breaks where the source claims nothing says so. */
function cellText({ byRegime, outsideClaim }: ShownVerdict, regime: Regime): string {
  const verdict = byRegime[regime];
  if (verdict === null) return "–";
  return verdict === "breaks" && outsideClaim.includes(regime) ? `breaks, ${OUTSIDE}` : verdict;
}

function verdictTable(verdicts: readonly ShownVerdict[]): string {
  const column = columnOf(verdicts);
  const rows = table([
    column("", ({ property }) => property.padEnd(5)),
    column("verdict", ({ verdict }) => verdict),
    ...regimes.map((regime) => column(regime, (verdict) => cellText(verdict, regime))),
  ]).split("\n");
  const notes = ["", ...verdicts.map(({ property, method }) => `${claims[property].name} (${method})`)];
  return rows.map((row, k) => (k === 0 ? row : `${row}   ${notes[k]}`)).join("\n");
}

function witnessText(witness: ShownWitness, { outsideClaim }: ShownVerdict): string {
  const { property, regime, certified, replay } = witness;
  const sure = certified === null ? "not certified: found in floating point" : "certified in exact fractions";
  const lines = [
    `${property} breaks (${regime}${outsideClaim.includes(regime) ? `, ${OUTSIDE}` : ""}): ${sentence(witness)}; ${sure}.`,
  ];
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
  const more = witness.unbounded ? ", and without bound by higher prices" : "";
  return `worker ${worker} gains ${brief(amount)} by ${both}${more}`;
}

/** Why a price lie can pay, by Myerson's two conditions. */
export function auditText({ monotone, rises, paidAsMyerson, roundsAtAnyPrice, mispayment }: Audit): string {
  if (monotone && paidAsMyerson)
    return "Myerson: a higher price never sells more rounds, and every price is paid what truthfulness requires.";
  const [rise] = rises;
  const parts: string[] = [];
  if (rise)
    parts.push(
      `a price of ${rise.lower.price} sells ${counted(rise.lower.rounds, "round")}, the higher price of ${rise.higher.price} sells ${rise.higher.rounds}`,
    );
  if (roundsAtAnyPrice > 0)
    parts.push(`${counted(roundsAtAnyPrice, "round")} sold at any price, for which no payment is truthful`);
  if (mispayment) parts.push(mispaymentText(mispayment));
  return `Myerson: ${parts.join("; ")}.`;
}

function mispaymentText({ price, side, paid, myerson }: Mispayment): string {
  const where = side === "at" ? `a price of ${brief(price)} is` : `prices just ${side} ${brief(price)} are`;
  return `${where} paid ${brief(paid)}, where truthfulness requires ${brief(myerson)}`;
}
