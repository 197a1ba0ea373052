/** The smallest markets that break each claim: every property in every regime, by lies that keep the start and by lies that move it. */

import { least } from "d3-array";
import type { AnyMechanism } from "../src/auction/mechanism.js";
import { type Regime, regimes } from "../src/auction/outcome.js";
import { brief, many, percent, signed, threeDigits, whole } from "../src/lib/format.js";
import { negligible } from "../src/lib/tolerance.js";
import type { Exhibit, Finding, Table } from "../src/report/result.js";
import { column, type Field, rankedFindings, tableOf } from "../src/report/vocabulary.js";
import type { Analysis } from "../src/study/analysis.js";
import { collectJob } from "../src/study/job.js";
import { type HuntReport, hunt, type ShrunkCounterexample } from "../src/verdicts/counterexamples/search.js";
import { compareSize } from "../src/verdicts/counterexamples/shrink.js";
import type { HuntedProperty, StartClause } from "../src/verdicts/counterexamples/violations.js";
import {
  type Account,
  decisionIn,
  type Explanation,
  explain,
  lieKinds,
  replayCommand,
  whenText,
} from "../src/verdicts/explain.js";
import { type BySpeed, settingsFor } from "./shared/survey.js";

/** What a hunt is for. */
interface HuntTarget {
  readonly property: HuntedProperty;
  readonly regime: Regime;
  readonly start: StartClause;
  /** The largest first-round ratio drawn. */
  readonly maxRatio: number;
}

export interface WitnessSettings {
  /** Markets drawn at most, for each seed. */
  readonly markets: number;
  /** How many seeds; the smallest market of all is shown. */
  readonly seeds: number;
  /** Which hunts; all where left out. */
  readonly targets?: readonly HuntTarget[];
}

/** Where best responses are searched for, which is slow, fewer markets are drawn. */
const profiles: BySpeed<WitnessSettings> = {
  quick: { fast: { markets: 600, seeds: 1 }, slow: { markets: 30, seeds: 1 } },
  full: { fast: { markets: 20_000, seeds: 5 }, slow: { markets: 500, seeds: 5 } },
};

/** The paper's claims are made for ratios up to this one. */
const HALF = 0.5;

const HIGHEST = 0.95;

const targetsIn = (regime: Regime): HuntTarget[] => [
  ...(["P5", "P6", "joint"] as const).flatMap((property) =>
    (["kept", "moved"] as const).map((start) => ({ property, regime, start, maxRatio: HALF })),
  ),
  { property: "P4", regime, start: "any", maxRatio: HALF },
  ...(["P1", "P2"] as const).flatMap((property) =>
    [HALF, HIGHEST].map((maxRatio) => ({ property, regime, start: "any" as const, maxRatio })),
  ),
];

const allTargets: readonly HuntTarget[] = regimes.flatMap(targetsIn);

/** Whether a sufficient market can break with its start kept matters most: joint lies, which are all lies, are hunted for longer. */
const drawnFor = ({ property, regime, start }: HuntTarget, { markets }: WitnessSettings): number =>
  markets * (property === "joint" && regime === "sufficient" && start === "kept" ? 4 : 1);

interface HuntCell {
  readonly target: HuntTarget;
  readonly markets: number;
}

/** A hunt and its report. */
interface Hunted extends HuntCell {
  /** Null where the market comes from another hunt. */
  readonly seed: number | null;
  readonly report: HuntReport;
}

/** One hunt per seed. */
const job = collectJob<HuntCell, Hunted>(
  async (cell, k, { stream, mechanism }) => {
    const { maxRatio, ...target } = cell.target;
    const seed = stream.fork(JSON.stringify(cell.target)).fork(k).below(1e9);
    const { markets } = cell;
    const report = await hunt({ target: { ...target, mechanism }, seed, markets, maxRatio });
    return { ...cell, seed, report };
  },
  ({ markets }) => 100 + markets / 4,
);

/** The hunt with the smallest market, or the first if none found anything. */
const smallestOf = (hunts: readonly Hunted[]): Hunted =>
  hunts.reduce((a, b) => (isSmaller(b.report.smallest, a.report.smallest) ? b : a));

