import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agents } from "../../agents/index.js";
import { codeOn } from "../pages.js";
import { candor, fileWith, temporaryFolder } from "./candor.js";

/** Nobody is cheap enough for the first step; who asks for 0.5 forces it: worker 0 gains by it, worker 1 loses. */
const market = JSON.stringify({
  rules: { budget: 8, rounds: 4, firstRoundRatio: 0.25 },
  workers: [
    { id: 0, reputation: 1, cost: 0.8, arrival: 1 },
    { id: 1, reputation: 1, cost: 0.95, arrival: 1 },
  ],
});
const tried = async (...args: string[]) => {
  const { code, stdout, stderr } = await candor(["try", fileWith("m.json", market), "--json", ...args]);
  expect([code, stderr]).toEqual([0, ""]);
  return JSON.parse(stdout);
};

const names = Object.keys(agents).join(", ");

/** The example on the page on agents. */
const [onceBitten = ""] = codeOn("agents/README.md", "ts", "Add an agent");

describe("candor try", () => {
  it("prints what the agent's bid gets each worker, alone among truthful others", async () => {
    const { stdout } = await candor(["try", "-", "--agent", "start-forcer"], `${market}\n`);
    expect(stdout).toBe(
      [
        "stdin:1: mechanism online, agent start-forcer",
        "",
        "Each alone among truthful others: of 2 workers, 1 would gain, worker 0 the most: 0.2; 1 would lose.",
        "",
        "worker  cost  price bid  arrival  arrival bid  truthful utility  utility  gain  best possible",
        "     0  0.8         0.5        1            1                 0      0.2   0.2            0.2",
        "     1  0.95        0.5        1            1                 0     -0.7  -0.7            0",
        "",
      ].join("\n"),
    );
  });

  it("--json prints one object per market", async () => {
    const { mechanism, agent, seed, workers } = await tried("--agent", "start-forcer");
    expect({ mechanism, agent, seed }).toEqual({ mechanism: "online", agent: "start-forcer", seed: "1" });
    expect(workers[1]).toEqual({
      id: 1,
      price: 0.5,
      arrival: 1,
      truthful: 0,
      utility: expect.closeTo(-0.7, 12),
      gain: expect.closeTo(-0.7, 12),
      bestGain: 0,
    });
    const { stdout } = await candor(["try", "-", "--agent", "truthful", "--json"], `${market}\n${market}\n`);
    expect(stdout.trim().split("\n")).toHaveLength(2);
  });

  it("takes one worker, another mechanism, options and formulas", async () => {
    expect((await tried("--agent", "overbid:factor=1.5", "--worker", "1")).workers).toMatchObject([
      { id: 1, price: 1.5 * 0.95 },
    ]);
    expect((await tried("--agent", "truthful", "--mechanism", "bid-greedy")).mechanism).toBe("bid-greedy");
    const formula = "price = 2*cost; arrival = arrival + 1";
    const { agent, workers } = await tried("--agent", formula);
    expect(agent).toBe(formula);
    expect(workers[0]).toMatchObject({ price: 1.6, arrival: 2 });
  });

  it("the best-responder answers the mechanism it is tried on", async () => {
    // Pays the bid, and worker 1 fits beside it: the best price takes what worker 1 leaves of the budget, 8 − 4·0.95.
    const { workers } = await tried(
      "--agent",
      "best-responder",
      "--mechanism",
      "bid-greedy",
      "--worker",
      "0",
    );
    expect(workers[0].gain).toBeGreaterThan(0.5);
  });

  it("a seed fixes what is drawn, anew for every market", async () => {
    const noisy = async (seed: string) =>
      (await candor(["try", "-", "--agent", "noisy", "--json", "--seed", seed], `${market}\n${market}\n`))
        .stdout;
    const [first, second] = (await noisy("a")).trim().split("\n");
    expect(first).not.toBe(second);
    expect(await noisy("a")).toBe(`${first}\n${second}\n`);
    expect(await noisy("b")).not.toBe(`${first}\n${second}\n`);
  });
});

describe("a user's own agent", () => {
  it("is loaded from a file in any folder, without a build", async () => {
    const { agent, workers } = await tried("--agent", fileWith("mine.ts", onceBitten));
    expect(agent).toBe("once-bitten");
    expect(workers[0].price).toBe(0.4);
  });

  it("may have options, and use what candor exports", async () => {
    const path = fileWith(
      "mine.ts",
      `import { agents, tunable, withDelay } from "candor";
      export default tunable({ ticks: { default: 1, from: 0, whole: true } }, ({ ticks }) => ({
        ...withDelay(agents["low-baller"], ticks), name: "sloth",
      }));`,
    );
    expect((await tried("--agent", path)).workers[0]).toMatchObject({ price: 0, arrival: 2 });
    expect(await tried("--agent", `${path}:ticks=2`)).toMatchObject({
      agent: "sloth:ticks=2",
      workers: [{ price: 0, arrival: 3 }, {}],
    });
  });

  it("can be held to the contract with any test runner", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "mine.ts"), onceBitten);
    const check = `import { agentContract } from "candor/contracts";
      import mine from "./mine.ts";
      for (const { run } of agentContract(mine)) run();
      export default mine;`;
    writeFileSync(join(folder, "check.ts"), check);
    expect((await tried("--agent", join(folder, "check.ts"))).agent).toBe("once-bitten");
  });

  it.each([
    ["export default 7;", "is not an agent: must be an object, got 7"],
    [onceBitten.replace('sees: "own",', ""), 'traits.sees: missing, must be "own" or "bids"'],
    [
      onceBitten.replace('["price"]', '["prices"]'),
      'traits.lies: must be a list of some of "price", "time", "start", "identity", "effort", "coalition", got ["prices"]',
    ],
    [
      onceBitten.replace("self.cost / 2", "self.cost / 0"),
      "bid of worker 0: price: must be a finite number, got Infinity",
    ],
    [
      onceBitten.replace("history.some", "past.some"),
      "bid of worker 0: failed: ReferenceError: past is not defined",
    ],
    ["export default {", "cannot be loaded: "],
    [onceBitten.replace("bid: (", "bid: async ("), "bid of worker 0: must return a bid, not a promise: "],
    [
      onceBitten.replace("return {", "self.cost = 0; return {"),
      "bid of worker 0: writes to what it may only read: ",
    ],
  ])("that fails is one line and exit code 2: %#", async (text, message) => {
    const path = fileWith("mine.ts", text);
    const { code, stdout, stderr } = await candor(["try", fileWith("m.json", market), "--agent", path]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
    expect(stderr.trim()).not.toContain("\n");
  });
});

