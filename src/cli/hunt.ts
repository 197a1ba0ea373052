/** `candor hunt`: searches for a market that breaks a property, and shrinks it. */

import type { Command } from "commander";
import { isExact } from "../best-response/index.js";
import type { Reading } from "../market/market.js";
import type { AnyMechanism } from "../mechanisms/mechanism.js";
import type { Regime } from "../mechanisms/outcome.js";
import type { ProvedSize } from "../verdicts/counterexamples/proved-size.js";
import {
  type Counterexample,
  type HuntProgress,
  type HuntReport,
  hunt,
} from "../verdicts/counterexamples/search.js";
import {
  type HuntedProperty,
  huntedProperties,
  type StartClause,
  startClauses,
  type Target,
} from "../verdicts/counterexamples/violations.js";
import { replayCommand } from "../verdicts/explain.js";
import { huntText } from "./hunt-text.js";
import { resolveMechanism } from "./resolve.js";
import type { Session } from "./session.js";
import { integerOption, numberOption, wordOption } from "./values.js";
import { addWitnesses, demandWitnessFile, marketsOf, readWitnesses } from "./witnesses.js";

interface Flags {
  readonly property: HuntedProperty;
  readonly regime: Regime;
  readonly start: StartClause;
  readonly seed: string;
  readonly mechanism: string;
  readonly markets?: number;
  readonly seconds?: number;
  readonly reading: Reading | "both";
  readonly maxRatio?: number;
  readonly known?: string;
  readonly remember?: string;
  readonly json?: boolean;
}

const examples = `
Draws random markets of up to 12 workers and markets as in the paper, stops at the first that breaks the property for a
worker of the regime, and shrinks it twice: to the smallest market it finds, and to the smallest it finds that keeps at
least 80 % of the gain. For the first it also draws markets with fewer workers or rounds, 10,000 of every size; a smaller
one that is rare can still be missed. For up to three workers and rounds it is proved whether, with its reputations and
rules, a smaller market can break the property, and how much a market of that size can lose to it. The exit code is 0 whether or not a market is found.

The seed fixes what is printed. Nothing is read from earlier searches unless --known names a file of them, and nothing is
kept unless --remember names a file to add to.

Examples:
  candor hunt
  candor hunt --property joint --regime tight --start kept --seed 7
  candor hunt --property P2 --max-ratio 0.95
  candor hunt --seed 7 --remember witnesses.jsonl && candor hunt --seed 8 --known witnesses.jsonl`;

const regimeWords: Readonly<Record<string, Regime>> = {
  sufficient: "sufficient",
  tight: "tight",
  "late-start": "late start",
};

const regimeOption = (text: string): Regime =>
  regimeWords[wordOption("--regime", Object.keys(regimeWords))(text.replace(" ", "-"))]!;

export function define(command: Command, session: Session): void {
  command
    .option(
      "--property <name>",
      "what to break: P1, P2, P4, P5, P6 or joint",
      wordOption("--property", huntedProperties),
      "P5",
    )
    .option("--regime <name>", "for whom: sufficient, tight or late-start", regimeOption, "sufficient")
    .option(
      "--start <clause>",
      "lies that moved the start, kept it, or any",
      wordOption("--start", startClauses),
      "any",
    )
    .option("--seed <s>", "the seed, any text; it fixes which markets are drawn", "1")
    .option("--mechanism <name>", "the auction; candor list shows what there is", "online")
    .option("--markets <n>", "how many markets to draw at most", integerOption("--markets", { from: 0 }))
    .option("--seconds <n>", "how long to draw at most", numberOption("--seconds", { from: 0 }))
    .option(
      "--reading <name>",
      "prose, pseudocode or both",
      wordOption("--reading", ["prose", "pseudocode", "both"]),
      "both",
    )
    .option(
      "--max-ratio <r>",
      "the largest first-round ratio (0.95 for P1 and P2, else 0.5)",
      numberOption("--max-ratio", { from: 0.05, to: 1 }),
    )
    .option("--known <file>", "try the markets in this file first, before drawing any")
    .option("--remember <file>", "add the markets found to this file, for --known")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples)
    .action((flags: Flags) => run(flags, session));
}

