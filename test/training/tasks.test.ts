import { describe, expect, it } from "vitest";
import { learner } from "../../agents/learner.js";
import { overbid } from "../../agents/overbid.js";
import { type AnyMechanism, withOptions } from "../../src/auction/mechanism.js";
import { stream } from "../../src/lib/random.js";
import { mechanismNamed, mechanisms } from "../../src/mechanisms/index.js";
import { paperPopulation, paperTaskRules } from "../../src/training/population.js";
import { reputationSettings } from "../../src/training/reputation.js";
import {
  firstState,
  runTasks,
  type TaskStep,
  type TasksSetting,
  type TasksState,
  workingIn,
} from "../../src/training/tasks.js";
import type { Trainer } from "../../src/training/trainer.js";

/** Worth follows accuracy, and the loss the number of good updates: enough to see what goes in and comes out. */
const plain: Trainer = {
  name: "plain",
  about: "Knows who is good.",
  async start({ workers, training }) {
    const accuracy = new Map(workers.map((worker) => [worker.id, worker.accuracy]));
    let good = 0;
    return {
      async round(selected) {
        const worths = [...selected]
          .sort((a, b) => a - b)
          .map((id) => {
            const gain = accuracy.get(id)! - 0.6 + 0.01 * training.fork(id).next();
            return { id, gain, cosine: accuracy.get(id)! };
          });
        good += worths.filter(({ gain }) => gain > 0).length;
        return { loss: 2.3 / (1 + good), accuracy: good / (10 + good), worths };
      },
      end() {},
    };
  },
};

const setting: TasksSetting = {
  workers: paperPopulation(12),
  rules: { ...paperTaskRules, budget: 32 },
  mechanism: mechanisms.online,
  trainer: plain,
  stream: stream("tasks"),
};

async function run(changes: Partial<TasksSetting>, count: number, from?: TasksState): Promise<TaskStep[]> {
  const steps: TaskStep[] = [];
  for await (const step of runTasks({ ...setting, ...changes }, count, from)) steps.push(step);
  return steps;
}

const records = async (...args: Parameters<typeof run>) => (await run(...args)).map(({ record }) => record);

describe("tasks one after another", () => {
  it("give the same records for the same seed, and others for another", async () => {
    const first = await records({}, 5);
    expect(await records({}, 5)).toEqual(first);
    expect(await records({ stream: stream("other") }, 5)).not.toEqual(first);
    expect(first.map(({ task }) => task)).toEqual([1, 2, 3, 4, 5]);
  });

  it("start everybody at 0.5, change the reputation of the selected, and leave that of all others", async () => {
    let before: Readonly<Record<string, number>> = Object.fromEntries(
      setting.workers.map(({ id }) => [id, 0.5]),
    );
    let unselected = 0;
    for (const { selected, reputations } of await records({}, 6)) {
      const ids = new Set(selected.map(({ id }) => id));
      for (const { id } of setting.workers) {
        if (ids.has(id)) expect(reputations[id]).not.toBe(before[id]);
        else expect(reputations[id]).toBe(before[id]);
        unselected += ids.has(id) ? 0 : 1;
      }
      for (const { id, reputation } of selected) expect(reputation).toBe(before[id]);
      before = reputations;
    }
    expect(unselected).toBeGreaterThan(0);
  });

  it("let an auction that goes by reputation select better and better workers", async () => {
    const shares = (await records({}, 15)).map(({ goodShare }) => goodShare!);
    const mean = (some: readonly number[]) => some.reduce((sum, one) => sum + one, 0) / some.length;
    expect(mean(shares.slice(-5))).toBeGreaterThan(mean(shares.slice(0, 3)) + 0.1);
  });

  it("meet the same workers, prices and arrivals whatever the mechanism", async () => {
    const types = async (mechanism: AnyMechanism) =>
      (await run({ mechanism }, 3)).map(({ held }) =>
        held.market.workers.map(({ cost, arrival }) => ({ cost, arrival })),
      );
    expect(await types(mechanisms.vanilla)).toEqual(await types(mechanisms.online));
  });

  it("select the same whatever reputation does, if the mechanism does not look at it", async () => {
    const chosen = async (reputation: TasksSetting["reputation"]) =>
      (await records({ mechanism: mechanisms["bid-greedy"], ...(reputation && { reputation }) }, 4)).map(
        ({ selected }) => selected.map(({ id }) => id),
      );
    expect(await chosen(reputationSettings({ start: 0.9, up: 0.01 }))).toEqual(await chosen(undefined));
  });

  it("let a mechanism that draws draw anew in every task, and keep its other options and rules", async () => {
    const first = async (mechanism: AnyMechanism) =>
      (await records({ mechanism }, 4)).map(({ selected }) => selected.map(({ id }) => id).join());
    expect(new Set(await first(mechanisms.vanilla)).size).toBeGreaterThan(1);
    const seen: (readonly [number, number, number])[] = [];
    const drawing = withOptions(
      { seed: { default: 0, from: 0, whole: true }, part: { default: 1, from: 0, to: 1 } },
      ({ seed, part }) => ({
        ...mechanisms.vanilla,
        decide: (rules, bids) => {
          seen.push([seed, part, rules.minWorkers]);
          return mechanisms.vanilla.decide(rules, bids);
        },
      }),
    );
    const varied = drawing.vary!({ part: 0.5 });
    await records({ mechanism: varied }, 2);
    expect(seen.map(([, part]) => part)).toEqual([0.5, 0.5]);
    expect(new Set(seen.map(([seed]) => seed)).size).toBe(2);
    const variant = mechanismNamed("vanilla:minWorkers=3");
    expect(variant.vary!({ seed: 4 }).variantOf?.rules).toEqual({ minWorkers: 3 });
  });

  it("go on from a state that was written down as if nothing had happened, learners and all", async () => {
    for (const agent of [learner(), overbid(), undefined]) {
      const changes = { agents: () => agent };
      const whole = await run(changes, 5);
      const state: TasksState = JSON.parse(JSON.stringify(whole[2]!.state));
      expect(await records(changes, 5, state)).toEqual(whole.slice(3).map(({ record }) => record));
      expect(state.past).toHaveLength(agent?.traits.learns ? 3 : 0);
    }
    expect(await records({}, 0, firstState)).toEqual([]);
  });

  it("let agents bid: a higher price is in the bids, the truth where there is no agent", async () => {
    const [{ held }] = (await run({ agents: ({ id }) => (id === 0 ? overbid() : undefined) }, 1)) as [
      TaskStep,
    ];
    const { cost } = held.market.workers[0]!;
    expect(held.bids).toEqual([
      { worker: 0, price: expect.closeTo(1.2 * cost, 9), arrival: held.market.workers[0]!.arrival },
    ]);
  });
});

