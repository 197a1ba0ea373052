/** `candor hunt`: searches for a market that breaks a property, and shrinks it. */

import { z } from "zod";
import type { AnyMechanism } from "../auction/mechanism.js";
import { type Regime, regimeSlug, regimes } from "../auction/outcome.js";
import { plainError } from "../lib/errors.js";
import { brief, capital, columnOf, counted, percent, table } from "../lib/format.js";
import { parseFraction } from "../lib/fraction.js";
import { jsonText, parseJson } from "../lib/json.js";
import { conforming } from "../lib/schema.js";
import { type Market, paperRules, type Reading, readings } from "../market/market.js";
import { validateMarket } from "../market/parse.js";
import { marketToWrite } from "../market/words.js";
import { isAboutLies, properties } from "../properties/properties.js";
import { isExact } from "../responses/index.js";
import { isSettled, theoremsFor } from "../verdicts/any-number.js";
import type { ProvedSize } from "../verdicts/counterexamples/proved-size.js";
import {
  type Counterexample,
  type HuntProgress,
  type HuntReport,
  hunt,
  KEPT,
} from "../verdicts/counterexamples/search.js";
import {
  amountWord,
  indented,
  marketLines,
  searchedProperties,
  startClauses,
  type Target,
  violationText,
} from "../verdicts/counterexamples/violations.js";
import { replayCommand } from "../verdicts/explain.js";
import { demandWritable, readIfThere, readText, replaceFile } from "./files.js";
import { mechanismOption } from "./input.js";
import { textFacts } from "./prove-any.js";
import { resolveMechanism } from "./resolve.js";
import type { Session } from "./session.js";
import * as option from "./values.js";

const examples = `
Draws random markets of up to 12 workers and markets as in the paper, stops at the first that breaks the property for a
worker of the regime, and shrinks it twice: to the smallest market it finds, and to the smallest it finds that keeps at
least 80 % of the gain. For the first it also draws markets with fewer workers or rounds, 10,000 of every size; a smaller
one that is rare can still be missed. For up to three workers and rounds it is proved whether, with its reputations and
rules, a smaller market can break the property, and how much a market of that size can lose to it. The exit code is 0
whether or not a market is found.

The seed fixes what is printed. Nothing is read from earlier searches unless --known names a file of them, and nothing is
kept unless --remember names a file to add to.

With --property pair random markets of up to five workers and rounds are drawn, 300 unless --markets says how many.

Examples:
  candor hunt
  candor hunt --property pair --regime tight
  candor hunt --property joint --regime tight --start kept --seed 7
  candor hunt --property P2 --max-ratio 0.95
  candor hunt --seed 7 --remember witnesses.jsonl && candor hunt --seed 8 --known witnesses.jsonl`;

const regimeNames = regimes.map(regimeSlug);
const regime = option.word(
  "<name>",
  "for whom: sufficient, tight, late-start or late-and-tight",
  regimeNames,
);

const options = {
  property: option
    .word(
      "<name>",
      "what to break: P1, P2, P4, P5, P6, joint, or pair (two gain together, neither alone)",
      searchedProperties,
    )
    .default("P5"),
  regime: option
    .value(regime.hint, regime.about, (typed, flag): Regime => {
      const name = regime.read(typed.replaceAll(" ", "-"), flag);
      return regimes[regimeNames.indexOf(name)]!;
    })
    .default("sufficient"),
  start: option.word("<clause>", "lies that moved the start, kept it, or any", startClauses).default("any"),
  seed: option.text("<s>", "the seed, any text; it fixes which markets are drawn").default("1"),
  mechanism: mechanismOption,
  markets: option.integer("<n>", "how many markets to draw at most", { from: 0 }),
  seconds: option.number("<n>", "how long to draw at most", { from: 0 }),
  reading: option.word("<name>", "prose, pseudocode or both", [...readings, "both"]).default("both"),
  maxRatio: option.number("<r>", "the largest first-round ratio (0.95 for P1 and P2, else 0.5)", {
    from: 0.05,
    to: 1,
  }),
  known: option.text("<file>", "try the markets in this file first, before drawing any"),
  remember: option.text("<file>", "add the markets found to this file, for --known"),
  json: option.flag("print one JSON object"),
};

type Flags = option.FlagsOf<typeof options>;

export const define = option.command({ options, help: examples }, run);

