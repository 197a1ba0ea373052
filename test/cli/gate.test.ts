import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { type GatedResult, type GateReport, gateFormats } from "../../src/cli/gate.js";
import { type GateConfig, validateConfig } from "../../src/verdicts/gate.js";
import { isLong } from "../long.js";
import { candor, root, temporaryFolder } from "./candor.js";

const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Pays what is bid: cost truthfulness breaks, and nothing else does. */
const MINE = `import { mechanisms } from "candor";
export default { ...mechanisms["bid-greedy"], name: "mine" };
`;

const escapedText = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

const small = { markets: 30, workers: 4, rounds: 3 };

const config = (mechanisms: GateConfig["mechanisms"]) =>
  `import { defineConfig } from "candor";\nexport default defineConfig(${JSON.stringify({ ...small, mechanisms })});\n`;

const claims: GateConfig["mechanisms"] = [
  {
    mechanism: "./mine.ts",
    claims: [
      { property: "P2", expect: "holds" },
      { property: "P5", expect: "breaks" },
      { property: "joint", expect: { atMost: 0.01 } },
      { property: "P6", expect: "proved", shapes: ["2x2"] },
      { property: "P6", expect: "breaks" },
    ],
  },
];

/** A folder with a configuration, and the gate in it. */
function gateIn(text = config(claims)) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "mine.ts"), MINE);
  writeFileSync(join(folder, "candor.config.ts"), text);
  return { folder, gate: (...args: string[]) => candor(["gate", ...args], "", { cwd: folder }) };
}