async function run(flags: Flags, session: Session): Promise<void> {
  const mechanism = await resolveMechanism(flags.mechanism);
  const known = flags.known === undefined ? [] : marketsOf(await readWitnesses(flags.known), flags);
  if (flags.remember !== undefined) await demandWitnessFile(flags.remember);
  const request = requestOf(flags, mechanism);
  const { property, regime, start, seed } = flags;
  const report = await hunt({
    target: { property, regime, start, mechanism },
    seed,
    ...request,
    confirm: async () => (await import("../verdicts/counterexamples/violations.js")).confirm,
    known,
    goesOn: watch(flags, session, request.markets),
  });
  const size = await sizeOf(report, { property, regime, start, mechanism }, session);
  const record = recordOf({ ...report, size }, flags, request);
  await session.print(flags.json ? `${JSON.stringify(record)}\n` : huntText(record));
  if (flags.remember === undefined) return;
  const found = [record.found, record.smallest, record.strong].filter((item) => item !== null);
  await addWitnesses(
    flags.remember,
    found.map(({ market }) => ({ ...flags, market })),
  );
}

const MARKETS = 20_000;
/** Where best responses are searched for, which is slow. */
const SEARCHED_MARKETS = 500;

function requestOf(flags: Flags, mechanism: AnyMechanism) {
  const lavish = flags.property === "P1" || flags.property === "P2";
  const readings: readonly Reading[] = flags.reading === "both" ? ["prose", "pseudocode"] : [flags.reading];
  return {
    markets: flags.markets ?? (isExact(mechanism) || lavish ? MARKETS : SEARCHED_MARKETS),
    maxRatio: flags.maxRatio ?? (lavish ? 0.95 : 0.5),
    readings,
  };
}

/** Shows how far the search is; ends it when the time is up, or at Ctrl-C. */
function watch({ seconds = Number.POSITIVE_INFINITY }: Flags, session: Session, markets: number) {
  const begun = performance.now();
  const drawn = session.progress("searched");
  const shrunk = session.progress("shrinking");
  return (progress: HuntProgress): boolean | Promise<boolean> => {
    if (progress.phase === "shrinking") shrunk.tick("market");
    else if (performance.now() - begun >= 1000 * seconds) return false;
    else drawn.tick("market", markets);
    return session.goesOn();
  };
}

/** What is proved about the size of the smallest market; loaded only where there is one. */
async function sizeOf(
  { smallest, stopped }: HuntReport,
  target: Target,
  session: Session,
): Promise<ProvedSize | null> {
  if (smallest === null || !smallest.certified || stopped || !(await session.goesOn())) return null;
  const { provedSize } = await import("../verdicts/counterexamples/proved-size.js");
  return provedSize(smallest.market, target);
}

type SizedReport = HuntReport & { readonly size: ProvedSize | null };

export type HuntRecord = ReturnType<typeof recordOf>;

/** The report as it is printed. */
function recordOf(report: SizedReport, flags: Flags, request: ReturnType<typeof requestOf>) {
  const { found, smallest, strong, searched, shareBound, stopped, size } = report;
  const { property, regime, start, mechanism, seed } = flags;
  const shown = (item: Counterexample) => ({
    market: item.market,
    worker: item.violation.worker,
    lie: item.violation.lie,
    amount: item.violation.amount,
    startMoved: item.violation.startMoved,
    certified: item.certified,
    replay: replayCommand({ source: "stdin:1", market: item.market, lie: item.violation.lie, mechanism }),
  });
  return {
    ...{ property, regime, start, mechanism, seed, ...request },
    found: found && { ...shown(found), origin: found.origin },
    smallest: smallest && { ...shown(smallest), minimal: smallest.minimal, proved: size },
    strong: strong && { ...shown(strong), minimal: strong.minimal },
    ...{ searched, shareBound, stopped },
  };
}