async function run(flags: Flags, session: Session): Promise<void> {
  if (flags.start !== "any" && !isAboutLies(flags.property))
    throw plainError("--start", `tells lies apart, and ${flags.property} is not about lies`);
  const mechanism = await resolveMechanism(flags.mechanism);
  const known =
    flags.known === undefined
      ? []
      : marketsOf(parseWitnesses(await readText(flags.known), flags.known), flags);
  if (flags.remember !== undefined) {
    // Nothing starts where the file cannot be added to, or holds something else.
    await demandWritable(flags.remember);
    parseWitnesses((await readIfThere(flags.remember)) ?? "", flags.remember);
  }
  // How far the search came is printed.
  session.listens();
  const request = requestOf(flags, mechanism);
  const { property, regime, start, seed } = flags;
  const report = await hunt({
    target: { property, regime, start, mechanism },
    seed,
    ...request,
    known,
    goesOn: watch(flags, session, request.markets),
  });
  const sized = await withSize(report, { property, regime, start, mechanism }, session);
  const text = await textFacts(flags.mechanism, mechanism);
  // Of all rules that markets are drawn with.
  const proved = request.readings.every((reading) =>
    [1, 2, 3].every((minWorkers) => {
      const rules = { ...paperRules, reading, minWorkers, firstRoundRatio: "any" } as const;
      return isSettled(theoremsFor(mechanism, rules, text), { property, regime, start });
    }),
  );
  const record = { ...recordOf(sized, flags, request), provedForAny: proved };
  await session.print(flags.json ? `${jsonText(written(record))}\n` : huntText(record));
  if (flags.remember === undefined) return;
  const found = [record.found, record.smallest, record.strong].filter((item) => item !== null);
  const witnesses = found.map(({ market }) => ({ ...flags, market }));
  await addWitnesses(flags.remember, witnesses);
}

const MARKETS = 20_000;
/** Where best responses are searched for, which is slow. */
const SEARCHED_MARKETS = 500;
/** Joint lies take longer the more workers and rounds there are. */
const PAIR_MARKETS = 300;
const PAIR_WORKERS = 5;

function requestOf(flags: Flags, mechanism: AnyMechanism) {
  const lavish = flags.property === "P1" || flags.property === "P2";
  const readings: readonly Reading[] = flags.reading === "both" ? ["prose", "pseudocode"] : [flags.reading];
  return {
    markets:
      flags.markets ??
      (flags.property === "pair" ? PAIR_MARKETS : isExact(mechanism) || lavish ? MARKETS : SEARCHED_MARKETS),
    maxRatio: flags.maxRatio ?? (lavish ? 0.95 : 0.5),
    readings,
    ...(flags.property === "pair" && { mostWorkers: PAIR_WORKERS }),
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

/**
 * What is proved about the size of the smallest market; where the proof finds a smaller market that breaks the property, that
 * one is the smallest instead, and so on. Loaded only where there is one.
 */
async function withSize(report: HuntReport, target: Target, session: Session): Promise<SizedReport> {
  let { smallest } = report;
  let [size, byProof]: [ProvedSize | null, boolean] = [null, false];
  while (smallest?.certified && !report.stopped && (await session.goesOn())) {
    const { provedSize } = await import("../verdicts/counterexamples/proved-size.js");
    size = provedSize(smallest.market, target);
    if (!size?.smaller) break;
    smallest = { ...size.smaller, certified: true, minimal: false };
    byProof = true;
  }
  return { ...report, smallest, size, byProof };
}

interface SizedReport extends HuntReport {
  readonly size: ProvedSize | null;
  /** Whether the smallest market comes from the proof, not from the search. */
  readonly byProof: boolean;
}

type HuntRecord = ReturnType<typeof recordOf> & {
  /** Whether it is proved, for any number of workers, rounds and any ratio, that there is nothing to be found. */
  readonly provedForAny: boolean;
};

/** The record with its markets as they are written down. */
function written(record: HuntRecord) {
  const { found, smallest, strong } = record;
  const one = <Item extends { readonly market: Market }>(item: Item | null) =>
    item && { ...item, market: marketToWrite(item.market) };
  return { ...record, found: one(found), smallest: one(smallest), strong: one(strong) };
}

/** The report as it is printed. */
function recordOf(report: SizedReport, flags: Flags, request: ReturnType<typeof requestOf>) {
  const { found, smallest, strong, searched, shareBound, stopped, size, byProof } = report;
  const { property, regime, start, mechanism, seed } = flags;
  const shown = (item: Counterexample) => ({
    market: item.market,
    worker: item.violation.worker,
    lie: item.violation.lie,
    ...(item.violation.partner && { partner: item.violation.partner }),
    amount: item.violation.amount,
    startMoved: item.violation.startMoved ?? false,
    certified: item.certified,
    replay: replayCommand({ source: "stdin:1", market: item.market, mechanism, ...item.violation }),
  });
  return {
    ...{ property, regime, start, mechanism, seed, ...request },
    found: found && { ...shown(found), origin: found.origin },
    smallest: smallest && {
      ...shown(smallest),
      minimal: smallest.minimal,
      byProof,
      proved: size && { smallest: size.smallest, worst: size.worst, attained: size.attained },
    },
    strong: strong && { ...shown(strong), minimal: strong.minimal },
    ...{ searched, shareBound, stopped },
  };
}

type Shown = NonNullable<HuntRecord["strong"]>;

/** What is printed for people. */
export function huntText(record: HuntRecord): string {
  const parts = record.found ? foundText(record, record.found) : nothingText(record);
  const left = record.found ? "the search for smaller markets was done" : "all markets were drawn";
  if (record.provedForAny)
    parts.push(
      "Proved for any number of workers and rounds and any ratio: there is nothing to be found. See candor prove --workers any.",
    );
  if (record.stopped) parts.push(`Stopped before ${left}.`);
  return `${parts.join("\n\n")}\n`;
}

function targetText({ property, regime, start, mechanism }: HuntRecord): string {
  const clause = { any: "", moved: ", lies that move the start", kept: ", lies that keep the start" }[start];
  return `${property} in regime ${regime}${clause}, mechanism ${mechanism}`;
}

const claimText = (property: HuntRecord["property"]): string =>
  property === "pair"
    ? "no two workers gain together of whom neither can gain alone"
    : `${properties[property].name}: ${properties[property].meaning}`;

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
    `  found ${where}, with ${size}: ${violationText({ property, ...found }, found.market)}`,
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
  if (smallest!.byProof)
    return `  The proof below found it; the search ended at a larger one, and found none that breaks it in ${drawn}.`;
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
    : `the ${noun} comes arbitrarily close to ${most} but never reaches it`;
  return [size, `  Proved: of this size ${bound}; here it is ${percent(amount / market.rules.budget)}.`];
}

function marketText(label: string, record: HuntRecord, shown: Shown): string {
  const sure = shown.certified ? "Certified in exact fractions." : "Found in floating point, not certified.";
  const start =
    shown.lie === null ? "" : shown.startMoved ? "; the lie moves the start" : "; the start stays";
  return [
    `${label}:`,
    marketLines(
      shown.market,
      [shown.lie, shown.partner].filter((bid) => bid != null),
    ),
    `  ${capital(violationText({ property: record.property, ...shown }, shown.market))}${start}. ${sure}`,
    `  market: ${JSON.stringify(marketToWrite(shown.market))}`,
    `  replay: ${shown.replay}`,
  ].join("\n");
}

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
  const column = columnOf(regimes);
  const looked = table([
    column("regime", (one) => one),
    column("markets", (one) => String(byRegime[one].markets)),
    column("workers", (one) => String(byRegime[one].workers)),
  ]);
  const parts = [lines.join("\n"), indented(looked)];
  if (shareBound !== null)
    parts.push(
      `With 95 % confidence, at most ${brief(100 * shareBound)} % of such markets with a worker in regime ${regime} ` +
        `break it\n(rule of three: 3 / ${byRegime[regime].markets}).`,
    );
  else if (byRegime[regime].markets > 0)
    parts.push(
      "No exact method is known for this mechanism: the search can miss a break in every market, so\n" +
        "finding none says nothing about the share of markets that break it.",
    );
  return parts;
}

