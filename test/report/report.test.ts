import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ReportData } from "../../src/report/result.js";
import { candor } from "../cli/candor.js";
import { launch, open } from "./browser.js";

/** One report of the fixtures for all tests; it has a failed analysis, so the exit code is 1. */
const folder = mkdtempSync(join(tmpdir(), "candor-report-"));
const file = join(folder, "report.html");
let browser: Browser;
let data: ReportData;

beforeAll(async () => {
  const args = ["analyze", "test/report/fixture.ts", "test/report/broken.ts", "--out", folder];
  expect((await candor(args)).code).toBe(1);
  data = JSON.parse(readFileSync(join(folder, "data.json"), "utf8"));
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

/** How many marks that stand for data each chart shows. */
const marks = (page: Page): Promise<number[]> =>
  page
    .locator(".drawing")
    .evaluateAll((drawings) =>
      drawings.map(
        (drawing) =>
          drawing.querySelectorAll(
            ":is(.mark-rect, .mark-symbol, .mark-line, .mark-rule) path, .mark-rule line",
          ).length,
      ),
    );

/** What the marks of a chart look like. */
const looks = (page: Page, chart: string): Promise<string> =>
  page
    .locator(`figure .drawing[data-chart="${chart}"]`)
    .last()
    .locator(":is(.mark-rect, .mark-symbol, .mark-line, .mark-area) path")
    .evaluateAll((marks) => marks.map((mark) => mark.outerHTML.replace(/gradient_\d+/, "")).join("\n"));

describe("the report in a browser", () => {
  it("opens from disk with the network off and nothing to complain of", async () => {
    const { page, complaints } = await open(browser, file);
    expect(await page.title()).toBe("Does it pay to lie?");
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("draws every chart, the live bench's among them", async () => {
    const { page } = await open(browser, file);
    const counts = await marks(page);
    expect(counts).toHaveLength(6);
    expect(counts.filter((count) => count === 0)).toEqual([]);
    await page.context().close();
  });

  it("a figure's choice moves its marks and its words, stands in the address, and touches no other figure", async () => {
    const { page, complaints } = await open(browser, file);
    const [map, trend] = await Promise.all(["map", "trend"].map((chart) => looks(page, chart)));
    const section = page.locator("#at-truthfulness-map figure").first();
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

  it("a link keeps the choice, and back and forward go from one to the next", async () => {
    const { page } = await open(browser, file);
    const map = await looks(page, "map");
    await page.locator("#at-truthfulness-map select[data-field=regime]").first().selectOption("tight");
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
    const marks = page.locator("#at-truthfulness-map .drawing[data-chart=map] [role=button]");
    expect(await marks.count()).toBeGreaterThan(1);
    expect(
      await marks.evaluateAll((all) => all.filter((mark) => mark.getAttribute("tabindex") === "0").length),
    ).toBe(1);
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
    await page.locator(".findings .term", { hasText: "rrafl" }).click();
    expect(await card.isVisible()).toBe(true);
    await page.context().close();
  });

  it("without JavaScript the verdicts, the findings and the first picture are there", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, offline: true });
    const page = await context.newPage();
    await page.goto(`file://${file}`);
    expect(await page.locator(".lead .drawing svg path").count()).toBeGreaterThan(5);
    expect(await page.locator(".written").textContent()).toContain("breaks");
    expect(await page.locator(".heaviest li").count()).toBe(2);
    expect(await page.locator(".noscript").isVisible()).toBe(true);
    await context.close();
  });

  it("names with markup in them stay text", async () => {
    const { page, complaints } = await open(browser, file);
    for (const summary of await page.locator("summary").all()) await summary.click();
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

  it("a failed analysis is shown as failed, with its error, beside the others", async () => {
    const { page } = await open(browser, file);
    expect(await page.locator("#at-broken .failed").textContent()).toContain("<b>no market</b> was found");
    await page.context().close();
  });

  it.each(["light", "dark"] as const)(
    "axe finds nothing to complain of, tables open, %s",
    async (colorScheme) => {
      const { page } = await open(browser, file, { colorScheme });
      for (const summary of await page.locator("summary").all()) await summary.click();
      await page.addScriptTag({ content: axe.source });
      const { violations } = await page.evaluate<{ violations: Violation[] }>("axe.run()");
      const told = violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`),
      );
      expect(told).toEqual([]);
      await page.context().close();
    },
  );

  it.each([380, 1280])("has no sideways scroll at %i pixels", async (width) => {
    const { page } = await open(browser, file, { width });
    for (const summary of await page.locator("summary").all()) await summary.click();
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

  it("hands out tables as CSV and charts as SVG", async () => {
    const { page } = await open(browser, file);
    await page.locator("details.table summary").first().click();
    const [csv] = await Promise.all([page.waitForEvent("download"), page.locator("[data-csv=map]").click()]);
    const written = readFileSync(join(folder, "truthfulness-map.map.csv"), "utf8");
    expect(readFileSync(await csv.path(), "utf8")).toBe(written);
    const [svg] = await Promise.all([
      page.waitForEvent("download"),
      page.locator("[data-svg=trend]").click(),
    ]);
    expect(readFileSync(await svg.path(), "utf8")).toMatch(/^<svg[\s\S]*<\/svg>$/);
    await page.context().close();
  });
});

describe("the live bench", () => {
  /** The numbers in the bench's table, in full. */
  const outcome = (page: Page): Promise<(string | null)[][]> =>
    page
      .locator(".bench-outcome tbody tr")
      .evaluateAll((rows) =>
        rows.map((row) =>
          [...row.querySelectorAll("td[data-value]")].map((cell) => cell.getAttribute("data-value")),
        ),
      );

  /** The same from `run --json` with the market and bids that the bench hands out. */
  const byCommand = async (page: Page): Promise<(string | null)[][]> => {
    const handed = async (name: string) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.locator(`.bench button[name=${name}]`).click(),
      ]);
      const text = readFileSync(await download.path(), "utf8");
      writeFileSync(join(folder, `bench-${name}.json`), text);
      return text;
    };
    const market = JSON.parse(await handed("market"));
    await handed("bids");
    const paths = [join(folder, "bench-market.json"), "--bids", join(folder, "bench-bids.json")];
    const auction = await page.locator(".bench [name=auction]").inputValue();
    const { stdout } = await candor(["run", ...paths, "--mechanism", auction, "--json"]);
    return JSON.parse(stdout).workers.map((record: Record<string, number | null>) => {
      const { reputation, cost } = market.workers.find(({ id }: { id: number }) => id === record.id);
      const { id, price, arrival, selectedAt, rounds, payment, utility } = record;
      return [id, reputation, cost, price, arrival, selectedAt, rounds, payment, utility].map(String);
    });
  };

  it("gives the same numbers as run --json: an exhibit, a drawn market, another bid, another mechanism", async () => {
    const { page, complaints } = await open(browser, file);
    await page.locator(".exhibits summary").click();
    await page.locator(".exhibits a").first().click();
    expect(page.url()).toContain("exhibit=");
    expect(await outcome(page)).toEqual(await byCommand(page));
    await page.selectOption(".bench [name=exhibit]", "drawn");
    await page.fill(".bench [name=workers]", "9");
    await page.keyboard.press("Tab");
    await page.selectOption(".bench [name=worker]", "4");
    await page.fill(".bench [name=price-exact]", "0.123");
    expect(await outcome(page)).toEqual(await byCommand(page));
    await page.selectOption(".bench [name=auction]", "proportional-share");
    expect(await outcome(page)).toEqual(await byCommand(page));
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  it("draws the market that the draw command draws with the same numbers", async () => {
    const { page } = await open(browser, file, { hash: "#workers=7&budget=9&rounds=4&seed=3" });
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.locator(".bench button[name=market]").click(),
    ]);
    const { stdout } = await candor("draw --workers 7 --budget 9 --rounds 4 --seed 3".split(" "));
    expect(JSON.parse(readFileSync(await download.path(), "utf8"))).toEqual(JSON.parse(stdout));
    await page.context().close();
  });

  it("opens an exhibit with its lie, whose gain is the one the search found", async () => {
    const exhibit = data.analyses[0]!.result!.exhibits![0]!;
    const hash = `#${new URLSearchParams({ exhibit: `truthfulness-map/${exhibit.name}` })}`;
    const { page } = await open(browser, file, { hash });
    const lie = exhibit.lie!;
    expect(await page.inputValue(".bench [name=worker]")).toBe(String(lie.worker));
    expect(await page.inputValue(".bench [name=price-exact]")).toBe(String(lie.price));
    const told = await page.locator(".bench .verdict").textContent();
    const gain = Number(/gains ([\d.]+)\.$/.exec(told!)?.[1]);
    expect(gain).toBeCloseTo(Number(exhibit.title.split("gains ")[1]), 1);
    await page.context().close();
  });

  it("dragging the price moves the bid, the landscape and the address; a link restores it", async () => {
    const { page, complaints } = await open(browser, file, { hash: "#workers=10&seed=4&worker=2" });
    const before = await page.locator(".bench-landscape .drawing").innerHTML();
    await page.locator(".bench [name=price]").focus();
    for (let k = 0; k < 3; k++) await page.keyboard.press("ArrowLeft");
    await expect.poll(() => page.locator(".bench-landscape .drawing").innerHTML()).not.toBe(before);
    const verdict = await page.locator(".bench .verdict").textContent();
    const again = await open(browser, file, { hash: new URL(page.url()).hash });
    expect(await again.page.locator(".bench .verdict").textContent()).toBe(verdict);
    expect(complaints).toEqual([]);
    await page.context().close();
    await again.page.context().close();
  });
});
