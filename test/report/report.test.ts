import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { candor } from "../cli/candor.js";
import { launch, open } from "./browser.js";

/** One report of the fixtures for all tests; it has a failed analysis, so the exit code is 1. */
const folder = mkdtempSync(join(tmpdir(), "candor-report-"));
const file = join(folder, "report.html");
let browser: Browser;

beforeAll(async () => {
  const files = ["fixture", "broken", "appended"].map((name) => `test/report/${name}.ts`);
  const args = ["analyze", ...files, "--out", folder];
  expect((await candor(args)).code).toBe(1);
  browser = await launch();
});

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Opens every fold, those within others too. */
async function openAll(page: Page): Promise<void> {
  for (const summary of await page.locator("summary").all()) await summary.click();
}

/** How many marks that stand for data each chart shows. */
const marks = (page: Page): Promise<number[]> =>
  page
    .locator(".drawing")
    .evaluateAll((drawings) =>
      drawings.map(
        (drawing) =>
          drawing.querySelectorAll(
            ":is(.mark-rect, .mark-symbol, .mark-line, .mark-rule) path, .mark-rule line, [data-mark]",
          ).length,
      ),
    );

/** What the marks of a chart look like. */
const looks = (page: Page, chart: string): Promise<string> =>
  page
    .locator(`figure .drawing[data-chart="${chart}"]`)
    .locator(":is(.mark-rect, .mark-symbol, .mark-line, .mark-area) path")
    .evaluateAll((marks) => marks.map((mark) => mark.outerHTML.replace(/gradient_\d+/, "")).join("\n"));

