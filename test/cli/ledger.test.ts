import { expect, it } from "vitest";
import { paperClaims } from "../../src/verdicts/ledger/claims.js";
import { candor } from "./candor.js";

it("ledger prints every claim with a verdict, and the same again", async () => {
  const { code, stdout, stderr } = await candor(["ledger", "--json"]);
  expect([code, stderr]).toEqual([0, ""]);
  const { entries, slips } = JSON.parse(stdout);
  expect(entries.map(({ id }: { id: string }) => id)).toEqual(paperClaims.map(({ id }) => id));
  const of = (id: string) => entries.find((entry: { id: string }) => entry.id === id);
  // [M6] One way of writing the rules makes Theorems 5 and 6 true, in the shapes that are looked at.
  for (const id of ["T5", "T6"]) {
    expect([of(id).verdict, of(id).witness.contradicts.length > 0]).toEqual(["breaks", true]);
    const changed = of(id).changes.find(({ under }: { under: string }) => under === "delay: shorten");
    expect(changed.verdict).toMatch(/^proved/);
  }
  expect(of("T6").witness.contradicts).toEqual(["T6.1", "T6.3"]);
  expect(of("T6.2").verdict).toBe("none found");
  expect(slips.map(({ id }: { id: string }) => id)).toContain("Re_k twice");
  expect(stdout).not.toMatch(/NaN|null,"high"/);
  const again = await candor(["ledger", "--json"]);
  expect(again.stdout).toBe(stdout);
}, 600_000);

it("ledger refuses a claim that there is not", async () => {
  const { code, stdout, stderr } = await candor(["ledger", "--claim", "T7"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(/^candor: --claim: no claim "T7"; did you mean "T1"\?.*\n$/);
});