const oneOf = <Word extends string>(words: readonly Word[]) =>
  z.enum(words, { error: words.map((word) => JSON.stringify(word)).join(" or ") });

/** What was searched for when a witness was found; the mechanism as named on the command line. */
const huntedShape = z.looseObject({
  mechanism: z.string({ error: "a name" }),
  property: oneOf(searchedProperties),
  regime: oneOf(regimes),
});

type Hunted = Pick<z.infer<typeof huntedShape>, "mechanism" | "property" | "regime">;
type KnownWitness = Hunted & { readonly market: Market };

/** The markets that broke this property, in this regime, of this mechanism. */
const marketsOf = (witnesses: readonly KnownWitness[], wanted: Hunted): Market[] =>
  witnesses
    .filter((known) => known.property === wanted.property && known.regime === wanted.regime)
    .filter((known) => known.mechanism === wanted.mechanism)
    .map(({ market }) => market);

/** Adds what is not there yet, to what is in the file by now. */
async function addWitnesses(path: string, found: readonly KnownWitness[]): Promise<void> {
  const before = (await readIfThere(path)) ?? "";
  const lines = before.split("\n").filter((line) => line.trim() !== "");
  const there = new Set(parseWitnesses(before, path).map(textOf));
  const added = [...new Set(found.map(textOf))].filter((text) => !there.has(text));
  if (added.length > 0) await replaceFile(path, `${[...lines, ...added].join("\n")}\n`);
}

/** Fields in one order: the same witness is the same text. */
const textOf = ({ property, regime, mechanism, market }: KnownWitness): string =>
  JSON.stringify({ property, regime, mechanism, market: marketToWrite(market) });

const parseWitnesses = (text: string, path: string): KnownWitness[] =>
  text.split("\n").flatMap((line, k) => (line.trim() === "" ? [] : [parseWitness(line, `${path}:${k + 1}`)]));

function parseWitness(line: string, source: string): KnownWitness {
  const value = parseJson(line, source);
  if (typeof value !== "object" || value === null || !("market" in value))
    throw plainError(source, "not a witness: an object with property, regime, mechanism and market");
  const { property, regime, mechanism } = conforming(huntedShape, value, { source });
  return { property, regime, mechanism, market: validateMarket(value.market, `${source}: market`) };
}