const isSmaller = (a: ShrunkCounterexample | null, b: ShrunkCounterexample | null): boolean =>
  a !== null && (b === null || compareSize(a.market, b.market) < 0);

/** A hunt that found nothing is tried on the markets that the others found. */
async function tryOthers(
  hunted: Hunted,
  mechanism: AnyMechanism,
  others: readonly Hunted[],
): Promise<Hunted> {
  if (hunted.report.smallest) return hunted;
  const { maxRatio, ...target } = hunted.target;
  const known = others.flatMap(({ report }) =>
    [report.found, report.strong, report.smallest].flatMap((item) => (item ? [item.market] : [])),
  );
  const options = { seed: 0, markets: 0, maxRatio, known };
  const report = await hunt({ target: { ...target, mechanism }, ...options });
  if (!report.smallest) return hunted;
  return { ...hunted, seed: null, report: { ...report, searched: hunted.report.searched } };
}

/** A hunt and what the market it found shows; no explanation where it takes no lie, or nothing was found. */
function witnessOf(hunted: Hunted, mechanism: AnyMechanism) {
  const shown = hunted.report.smallest;
  const lie = shown?.violation.lie ?? null;
  return { ...hunted, shown, explanation: shown && lie && explain(shown.market, lie, { mechanism }) };
}

type Witness = ReturnType<typeof witnessOf>;

interface WitnessResult {
  readonly witnesses: readonly Witness[];
  readonly settings: WitnessSettings;
  readonly mechanism: string;
}

function nameOf({ target: { property, regime, start, maxRatio } }: Witness): string {
  const clauses = [start === "any" ? "" : `start ${start}`, maxRatio > HALF ? "any ratio" : ""];
  return [property, regime, ...clauses.filter(Boolean)].join(", ");
}

/** Of the violation shown; none of P4, which has no amount. */
const amountOf = ({ shown }: Witness): number | null =>
  shown && shown.violation.property !== "P4" ? shown.violation.amount : null;

const huntColumns = (mechanism: string): Field<Witness>[] => [
  column.text("witness", "Hunted", nameOf),
  column.text("regime", "Regime", ({ target }) => target.regime),
  column.text("result", "Result", ({ shown }) => (shown ? foundText(shown) : "nothing found")),
  column.text("reading", "Reading", ({ shown }) => shown?.market.rules.reading),
  column.count("workers", "Workers", ({ shown }) => shown?.market.workers.length),
  column.count("rounds", "Rounds", ({ shown }) => shown?.market.rules.rounds),
  column.amount("ratio", "First-round ratio", ({ shown }) => shown?.market.rules.firstRoundRatio),
  column.amount("amount", "Amount", amountOf),
  column.share("ofBudget", "Of the budget", (witness) => {
    const amount = amountOf(witness);
    return amount === null ? null : amount / witness.shown!.market.rules.budget;
  }),
  column.text("kind", "Kind of lie", ({ explanation }) => explanation?.kind),
  column.text("causes", "Where the gain comes from", (one) => one.explanation && causesText(one.explanation)),
  column.text(
    "certified",
    "Confirmed in exact fractions",
    ({ shown }) => shown && (shown.certified ? "yes" : "no exact form"),
  ),
  column.count("drawn", "Markets drawn", ({ report }) => report.searched.markets),
  column.share("bound", "Share that can break at most (95 %)", ({ report }) => report.shareBound),
  column.text("replay", "Replay", ({ shown }) => {
    const { market, violation } = shown ?? {};
    return market && replayCommand({ source: "stdin:1", market, lie: violation!.lie, mechanism });
  }),
  column.text("hunt", "Hunt again", (witness) => huntCommand(witness, mechanism)),
];

