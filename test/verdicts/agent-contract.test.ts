import { describe, expect, it } from "vitest";
import { colluders } from "../../agents/colluders.js";
import { freeloader } from "../../agents/freeloader.js";
import { builtInAgents } from "../../agents/index.js";
import { interimResponder } from "../../agents/interim-responder.js";
import { latecomer } from "../../agents/latecomer.js";
import { noisy } from "../../agents/noisy.js";
import { overbid } from "../../agents/overbid.js";
import { truthful } from "../../agents/truthful.js";
import { whitewasher } from "../../agents/whitewasher.js";
import {
  type Agent,
  type AnyAgent,
  type InformedView,
  withDelay,
  withNoise,
} from "../../src/agents/agent.js";
import { formulaAgent } from "../../src/agents/formula.js";
import { agentContract } from "../../src/verdicts/contracts.js";

const derived = [
  colluders({ factor: 1.5 }),
  withNoise(overbid(), 0.2),
  withDelay(noisy(), 1),
  formulaAgent("price = u * cost"),
  formulaAgent("arrival = arrival + 1"),
];

/** The checks meet thousands of rules, each with a table of its own to work out: a few draws of a few others will do. */
const quick = interimResponder({ draws: 4, workers: 6 });
const registered = builtInAgents().map((agent) => (agent.name === "interim-responder" ? quick : agent));

describe.each([...registered, ...derived])("$name keeps the contract:", (agent) => {
  it.each(agentContract(agent))("it $title", ({ run }) => run());
});

/** The titles of the checks an agent fails. */
const failures = (agent: AnyAgent) =>
  agentContract(agent).flatMap(({ title, run }) => {
    try {
      run();
      return [];
    } catch {
      return [title];
    }
  });

describe("an agent is held only to what its traits say", () => {
  const titles = (traits: Partial<Agent["traits"]>) =>
    agentContract({ ...truthful, traits: { ...truthful.traits, ...traits } }).map(({ title }) => title);

  it.each<[string, Partial<Agent["traits"]>]>([
    ["does not draw", { stochastic: true }],
    ["does not look at past tasks", { learns: true }],
    ["bids its cost", { lies: ["price"] }],
    ["is never late", { lies: ["time"] }],
    ["keeps its name", { lies: ["identity"] }],
    ["trains on all its data", { lies: ["effort"] }],
  ])("%s: unless %o", (title, traits) => {
    expect(titles({})).toContain(title);
    expect(titles(traits)).toEqual(titles({}).filter((other) => other !== title));
  });
});

describe("the contract catches an agent that", () => {
  const broken = (change: Partial<Agent>): Agent => ({ ...truthful, name: "broken", ...change });

  it("lies about its price without saying so", () => {
    const { bid } = overbid();
    expect(failures(broken({ bid }))).toEqual(["bids its cost"]);
  });

  it("comes late without saying so", () => {
    const { bid } = latecomer();
    expect(failures(broken({ bid }))).toEqual(["is never late"]);
  });

  it("draws without saying so", () => {
    const { bid } = noisy();
    expect(failures(broken({ bid, traits: { ...noisy().traits, stochastic: false } }))).toEqual([
      "does not draw",
    ]);
  });

  it("draws when it comes, without saying so", () => {
    const bid: Agent["bid"] = ({ self, rules }, random) => ({
      price: self.cost,
      arrival: random.next() < 0.5 ? self.arrival : rules.rounds,
    });
    const traits = { ...truthful.traits, lies: ["time" as const] };
    expect(failures(broken({ bid, traits }))).toEqual(["does not draw"]);
  });

  it("learns without saying so", () => {
    const price = ({ history }: Parameters<Agent["bid"]>[0]) => history.length;
    const liar = broken({
      traits: { ...truthful.traits, lies: ["price"] },
      bid: (view) => ({ price: price(view), arrival: view.self.arrival }),
    });
    expect(failures(liar)).toEqual(["does not look at past tasks"]);
  });

  it("takes a new name without saying so", () => {
    const { renames } = whitewasher();
    expect(failures(broken({ renames: renames! }))).toEqual(["keeps its name"]);
  });

  it("trains less than all without saying so", () => {
    const { effort } = freeloader();
    expect(failures(broken({ effort: effort! }))).toEqual(["trains on all its data"]);
  });

  it("trains less the more it remembers, without saying so", () => {
    const traits = { ...truthful.traits, lies: ["effort" as const] };
    const effort: Agent["effort"] = ({ history }) => 1 / (1 + history.length);
    expect(failures(broken({ traits, effort }))).toEqual(["does not look at past tasks"]);
  });

  it("looks at a partner without saying that it has one", () => {
    const bid: Agent["bid"] = ({ partner }) => ({ price: partner!.cost, arrival: 1 });
    expect(failures(broken({ bid }))).toContain("bids finite numbers at its first task");
  });

  it("gives no number", () => {
    const bid: Agent["bid"] = ({ self }) => ({ price: Math.log(-1 - self.cost), arrival: self.arrival });
    expect(failures(broken({ bid }))).toContain("bids finite numbers at its first task");
  });

  it("gives no number once it has lived long", () => {
    const bid: Agent["bid"] = ({ self, history }) => ({
      price: history.length < 50 ? self.cost : Number.NaN,
      arrival: self.arrival,
    });
    expect(failures(broken({ bid }))).toEqual(["bids finite numbers after many tasks"]);
  });

  it("gives no number once it remembers what it bid when it had a past", () => {
    const bid: Agent["bid"] = ({ self, history }) => {
      const experienced = history.some((task) => task.bid.price === task.self.cost + 1000);
      return { price: self.cost + (experienced ? Number.NaN : 1000 * history.length), arrival: self.arrival };
    };
    const traits = { ...truthful.traits, learns: true, lies: ["price" as const] };
    expect(failures(broken({ bid, traits }))).toContain("bids finite numbers after many tasks");
  });

  it("keeps state between bids", () => {
    let asked = 0;
    const bid: Agent["bid"] = ({ self }) => ({ price: asked++, arrival: self.arrival });
    expect(failures(broken({ bid }))).toContain("gives the same bid for the same view and stream");
  });

  it("looks at the others' bids without saying so", () => {
    const bid = (view: object) => ({ price: (view as InformedView).others.length, arrival: 1 });
    expect(failures(broken({ bid }))).toContain("bids finite numbers at its first task");
  });

  it("writes to its view", () => {
    const bid: Agent["bid"] = ({ self }) => Object.assign(self, { price: self.cost });
    expect(failures(broken({ bid }))).toContain("leaves its view as it is");
  });
});
