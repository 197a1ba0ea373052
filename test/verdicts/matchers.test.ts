import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";
import type { Mechanism } from "../../src/auction/mechanism.js";
import { fixedThreshold } from "../../src/mechanisms/fixed-threshold.js";
import { mechanisms } from "../../src/mechanisms/index.js";
import { online } from "../../src/mechanisms/online/online.js";
import * as matchers from "../../src/verdicts/matchers.js";
import { candor } from "../cli/candor.js";

/** jest's own `expect`, without the rest of it. */
type JestExpect = typeof expect;
const { expect: jestExpect } = createRequire(import.meta.url)("expect") as { expect: JestExpect };

expect.extend(matchers);
jestExpect.extend(matchers);

/** Plain code: its best lies are searched for. It pays the bid to the cheapest. */
const firstPrice: Mechanism = {
  name: "first-price",
  about: "Hires the cheapest worker that fits, and pays its price.",
  offline: true,
  decide: mechanisms["bid-greedy"].decide,
};
/** Nothing to gain, but that is searched for, too. */
const generous: Mechanism = { ...firstPrice, name: "generous", decide: fixedThreshold.decide };

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("it passed");
}

describe.each([
  ["vitest", expect],
  ["jest", jestExpect],
])("under %s,", (_, expectIn) => {
  const few = { markets: 40, workers: 5, rounds: 3 };

  it("a mechanism that keeps a claim passes, and one that breaks it passes where that is expected", () => {
    expectIn(mechanisms["falling-price"]).toBeTruthful(few);
    expectIn(mechanisms["falling-price"]).toKeepBudget(few);
    expectIn(mechanisms["falling-price"]).toBeIndividuallyRational(few);
    expectIn(mechanisms["bid-greedy"]).not.toBeTruthful(few);
    expectIn(mechanisms["bid-greedy"]).toBeTruthful({ ...few, property: "P6" });
    expectIn(online).not.toKeepBudget({ ...few, markets: 200, maxRatio: 0.95 });
  });

  it("a failure shows the smallest market, the lie, why it pays and the command that replays it", async () => {
    const message = messageOf(() =>
      expectIn(online).toBeTruthful({ markets: 300, regime: "late and tight" }),
    );
    expect(message).toContain("expected mechanism online to be truthful\njoint in regime late and tight");
    expect(message).toMatch(/Breaks in \d+ of 300 markets; the largest gain is \d/);
    expect(message).toContain("The smallest market found:\n  2 workers, budget B = ");
    expect(message).toMatch(/Worker \d gains [\d.]+ by bidding .* Certified in exact fractions\./);
    expect(message).toContain("Why it pays:\n  The lie gains ");
    expect(message).toContain("  The first decision that differs, at clock 1:");
    const [, market = "", args = ""] = /^replay: echo '(.*)' \| candor (.*)$/m.exec(message) ?? [];
    const { stdout } = await candor(args.split(" "), market);
    expect(stdout).toContain(/The lie gains [\d.]+/.exec(message)![0]);
  });

  it("pairs are resisted, or a failure shows both lies, what each gains alone, and the replay", async () => {
    const tiny = { markets: 6, workers: 3, rounds: 2 };
    const message = messageOf(() => expectIn(mechanisms["bid-greedy"]).toResistPairs(tiny));
    expect(message).toContain("to be proof against pairs\nno two workers gain together");
    expect(message).toMatch(/Workers \d+ and \d+ gain [\d.]+ together, [\d.]+ % of the budget: worker \d+ /);
    const [, gain = ""] = /gain ([\d.]+) together/.exec(message) ?? [];
    const [, market = "", args = ""] = /^replay: echo '(.*)' \| candor (.*)$/m.exec(message) ?? [];
    const { stdout } = await candor([...args.split(" "), "--json"], market);
    expect(JSON.parse(stdout).pairs[0].gain).toBeCloseTo(Number(gain), 4);
    expectIn(mechanisms["fixed-threshold"]).toResistPairs({ ...tiny, tolerance: 1 });
  });

  it("a search that found nothing is inconclusive, and passes only where that is allowed", () => {
    const searched = { ...few, markets: 5, property: "P6" } as const;
    const message = messageOf(() => expectIn(generous).toBeTruthful(searched));
    expect(message).toContain("Inconclusive: none found in 5 markets, by a search that can miss");
    expect(message).toContain("allowInconclusive: true lets this pass");
    expectIn(generous).toBeTruthful({ ...searched, allowInconclusive: true });
    expect(messageOf(() => expectIn(generous).not.toBeTruthful(searched))).toContain("Inconclusive");
    expectIn(firstPrice).not.toBeTruthful({ ...few, markets: 5 });
  });
});

it("what passes does so within the tolerance and on the markets that were asked for", () => {
  const claim = { regime: "late and tight", markets: 300, reading: "prose" } as const;
  const [, largest = ""] =
    /largest gain is ([\d.]+) %/.exec(messageOf(() => expect(online).toBeTruthful(claim))) ?? [];
  expect(online).toBeTruthful({ ...claim, tolerance: (Number(largest) + 1) / 100 });
  expect(online).not.toBeTruthful({ ...claim, tolerance: (Number(largest) - 1) / 100 });
  const nobody = () => expect(mechanisms.rrafl).toBeTruthful({ regime: "late start", markets: 9 });
  expect(messageOf(nobody)).toContain(
    "Inconclusive: none found: none of 9 markets has a worker of the regime",
  );
});

it("a mechanism of one's own is replayed by the file that is named", () => {
  const lines = (options: object) =>
    messageOf(() => expect(firstPrice).toBeTruthful({ markets: 5, ...options }));
  expect(lines({ file: "./first-price.ts" })).toMatch(/^replay: .* --mechanism \.\/first-price\.ts$/m);
  expect(lines({})).toMatch(
    /--mechanism \.\/FILE\.ts\n {2}\(where FILE\.ts exports first-price; the option "file"/,
  );
});

it.each([
  [{ markets: 0 }, "options: markets: must be an integer from 1 to 1000000, got 0"],
  [{ tolerance: -1 }, "options: tolerance: must be a number from 0 to 1, got -1"],
  [
    { regime: "late" },
    'options: regime: must be "sufficient", "tight", "late start" or "late and tight", got "late"',
  ],
  [{ marktes: 3 }, 'options: marktes: unknown field; did you mean "markets"?'],
  [{ property: "P9" }, 'options: property: must be "P1", "P2", "P4", "P5", "P6" or "joint", got "P9"'],
])("bad options are refused in one line: %j", (options, message) => {
  expect(messageOf(() => expect(online).toBeTruthful(options as never))).toBe(message);
});

it("what is no mechanism is refused in one line", () => {
  expect(messageOf(() => expect({ name: "x" }).toBeTruthful())).toBe(
    'expect: must be a mechanism: an object with name, about and decide, got {"name":"x"}',
  );
});