describe("the report in a browser", () => {
  it("opens from disk with the network off and nothing to complain of", async () => {
    const { page, complaints } = await open(browser, file);
    expect(await page.title()).toBe("Does it pay to lie?");
    expect(complaints).toEqual([]);
    // Code that a text becomes would be reported as a breach of the policy.
    const policy = await page.locator("meta[http-equiv]").getAttribute("content");
    expect(policy).toContain("script-src 'unsafe-inline';");
    await page.context().close();
  });

  it("draws every chart once, the live bench's among them, and those of the appendix when it is opened", async () => {
    const { page } = await open(browser, file);
    const counts = await marks(page);
    expect(counts).toHaveLength(6);
    expect(counts.slice(0, -1).filter((count) => count === 0)).toEqual([]);
    expect(counts.at(-1)).toBe(0);
    await page.locator("#at-appended .rest > summary").click();
    await expect.poll(async () => (await marks(page)).at(-1)).toBeGreaterThan(0);
    await page.context().close();
  });

  it("a section of the appendix shows one finding, and is opened by a link and by the address", async () => {
    const { page } = await open(browser, file);
    const chart = page.locator("#at-appended .drawing svg");
    expect(await page.locator("#at-appended .findings li:visible").count()).toBe(1);
    expect(await chart.count()).toBe(0);
    await page.locator('.heaviest a[href="#at=appended"]').click();
    await expect.poll(() => chart.isVisible()).toBe(true);
    const again = await open(browser, file, { hash: "#at=appended" });
    await expect.poll(() => again.page.locator("#at-appended .drawing svg").isVisible()).toBe(true);
    await page.context().close();
    await again.page.context().close();
  });

  it("a section has one folded block of evidence, whose line says what is in it", async () => {
    const { page } = await open(browser, file);
    const block = page.locator("#at-truthfulness-map > details");
    expect(await block.count()).toBe(1);
    expect(await block.locator("> summary").textContent()).toBe(
      "Evidence truthfulness-map: 7 markets, 5 tables and methods",
    );
    await block.locator("> summary").click();
    expect(await block.locator(".methods").isVisible()).toBe(true);
    expect(await block.locator("details.table").count()).toBe(5);
    await page.context().close();
  });

  it("print has short tables that no figure draws, open as long as it is printed, and says what it leaves out", async () => {
    const { page } = await open(browser, file);
    await page.emulateMedia({ media: "print" });
    for (const left of [".bench", ".toolbar", ".appendix", ".methods"])
      expect(await page.locator(left).first().isVisible()).toBe(false);
    expect(await page.locator(".print-only").isVisible()).toBe(true);
    const rows = page.locator("#at-truthfulness-map details.table tbody tr:visible");
    await page.evaluate("dispatchEvent(new Event('beforeprint'))");
    expect(await rows.count()).toBe(2);
    await page.evaluate("dispatchEvent(new Event('afterprint'))");
    expect(await rows.count()).toBe(0);
    await page.context().close();
  });

  it("a figure's choice moves its marks and its words, stands in the address, and touches no other figure", async () => {
    const { page, complaints } = await open(browser, file);
    const [map, trend] = await Promise.all(["map", "trend"].map((chart) => looks(page, chart)));
    const section = page.locator(".lead figure");
    const words = () => section.locator("[data-summary]").textContent();
    expect(await words()).toBe("The share of workers, all, prose.");
    await section.locator("select[data-field=regime]").selectOption("tight");
    await expect.poll(() => looks(page, "map")).not.toBe(map);
    expect(await words()).toBe("The share of workers, tight, prose.");
    expect(await section.locator(".drawing").getAttribute("aria-label")).toBe(await words());
    expect(await looks(page, "trend")).toBe(trend);
    expect(page.url()).toContain("=tight");
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("a choice shows its words, and keeps its value in the address", async () => {
    const { page } = await open(browser, file);
    const picker = page.locator(".lead select[data-field=reading]");
    expect(await picker.locator("option").allTextContents()).toEqual(["the text's", "pseudocode"]);
    await picker.selectOption("pseudocode");
    expect(page.url()).toContain("=pseudocode");
    const hash = new URL(page.url()).hash.replace("=pseudocode", "=prose");
    const again = await open(browser, file, { hash });
    const chosen = again.page.locator(".lead select[data-field=reading] option:checked");
    expect(await chosen.textContent()).toBe("the text's");
    await page.context().close();
    await again.page.context().close();
  });

  it("a link keeps the choice, and back and forward go from one to the next", async () => {
    const { page } = await open(browser, file);
    const map = await looks(page, "map");
    await page.locator(".lead select[data-field=regime]").selectOption("tight");
    await expect.poll(() => looks(page, "map")).not.toBe(map);
    const chosen = await looks(page, "map");
    const again = await open(browser, file, { hash: new URL(page.url()).hash });
    expect(await looks(again.page, "map")).toBe(chosen);
    await page.goBack();
    await expect.poll(() => looks(page, "map")).toBe(map);
    await page.goForward();
    await expect.poll(() => looks(page, "map")).toBe(chosen);
    await page.context().close();
    await again.page.context().close();
  });

  it("links move the focus, back returns to where one came from, and the skip link skips", async () => {
    const { page } = await open(browser, file);
    const focused = () => page.evaluate("document.activeElement?.id");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("at-_top");
    await page.locator(".toolbar a", { hasText: "Where lying pays" }).click();
    expect(await focused()).toBe("at-_gains");
    await page.goBack();
    await expect.poll(() => page.evaluate("scrollY")).toBe(0);
    expect(page.url()).not.toContain("at=");
    await page.context().close();
  });

  it("a mark that opens a market on the live bench is reached with the keyboard", async () => {
    const { page } = await open(browser, file);
    const marks = page.locator(".drawing[data-chart=map] [role=button]");
    expect(await marks.count()).toBeGreaterThan(1);
    expect(
      await marks.evaluateAll((all) => all.filter((mark) => mark.getAttribute("tabindex") === "0").length),
    ).toBe(1);
    expect(await marks.first().getAttribute("aria-label")).toMatch(
      /^regime all, reading prose, budget \d+, workers \d+, workers who can gain [\d.]+ %: open on the live bench$/,
    );
    await marks.first().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    expect(page.url()).toContain("exhibit=");
    await page.context().close();
  });

  it("a verdict's cell opens its witness, and a mechanism's name its card", async () => {
    const { page } = await open(browser, file);
    await page.locator(".written td a").click();
    expect(page.url()).toContain("exhibit=");
    const card = page.locator("#card-rrafl");
    expect(await card.isVisible()).toBe(false);
    await page.locator("#at-truthfulness-map .term", { hasText: "rrafl" }).click();
    expect(await card.isVisible()).toBe(true);
    await page.context().close();
  });

  it("without JavaScript the verdicts, the findings and the first picture are there", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, offline: true });
    const page = await context.newPage();
    await page.goto(`file://${file}`);
    expect(await page.locator(".lead .drawing svg path").count()).toBeGreaterThan(5);
    expect(await page.locator(".written").textContent()).toContain("breaks");
    const notes = await page.locator(".verdicts .proved").allTextContents();
    expect(notes[0]).toMatch(/^A linked cell opens its market/);
    expect(notes[1]).toMatch(/^Proved for .* alone\. evidence$/);
    expect(await page.locator(".heaviest li").count()).toBe(3);
    expect(await page.locator(".noscript").isVisible()).toBe(true);
    await context.close();
  });

  it("names with markup in them stay text", async () => {
    const { page, complaints } = await open(browser, file);
    await openAll(page);
    for (const place of ["li", "td"]) {
      const labels = page.locator(place, { hasText: "<img src=x onerror=alert(1)>" });
      await expect.poll(() => labels.count()).toBeGreaterThan(0);
    }
    expect(await page.locator("img").count()).toBe(0);
    const point = page.locator(".drawing[data-chart=points] .mark-symbol path").first();
    await point.hover({ force: true });
    await expect.poll(() => page.locator("#tooltip").textContent()).toContain("<img src=x onerror=alert(1)>");
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("holds the licences of the software in it, whole", async () => {
    const { page } = await open(browser, file);
    const licences = page.locator("#licences pre");
    expect(await licences.textContent()).toBe(readFileSync("dist/page/licences.txt", "utf8"));
    expect(await licences.isVisible()).toBe(false);
    await page.locator("#licences summary").click();
    expect(await licences.isVisible()).toBe(true);
    await page.context().close();
  });

  it("a failed analysis is shown as failed, with its error, beside the others", async () => {
    const { page } = await open(browser, file);
    expect(await page.locator("#at-broken .failed").textContent()).toContain("<b>no market</b> was found");
    await page.context().close();
  });

  it.each(["light", "dark"] as const)(
    "axe finds nothing to complain of, tables open, %s",
    async (colorScheme) => {
      const { page } = await open(browser, file, { colorScheme });
      await openAll(page);
      await page.addScriptTag({ content: axe.source });
      const { violations } = await page.evaluate<{ violations: Violation[] }>(
        // What passes is not told one by one, which takes a third of the time.
        `axe.run({ resultTypes: ["violations"]${colorScheme === "dark" ? ', runOnly: ["color-contrast"]' : ""} })`,
      );
      const told = violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`),
      );
      expect(told).toEqual([]);
      await page.context().close();
    },
  );

  it.each([380, 1280])("has no sideways scroll at %i pixels", async (width) => {
    const { page } = await open(browser, file, { width });
    await openAll(page);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
    await page.context().close();
  });

  it("charts wear the colours of the theme", async () => {
    const { page } = await open(browser, file, { colorScheme: "dark" });
    const dark = await looks(page, "trend");
    await page.click("#theme");
    await expect.poll(() => looks(page, "trend")).not.toBe(dark);
    expect(await looks(page, "trend")).toContain("#0072b2");
    await page.context().close();
  });

  it("tables sort by a heading, and can be reached with the keyboard", async () => {
    const { page } = await open(browser, file);
    await page.locator(".evidence > summary").first().click();
    await page.locator("details.table summary").nth(1).focus();
    await page.keyboard.press("Enter");
    const table = page.locator("details.table").nth(1);
    await table.locator("th button", { hasText: "best gain" }).focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    const shown = await table.locator("tbody tr td:nth-child(3)").allTextContents();
    const numbers = shown.map((text) => Number(text.replace("−", "-")));
    expect(numbers).toEqual([...numbers].sort((a, b) => b - a));
    expect(numbers.length).toBeGreaterThan(2);
    await page.context().close();
  });

  it("a figure is described by what it shows, also once it is chosen anew or drawn in other colours", async () => {
    const { page } = await open(browser, file);
    const map = page.locator(".drawing[data-chart=map]");
    const described = () => map.getAttribute("aria-label");
    expect(await described()).toBe("The share of workers, all, prose.");
    await page.locator('figure:has([data-chart="map"]) select').first().selectOption("tight");
    await expect.poll(described).toBe("The share of workers, tight, prose.");
    const before = await looks(page, "map");
    await page.click("#theme");
    await expect.poll(() => looks(page, "map")).not.toBe(before);
    expect(await described()).toBe("The share of workers, tight, prose.");
    expect(await page.locator('[aria-label*="Vega"]').count()).toBe(0);
    await page.context().close();
  });

  it("hands out tables as CSV and charts as SVG", async () => {
    const { page } = await open(browser, file);
    await page.locator(".evidence > summary").first().click();
    await page.locator("details.table summary").first().click();
    const [csv] = await Promise.all([
      page.waitForEvent("download"),
      page.locator("[data-csv=map]").first().click(),
    ]);
    const written = readFileSync(join(folder, "truthfulness-map.map.csv"), "utf8");
    expect(readFileSync(await csv.path(), "utf8")).toBe(written);
    const [svg] = await Promise.all([
      page.waitForEvent("download"),
      page.locator("[data-svg=trend]").first().click(),
    ]);
    expect(readFileSync(await svg.path(), "utf8")).toMatch(/^<svg[\s\S]*<\/svg>$/);
    await page.context().close();
  });
});
