import { describe, expect, it } from "vitest";
import { quoted } from "../../src/lib/format.js";
import { type Market, paperRules } from "../../src/market/market.js";
import { replayCommand } from "../../src/verdicts/explain.js";

const market: Market = {
  rules: { budget: 4, rounds: 2, ...paperRules, firstRoundRatio: 0.5 },
  workers: [{ id: 0, reputation: 1, cost: 0.5, arrival: 1 }],
};
const lie = { worker: 0, price: 0.25, arrival: 2 };
const command = (part: Partial<Parameters<typeof replayCommand>[0]>) =>
  replayCommand({ source: "m.json", market, lie, mechanism: "online", ...part });

describe("the command that replays a witness", () => {
  it("explains a lie, and traces the truthful run", () => {
    expect(command({})).toBe("candor explain m.json --worker 0 --price 0.25 --arrival 2");
    expect(command({ lie: null })).toBe("candor run m.json --trace");
  });

  it("names the mechanism unless it is the paper's", () => {
    expect(command({ lie: null, mechanism: "bid-greedy" })).toBe(
      "candor run m.json --trace --mechanism bid-greedy",
    );
  });

  it("cuts one market out of many, and writes out what came on standard input", () => {
    expect(command({ source: "some markets.jsonl:12", lie: null })).toBe(
      "sed -n 12p 'some markets.jsonl' | candor run - --trace",
    );
    const written = `{"rules":{"budget":4,"rounds":2,"firstRoundRatio":0.5,"minWorkers":1,"reading":"prose"},`;
    const workers = `"workers":${JSON.stringify(market.workers)}}`;
    expect(command({ source: "stdin:3", lie: null })).toBe(
      `echo '${written}${workers}' | candor run - --trace`,
    );
  });

  it("[M5] [M6] says a first step and a delay that are not the default", () => {
    const rules = { ...market.rules, firstStep: "prose", delay: "shorten" } as const;
    const unusual = { ...market, rules };
    expect(command({ source: "stdin:3", lie: null, market: unusual })).toContain(
      '"reading":"prose","firstStep":"prose","delay":"shorten"}',
    );
    expect(command({ source: "m.csv", lie: null, market: unusual })).toContain(
      "--first-step prose --delay shorten",
    );
  });

  it("takes a number for a line only at the end", () => {
    expect(command({ source: "a:1b.json", lie: null })).toBe("candor run a:1b.json --trace");
  });
});

describe("a text for a shell", () => {
  it.each([
    ["m.json", "m.json"],
    ["a/b-c_d.json:12", "a/b-c_d.json:12"],
    ["two words", "'two words'"],
    [" leading", "' leading'"],
    ["it's", "'it'\\''s'"],
    ["$HOME", "'$HOME'"],
    ["", "''"],
  ])("%s is written %s", (text, written) => {
    expect(quoted(text)).toBe(written);
  });
});