function tables({ witnesses, mechanism }: WitnessResult): Table[] {
  const hunts = "Every hunt and the smallest market it found";
  const runs = "The truthful and the lying run of each witness, side by side";
  const compared = witnesses.flatMap((witness) => {
    const about = { witness: nameOf(witness), regime: witness.target.regime };
    const reading = witness.shown?.market.rules.reading;
    const rows = witness.explanation ? sideBySide(witness.explanation) : [];
    return rows.map(([what, honest, lying]) => ({ ...about, reading, what, honest, lying }));
  });
  return [
    tableOf("witnesses", hunts, witnesses, huntColumns(mechanism)),
    tableOf("runs", runs, compared, [
      column.text("witness", "Hunted"),
      column.text("regime", "Regime"),
      column.text("reading", "Reading"),
      column.text("what", "Compared"),
      column.text("honest", "Truth"),
      column.text("lying", "Lie"),
    ]),
  ];
}

/** The command that hunts the same way again; null where the market came from another hunt. */
function huntCommand({ target, seed, markets }: Witness, mechanism: string): string | null {
  if (seed === null) return null;
  const { property, regime, start, maxRatio } = target;
  const how = mechanism === "online" ? "" : ` --mechanism ${mechanism}`;
  return `candor hunt --property ${property} --regime '${regime}' --start ${start} --max-ratio ${maxRatio} --seed ${seed} --markets ${markets}${how}`;
}

/** The parts of a gain that are more than rounding; null where they are not known. */
function causesText({ causes, gain }: Explanation): string | null {
  if (!causes) return null;
  const large = (["rounds", "price", "budget", "start"] as const).filter(
    (cause) => Math.abs(causes[cause]) > negligible(gain),
  );
  return large.map((cause) => `${cause} ${signed(causes[cause])}`).join(", ");
}

/** "worker 1 gains 0.5 by bidding 0.2 instead of 0.4". */
function foundText({ market, violation }: ShrunkCounterexample): string {
  const { property, worker, lie, amount } = violation;
  if (property === "P1") return `worker ${worker} is paid ${threeDigits(amount)} less than its cost`;
  if (property === "P2") return `the payments exceed the budget by ${threeDigits(amount)}`;
  if (lie === null) return `no bid gets worker ${worker} selected and paid`;
  const truth = market.workers.find(({ id }) => id === worker)!;
  const price = `bidding ${threeDigits(lie.price)} instead of ${threeDigits(truth.cost)}`;
  const arrival = `arriving at ${lie.arrival} instead of ${truth.arrival}`;
  const said = [lie.price === truth.cost ? "" : price, lie.arrival === truth.arrival ? "" : arrival];
  return `worker ${worker} gains ${threeDigits(amount)} by ${said.filter(Boolean).join(" and ")}`;
}

const startText = ({ startDelay }: Account): string =>
  startDelay === null ? "never" : startDelay === 0 ? "on time" : `${startDelay} late`;

/** What the liar says and gets in both runs, and the first decision that differs. */
function sideBySide({ truth, lie, difference }: Explanation): [string, string, string][] {
  const items: [string, (account: Account) => string][] = [
    ["price", ({ bid }) => brief(bid.price)],
    ["arrival", ({ bid }) => String(bid.arrival)],
    ["start", startText],
    ["selected in round", ({ selectedAt }) => String(selectedAt ?? "never")],
    ["payment", ({ payment }) => brief(payment)],
    ["utility", ({ utility }) => brief(utility)],
  ];
  const rows = items.map(([what, cell]): [string, string, string] => [what, cell(truth), cell(lie)]);
  if (!difference) return rows;
  const [honest, lying] = [decisionIn(difference, "truth"), decisionIn(difference, "lie")];
  return [...rows, [`first decision that differs, ${whenText(difference)}`, honest, lying]];
}

function findings({ witnesses }: WitnessResult): Finding[] {
  const sufficient = witnesses.filter(({ target }) => target.regime === "sufficient");
  const startOf = (start: StartClause) => sufficient.filter(({ target }) => target.start === start);
  return rankedFindings(
    [74, keptText(startOf("kept"))],
    [62, movedText(startOf("moved"))],
    [35, countText(witnesses)],
  );
}

