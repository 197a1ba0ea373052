import { mean } from "d3-array";
import { beforeAll, describe, expect, it } from "vitest";
import { builtInAgents } from "../../agents/index.js";
import { ALONE, contest, MIXED } from "../../analyses/tournament/populations.js";
import { arenaMarket } from "../../analyses/tournament/standings.js";
import {
  type TournamentSettings,
  tournament,
  tournamentOf,
  tournamentSettings,
} from "../../analyses/tournament.js";
import { tryAgent } from "../../src/best-response/trial.js";
import { threeDigits } from "../../src/lib/format.js";
import { stream } from "../../src/lib/random.js";
import { atRelativeBudget, drawForSurvey } from "../../src/market/draw.js";
import { hold } from "../../src/mechanisms/mechanism.js";
import { online } from "../../src/mechanisms/online.js";
import { workerUtility } from "../../src/mechanisms/outcome.js";
import type { AnalysisResult, Row } from "../../src/report/result.js";
import { contextFor, expectExhibitsReplay, expectWellFormed, rowsOf } from "./context.js";

const tiny: TournamentSettings = {
  workers: 11,
  rounds: 6,
  budgets: [0.3, 0.6],
  markets: 8,
  shares: [0.5, 1],
  measured: 4,
  tasks: 5,
};

