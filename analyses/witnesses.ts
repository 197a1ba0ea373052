/** The smallest markets that break each claim: every property in every regime, by lies that keep the start and by lies that move it. */

import { isFast } from "../src/best-response/index.js";
import type { AnyMechanism } from "../src/mechanisms/mechanism.js";
import { type Regime, regimes } from "../src/mechanisms/outcome.js";
import type { Analysis, Profile } from "../src/study/analysis.js";
import { listing } from "../src/study/job.js";
import { type HuntReport, hunt, type ShrunkCounterexample } from "../src/verdicts/counterexamples/search.js";
import { compareSize } from "../src/verdicts/counterexamples/shrink.js";
import type { HuntedProperty, StartClause } from "../src/verdicts/counterexamples/violations.js";
import { type Explanation, explain } from "../src/verdicts/explain.js";
import { exhibits, findings, methods, tables } from "./witnesses/views.js";

/** What a hunt is for. */
export interface HuntTarget {
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
const profiles: Readonly<
  Record<Profile, { readonly fast: WitnessSettings; readonly slow: WitnessSettings }>
> = {
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

export interface HuntCell {
  readonly target: HuntTarget;
  readonly markets: number;
}

/** A hunt and its report. */
export interface Hunted extends HuntCell {
  /** Null where the market comes from another hunt. */
  readonly seed: number | null;
  readonly report: HuntReport;
}

const confirm = async () => (await import("../src/verdicts/counterexamples/violations.js")).confirm;

/** One hunt per seed. */
const job = listing<HuntCell, Hunted>(
  async (cell, k, { stream, mechanism }) => {
    const { maxRatio, ...target } = cell.target;
    const seed = stream.fork(JSON.stringify(cell.target)).fork(k).below(1e9);
    const { markets } = cell;
    const report = await hunt({ target: { ...target, mechanism }, seed, markets, maxRatio, confirm });
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
  const options = { seed: 0, markets: 0, maxRatio, confirm, known };
  const report = await hunt({ target: { ...target, mechanism }, ...options });
  if (!report.smallest) return hunted;
  return { ...hunted, seed: null, report: { ...report, searched: hunted.report.searched } };
}

/** A hunt and what the market it found shows. */
export interface Witness extends Hunted {
  readonly shown: ShrunkCounterexample | null;
  /** Null where it takes no lie, or nothing was found. */
  readonly explanation: Explanation | null;
}

function witnessOf(hunted: Hunted, mechanism: AnyMechanism): Witness {
  const shown = hunted.report.smallest;
  const lie = shown?.violation.lie ?? null;
  return { ...hunted, shown, explanation: shown && lie && explain(shown.market, lie, { mechanism }) };
}

export interface WitnessResult {
  readonly witnesses: readonly Witness[];
  readonly settings: WitnessSettings;
  readonly mechanism: string;
}

export const witnesses: Analysis<WitnessSettings, HuntCell, Hunted[], WitnessResult> = {
  name: "witnesses",
  question: "What are the smallest markets that break each claim, and why does the lie pay there?",
  part: "claims",
  settings: ({ profile, mechanism }) => profiles[profile][isFast(mechanism) ? "fast" : "slow"],
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
