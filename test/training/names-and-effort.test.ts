import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { freeloader } from "../../agents/freeloader.js";
import { learner } from "../../agents/learner.js";
import { shirker } from "../../agents/shirker.js";
import { truthful } from "../../agents/truthful.js";
import { whitewasher } from "../../agents/whitewasher.js";
import type { Agent, AnyAgent, Effort, View } from "../../src/agents/agent.js";
import { stream } from "../../src/lib/random.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { paperPopulation, paperTaskRules } from "../../src/training/population.js";
import { internalReputations, reputationSettings } from "../../src/training/reputation.js";
import { surrogate } from "../../src/training/surrogate.js";
import { runTasks, type TaskStep, type TasksSetting, type TasksState } from "../../src/training/tasks.js";
import { readDataset } from "../../src/training/tfjs/read-dataset.js";
import { tfjs } from "../../src/training/tfjs.js";
import type { RoundResult, Trainer } from "../../src/training/trainer.js";

const setting: TasksSetting = {
  workers: paperPopulation(12),
  rules: { ...paperTaskRules, budget: 32 },
  mechanism: mechanisms.online,
  trainer: surrogate({ dataset: "mnist" }),
  stream: stream("names"),
};

async function run(changes: Partial<TasksSetting>, count: number, from?: TasksState): Promise<TaskStep[]> {
  const steps: TaskStep[] = [];
  for await (const step of runTasks({ ...setting, ...changes }, count, from)) steps.push(step);
  return steps;
}

/** One worker plays the agent, all others tell the truth. */
const only = (who: number, agent: AnyAgent) => ({
  agents: ({ id }: { id: number }) => (id === who ? agent : undefined),
});

const utilityOf = (steps: readonly TaskStep[], who: number): number =>
  steps.reduce((sum, { record }) => sum + (record.selected.find(({ id }) => id === who)?.utility ?? 0), 0);

describe("a new name", () => {
  /** Remembers what it was shown, and renames before every task but the first. */
  const restless = (views: View[]): Agent => ({
    ...truthful,
    name: "restless",
    traits: { ...truthful.traits, lies: ["identity"], learns: true },
    renames: ({ history }) => history.length > 0,
    bid: (view, random) => {
      views.push(view);
      return truthful.bid(view, random);
    },
  });

  it("is a number nobody has had, of the same group, without a past and with the reputation of a newcomer", async () => {
    const views: View[] = [];
    const two = restless(views);
    const reputation = reputationSettings({ newcomer: 0.3 });
    const steps = await run({ agents: ({ id }) => (id === 3 || id === 4 ? two : undefined), reputation }, 3);
    expect(steps.map(({ record }) => record.names)).toEqual([undefined, { 3: 13, 4: 14 }, { 3: 15, 4: 16 }]);
    const shown = views.map(({ self, history }) => [self.id, self.reputation, history.length]);
    expect(shown).toEqual([
      [3, 0.5, 0],
      [4, 0.5, 0],
      [13, 0.3, 0],
      [14, 0.3, 0],
      [15, 0.3, 0],
      [16, 0.3, 0],
    ]);
    expect(steps[1]!.held.market.workers.map(({ id }) => id)).toEqual([
      0, 1, 2, 13, 14, 5, 6, 7, 8, 9, 10, 11,
    ]);
  });

  it("leaves the worker its data, its costs and its arrivals: an auction that does not look at reputation decides alike", async () => {
    const mechanism = mechanisms["bid-greedy"];
    const plain = await run({ mechanism }, 3);
    const renamed = await run({ mechanism, ...only(3, restless([])) }, 3);
    const comparable = ({ record: { selected, rounds } }: TaskStep) => ({
      selected: selected.map(({ id, payment, utility }) => ({ id, payment, utility })),
      rounds,
    });
    expect(renamed.map(comparable)).toEqual(plain.map(comparable));
  });

  it("is what a whitewasher takes when its reputation is below that of a newcomer, by more than its margin", async () => {
    const view: View = {
      self: { id: 0, reputation: 0.4, cost: 1, arrival: 1 },
      rules: setting.rules,
      history: [],
    };
    expect(whitewasher().renames!(view, 0.4)).toBe(false);
    expect(whitewasher().renames!(view, 0.41)).toBe(true);
    expect(whitewasher({ margin: 0.2 }).renames!(view, 0.41)).toBe(false);
    const steps = await run(only(4, whitewasher()), 8);
    expect(paperPopulation(12)[4]!.accuracy).toBe(0.1);
    expect(steps.at(-1)!.record.names![4]).toBeGreaterThan(14);
    for (const { held, record } of steps) {
      const self = held.market.workers.find(({ id }) => id === (record.names?.[4] ?? 4))!;
      expect(self.reputation).toBeGreaterThanOrEqual(0.5);
    }
  });

  it("[M1] gains nothing where newcomers start at 0, whenever it is taken and whoever takes it", async () => {
    const reputation = reputationSettings({ newcomer: 0 });
    const cases = fc.record({ seed: fc.nat(), who: fc.nat(11), when: fc.integer({ min: 0, max: 5 }) });
    await fc.assert(
      fc.asyncProperty(cases, async ({ seed, who, when }) => {
        const early = await run({ stream: stream(seed), reputation }, when);
        const before = early.at(-1)?.state;
        const always: Agent = {
          ...truthful,
          traits: { ...truthful.traits, lies: ["identity"] },
          renames: ({ self }) => self.reputation > 0,
        };
        const later = (agent: AnyAgent) =>
          run({ stream: stream(seed), reputation, ...only(who, agent) }, 7, before);
        const [honest, renamed] = [await later(truthful), await later(always)];
        expect(utilityOf(renamed, who)).toBe(0);
        expect(utilityOf(honest, who)).toBeGreaterThanOrEqual(-1e-9);
        expect(await later(whitewasher())).toEqual(honest);
      }),
      { numRuns: 25 },
    );
  });
});

