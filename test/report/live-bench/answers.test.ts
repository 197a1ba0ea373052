import { describe, expect, it } from "vitest";
import { recordRun } from "../../../src/auction/run-record.js";
import { stream } from "../../../src/lib/random.js";
import { drawMarket } from "../../../src/market/draw.js";
import { type Bid, type Market, paperRules } from "../../../src/market/market.js";
import { mechanismNamed, mechanisms } from "../../../src/mechanisms/index.js";
import {
  type Answer,
  answersTo,
  type Gain,
  newMemory,
  type Question,
} from "../../../src/report/page/live-bench/answers.js";
import { bestResponses } from "../../../src/responses/index.js";

const market: Market = drawMarket(
  { rules: { ...paperRules, budget: 10, rounds: 5 }, workers: 9 },
  stream("live bench").fork(1),
);

const bid = (id: number, price: number, later = 0): Bid => ({
  worker: id,
  price,
  arrival: Math.min(5, market.workers[id]!.arrival + later),
});

const question = (change: Partial<Question> = {}): Question => ({
  number: 1,
  part: "outcome",
  market,
  bids: [],
  worker: 2,
  mechanisms: ["online"],
  beside: true,
  traced: false,
  ...change,
});

/** Of both threads. */
const all = (asked: Question, memory = newMemory()): Answer[] =>
  (["words", "more"] as const).flatMap((part) => [...answersTo({ ...asked, part }, memory)]);

const only = <Kind extends Answer["kind"]>(answers: readonly Answer[], kind: Kind) =>
  answers.filter((answer): answer is Extract<Answer, { kind: Kind }> => answer.kind === kind);

const gainsIn = (answers: readonly Answer[], mechanism: string): Gain[] =>
  only(answers, "gains")
    .filter((answer) => answer.mechanism === mechanism)
    .flatMap(({ gains }) => gains)
    .sort((a, b) => a.id - b.id);