describe("a bid that is not legal", () => {
  const path = () => fileWith("mine.ts", onceBitten.replace("self.cost / 2", "-1"));
  const line =
    "agent once-bitten: 2 bids were not legal and were corrected, such as that of worker 0: price -1 became 0";

  it("is shown by try, and said in its JSON", async () => {
    const { stdout } = await candor(["try", "-", "--agent", path()], `${market}\n`);
    expect(stdout).toContain(line);
    expect((await tried("--agent", path())).workers[0]).toMatchObject({
      price: 0,
      said: { price: -1, arrival: 1 },
    });
  });

  it("is told by run on standard error", async () => {
    const { code, stderr } = await candor(["run", "-", "--agent", path(), "--json"], `${market}\n`);
    expect([code, stderr]).toEqual([0, `candor: warning: ${line}\n`]);
  });
});

describe("run --agent", () => {
  it("has all workers played, or one, and says by whom", async () => {
    const run = async (...args: string[]) =>
      JSON.parse((await candor(["run", fileWith("m.json", market), "--json", ...args])).stdout);
    const all = await run("--agent", "start-forcer");
    expect(all.agent).toBe("start-forcer");
    expect(all.workers.map(({ price }: { price: number }) => price)).toEqual([0.5, 0.5]);
    const one = await run("--agent", "start-forcer", "--worker", "0");
    expect(one.workers.map(({ price }: { price: number }) => price)).toEqual([0.5, 0.95]);
    expect(one.startDelay).toBe(0);
  });

  it("leaves those alone whose bids are in a file; an informed agent answers them", async () => {
    const bids = fileWith("bids.json", '[{"worker": 1, "price": 0}]');
    const args = ["run", fileWith("m.json", market), "--bids", bids, "--agent", "best-responder", "--json"];
    const { workers } = JSON.parse((await candor(args)).stdout);
    // As in the agents' tests: a rival that bids 0 starts the task itself, and waiting pays.
    expect(workers).toMatchObject([{ price: 0.8 }, { price: 0 }]);
  });

  it("shows the agent in the title", async () => {
    const { stdout } = await candor(["run", fileWith("m.json", market), "--agent", "low-baller"]);
    expect(stdout.split("\n")[0]).toMatch(/: mechanism online, agent low-baller$/);
  });
});

describe("what cannot be an agent is one line and exit code 2:", () => {
  it.each([
    [["--agent", "overbd"], `candor: --agent: no "overbd"; did you mean "overbid"? there are ${names}\n`],
    [["--agent", "xyzzy"], `candor: --agent: no "xyzzy"; there are ${names}\n`],
    [
      ["--agent", "overbid:factr=2"],
      'candor: --agent overbid: no option "factr"; did you mean "factor"? it has factor\n',
    ],
    [["--agent", "truthful:x=1"], 'candor: --agent truthful: no option "x"; it has none\n'],
    [["--agent", "./nowhere.ts"], "candor: ./nowhere.ts: no such file\n"],
    [
      ["--agent", "truthful", "--worker", "7"],
      "candor: --worker: must be the id of a worker in stdin:1, got 7\n",
    ],
  ])("%j", async (args, message) => {
    const { code, stdout, stderr } = await candor(["try", "-", ...args], `${market}\n`);
    expect([code, stdout, stderr]).toEqual([2, "", message]);
  });

  it("is said where its lies do not show in one auction, or need a partner", async () => {
    const said = async (agent: string) =>
      (await candor(["try", "-", "--agent", agent], `${market}\n`)).stdout;
    expect(await said("shirker")).toContain(
      "The shirker bids the truth: its lies show over many tasks, in candor train.",
    );
    expect(await said("colluders")).toContain(
      "The colluders lie with a partner, and a single worker has none",
    );
    expect(await said("overbid")).not.toContain("partner");
  });

  it("a worker without an agent", async () => {
    const { code, stderr } = await candor(["run", "-", "--worker", "0"], `${market}\n`);
    expect([code, stderr]).toEqual([
      2,
      "candor: --worker: says whom an agent plays, so there must be one --agent\n",
    ]);
  });
});