describe("the gate", () => {
  it("holds mechanisms to what is expected of them; a failure carries the smallest market and its replay", async () => {
    const { folder, gate } = gateIn();
    const { code, stdout } = await gate();
    expect(code).toBe(1);
    expect(stdout).toMatch(/^candor\.config\.ts: 5 claims on 1 mechanism: 2 claims fail\n/);
    expect(stdout).toContain("kept: P2 holds: none found in 30 markets");
    expect(stdout).toContain("kept: P5 breaks: breaks in ");
    expect(stdout).toContain("kept: P6 is proved for 2x2: proved for 2x2");
    expect(stdout).toContain("NOT BROKEN: P6 breaks: none found in 30 markets");
    expect(stdout).toContain("BROKEN: joint at most 1 % of the budget: breaks in ");
    const [, market = "", args = ""] = /^ *replay: echo '(.*)' \| candor (.*)$/m.exec(stdout) ?? [];
    expect(args).toMatch(/--mechanism \.\/mine\.ts$/);
    const replayed = await candor(args.split(" "), market, { cwd: folder });
    expect(replayed.stdout).toContain(/The lie gains [\d.]+/.exec(stdout)![0]);
  });

  it("finds a mechanism's file from where the configuration is, and prints JSON", async () => {
    const { folder } = gateIn(
      config([{ mechanism: "./mine.ts", claims: [{ property: "P2", expect: "holds" }] }]),
    );
    const { code, stdout } = await candor(["gate", "--config", join(folder, "candor.config.ts"), "--json"]);
    const report: GateReport = JSON.parse(stdout);
    expect([code, report.failures, report.claims.length]).toEqual([0, 0, 1]);
    expect(report.claims[0]).toMatchObject({ status: "kept", fails: false, worst: 0, smallest: null });
  });

  it("tells what got worse from what was known", async () => {
    const { folder, gate } = gateIn();
    const path = join(folder, "known.json");
    const missing = await gate("--baseline", "known.json");
    expect(missing).toEqual({
      code: 2,
      stdout: "",
      stderr: "candor: known.json: no such file: --update-baseline writes it\n",
    });
    writeFileSync(path, '{"claim": {}}');
    expect((await gate("--baseline", "known.json")).stderr).toBe(
      'candor: known.json: claim: unknown field; did you mean "claims"?\n',
    );
    rmSync(path);
    expect((await gate("--baseline", "known.json", "--update-baseline")).code).toBe(0);
    const known = JSON.parse(readFileSync(path, "utf8"));
    const joint = './mine.ts joint any any {"atMost":0.01}';
    expect(Object.keys(known.claims)).toEqual([joint, './mine.ts P6 any any "breaks"']);
    const better = { ...known.claims[joint], worst: known.claims[joint].worst / 2 };
    writeFileSync(
      path,
      JSON.stringify({ ...known, claims: { [joint]: better, './mine.ts P2 any any "holds"': better } }),
    );
    const { code, stdout } = await gate("--baseline", "known.json");
    expect(code).toBe(1);
    expect(stdout).toContain("BROKEN, worse than known: joint");
    expect(stdout).toContain("NOT BROKEN, new: P6");
    expect(stdout).toContain('kept now, but still in the baseline: ./mine.ts P2 any any "holds"');
  });

  const claim = (change: object) => ({
    mechanisms: [{ mechanism: "online", claims: [{ property: "P5", expect: "holds", ...change }] }],
  });
  it.each([
    [{ mechanisms: {} }, "mechanisms: must be a list of one mechanism or more, got {}"],
    [
      claim({ expect: undefined }),
      'mechanisms[0].claims[0].expect: missing, must be "holds", "proved", "breaks" or { atMost: SHARE }, where SHARE is of the budget',
    ],
    [claim({ marktes: 1 }), 'mechanisms[0].claims[0].marktes: unknown field; did you mean "markets"?'],
    [
      claim({ expect: "proved" }),
      'mechanisms[0].claims[0].shapes: missing, must be a list of workers and rounds, such as ["2x2", "3x2"], or of "any"',
    ],
    [claim({ shapes: ["2x2"] }), 'mechanisms[0].claims[0].shapes: are for expect: "proved"'],
    [
      claim({ expect: "proved", property: "P4", shapes: ["2x2"] }),
      "mechanisms[0].claims[0].property: must be among P1, P2, P5, P6, joint to be proved",
    ],
    [{ mechanisms: [] }, "mechanisms: must be a list of one mechanism or more, got []"],
    [
      { mechanisms: [{ mechanism: "online", claims: [] }] },
      "mechanisms[0].claims: must be a list of one claim or more, got []",
    ],
    [{ mechanisms: [], seeds: 1 }, 'seeds: unknown field; did you mean "seed"?'],
  ])("refuses %j in one line that names the field", (value, message) => {
    expect(() => validateConfig(value, "c.ts")).toThrow(new RegExp(`^c\\.ts: ${escapedText(message)}$`));
  });

  it("what a claim leaves out, the file says", () => {
    const [mine] = validateConfig({ ...small, ...claim({ markets: 7 }) }, "c.ts").mechanisms;
    expect(mine!.claims![0]).toEqual({ property: "P5", expect: "holds", markets: 7, workers: 4, rounds: 3 });
  });

  it("without claims, a mechanism is held to its own", async () => {
    const { gate } = gateIn(config([{ mechanism: "fmore-first-score" }, { mechanism: "first-price" }]));
    const { code, stdout } = await gate();
    expect(code).toBe(1);
    expect(stdout).toContain("kept: P1 holds");
    expect(stdout).toContain("BROKEN: P5 holds: breaks in ");
    expect(stdout).toContain("kept: P5 breaks: breaks in ");
  });

  it("a mechanism that claims nothing must be given claims", async () => {
    const { gate } = gateIn(config([{ mechanism: "flim" }]));
    expect((await gate()).stderr).toBe(
      "candor: candor.config.ts: mechanisms[0].claims: missing, must be a list of one claim or more: flim makes no claims of its own\n",
    );
  });

  it("a file that holds no configuration is one line on stderr", async () => {
    const { gate } = gateIn("export default {}");
    const stderr = "candor: candor.config.ts: mechanisms: missing, must be a list of one mechanism or more\n";
    expect(await gate()).toEqual({ code: 2, stdout: "", stderr });
  });

  it("an unknown mechanism is named with its place in the file", async () => {
    const { gate } = gateIn(
      'export default { mechanisms: [{ mechanism: "onlin", claims: [{ property: "P2", expect: "holds" }] }] }',
    );
    const { code, stdout, stderr } = await gate();
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(
      /^candor: candor\.config\.ts: mechanisms\[0\]\.mechanism: no "onlin"; did you mean/,
    );
  });

  it("refuses --json and --format together: only one of them can be printed", async () => {
    const { code, stdout, stderr } = await candor(["gate", "--json", "--format", "junit"]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toBe("candor: gate: option '--json' cannot be used with option '--format <name>'\n");
  });

  it("says what to do where there is no configuration", async () => {
    const { code, stderr } = await candor(["gate"], "", { cwd: temporaryFolder() });
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^candor: candor\.config\.ts: no such file: write one \(candor gate --help shows it\)/,
    );
  });
});

