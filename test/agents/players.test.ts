import { describe, expect, it } from "vitest";
import { lowBaller } from "../../agents/low-baller.js";
import { truthful } from "../../agents/truthful.js";
import { type Player, playersOf, splitPlayer } from "../../src/agents/play.js";
import { InputError } from "../../src/lib/errors.js";
import { stream } from "../../src/lib/random.js";

const player = (text: string, agent = lowBaller): Player => ({
  name: text,
  agent,
  whom: splitPlayer(text).whom,
});
const ids = Array.from({ length: 20 }, (_, id) => id);
const played = (texts: readonly string[], seed = 1) => {
  const players = texts.map((text) => player(text));
  return [...playersOf(players, ids, stream(seed))]
    .sort(([a], [b]) => a - b)
    .map(([id, { name }]) => [id, name]);
};

describe("an agent says whom it plays", () => {
  it.each([
    ["shirker@3,7", "shirker", { ids: [3, 7] }],
    ["overbid:factor=1.5@25%", "overbid:factor=1.5", { share: 0.25 }],
    ["./me@home/mine.ts", "./me@home/mine.ts", "others"],
    ["./me@home/mine.ts@0", "./me@home/mine.ts", { ids: [0] }],
    ["price = 2*cost@12.5%", "price = 2*cost", { share: 0.125 }],
  ])("%s", (text, agent, whom) => expect(splitPlayer(text)).toEqual({ agent, whom }));

  it.each(["a@0%", "a@101%", "a@1,", "a@1.5", "a@5%,3"])("and not %s", (text) => {
    expect(() => splitPlayer(text)).toThrow(InputError);
    expect(() => splitPlayer(text)).toThrow(`--agent "${text}": behind the @ must stand workers`);
  });
});

describe("a population of several agents", () => {
  it("has the workers that are named, shares of all drawn from the rest, and one agent for the others", () => {
    const all = played(["rest", "a@25%", "b@3,7", "c@10%"]);
    expect(all).toHaveLength(20);
    const of = (name: string) => all.filter(([, by]) => by === name).map(([id]) => id);
    expect(of("b@3,7")).toEqual([3, 7]);
    expect([of("a@25%").length, of("c@10%").length, of("rest").length]).toEqual([5, 2, 11]);
    expect(played(["rest", "a@25%", "b@3,7", "c@10%"])).toEqual(all);
    expect(played(["a@25%"], 2)).not.toEqual(played(["a@25%"]));
  });

  it("leaves whom nobody plays out", () => {
    expect(played(["b@3,7"])).toHaveLength(2);
    expect(playersOf([], ids, stream(1)).size).toBe(0);
    expect(playersOf([player("t", truthful)], ids, stream(1)).get(5)?.agent).toBe(truthful);
  });

  it.each([
    [["a@20"], "--agent a@20: there is no worker 20"],
    [["a@3", "b@2,3"], "--agent b@2,3: worker 3 is played by a@3 already"],
    [["a@60%", "b@60%"], "--agent b@60%: of 20 workers 8 are left, and it is to play 12"],
    [["a", "b"], "--agent b: plays all others, and so does a"],
  ])("%j makes no sense", (texts, line) => expect(() => played(texts)).toThrow(line));
});
