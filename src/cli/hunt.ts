/** `candor hunt`: searches for a market that breaks a property, and shrinks it. */

import type { Command } from "commander";
import { isExact } from "../best-response/index.js";
import type { Reading } from "../market/market.js";
import type { AnyMechanism } from "../mechanisms/mechanism.js";
import type { Regime } from "../mechanisms/regime.js";
import {
  type Catch,
  type HuntProgress,
  type HuntReport,
  hunt,
} from "../verdicts/counterexamples/counterexamples.js";
import {
  type HuntedProperty,
  huntedProperties,
  type StartClause,
  startClauses,
} from "../verdicts/counterexamples/violations.js";
import { replayCommand } from "../verdicts/replay.js";
import { huntText } from "./hunt-text.js";
import { resolveMechanism } from "./mechanism.js";
import type { Session } from "./session.js";
import { integerOption, numberOption, wordOption } from "./values.js";
import { WitnessFile } from "./witnesses.js";

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
  readonly witnesses: string;
  readonly known: boolean;
  readonly json?: boolean;
}

const examples = `
Draws random markets of up to 12 workers and markets as in the paper, stops at the first that breaks the property for a
worker of the regime, and shrinks it twice: to the smallest market at all, and to the smallest that keeps at least 80 %
of the gain. Witnesses are kept in a file and tried first next time. The exit code is 0 whether or not one is found.

Examples:
  candor hunt
  candor hunt --property joint --regime tight --start kept --seed 7
  candor hunt --property P2 --max-ratio 0.95`;

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
    .option("--witnesses <file>", "where witnesses are kept", ".candor/witnesses.jsonl")
    .option("--no-known", "do not try the known witnesses first")
    .option("--json", "print one JSON object")
    .addHelpText("after", examples)
    .action((flags: Flags) => run(flags, session));
}

async function run(flags: Flags, session: Session): Promise<void> {
  const mechanism = await resolveMechanism(flags.mechanism);
  const file = await WitnessFile.open(flags.witnesses);
  const request = requestOf(flags, mechanism);
  const { property, regime, start, seed } = flags;
  const report = await hunt({
    quarry: { property, regime, start, mechanism },
    seed,
    ...request,
    confirm: async () => (await import("../verdicts/counterexamples/confirm.js")).confirm,
    known: flags.known ? file.marketsOf(flags) : [],
    goesOn: watch(flags, session, request.markets),
  });
  const record = recordOf(report, flags, request);
  await session.print(flags.json ? `${JSON.stringify(record)}\n` : huntText(record));
  const found = [record.found, record.smallest, record.strong].filter((item) => item !== null);
  await file.add(found.map(({ market }) => ({ ...flags, market })));
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

/** Shows how far the hunt is; ends it when the time is up, or at Ctrl-C. */
function watch({ seconds = Number.POSITIVE_INFINITY }: Flags, session: Session, markets: number) {
  const begun = performance.now();
  const drawn = session.progress("hunted");
  const shrunk = session.progress("shrinking");
  return (progress: HuntProgress): boolean | Promise<boolean> => {
    if (progress.phase === "shrinking") shrunk.tick("market");
    else if (performance.now() - begun >= 1000 * seconds) return false;
    else drawn.tick("market", markets);
    return session.goesOn();
  };
}

export type HuntRecord = ReturnType<typeof recordOf>;

/** The report as it is printed. */
function recordOf(report: HuntReport, flags: Flags, request: ReturnType<typeof requestOf>) {
  const { found, smallest, strong, searched, shareBound, stopped } = report;
  const { property, regime, start, mechanism, seed } = flags;
  const shown = (item: Catch) => ({
    market: item.market,
    worker: item.sighting.worker,
    lie: item.sighting.lie,
    amount: item.sighting.amount,
    startMoved: item.sighting.startMoved,
    certified: item.certified,
    replay: replayCommand({ source: "stdin:1", market: item.market, lie: item.sighting.lie, mechanism }),
  });
  return {
    ...{ property, regime, start, mechanism, seed, ...request },
    found: found && { ...shown(found), origin: found.origin },
    smallest: smallest && { ...shown(smallest), minimal: smallest.minimal },
    strong: strong && { ...shown(strong), minimal: strong.minimal },
    ...{ searched, shareBound, stopped },
  };
}