const result = (change: Partial<GatedResult>): GatedResult => ({
  mechanism: "./a & b.ts",
  key: "k",
  property: "P5",
  claim: "P5 holds",
  status: "broken",
  fails: true,
  found: "breaks in 3 of 9 markets",
  worst: 0.1,
  smallest: null,
  detail: 'line one, 10 % <of> "it"\nreplay: echo',
  file: "a & b.ts",
  seconds: 1.5,
  known: null,
  ...change,
});
const reportOf = (claims: readonly GatedResult[]): GateReport => ({
  candor: "1.2.3",
  config: "candor.config.ts",
  claims,
  mended: [],
  failures: claims.filter(({ fails, known }) => fails && known !== "known").length,
});
const kept = result({ status: "kept", fails: false, claim: "P2 holds", property: "P2" });
const known = result({ known: "known", key: "other" });

describe("its formats", () => {
  it("JUnit: a suite for each mechanism; what is known is skipped", () => {
    const xml = gateFormats.junit(reportOf([result({}), kept, known]));
    const { elements, text } = parsedXml(xml);
    expect(elements).toEqual([
      "testsuites",
      "testsuite",
      "testcase",
      "failure",
      "testcase",
      "testcase",
      "skipped",
    ]);
    expect(xml).toContain(
      '<testsuite name="./a &amp; b.ts" tests="3" failures="1" skipped="1" errors="0" time="4.500">',
    );
    expect(text).toContain('line one, 10 % <of> "it"\nreplay: echo');
  });

  const sarifSchema = z.strictObject({
    $schema: z.url(),
    version: z.literal("2.1.0"),
    runs: z.tuple([
      z.strictObject({
        tool: z.strictObject({
          driver: z.strictObject({
            name: z.literal("candor"),
            version: z.string(),
            rules: z.array(
              z.strictObject({
                id: z.string(),
                name: z.string().regex(/^\w+$/),
                shortDescription: z.strictObject({ text: z.string() }),
                fullDescription: z.strictObject({ text: z.string() }),
              }),
            ),
          }),
        }),
        results: z
          .array(
            z.strictObject({
              ruleId: z.string(),
              level: z.enum(["error", "warning", "note", "none"]),
              message: z.strictObject({ text: z.string().min(1) }),
              locations: z.tuple([
                z.strictObject({
                  physicalLocation: z.strictObject({
                    artifactLocation: z.strictObject({ uri: z.string().regex(/^[^ \\]+$/) }),
                    region: z.strictObject({ startLine: z.int().min(1) }),
                  }),
                }),
              ]),
              partialFingerprints: z.record(z.string(), z.string().length(32)),
              baselineState: z.enum(["new", "unchanged", "updated", "absent"]).optional(),
            }),
          )
          .max(5000),
      }),
    ]),
  });

  it("SARIF: only what fails, with a rule, a path and a fingerprint that stay", () => {
    const log = (claims: readonly GatedResult[]) =>
      sarifSchema.parse(JSON.parse(gateFormats.sarif(reportOf(claims)))).runs[0];
    const { results, tool } = log([known, result({}), kept]);
    expect(results.map(({ level, baselineState }) => [level, baselineState])).toEqual([
      ["error", undefined],
      ["note", "unchanged"],
    ]);
    expect(tool.driver.rules.map(({ id }) => id)).toContain(results[0]!.ruleId);
    expect(results[0]!.locations[0].physicalLocation.artifactLocation.uri).toBe("a%20&%20b.ts");
    const print = (change: Partial<GatedResult>) => log([result(change)]).results[0]!.partialFingerprints;
    expect(print({ found: "other words", worst: 0.9, seconds: 9 })).toEqual(print({}));
    expect(print({ key: "another claim" })).not.toEqual(print({}));
    expect(log(Array<GatedResult>(6000).fill(result({}))).results).toHaveLength(5000);
  });

  it("GitHub: an annotation on a line of its own for each that fails", () => {
    const lines = gateFormats
      .github(reportOf([result({}), kept, known]))
      .trimEnd()
      .split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[0]).toBe(
      '::error file=a & b.ts,line=1,title=BROKEN%3A P5 of ./a & b.ts::P5 holds: breaks in 3 of 9 markets.%0A%0Acost truthfulness: no price gains anything, at the true arrival%0A%0Aline one, 10 %25 <of> "it"%0Areplay: echo',
    );
    expect(lines[1]).toMatch(/^::notice .*title=BROKEN%2C as known/);
  });
});

