import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { paperClaims, paperSlips, plainQuote } from "../../../src/verdicts/ledger/claims.js";
import { root } from "../../cli/candor.js";

const quotes = [
  ...paperClaims.map(({ quote }) => quote),
  ...paperSlips.flatMap(({ quote, against }) => (against === null ? [quote] : [quote, against])),
];

/** The paper's source is not in the repository; who has it puts it beside the clone, or names it. */
const papers = [
  process.env.CANDOR_PAPER ?? "",
  join(root, "../paper.tex"),
  join(root, "../../shared/paper.tex"),
];
const paper = papers.find((path) => path !== "" && existsSync(path));

const oneLine = (text: string) => text.replace(/\s+/g, " ");

it.skipIf(paper === undefined)("every quote stands in the paper as it is", () => {
  const text = oneLine(readFileSync(paper!, "utf8"));
  // A label inside of an algorithm's line is no word of it.
  expect(quotes.filter((quote) => !text.includes(oneLine(quote)))).toEqual([]);
});

it("ids are different, and each of the six theorems is there", () => {
  const ids = paperClaims.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.filter((id) => /^T\d$/.test(id))).toEqual(["T1", "T2", "T3", "T4", "T5", "T6"]);
});

it("a quote reads as text, without LaTeX", () => {
  for (const quote of quotes) expect(plainQuote(quote)).not.toMatch(/\\|\$/);
  expect(plainQuote("then $t \\leq t^{\\prime}$.")).toBe("then t ≤ t′.");
  expect(plainQuote("$\\frac{B_1}{Re_k + \\sum_{i = 1}^{k}Re_i}$")).toBe("B_1/(Re_k + Σ_{i = 1..k} Re_i)");
});
