import * as fc from "fast-check";
import { expect, it } from "vitest";
import { parseMarketCsv } from "../../src/market/csv.js";
import { marketArbitrary } from "../../src/market/generators.js";
import { paperRules, type Rules, type Worker } from "../../src/market/market.js";

const rules: Rules = { budget: 12, rounds: 5, ...paperRules };

const parse = (text: string) => parseMarketCsv(text, rules, "m.csv");

/** What the error says, to the letter. */
function complaint(act: () => unknown): string {
  try {
    act();
    return "";
  } catch (error) {
    return (error as Error).message;
  }
}

const two = [
  { id: 0, reputation: 0.5, cost: 0.2, arrival: 1 },
  { id: 7, reputation: 1, cost: 0, arrival: 5 },
];

it("reads a line per worker, under the rules it is given", () => {
  const market = parse("id,reputation,cost,arrival\n0,0.5,0.2,1\n7,1,0,5\n");
  expect(market).toEqual({ rules, workers: two });
});

it.each([
  ["columns in another order", "cost,arrival,id,reputation\n0.2,1,0,0.5\n0,5,7,1"],
  [
    "the line ends of Windows, and the mark that it puts first",
    "\ufeffid,reputation,cost,arrival\r\n0,0.5,0.2,1\r\n7,1,0,5\r\n",
  ],
  ["blanks and quotes around cells", '"id", "reputation", "cost", "arrival"\n "0",0.5 , .2,1\n7,1e0,+0,5'],
  ["the line ends of old Macs", "id,reputation,cost,arrival\r0,0.5,0.2,1\r7,1,0,5\r"],
  ["empty lines", "\nid,reputation,cost,arrival\n\n0,0.5,0.2,1\n  \n7,1,0,5\n\n"],
])("takes %s", (_, text) => {
  expect(parse(text).workers).toEqual(two);
});

it("gives every market back that is written in any order of columns", () => {
  const names = ["id", "reputation", "cost", "arrival"] as const;
  const orders = fc.shuffledSubarray([...names], { minLength: 4 });
  fc.assert(
    fc.property(marketArbitrary(), orders, (market, order) => {
      const line = (worker: Worker) => order.map((name) => worker[name]).join(",");
      const text = [order.join(","), ...market.workers.map(line)].join("\n");
      expect(parseMarketCsv(text, market.rules, "m.csv")).toEqual(market);
    }),
  );
});

it.each([
  ["", "m.csv: empty, must hold the header id,reputation,cost,arrival and a line for each worker"],
  [
    "id,reputation,cost\n",
    "m.csv: line 1: column arrival is missing; the header is id,reputation,cost,arrival, in any order",
  ],
  ["id,reputation,costs,arrival\n", 'm.csv: line 1: unknown column "costs"; did you mean "cost"?'],
  [
    "id;reputation;cost;arrival\n",
    'm.csv: line 1: unknown column "id;reputation;cost;arrival"; the header is id,reputation,cost,arrival, in any order',
  ],
  ["id,cost,reputation,cost,arrival\n", "m.csv: line 1: column cost is there twice"],
  ["id,reputation,cost,arrival\n0,0.5,0.2\n", "m.csv: line 2: must have 4 cells, got 3"],
  [
    "id,reputation,cost,arrival\n0,0.5,0.2,1\n\n3,-0.2,0.2,1\n",
    "m.csv: line 4, reputation: must be a number ≥ 0, got -0.2",
  ],
  ["id,reputation,cost,arrival\n0,0.5,half,1\n", 'm.csv: line 2, cost: must be a number ≥ 0, got "half"'],
  [
    'id,reputation,cost,arrival\n0,"1,5",0.2,1\n',
    'm.csv: line 2, reputation: must be a number ≥ 0, got "1,5"',
  ],
  [
    'id,reputation,cost,arrival\n0,"say ""x""",0.2,1\n',
    'm.csv: line 2, reputation: must be a number ≥ 0, got "say \\"x\\""',
  ],
  ["id,reputation,cost,arrival\n0,0.5,,1\n", 'm.csv: line 2, cost: must be a number ≥ 0, got ""'],
  [
    "id,reputation,cost,arrival\n0,0.5,0.2,6\n",
    "m.csv: line 2, arrival: must be an integer from 1 to 5, got 6",
  ],
  [
    "id,reputation,cost,arrival\n0,0.5,0.2,1\n\n0,1,1,1\n",
    "m.csv: line 4, id: must be unique (line 2 has it too), got 0",
  ],
])("names line and column of what is wrong: %j", (text, message) => {
  expect(complaint(() => parse(text))).toBe(message);
});

it("says what is wrong with the rules as for any market", () => {
  const bad = { ...rules, budget: -5 };
  expect(complaint(() => parseMarketCsv("id,reputation,cost,arrival\n", bad, "m.csv"))).toBe(
    "m.csv: rules.budget: must be a number ≥ 0, got -5",
  );
});
