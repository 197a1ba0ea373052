/** What the gallery hunts for: every property in every regime, by lies that keep the start and by lies that move it. */

import type { AnyMechanism } from "../../src/mechanisms/mechanism.js";
import { type Regime, regimes } from "../../src/mechanisms/outcome.js";
import type { Pool } from "../../src/study/analysis.js";
import { listing } from "../../src/study/job.js";
import {
  type HuntReport,
  hunt,
  type ShrunkCounterexample,
} from "../../src/verdicts/counterexamples/search.js";
import { compareSize } from "../../src/verdicts/counterexamples/shrink.js";
import type { HuntedProperty, StartClause } from "../../src/verdicts/counterexamples/violations.js";

export interface Prey {
  readonly property: HuntedProperty;
  readonly regime: Regime;
  readonly start: StartClause;
  /** The largest first-round ratio drawn. */
  readonly maxRatio: number;
}

/** The paper's claims are made for ratios up to this one. */
const HALF = 0.5;
const LAVISH = 0.95;

const truthfulness = ["P5", "P6", "joint"] as const;

const preysIn = (regime: Regime): Prey[] => [
  ...truthfulness.flatMap((property) =>
    (["kept", "moved"] as const).map((start) => ({ property, regime, start, maxRatio: HALF })),
  ),
  { property: "P4", regime, start: "any", maxRatio: HALF },
  ...(["P1", "P2"] as const).flatMap((property) =>
    [HALF, LAVISH].map((maxRatio) => ({ property, regime, start: "any" as const, maxRatio })),
  ),
];

export const preys: readonly Prey[] = regimes.flatMap(preysIn);

/** Whether a sufficient market can break with its start kept is what all hangs on: joint lies, which are all lies, are hunted for longer. */
const patience = ({ property, regime, start }: Prey): number =>
  property === "joint" && regime === "sufficient" && start === "kept" ? 4 : 1;

/** How many markets a hunt may draw. */
const drawnFor = (prey: Prey, { markets }: HuntingSettings): number => markets * patience(prey);

export interface Hunted {
  readonly prey: Prey;
  /** Null where it was not drawn but known from another hunt. */
  readonly seed: number | null;
  readonly report: HuntReport;
}

export interface HuntingSettings {
  /** Markets drawn at most, for each seed. */
  readonly markets: number;
  /** How many seeds; the smallest catch of all is shown. */
  readonly seeds: number;
}

const confirm = async () => (await import("../../src/verdicts/counterexamples/violations.js")).confirm;

export interface HuntCell {
  readonly prey: Prey;
  readonly markets: number;
}

/** One hunt per seed. */
export const huntJob = listing<HuntCell, Hunted>(
  async ({ prey, markets }, k, { stream, mechanism }) => {
    const { maxRatio, ...target } = prey;
    const seed = stream.fork(JSON.stringify(prey)).fork(k).below(1e9);
    const report = await hunt({ target: { ...target, mechanism }, seed, markets, maxRatio, confirm });
    return { prey, seed, report };
  },
  ({ markets }) => 100 + markets / 4,
);

/** Of every prey, the hunt with the smallest catch, or the first if all came home with nothing. */
export async function huntAll(
  hunted: readonly Prey[],
  pool: Pool,
  settings: HuntingSettings,
): Promise<Hunted[]> {
  const cells = hunted.map((prey) => ({
    cell: { prey, markets: drawnFor(prey, settings) },
    markets: settings.seeds,
  }));
  const hunts = await pool.gather(huntJob, cells);
  return hunts.map((ofPrey) =>
    ofPrey!.reduce((a, b) => (isSmaller(b.report.smallest, a.report.smallest) ? b : a)),
  );
}

/** Who came home with nothing looks at what the others caught. */
export async function lookAgain(
  hunted: Hunted,
  mechanism: AnyMechanism,
  others: readonly Hunted[],
): Promise<Hunted> {
  if (hunted.report.smallest) return hunted;
  const { maxRatio, ...target } = hunted.prey;
  const known = others.flatMap(({ report }) =>
    [report.found, report.strong, report.smallest].flatMap((item) => (item ? [item.market] : [])),
  );
  const report = await hunt({
    target: { ...target, mechanism },
    seed: 0,
    markets: 0,
    maxRatio,
    confirm,
    known,
  });
  if (!report.smallest) return hunted;
  return { ...hunted, seed: null, report: { ...report, searched: hunted.report.searched } };
}

const isSmaller = (a: ShrunkCounterexample | null, b: ShrunkCounterexample | null): boolean =>
  a !== null && (b === null || compareSize(a.market, b.market) < 0);

/** The command that hunts the same way again; null where the market came from another hunt. */
export function huntCommand(
  { prey, seed }: Hunted,
  mechanism: AnyMechanism,
  settings: HuntingSettings,
): string | null {
  if (seed === null) return null;
  const { property, regime, start, maxRatio } = prey;
  const how = mechanism.name === "online" ? "" : ` --mechanism ${mechanism.name}`;
  return `candor hunt --property ${property} --regime '${regime}' --start ${start} --max-ratio ${maxRatio} --seed ${seed} --markets ${drawnFor(prey, settings)}${how}`;
}