describe("who trains less than all", () => {
  it("pays for what it trains only, and the auction does not know", async () => {
    const [honest] = await run({}, 1);
    const { id } = honest!.record.selected[0]!;
    for (const [agent, share] of [
      [shirker(), 0],
      [shirker({ sends: "noise" }), 0],
      [freeloader(), 0.1],
      [whitewasher({ effort: 0.5 }), 0.5],
    ] as const) {
      const [lazy] = await run(only(id, agent), 1);
      expect(lazy!.held.outcome).toEqual(honest!.held.outcome);
      const [mine, theirs] = [lazy, honest].map(
        (step) => step!.record.selected.find((one) => one.id === id)!,
      );
      const { cost } = lazy!.held.market.workers[id]!;
      expect(mine!.utility).toBeCloseTo(theirs!.utility + (1 - share) * cost * mine!.rounds, 9);
      expect(mine!.effort).toBe(agent.effort!({} as View));
      expect(theirs!.effort).toBeUndefined();
    }
  });

  it("remembers what it saved, if it learns", async () => {
    const pasts: View["history"][] = [];
    const lazy: Agent = {
      ...shirker(),
      traits: { ...shirker().traits, learns: true },
      bid: (view, random) => {
        pasts.push(view.history);
        return truthful.bid(view, random);
      },
    };
    const [{ record }] = (await run(only(0, lazy), 2)) as [TaskStep];
    expect(pasts[1]![0]!.utility).toBe(record.selected.find(({ id }) => id === 0)?.payment ?? 0);
  });

  it("loses its reputation: half of it in every task it works in, for its update has no direction", async () => {
    const steps = await run(only(0, shirker()), 6);
    let worked = 0;
    for (const { record } of steps) {
      if (record.selected.some(({ id }) => id === 0)) worked++;
      expect(record.reputations[0]).toBeCloseTo(0.5 ** (worked + 1), 9);
    }
    expect(worked).toBeGreaterThan(0);
  });

  it("makes the model no better than a round without anybody, where all do", async () => {
    const all = await run({ agents: () => shirker() }, 1);
    const losses = all[0]!.record.rounds.map(({ loss }) => loss);
    expect(Math.min(...losses)).toBeGreaterThan(2);
  });
});