/** The elements in order, and all text; throws where the XML is not well formed. */
function parsedXml(xml: string): { elements: string[]; text: string } {
  const open: string[] = [];
  const elements: string[] = [];
  const unescaped = (value: string) => {
    if (/&(?!(amp|lt|gt|quot);)|</.test(value)) throw new Error(`not escaped: ${value}`);
    return value
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&amp;", "&");
  };
  const tags = xml.replace(/^<\?xml [^?]*\?>\n/, "").split(/(<\/?[a-z]+(?: [a-z]+="[^"<]*")*\/?>)/);
  let text = "";
  for (const [k, part] of tags.entries()) {
    const [, closing, name, own] = /^<(\/?)([a-z]+).*?(\/?)>$/s.exec(part) ?? [];
    if (k % 2 === 0) text += unescaped(part);
    else if (closing) expect(open.pop()).toBe(name);
    else {
      elements.push(name!);
      if (!own) open.push(name!);
    }
  }
  expect(open).toEqual([]);
  return { elements, text };
}

describe("our own workflow", () => {
  it("runs the tests on three versions of Node, and the gate by our own action", () => {
    const workflow = read(".github/workflows/ci.yml");
    expect(workflow).toContain("node: [20, 22, 24]");
    expect(workflow).toContain("- run: npm ci && npm test");
    expect(workflow).toContain("- uses: ./.github/actions/gate\n");
  });

  it("runs what takes long each night, and fresh seeds for a bounded time", () => {
    const workflow = read(".github/workflows/nightly.yml");
    expect(workflow).toMatch(/schedule:\n +- cron: /);
    expect(workflow).toContain("- run: npm ci && npm run test:all\n");
    expect(workflow).toMatch(/- run: npm run fuzz -- --minutes \d+\n/);
  });

  it.runIf(isLong)(
    "the action's script holds the built-in mechanisms to what is written down for them",
    () => {
      const [, script = ""] = / {6}run: \|\n([\s\S]*)$/.exec(read(".github/actions/gate/action.yml")) ?? [];
      const COMMAND = `${process.execPath} dist/src/cli/main.js`;
      const env = {
        ...process.env,
        CONFIG: ".github/candor.config.ts",
        BASELINE: "",
        FORMAT: "github",
        OUTPUT: "",
        COMMAND,
      };
      const said = execFileSync("bash", ["-e", "-c", script.replace(/^ {8}/gm, "")], {
        cwd: root,
        env,
        encoding: "utf8",
      });
      expect(said).toMatch(/^\.github\/candor\.config\.ts: \d+ claims on 11 mechanisms: nothing fails\n$/);
    },
  );
});
