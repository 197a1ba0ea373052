import { describe, expect, it } from "vitest";
import { colluders } from "../../agents/colluders.js";
import { builtInAgents } from "../../agents/index.js";
import { lowBaller } from "../../agents/low-baller.js";
import { overbid } from "../../agents/overbid.js";
import { truthful } from "../../agents/truthful.js";
import { ALONE, CHOSEN, MIXED, type TournamentSettings, tournament } from "../../analyses/tournament.js";
import { bidsTruthfully } from "../../src/agents/agent.js";
import { playMarket } from "../../src/agents/play.js";
import { runAuction } from "../../src/auction/mechanism.js";
import { workerUtility } from "../../src/auction/outcome.js";
import { signed, threeDigits } from "../../src/lib/format.js";
import { stream } from "../../src/lib/random.js";
import { atRelativeBudget, drawForSurvey } from "../../src/market/draw.js";
import { workerOf } from "../../src/market/market.js";
import { online } from "../../src/mechanisms/online/online.js";
import type { ChosenText, Row } from "../../src/report/result.js";
import { tryAgent } from "../../src/responses/trial.js";
import { contextFor, expectExhibitsReplay, expectWellFormed, resultWith, rowsOf } from "./context.js";

const tiny: TournamentSettings = {
  workers: 14,
  rounds: 6,
  budgets: [0.3, 0.6],
  markets: 8,
  shares: [0.5, 1],
  measured: 4,
  tasks: 5,
};

const result = await resultWith(tournament, contextFor("arena"), tiny);
const rows = rowsOf(result, "tournament");
const row = (about: Row): Row => rows.find((each) => Object.entries(about).every(([k, v]) => each[k] === v))!;