describe("tournament", () => {
  let result: AnalysisResult;
  beforeAll(async () => {
    result = await tournamentOf(contextFor("arena"), tiny);
  }, 120_000);
  const row = (about: Row): Row =>
    rowsOf(result, "tournament").find((each) => Object.entries(about).every(([k, v]) => each[k] === v))!;

  it("is well formed, and the same for the same seed", async () => {
    expectWellFormed(result);
    expect(await tournamentOf(contextFor("arena"), tiny)).toEqual(result);
    expect(await tournamentOf(contextFor("other"), tiny)).not.toEqual(result);
  });

  it("sees every agent in every population", () => {
    const populations = [ALONE, "50 % play it", "everybody plays it", MIXED];
    for (const { name } of builtInAgents())
      for (const population of populations)
        expect(row({ agent: name, population, regime: "all" }).markets).toBe(16);
  });

  it("has intervals that contain the means", () => {
    for (const { gain, low, high, markets } of rowsOf(result, "tournament")) {
      if ((markets as number) < 5) {
        expect([low, high]).toEqual([null, null]);
        continue;
      }
      expect(low as number).toBeLessThanOrEqual(gain as number);
      expect(high as number).toBeGreaterThanOrEqual(gain as number);
    }
  });

  it("gives the truth no gain over the truth, and the best response to the truth no loss", () => {
    for (const { agent, population, gain, lost } of rowsOf(result, "tournament")) {
      if (agent === "truthful") expect(gain).toBe(0);
      if (agent === "best-responder" && population === ALONE) expect(lost).toBe(0);
    }
  });

  it("leaves the truthful where they are when all tell the truth, and moves them when the others lie", () => {
    expect(row({ agent: "truthful", population: "everybody plays it", regime: "all" }).drift).toBe(0);
    expect(row({ agent: "truthful", population: MIXED, regime: "all" }).drift).not.toBe(0);
  });

  it("says what the truthful earn among liars, and what they earn where all tell the truth", () => {
    const mixed = row({ agent: "truthful", population: MIXED, regime: "all" });
    const { text } = result.findings.find((finding) =>
      finding.text.startsWith("Among liars of all kinds the truthful"),
    )!;
    const [, there, world] = /earn ([\d.]+) a worker, where all tell the truth ([\d.]+) /.exec(text)!;
    expect(there).toBe(threeDigits(Number(mixed.truthful)));
    // The truthful of the mixed population, in the same markets, where all tell the truth.
    const earned = [0.3, 0.6].flatMap((budget) =>
      Array.from({ length: tiny.markets }, (_, k) => {
        const cell = { ...tiny, budget };
        const market = arenaMarket(cell, k, contextFor("arena"));
        const own = contextFor("arena").stream.fork(budget).fork(k);
        const scores = contest({
          ...contextFor("arena"),
          ...cell,
          market,
          stream: own,
          agents: builtInAgents(),
        });
        const mine = scores.filter(({ agent, population }) => agent === "truthful" && population === MIXED);
        const outcome = hold(online, market);
        const utility = (id: number) =>
          workerUtility(
            market.workers.find((one) => one.id === id)!,
            outcome.workers.find((one) => one.id === id)!,
          );
        return mean(mine, ({ bid }) => utility(bid.worker))!;
      }),
    );
    expect(world).toBe(threeDigits(mean(earned)!));
    expect(world).not.toBe(there);
    expect(text).toMatch(/a difference of [+−][\d.]+, 95 %: [+−][\d.]+ to [+−][\d.]+, over 16 markets/);
  }, 60_000);

  it("judges agents by intervals that hold for all of them together", () => {
    for (const { verdict, low, high, markets } of rowsOf(result, "tournament")) {
      if ((markets as number) < 5) expect(verdict).toBe("too few markets to tell");
      if (verdict === "more") expect(low as number).toBeGreaterThan(0);
      if (verdict === "less") expect(high as number).toBeLessThan(0);
    }
    const single = rowsOf(result, "tournament").filter(
      ({ low, high }) => Number(low) > 0 || Number(high) < 0,
    );
    const judged = single.filter(({ verdict }) => verdict === "more" || verdict === "less");
    expect(judged.length).toBeGreaterThan(0);
    expect(judged.length).toBeLessThan(single.length);
  });

  it("counts the workers of all regimes together", () => {
    for (const all of rowsOf(result, "tournament").filter(({ regime }) => regime === "all")) {
      const parts = rowsOf(result, "tournament").filter(
        ({ agent, population, regime }) =>
          agent === all.agent && population === all.population && regime !== "all",
      );
      expect(parts.reduce((sum, { workers }) => sum + (workers as number), 0)).toBe(all.workers);
    }
  });

  it("agrees with a plain trial of an agent alone", () => {
    const market = atRelativeBudget(drawForSurvey({ workers: 8, rounds: 5 }, stream("alone")), 0.4);
    const agents = builtInAgents().filter(({ name }) => name === "underbid");
    const arena = {
      market,
      mechanism: online,
      agents,
      stream: stream("arena"),
      shares: [],
      measured: 8,
      tasks: 0,
    };
    const trials = new Map(
      [...tryAgent({ market, agent: agents[0]!, mechanism: online, stream: stream("trial") })].map(
        (trial) => [trial.id, trial.gain],
      ),
    );
    const alone = contest(arena).filter(({ population }) => population === ALONE);
    expect(alone).toHaveLength(8);
    for (const { bid, gain } of alone) expect(gain).toBeCloseTo(trials.get(bid.worker)!, 12);
  });

  it("exhibits only gains that replay", () => {
    expect(result.exhibits!.map(({ name }) => name)).toContain("best-responder");
    expectExhibitsReplay(result);
  });

  it("says in words what the table says in numbers", () => {
    const { truthful, agent } = rowsOf(result, "tournament")
      .filter(({ population, regime }) => population === ALONE && regime === "all")
      .reduce((a, b) => ((b.gain as number) < (a.gain as number) ? b : a));
    const text = result.findings.map((finding) => finding.text).join(" ");
    expect(text).toContain(`${agent} least`);
    expect(text).toContain(`where the truth has ${Number((truthful as number).toPrecision(3))}`);
  });

  it("has words for nobody at all, and settings for both profiles", async () => {
    const nobody = { ...contextFor("nobody"), agents: builtInAgents().slice(0, 1) };
    expectWellFormed(await tournamentOf(nobody, { ...tiny, markets: 1, budgets: [0.5] }));
    expect(tournament.name).toBe("tournament");
    expect(tournamentSettings.full.markets).toBeGreaterThan(tournamentSettings.quick.markets);
  });
});