/** Of the market with the fewest workers. */
function movedText(moved: readonly Witness[]): string {
  const found = least(
    moved.filter(({ shown }) => shown !== null),
    ({ shown }) => shown!.market.workers.length,
  );
  if (!found) return "";
  const { shown, explanation } = found;
  const { workers, rules } = shown!.market;
  const kind = explanation?.kind ? `, which is to ${lieKinds[explanation.kind].split(":")[0]}` : "";
  return `With a sufficient budget it can pay to move the start in a market of ${many(workers.length, "worker")}, ${many(rules.rounds, "round")} and a budget of ${threeDigits(rules.budget)} (${rules.reading}): ${foundText(shown!)}${kind}.`;
}

/** Joint lies are all lies: the hunt for them tells of the others too. */
function keptText(kept: readonly Witness[]): string {
  const [found] = kept.flatMap(({ shown }) => shown ?? []);
  if (found)
    return `With a sufficient budget a lie that leaves the start as it is can pay (${found.market.rules.reading}): ${foundText(found)}.`;
  const joint = kept.find(({ target }) => target.property === "joint");
  if (!joint) return "";
  const { markets } = joint.report.searched.byRegime.sufficient;
  const bound = joint.report.shareBound;
  const most = bound === null ? "" : ` (95 %: at most ${percent(bound)} of such markets have one)`;
  return `With a sufficient budget no lie was found that pays and leaves the start as it is, in ${many(markets, "random market")}, each of one reading or the other${most}.`;
}

function countText(witnesses: readonly Witness[]): string {
  const found = witnesses.flatMap(({ shown }) => shown ?? []);
  if (found.length === 0) return `None of ${many(witnesses.length, "hunt")} found a break.`;
  const sizes = found.map(({ market }) => market.workers.length);
  const rest = found.every((one) => one.minimal) ? "" : "; some may still shrink";
  return `${whole(found.length)} of ${many(witnesses.length, "hunt")} found a break, ${whole(sizes.filter((n) => n <= 2).length)} of them in a market of at most two workers and none in one of more than ${Math.max(...sizes)}${rest}.`;
}

function methods({ settings }: WitnessResult): string[] {
  const { markets, seeds } = settings;
  return [
    `Each hunt draws up to ${whole(markets)} random markets for each of ${seeds === 1 ? "one seed" : `${seeds} seeds`}, of up to 12 workers and 10 rounds (four times as many for joint lies that keep the start of a sufficient market), and ends at the first break it finds: another seed may lead to another, smaller market. A hunt that found nothing is also tried on the markets that the other hunts found.`,
    "Regimes are met as often as they are drawn; the column of markets drawn counts all of them.",
    "A break below a millionth of the budget is not hunted. Lies are told in few digits and bring at least 99 % of the most there is to gain.",
  ];
}

const exhibits = ({ witnesses, mechanism }: WitnessResult): Exhibit[] =>
  witnesses.flatMap((witness) => {
    if (!witness.shown) return [];
    const { market, violation } = witness.shown;
    const name = nameOf(witness);
    return [{ name, title: `${name}: ${foundText(witness.shown)}`, market, mechanism, lie: violation.lie }];
  });

export const witnesses: Analysis<WitnessSettings, HuntCell, Hunted[], WitnessResult> = {
  name: "witnesses",
  question: "What are the smallest markets that break each claim, and why does the lie pay there?",
  part: "claims",
  settings: (context) => settingsFor(profiles, context),
  plan: (settings) =>
    (settings.targets ?? allTargets).map((target) => ({
      cell: { target, markets: drawnFor(target, settings) },
      markets: settings.seeds,
    })),
  job,
  conclude: async (gathered, settings, { mechanism }) => {
    const hunts = gathered.map(({ summary }) => smallestOf(summary!));
    const tried = await Promise.all(hunts.map((hunted) => tryOthers(hunted, mechanism, hunts)));
    const found = tried.map((hunted) => witnessOf(hunted, mechanism));
    return { witnesses: found, settings, mechanism: mechanism.name };
  },
  tables,
  charts: () => [],
  findings,
  methods,
  exhibits,
};