describe("names and efforts", () => {
  it("are in what is written down: a run goes on from any state, learners and all, and repeats itself", async () => {
    const agents = ({ id }: { id: number }) =>
      id < 3 ? whitewasher({ effort: 0 }) : id < 6 ? learner() : id < 8 ? freeloader() : undefined;
    const whole = await run({ agents }, 6);
    expect(whole.at(-1)!.record.names).toBeDefined();
    const state: TasksState = JSON.parse(JSON.stringify(whole[2]!.state));
    const rest = await run({ agents }, 6, state);
    expect(rest.map(({ record }) => record)).toEqual(whole.slice(3).map(({ record }) => record));
  });

  it.each([
    [{ renames: () => "yes" as never }, 'agent odd: renames: must be true or false, got "yes"'],
    [{ effort: () => 1.5 }, 'agent odd: effort: must be a number from 0 to 1, or "noise", got 1.5'],
    [
      {
        effort: () => {
          throw new Error("no");
        },
      },
      "agent odd: effort: failed: no",
    ],
    [
      {
        renames: ({ self }: View) =>
          Reflect.set(self, "reputation", 1) || Object.assign(self, { id: 1 }).id > 0,
      },
      "agent odd: renames: writes to what it may only read",
    ],
  ])("that are none get one line: %o", async (verbs, line) => {
    await expect(run(only(0, { ...truthful, name: "odd", ...verbs }), 1)).rejects.toThrow(line);
  });
});

/** Six equal workers, of whom the first trains as it likes. */
async function worthsBy(trainer: Trainer, effort: Effort): Promise<RoundResult[]> {
  const workers = Array.from({ length: 6 }, (_, id) => ({ id, samples: 500, accuracy: 1 }));
  const training = await trainer.start({
    workers: [{ ...workers[0]!, effort }, ...workers.slice(1)],
    data: stream("data"),
    training: stream("training"),
  });
  const results: RoundResult[] = [];
  for (let round = 0; round < 4; round++) results.push(await training.round(workers.map(({ id }) => id)));
  training.end();
  return results;
}

describe("in real training", () => {
  const real = tfjs({ dataset: readDataset("mnist"), model: "mlp", validation: 500, test: 500 });

  it("a model sent back has no direction, noise hardly one, a tenth of the data less than all; the model is better without, and reputation finds it", async () => {
    const honest = await worthsBy(real, 1);
    for (const [effort, least, most] of [
      [0, 0, 0],
      ["noise", 0, 0.35],
      [0.1, 0.1, 0.8],
    ] as const) {
      const lazy = await worthsBy(real, effort);
      for (const [round, { worths, loss }] of lazy.entries()) {
        expect(worths[0]!.cosine).toBeGreaterThanOrEqual(least);
        expect(worths[0]!.cosine).toBeLessThanOrEqual(most);
        expect(worths[0]!.gain).toBeLessThan(0);
        expect(worths[0]!.cosine).toBeLessThan(worths[1]!.cosine - 0.1);
        expect(loss).toBeGreaterThan(honest[round]!.loss);
      }
      const internal = internalReputations(lazy.map(({ worths }) => worths));
      expect(internal.get(0)).toBeLessThan(0.01);
      expect(internal.get(1)).toBeGreaterThan(0.3);
    }
    expect(await worthsBy(real, "noise")).toEqual(await worthsBy(real, "noise"));
  }, 60_000);

  it("the surrogate says the same of them: directions within a fifth, the model better without", async () => {
    for (const effort of [0, "noise", 0.1] as const) {
      const trained = await worthsBy(real, effort);
      const assumed = await worthsBy(surrogate({ dataset: "mnist" }), effort);
      for (const [round, { worths }] of assumed.entries()) {
        expect(Math.abs(worths[0]!.cosine - trained[round]!.worths[0]!.cosine)).toBeLessThan(0.25);
        expect(worths[0]!.gain).toBeLessThan(0);
      }
    }
  }, 60_000);
});
