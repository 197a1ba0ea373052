import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Rules } from "../../../src/market/market.js";
import { comparedEverywhere } from "../../../src/mechanisms/index.js";
import { published } from "../../../src/mechanisms/published/index.js";
import { fieldsOf as linkTo, stateFrom } from "../../../src/report/page/live-bench/link.js";
import { type BenchState, withDraw, withRule } from "../../../src/report/page/live-bench/state.js";
import type { ReportData } from "../../../src/report/result.js";
import { candor } from "../../cli/candor.js";
import { launch, open } from "../browser.js";

const folder = mkdtempSync(join(tmpdir(), "candor-live-bench-"));
const file = join(folder, "report.html");
let browser: Browser;
let data: ReportData;
/** One page for all tests, which go from address to address; and what it complained of. */
let page: Page;
let complaints: readonly string[];

beforeAll(async () => {
  expect((await candor(["analyze", "test/report/fixture.ts", "--out", folder])).code).toBe(0);
  data = JSON.parse(readFileSync(join(folder, "data.json"), "utf8"));
  browser = await launch();
  ({ page, complaints } = await open(browser, file));
  await fold(true);
});

afterEach(() => expect(complaints).toEqual([]));

afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

const fieldsOf = (address: string): Record<string, string> =>
  Object.fromEntries(new URLSearchParams(new URL(address).hash.slice(1)));

/** The address of a drawn market, with rules and parts of the state changed. */
function drawn(
  workers: number,
  seed = "1",
  { rules = {}, ...changes }: Partial<BenchState> & { readonly rules?: Partial<Rules> } = {},
): Record<string, string> {
  let state = withDraw(stateFrom({}, { at: () => undefined, first: null }), { workers, seed });
  for (const [rule, value] of Object.entries(rules)) state = withRule(state, rule as keyof Rules, value);
  return linkTo({ ...state, ...changes });
}

let visits = 0;

/** Puts on the bench what an address says, and waits until it was read. */
async function visit(address: Readonly<Record<string, string>>): Promise<void> {
  // A field of nobody's makes every address a new one.
  const hash = new URLSearchParams({ ...address, visit: String(++visits) });
  await page.evaluate(`new Promise((read) => {
    addEventListener("popstate", () => setTimeout(read), { once: true });
    location.hash = ${JSON.stringify(String(hash))};
  })`);
}

const bench = (selector: string) => page.locator(`.bench ${selector}`);
const named = (name: string) => bench(`[name="${name}"]`);
const cell = (id: number, field: string) => bench(`tr[data-id="${id}"] td[data-field="${field}"]`);

/** Once everything is worked out. */
const settled = () => page.waitForSelector(".bench:not([data-working])");

/** Writes into a field and leaves it. */
async function write(field: ReturnType<typeof bench>, text: string): Promise<void> {
  await field.fill(text);
  await field.blur();
}

/** The same in the table, where a click makes a field of a cell. */
async function writeCell(id: number, field: string, text: string): Promise<void> {
  await cell(id, field).click();
  await write(bench(`tr.chosen input[data-field="${field}"]`), text);
}

/** Opens or closes both tables. */
const fold = (open: boolean) =>
  page.evaluate(
    `for (const part of document.querySelectorAll(".bench-workers, .bench-beside")) part.open = ${open}`,
  );

const verdict = (): Promise<string | null> => bench(".verdict").textContent();

/** What a button of the bench hands out. */
async function handed(name: string): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent("download"), named(name).click()]);
  const path = join(folder, `bench-${name}.json`);
  await download.saveAs(path);
  return path;
}

/** The numbers in the bench's table, in full, by id. */
async function shown(): Promise<string[][]> {
  const rows = await page.evaluate<string[][]>(
    `[...document.querySelectorAll(".bench-workers tbody tr")].map((row) =>
      [...row.querySelectorAll("td[title]")].map(({ title }) => title))`,
  );
  return rows.sort(([a], [b]) => Number(a) - Number(b));
}