describe("one task", () => {
  it("is trained by those who work: from their selection on, for the rounds they are paid for", async () => {
    const [{ record, held }] = (await run({}, 1)) as [TaskStep];
    for (const { round, classes } of record.rounds) {
      const updates = classes.reduce((sum, one) => sum + one.updates, 0);
      expect(updates).toBe(workingIn(round, held.outcome).length);
    }
    const workerRounds = record.selected.reduce((sum, { rounds }) => sum + rounds, 0);
    const updates = record.rounds
      .flatMap(({ classes }) => classes)
      .reduce((sum, one) => sum + one.updates, 0);
    expect(updates).toBe(workerRounds);
    expect(record.rounds).toHaveLength(10);
    expect(record.loss).toBe(record.rounds.at(-1)!.loss);
  });

  it("counts the good among the selected, and their part of the rounds", async () => {
    const [{ selected, goodShare, goodRoundShare }] = (await records({}, 1)) as [TaskStep["record"]];
    const good = selected.filter(({ accuracy }) => accuracy === 1);
    const rounds = (some: typeof selected) => some.reduce((sum, one) => sum + one.rounds, 0);
    expect(goodShare).toBe(good.length / selected.length);
    expect(goodRoundShare).toBe(rounds(good) / rounds(selected));
  });

  it("in which nobody is selected trains nothing: no rounds, no loss, and every reputation stays", async () => {
    const [record] = await records({ rules: { ...setting.rules, budget: 0 } }, 1);
    expect(record).toMatchObject({ started: false, spent: 0, selected: [], rounds: [] });
    expect(record).toMatchObject({ loss: null, accuracy: null, goodShare: null, goodRoundShare: null });
    expect(new Set(Object.values(record!.reputations))).toEqual(new Set([0.5]));
  });

  it("ends with the signal's reason, and gives back what it held", async () => {
    const controller = new AbortController();
    let ended = 0;
    const trainer: Trainer = {
      ...plain,
      start: async (task) => ({ ...(await plain.start(task)), end: () => void ended++ }),
    };
    const onRound = (_: number, round: number) => {
      if (round === 2) controller.abort(new Error("enough"));
    };
    await expect(records({ trainer, signal: controller.signal, onRound }, 3)).rejects.toThrow("enough");
    expect(ended).toBe(1);
  });
});