describe("tournament", () => {
  it("is well formed: one payoff matrix, at most four findings", () => {
    expectWellFormed(result);
    expect(result.charts).toHaveLength(1);
    expect(result.findings.length).toBeLessThanOrEqual(4);
  });

  it("sees the truth and every agent that bids otherwise in every population", () => {
    const bidding = builtInAgents().filter(
      (agent) => agent.traits.lies.length === 0 || !bidsTruthfully(agent),
    );
    expect(bidding.length).toBeLessThan(builtInAgents().length);
    for (const { name } of bidding)
      for (const population of [ALONE, "50 % play it", "everybody plays it", MIXED])
        expect(row({ agent: name, population, regime: "all" }).markets).toBe(16);
  });

  it("gives the truth no gain over the truth, and the best response to the truth no loss", () => {
    for (const { agent, population, gain, lost } of rows) {
      if (agent === "truthful") expect(gain).toBe(0);
      if (agent === "best-responder" && population === ALONE) expect(lost).toBe(0);
    }
  });

  it("leaves the truthful where they are when all tell the truth, and moves them when the others lie", () => {
    expect(row({ agent: "truthful", population: "everybody plays it", regime: "all" }).drift).toBe(0);
    expect(row({ agent: "truthful", population: MIXED, regime: "all" }).drift).not.toBe(0);
  });

  it("names what the truthful earn in the mixed population and where all tell the truth, with intervals", () => {
    const [mixed, truthful, difference] = rowsOf(result, "truthful-workers");
    const there = row({ agent: "truthful", population: MIXED, regime: "all" });
    expect(mixed!.utility).toBe(there.truthful);
    expect(difference!.utility).toBe(there.drift);
    expect(Number(mixed!.utility) - Number(truthful!.utility)).toBeCloseTo(Number(difference!.utility), 5);
    const { text } = result.findings.find((finding) => finding.text.startsWith("A truthful worker earns"))!;
    const [inMixed, truth] = [mixed, truthful].map((row) => threeDigits(Number(row!.utility)));
    expect(text).toContain(`earns ${inMixed} in the mixed population and ${truth} where all tell the truth`);
    const [change, low, high] = [difference!.utility, difference!.low, difference!.high].map((cell) =>
      signed(Number(cell)),
    );
    expect(text).toContain(`a difference of ${change} (95 %: ${low} to ${high}; 16 markets).`);
  });

  it("has intervals around the means, and judges agents by intervals that hold for all of them together", () => {
    for (const { verdict, gain, low, high, markets } of rows) {
      if ((markets as number) < 5) {
        expect([verdict, low, high]).toEqual(["too few markets", null, null]);
        continue;
      }
      expect(low as number).toBeLessThanOrEqual(gain as number);
      expect(high as number).toBeGreaterThanOrEqual(gain as number);
      if (verdict === "more") expect(low as number).toBeGreaterThan(0);
      if (verdict === "less") expect(high as number).toBeLessThan(0);
    }
    const single = rows.filter(({ low, high }) => Number(low) > 0 || Number(high) < 0);
    const judged = single.filter(({ verdict }) => verdict === "more" || verdict === "less");
    expect(judged.length).toBeGreaterThan(0);
    expect(judged.length).toBeLessThan(single.length);
  });

  it("counts the workers of all regimes together", () => {
    for (const all of rows.filter(({ regime }) => regime === "all")) {
      const parts = rows.filter(
        ({ agent, population, regime }) =>
          agent === all.agent && population === all.population && regime !== "all",
      );
      expect(parts.reduce((sum, { workers }) => sum + (workers as number), 0)).toBe(all.workers);
    }
  });

  it("exhibits only gains that replay", () => {
    expect(result.exhibits!.map(({ name }) => name)).toContain("best-responder");
    expectExhibitsReplay(result);
  });

  it("says in words what the table says in numbers", () => {
    const alone = rows.filter(({ population, regime }) => population === ALONE && regime === "all");
    const { agent, gain, low } = alone.reduce((a, b) => (Number(b.gain) < Number(a.gain) ? b : a));
    const { text } = result.findings.find((finding) => finding.text.includes("loses most"))!;
    expect(text).toContain(`One ${agent} among truthful workers`);
    const [, mean, from] = /: ([−\d.]+) on average \(95 %: ([−\d.]+) to/.exec(text)!;
    expect(mean).toBe(threeDigits(Number(gain)));
    // It is the worst of many, and its interval holds for all of them.
    expect(Number(from!.replace("−", "-"))).toBeLessThan(Number(low));
  });

  it("says how many agents earn more or less than the truth in the chosen regime, and nothing of few markets", () => {
    const { summary } = result.charts[0]!;
    for (const { chosen, text } of summary as readonly ChosenText[]) {
      const alone = rows.filter((row) => row.population === ALONE && row.regime === chosen.regime);
      const among = (verdict: string) => alone.filter((row) => row.verdict === verdict).length;
      if (among("too few markets") > 0) expect(text).toContain("too few to judge");
      else
        expect(text).toContain(
          `${among("more") || "none"} of ${alone.length} earn more than the truth, ${among("less") || "none"} less`,
        );
    }
  });

  it("has words for one market and one agent", async () => {
    const nobody = { ...contextFor("nobody"), agents: builtInAgents().slice(0, 1) };
    expectWellFormed(await resultWith(tournament, nobody, { ...tiny, markets: 1, budgets: [0.5] }));
  });
});

describe("one market", () => {
  const one = {
    ...tiny,
    workers: 8,
    rounds: 5,
    budgets: [0.4],
    markets: 1,
    shares: [],
    measured: 8,
    tasks: 0,
  };
  const drawn = drawForSurvey({ workers: 8, rounds: 5 }, stream("one").fork(0.4).fork(0).fork("market"));
  const market = atRelativeBudget(drawn, 0.4);
  const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value) / values.length;

  it("agrees with a plain trial of an agent alone", async () => {
    const agents = builtInAgents().filter(({ name }) => name === "underbid");
    const trials = tryAgent({ market, agent: agents[0]!, mechanism: online, stream: stream("trial") });
    const found = await resultWith(tournament, { ...contextFor("one"), agents }, one);
    const alone = rowsOf(found, "tournament").find(
      ({ population, regime }) => population === ALONE && regime === "all",
    )!;
    expect(alone.workers).toBe(8);
    expect(alone.gain).toBeCloseTo(meanOf([...trials].map(({ gain }) => gain)), 5);
  });

  it("knows what each worker has where all tell the truth", async () => {
    const agents = builtInAgents().filter(({ name }) => name === "truthful");
    const found = await resultWith(tournament, { ...contextFor("one"), agents }, one);
    const { workers } = runAuction(online, market);
    const utilities = market.workers.map((self) =>
      workerUtility(self, workers.find(({ id }) => id === self.id)!),
    );
    const before = rowsOf(found, "truthful-workers").find(({ world }) => world === "all tell the truth")!;
    expect(before.utility).toBeCloseTo(meanOf(utilities), 5);
  });

  it("measures a pair that shares a plan together, beside the truth of both", async () => {
    const agent = colluders({ factor: 2 });
    const pair = { ...one, workers: 2, budgets: [3], markets: 12 };
    const found = await resultWith(tournament, { ...contextFor("pair"), agents: [agent] }, pair);
    const gains = Array.from({ length: 12 }, (_, k) => {
      const two = drawForSurvey({ workers: 2, rounds: 5 }, stream("pair").fork(3).fork(k).fork("market"));
      const ours = atRelativeBudget(two, 3);
      const bids = playMarket({ market: ours, agents: () => agent, stream: stream("any") });
      const sumOf = (said: typeof bids) => {
        const outcome = runAuction(online, ours, said);
        return meanOf(outcome.workers.map((got) => workerUtility(workerOf(ours, got.id), got)));
      };
      return sumOf(bids) - sumOf([]);
    });
    expect(gains.some((gain) => gain !== 0)).toBe(true);
    const alone = rowsOf(found, "tournament").find(
      ({ population, regime }) => population === ALONE && regime === "all",
    )!;
    expect(alone.gain).toBeCloseTo(meanOf(gains), 5);
  });

  it("holds a population of one's own choosing, the truthful in it included", async () => {
    const population = [
      { name: "overbid@3", agent: overbid(), whom: { ids: [3] } },
      { name: "low-baller@50%", agent: lowBaller, whom: { share: 0.5 } },
    ];
    const agents = [truthful, overbid(), lowBaller];
    const found = await resultWith(tournament, { ...contextFor("one"), agents, population }, one);
    const chosen = rowsOf(found, "tournament").filter(
      ({ population, regime }) => population === CHOSEN && regime === "all",
    );
    expect(chosen.map(({ agent, workers }) => [agent, workers])).toEqual([
      ["truthful", 3],
      ["overbid", 1],
      ["low-baller", 4],
    ]);
    expect(chosen[0]!.gain).toBe(0);
    const tooMany = [{ name: "overbid@8", agent: overbid(), whom: { ids: [8] } }];
    await expect(
      async () => await resultWith(tournament, { ...contextFor("one"), population: tooMany }, one),
    ).rejects.toThrow("--agent overbid@8: there is no worker 8");
  });
});