/** The same from `run --json` with the market and bids that the bench hands out. */
async function byCommand(): Promise<string[][]> {
  const [market, bids] = [await handed("market"), await handed("bids")];
  const { workers } = JSON.parse(readFileSync(market, "utf8"));
  const auction = await named("auction").inputValue();
  const { stdout } = await candor(["run", market, "--bids", bids, "--mechanism", auction, "--json"]);
  return JSON.parse(stdout).workers.map((record: Record<string, number | null>) => {
    const { reputation, cost, arrival } = workers.find(({ id }: { id: number }) => id === record.id);
    const { id, price, selectedAt, rounds, payment, utility } = record;
    return [id, reputation, cost, arrival, price, record.arrival, selectedAt, rounds, payment, utility].map(
      String,
    );
  });
}

/** How many workers `best-response --json` finds that can gain, and the most that one can. */
async function canGain(market: string, mechanism: string): Promise<{ count: number; most: number }> {
  const { stdout } = await candor(["best-response", market, "--mechanism", mechanism, "--json"]);
  const gains: number[] = JSON.parse(stdout).workers.map(({ gain }: { gain: number }) => gain);
  return { count: gains.filter((gain) => gain > 0).length, most: Math.max(...gains) };
}

describe("the live bench", () => {
  it("gives the same numbers as run --json: an exhibit, a drawn market, two liars, a changed worker, another mechanism", async () => {
    await visit({});
    await settled();
    expect(await shown()).toEqual(await byCommand());
    await named("exhibit").selectOption("drawn");
    await write(named("workers"), "9");
    await named("worker").selectOption("4");
    await write(named("price"), "0.123");
    await writeCell(1, "said-price", "0.05");
    await writeCell(2, "cost", "0.01");
    await settled();
    const two = await shown();
    expect(two.filter(([, , cost, , price]) => cost !== price).map(([id]) => id)).toEqual(["1", "4"]);
    expect(two).toEqual(await byCommand());
    await named("auction").selectOption("proportional-share");
    await settled();
    expect(await shown()).toEqual(await byCommand());
  });

  it("draws the market that the draw command draws with the same numbers", async () => {
    await visit(drawn(7, "3", { rules: { budget: 9, rounds: 4 } }));
    const { stdout } = await candor("draw --workers 7 --budget 9 --rounds 4 --seed 3".split(" "));
    expect(JSON.parse(readFileSync(await handed("market"), "utf8"))).toEqual(JSON.parse(stdout));
  });

  it("opens an exhibit with its lie, whose gain is the one the search found", async () => {
    const exhibit = data.analyses[0]!.result!.exhibits![0]!;
    await visit({ exhibit: `truthfulness-map/${exhibit.name}` });
    await settled();
    const lie = exhibit.lie!;
    expect(await named("worker").inputValue()).toBe(String(lie.worker));
    expect(await named("price").inputValue()).toBe(String(lie.price));
    const gain = Number(/gains it ([\d.]+)\. /.exec((await verdict())!)?.[1]);
    expect(gain).toBeCloseTo(Number(exhibit.title.split("gains ")[1]), 1);
  });

  it("an exhibit that is opened takes the place of everything on the bench", async () => {
    const [first, second] = data.analyses[0]!.result!.exhibits!;
    const path = (name: string) => `truthfulness-map/${name}`;
    await visit({ exhibit: path(first!.name) });
    await write(named("budget"), "3.5");
    await expect.poll(() => fieldsOf(page.url()).bench).toContain('"budget":3.5');
    await named("exhibit").selectOption(path(second!.name));
    await settled();
    expect(await named("budget").inputValue()).toBe(String(second!.market.rules.budget));
    await page.goBack();
    await expect.poll(() => named("budget").inputValue()).toBe("3.5");
  });

  it("dragging the price moves the bid, the landscape and the address; a link restores it", async () => {
    await visit(drawn(10, "4", { worker: 2 }));
    const before = await bench(".bench-landscape .drawing").innerHTML();
    await named("price-slider").focus();
    for (let k = 0; k < 3; k++) await page.keyboard.press("ArrowLeft");
    await expect.poll(() => bench(".bench-landscape .drawing").innerHTML()).not.toBe(before);
    await settled();
    await expect.poll(() => fieldsOf(page.url()).bench).toContain('"bids":[{"worker":2,"price":');
    const told = await verdict();
    const link = fieldsOf(page.url());
    await visit({});
    await visit(link);
    await settled();
    expect(await verdict()).toBe(told);
  });

  it("a price can be pointed at in the landscape", async () => {
    await visit(drawn(10, "4", { worker: 2 }));
    await settled();
    await bench(".bench-landscape svg").scrollIntoViewIfNeeded();
    const drawing = (await bench(".bench-landscape svg").boundingBox())!;
    await page.mouse.move(drawing.x + drawing.width / 2, drawing.y + 60);
    await page.mouse.down();
    await page.mouse.move(drawing.x + drawing.width / 3, drawing.y + 60);
    await page.mouse.up();
    await settled();
    const [price, limit] = [
      await named("price").inputValue(),
      await named("price-slider").getAttribute("max"),
    ];
    expect(Number(price) / Number(limit)).toBeGreaterThan(0.2);
    expect(Number(price) / Number(limit)).toBeLessThan(1 / 3);
    expect(await verdict()).toMatch(/^The lie of worker 2/);
    expect(await bench('[data-mark="this bid"]').count()).toBe(1);
  });

  it("what is folded up is up to date once it is opened: everybody, why, mechanisms side by side", async () => {
    await visit(drawn(5, "2", { worker: 1, compared: ["rrafl"] }));
    await settled();
    await fold(false);
    await write(named("budget"), "4.5");
    await write(named("price"), "0.02");
    await fold(true);
    await settled();
    expect(await shown()).toEqual(await byCommand());
    expect(await bench(".bench-beside tbody tr").count()).toBe(2);
    expect(await bench(".bench-beside tbody").textContent()).not.toContain("…");
    expect(await bench(".bench-why").textContent()).toMatch(/The lie (gains|costs)/);
  });

  it("a copied link carries the whole state: market, bids, mechanisms", async () => {
    await visit(drawn(6, "2"));
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await writeCell(3, "reputation", "0.875");
    await writeCell(4, "said-price", "0.01");
    await cell(5, "cost").click();
    await bench("tr.chosen .remove").click();
    await named("auction").selectOption("multi-stage");
    await fold(true);
    await bench('[name=beside][value="rrafl"]').check();
    await named("link").click();
    await expect.poll(() => named("done").textContent()).toBe("Copied.");
    const link = await page.evaluate<string>("navigator.clipboard.readText()");
    await settled();
    const [workers, beside] = [await shown(), await bench(".bench-beside tbody").textContent()];
    await visit({});
    await visit(fieldsOf(link));
    await settled();
    expect(await shown()).toEqual(workers);
    expect(await bench(".bench-beside tbody").textContent()).toBe(beside);
  });

  it("who can gain follows the budget, under each mechanism that stands side by side", async () => {
    await visit(drawn(8, "5", { compared: ["multi-stage", "bid-greedy"] }));
    await named("budget-slider").focus();
    for (let k = 0; k < 30; k++) await page.keyboard.press("ArrowLeft");
    await settled();
    const market = await handed("market");
    for (const [row, name] of ["online", "multi-stage", "bid-greedy"].entries()) {
      const { count, most } = await canGain(market, name);
      const cells = await bench(".bench-beside tbody tr").nth(row).locator("td").allTextContents();
      expect(cells[5]).toBe(`${count} of 8`);
      expect(Number(cells[6]!.replace("nothing", "0"))).toBeCloseTo(most, 3);
      if (row > 0) continue;
      const bars = await bench(".strip .known").getAttribute("d");
      expect(bars!.split("M").length - 1).toBe(count);
      const words = await bench(".bench-map .summary").textContent();
      expect(words).toMatch(count === 0 ? /^None of 8/ : new RegExp(`^${count} of 8`));
    }
  });

  it.each([
    ["workers", "0", "workers: must be an integer from 1 to 500, got 0"],
    ["budget", "-5", "market: rules.budget: must be a number ≥ 0, got -5"],
    ["ratio", "half", 'market: rules.firstRoundRatio: must be a number from 0 to 1, got "half"'],
    ["price", "-1", "bids: [0].price: must be a number ≥ 0, got -1"],
  ])(
    "says beside the field %s = %s what is wrong, and the last good state stays",
    async (name, wrong, message) => {
      await visit(drawn(6, "2"));
      const [before, value] = [await verdict(), await named(name).inputValue()];
      await write(named(name), wrong);
      const field = named(name);
      const line = page.locator(`#${await field.getAttribute("aria-describedby")}`);
      expect(await line.textContent()).toBe(message);
      expect(await field.getAttribute("aria-invalid")).toBe("true");
      expect(await verdict()).toBe(before);
      await write(field, value);
      expect(await field.getAttribute("aria-invalid")).toBeNull();
      expect(await line.isVisible()).toBe(false);
    },
  );

  it("says what is wrong with a cell of the table, and with a link", async () => {
    await visit({ bench: '{"draw":{"workers":0,"seed":"1"}}' });
    await fold(false);
    await fold(true);
    expect(await bench(".bench-error").textContent()).toBe(
      "workers: must be an integer from 1 to 500, got 0",
    );
    expect(await bench(".bench-error").isVisible()).toBe(true);
    const id = Number(await bench(".bench-workers tbody tr").first().getAttribute("data-id"));
    await writeCell(id, "reputation", "-0.2");
    expect(await bench("#bench-bad-worker").textContent()).toBe(
      "market: workers[0].reputation: must be a number ≥ 0, got -0.2",
    );
  });

  it("takes a market as text, as a file and as a file that is dropped", async () => {
    await visit({});
    await bench(".bench-text summary").click();
    await named("text").fill("id,reputation,cost,arrival\n4,0.5,zero,1");
    await named("use").click();
    const line = bench("#bench-bad-text");
    expect(await line.textContent()).toBe('text: line 2, cost: must be a number ≥ 0, got "zero"');
    await named("text").fill("id,reputation,cost,arrival\n4,0.5,0.25,1\n9,1,0.5,2\n");
    await named("use").click();
    expect(await line.isVisible()).toBe(false);
    expect((await shown()).map(([id]) => id)).toEqual(["4", "9"]);
    const path = join(folder, "mine.json");
    const market = {
      rules: { budget: 7, rounds: 3 },
      workers: [{ id: 2, reputation: 1, cost: 0.5, arrival: 1 }],
    };
    writeFileSync(path, JSON.stringify(market));
    await named("file").setInputFiles(path);
    await expect.poll(async () => (await shown()).map(([id]) => id)).toEqual(["2"]);
    expect(await named("budget").inputValue()).toBe("7");
    const files = await page.evaluateHandle(`(() => {
      const carried = new DataTransfer();
      carried.items.add(new File(["id,reputation,cost,arrival\\n11,1,1,1"], "dropped.csv"));
      return carried;
    })()`);
    await page.dispatchEvent(".bench", "drop", { dataTransfer: files });
    await expect.poll(async () => (await shown()).map(([id]) => id)).toEqual(["11"]);
  });

  it("workers are added and removed with the keyboard, and the focus stays in the table", async () => {
    await visit(drawn(3, "2"));
    await named("add").focus();
    await page.keyboard.press("Enter");
    expect((await shown()).map(([id]) => id)).toEqual(["0", "1", "2", "3"]);
    await page.keyboard.type("0.75");
    await expect.poll(async () => (await shown())[3]![1]).toBe("0.75");
    await bench('tr[data-id="1"] button').focus();
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("id of worker 1");
    await bench(".remove").focus();
    await page.keyboard.press("Enter");
    expect((await shown()).map(([id]) => id)).toEqual(["0", "2", "3"]);
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Remove worker 2");
  });

  it("answers a new bid while it is still working out who can gain", async () => {
    await visit(drawn(300, "1", { rules: { budget: 375 }, mechanism: "rrafl", worker: 2 }));
    await expect.poll(() => verdict()).toContain("Worker 2 tells the truth");
    const before = await verdict();
    await write(named("price"), "0.011");
    await expect.poll(() => verdict()).not.toBe(before);
    expect(await page.locator(".bench").getAttribute("data-working")).toBe("yes");
  });

  it("without background threads it computes in the page, and says so", async () => {
    expect(await bench(".bench-slow").isVisible()).toBe(false);
    const refused = await (await browser.newContext()).newPage();
    await refused.addInitScript("Worker = class { constructor() { throw new Error('refused'); } }");
    const market = JSON.parse((await candor("draw --workers 6 --budget 25 --seed 2".split(" "))).stdout);
    const { arrival } = market.workers.find(({ id }: { id: number }) => id === 3);
    const link = drawn(6, "2", { worker: 3, bids: [{ worker: 3, price: 0.01, arrival }] });
    await refused.goto(`file://${file}#${new URLSearchParams(link)}`);
    await refused.waitForSelector("html[data-ready]");
    await refused.waitForSelector(".bench:not([data-working])");
    expect(await refused.locator(".bench-slow").isVisible()).toBe(true);
    const told = await refused.locator(".bench .verdict").textContent();
    await visit(link);
    await settled();
    expect(told).toBe(await verdict());
  });

  it("a market of a mechanism that this page does not have says so, and can be tried under another", async () => {
    await visit({ exhibit: "truthfulness-map/of-mine" });
    await expect.poll(() => bench(".bench-error").textContent()).toMatch(/^mine is a mechanism of your own/);
    expect((await shown()).length).toBeGreaterThan(0);
    await named("auction").selectOption("rrafl");
    await settled();
    expect(await bench(".bench-error").isVisible()).toBe(false);
    expect(await shown()).toEqual(await byCommand());
  });

  it("has every mechanism once, in groups, in the list and side by side", async () => {
    const groups = (place: string, heading: string, input: string) =>
      page.evaluate<[string, string[]][]>(
        `[...document.querySelectorAll(${JSON.stringify(`.bench ${place}`)})].map((group) =>
          [group.getAttribute("${heading}"), [...group.querySelectorAll("${input}")].map(({ value }) => value)])`,
      );
    const listed = await groups('[name="auction"] optgroup', "label", "option:not([data-own])");
    const registered = [
      ["In every comparison", comparedEverywhere.map(({ name }) => name)],
      ["Frontier", ["pruning", "learned-price"]],
      ["Published", Object.keys(published)],
    ];
    expect(listed.filter(([label]) => label !== "Others in this report")).toEqual(registered);
    expect(await groups('.bench-beside [role="group"]', "aria-label", "input")).toEqual(registered);
    expect(await named("auction").locator("option[data-own]").allTextContents()).toEqual([
      "mine (yours: not in this page)",
    ]);
  });

  it.each([1280, 380])("shows the whole names of a rule's choices, %d pixels wide", async (width) => {
    await page.setViewportSize({ width, height: 900 });
    await page.evaluate(`document.querySelector(".bench-rules details").open = true`);
    const cut = await page.evaluate<string[]>(`[...document.querySelectorAll(".bench-rules select")]
      .flatMap((select) => {
        const style = getComputedStyle(select);
        const context = document.createElement("canvas").getContext("2d");
        context.font = style.font;
        const arrow = 20;
        const room = select.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - arrow;
        return [...select.options].map(({ text }) => text).filter((text) => context.measureText(text).width > room);
      })`);
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(cut).toEqual([]);
  });

  interface Violation {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }

  it.each(["light", "dark"] as const)(
    "axe finds nothing to complain of, all open and a field wrong, %s",
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      await visit(drawn(6, "2", { bids: [{ worker: 1, price: 0.9, arrival: 10 }], compared: ["rrafl"] }));
      await page.evaluate(`for (const part of document.querySelectorAll(".bench details")) part.open = true`);
      await write(named("budget"), "-5");
      await writeCell(2, "cost", "-1");
      await settled();
      await page.addScriptTag({ content: axe.source });
      const { violations } = await page.evaluate<{ violations: Violation[] }>(
        `axe.run(".bench"${colorScheme === "dark" ? ', { runOnly: ["color-contrast"] }' : ""})`,
      );
      expect(
        violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`)),
      ).toEqual([]);
    },
  );

  it("clips nothing at 380 pixels", async () => {
    await page.setViewportSize({ width: 380, height: 900 });
    await visit(drawn(6, "2", { compared: ["rrafl"] }));
    await write(named("budget"), "-5");
    const outside = () =>
      page.evaluate<string[]>(`[...document.querySelectorAll(".bench *")]
        .filter((element) => !element.closest(".scroll > *, pre, .unseen, svg"))
        .filter((element) => element.getBoundingClientRect().right > 380)
        .map((element) => element.outerHTML.slice(0, 80))`);
    await expect.poll(outside).toEqual([]);
  });
});
