/** `candor check`: verdicts on the paper's claims, market by market. */

import type { Command } from "commander";
import type { AnyMechanism } from "../mechanisms/mechanism.js";
import type { CertifiedVerdict } from "../verdicts/certify.js";
import { replayCommand } from "../verdicts/explain.js";
import { audit } from "../verdicts/myerson.js";
import {
  type CheckOptions,
  check,
  onLies,
  type PropertyName,
  propertyNames,
  type Verdict,
} from "../verdicts/properties.js";
import { checkText } from "./check-text.js";
import { readMarkets, type SourcedMarket } from "./input.js";
import { resolveMechanism } from "./mechanism.js";
import { respond } from "./respond.js";
import type { Session } from "./session.js";
import { wordOption } from "./values.js";

interface Flags {
  readonly mechanism: string;
  readonly property?: PropertyName;
  readonly json?: boolean;
}

const examples = `
A verdict is "holds" (searched exactly, nothing found), "breaks" (with a witness that replays) or "undecided"
(searched by sampling, nothing found). The exit code is 1 if one breaks.

Examples:
  candor check market.json
  candor draw --workers 20 --budget 25 --count 100 | candor check - --json`;

export function define(command: Command, session: Session): void {
  command
    .argument("<market...>", "market files, or -")
    .option("--mechanism <name>", "the auction; candor list shows what there is", "online")
    .option("--property <name>", "this one only: P1 … P6 or joint", wordOption("--property", propertyNames))
    .option("--json", "one JSON object per market and line")
    .addHelpText("after", examples)
    .action((markets: string[], flags: Flags) => run(markets, flags, session));
}

async function run(paths: readonly string[], flags: Flags, session: Session): Promise<void> {
  const mechanism = await resolveMechanism(flags.mechanism);
  const progress = session.progress("checked");
  let first = true;
  for await (const sourced of readMarkets(paths, session.signal)) {
    const properties = flags.property ? [flags.property] : propertyNames;
    const responses = properties.some((property) => onLies.includes(property))
      ? { responses: await respond({ market: sourced.market, mechanism }, session) }
      : {};
    if (session.signal.aborted) return;
    const report = await checkMarket(sourced, {
      mechanism,
      named: flags.mechanism,
      properties,
      ...responses,
    });
    if (report.verdicts.some(({ verdict }) => verdict === "breaks")) session.exitCode = 1;
    if (flags.json) session.spool.write(`${JSON.stringify(report)}\n`);
    else session.spool.write(`${first ? "" : "\n\n"}${checkText(sourced.source, report)}`);
    first = false;
    progress.tick("market");
    if (!(await session.goesOn())) return;
  }
}

export type CheckReport = Awaited<ReturnType<typeof checkMarket>>;

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
): Promise<CertifiedVerdict> {
  if (verdict.witnesses.length === 0) return { ...verdict, witnesses: [] };
  const { certifiedVerdict } = await import("../verdicts/certify.js");
  return certifiedVerdict(market, verdict, mechanism);
}