describe("the background threads of the live bench", () => {
  it("one tells the outcome, and at rest why; the other the landscape, then what stands beside it, then who can gain", () => {
    const kinds = (part: Question["part"]) => [
      ...new Set(
        [...answersTo(question({ part, mechanisms: ["online", "rrafl"] }), newMemory())].map(
          ({ kind }) => kind,
        ),
      ),
    ];
    expect(kinds("outcome")).toEqual(["outcome"]);
    expect(kinds("words")).toEqual(["outcome", "words"]);
    expect(kinds("more")).toEqual(["landscape", "compared", "gains"]);
    const folded = [...answersTo(question({ part: "more", beside: false }), newMemory())];
    expect(only(folded, "compared")).toEqual([]);
  });

  it("what it keeps from one question is not told for another: bids, a liar's own bid, the market, the mechanism", () => {
    const memory = newMemory();
    const asked = [
      question(),
      question({ bids: [bid(2, 0.05)] }),
      question({ bids: [bid(2, 0.07), bid(5, 0.9)] }),
      question({ bids: [bid(5, 0.9)] }),
      question({ worker: 5, bids: [bid(5, 0.9)] }),
      question({ market: { ...market, rules: { ...market.rules, budget: 4 } } }),
      question({ mechanisms: ["rrafl"], bids: [bid(2, 0.05)] }),
    ];
    for (const one of asked) expect(only(all(one, memory), "outcome")).toEqual(only(all(one), "outcome"));
  });

  it("gives the outcome that run gives, with and without the lies", () => {
    const bids = [bid(2, 0.05), bid(5, 0.9, 2)];
    const [outcome] = only(all(question({ bids })), "outcome");
    const mechanism = mechanismNamed("online");
    expect(outcome!.said).toEqual(recordRun({ market, mechanism, bids, traced: false }));
    expect(outcome!.truth).toEqual(recordRun({ market, mechanism, bids: [], traced: false }));
    const honest = recordRun({ market, mechanism, bids: [bids[1]!], traced: false });
    expect(outcome!.honest).toBe(honest.workers[2]!.utility);
  });

  it.each(Object.keys(mechanisms))("gives everybody's best gain under %s", (name) => {
    const responses = bestResponses(market, { mechanism: mechanismNamed(name) }).workers;
    const expected = responses.map(({ id, gain, priceGain, timeGain }) => ({
      id,
      gain,
      priceGain,
      timeGain,
    }));
    expect(gainsIn(all(question({ mechanisms: [name] })), name)).toEqual(expected);
  });

  /** One worker's best gain while others say what they say, by trying bids. */
  const tried = (id: number, bids: readonly Bid[], name: string): number => {
    const mechanism = mechanismNamed(name);
    const others = bids.filter(({ worker }) => worker !== id);
    const utility = (own: readonly Bid[]) =>
      recordRun({ market, mechanism, bids: [...others, ...own], traced: false }).workers[id]!.utility;
    const { arrival } = market.workers[id]!;
    const lies = Array.from({ length: 6 - arrival }, (_, k) => arrival + k).flatMap((said) =>
      Array.from({ length: 300 }, (_, k) => ({ worker: id, price: k / 200, arrival: said })),
    );
    return Math.max(...lies.map((lie) => utility([lie]))) - utility([]);
  };

  it.each(["online", "multi-stage", "bid-greedy", "approximate-optimal"])(
    "while several lie, gains and the landscape are those of one worker against what the others say: %s",
    (name) => {
      const bids = [bid(2, 0.05), bid(5, 0.9, 2), bid(7, 0.01)];
      const answers = all(question({ bids, mechanisms: [name] }));
      const gains = gainsIn(answers, name);
      for (const id of [2, 5, 0, 1]) {
        const found = tried(id, bids, name);
        expect(gains[id]!.gain).toBeGreaterThanOrEqual(found - 1e-9);
        expect(gains[id]!.gain).toBeLessThan(found + 0.02 * market.rules.budget);
      }
      const { landscape } = only(answers, "landscape")[0]!;
      expect(landscape!.best.utility - landscape!.truthful).toBeCloseTo(gains[2]!.gain, 9);
      expect(landscape!.truthful).toBeCloseTo(only(answers, "outcome")[0]!.honest, 9);
    },
  );

  it("looks at whoever has most to gain where nobody is named", () => {
    const { workers } = bestResponses(market);
    const most = workers.reduce((a, b) => (b.gain > a.gain ? b : a)).id;
    expect(only(all(question({ worker: null })), "outcome")[0]!.worker).toBe(most);
  });

  it("tells every decision only where it is asked to", () => {
    const told = (traced: boolean) => only(all(question({ traced })), "words")[0]!.trace;
    expect(told(false)).toBeNull();
    expect(told(true)).toContain("[M5]");
  });

  it("does not tell the same landscape twice, for a worker's own bid does not change it", () => {
    const memory = newMemory();
    const landscape = (bids: readonly Bid[]) =>
      only(all(question({ bids }), memory), "landscape")[0]!.landscape;
    expect(landscape([])).not.toBeNull();
    expect(landscape([bid(2, 0.05)])).toBeNull();
    expect(landscape([bid(5, 0.05)])).not.toBeNull();
  });

  it("goes on with the next worker where a newer question interrupts it: everybody has a turn while a slider moves", () => {
    const memory = newMemory();
    const seen = new Set<number>();
    for (let k = 0; k < market.workers.length; k++) {
      const moved = { ...market, rules: { ...market.rules, budget: 10 + k } };
      for (const answer of answersTo(
        question({ part: "more", market: moved, mechanisms: ["multi-stage"] }),
        memory,
      )) {
        if (answer.kind !== "gains") continue;
        for (const { id } of answer.gains) seen.add(id);
        break;
      }
    }
    expect(seen.size).toBe(market.workers.length);
  });

  it("says in one line what fails, and where", () => {
    const [failed] = only(all(question({ mechanisms: ["onlin"] })), "failed");
    expect(failed).toMatchObject({ step: "outcome", mechanism: "onlin" });
    expect(failed!.message).toMatch(/^mechanism: no "onlin"; did you mean "online"\?/);
  });
});
