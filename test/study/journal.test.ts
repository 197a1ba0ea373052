import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openArchive } from "../../src/study/compute.js";
import type { ChunkResult, RunIdentity } from "../../src/study/study.js";
import { temporaryFolder } from "../cli/candor.js";

const heading: RunIdentity = {
  program: "1.0.0+aa",
  analyses: [
    { spec: "landscape", checksum: null },
    { spec: "./mine.ts", checksum: "abc" },
  ],
  mechanism: { spec: "online", checksum: null },
  agents: [],
  markets: [],
  seed: "1",
  profile: "quick",
  rows: false,
};

interface Setting {
  readonly folder: string;
  readonly resumes?: boolean;
  readonly header?: Partial<RunIdentity>;
  readonly warned?: string[];
}

const open = ({ folder, resumes = false, header = {}, warned = [] }: Setting) =>
  openArchive({ folder, resumes, heading: { ...heading, ...header }, warn: (text) => warned.push(text) });

const results = fc.array(
  fc.record({ summaries: fc.string({ unit: "grapheme" }), rows: fc.option(fc.string()) }),
  {
    minLength: 1,
    maxLength: 6,
  },
);

type Results = readonly ChunkResult[];

const file = (folder: string) => join(folder, "journal.jsonl");

/** A journal of a study that was stopped: its bytes, and where each line ends. */
async function stopped(kept: Results, folder: string): Promise<{ bytes: Buffer; ends: number[] }> {
  const journal = await open({ folder });
  for (const [chunk, result] of kept.entries()) await journal.keep("study", chunk, result);
  await journal.close(false);
  const bytes = readFileSync(file(folder));
  return { bytes, ends: [...bytes.keys()].filter((k) => bytes[k] === 0x0a).map((k) => k + 1) };
}

/** Chunks that a journal has, each of which must be what was kept. */
async function had(kept: Results, folder: string): Promise<number[]> {
  const journal = await open({ folder, resumes: true });
  const there = [...kept.keys()].filter((chunk) => journal.has("study", chunk));
  for (const chunk of there) expect(await journal.read("study", chunk)).toEqual(kept[chunk]);
  await journal.close(false);
  return there;
}

describe("a journal", () => {
  it("cut off at any byte has every chunk whose line is whole, and takes the others again", async () => {
    await fc.assert(
      fc.asyncProperty(results, fc.double({ min: 0, max: 1, noNaN: true }), async (kept, share) => {
        const folder = temporaryFolder();
        const { bytes, ends } = await stopped(kept, folder);
        const cut = Math.floor(share * bytes.length);
        writeFileSync(file(folder), bytes.subarray(0, cut));
        const journal = await open({ folder, resumes: true });
        for (const [chunk, result] of kept.entries()) {
          expect(journal.has("study", chunk)).toBe(cut >= ends[chunk + 1]!);
          if (!journal.has("study", chunk)) await journal.keep("study", chunk, result);
        }
        await journal.close(false);
        expect(readFileSync(file(folder))).toEqual(bytes);
      }),
      { numRuns: 60 },
    );
  });

  it("with any bit flipped never gives back what was not kept, and loses no more than the lines it touches", async () => {
    await fc.assert(
      fc.asyncProperty(results, fc.nat(), fc.nat({ max: 7 }), async (kept, at, bit) => {
        const folder = temporaryFolder();
        const { bytes, ends } = await stopped(kept, folder);
        const place = at % bytes.length;
        bytes[place]! ^= 1 << bit;
        writeFileSync(file(folder), bytes);
        if (place < ends[0]!) {
          await expect(open({ folder, resumes: true })).rejects.toThrow(/its first line is damaged/);
          return;
        }
        const hit = ends.findIndex((end) => place < end) - 1;
        const touched = place === ends[hit + 1]! - 1 ? [hit, hit + 1] : [hit];
        const missing = [...kept.keys()].filter((chunk) => touched.includes(chunk));
        const there = await had(kept, folder);
        expect([...kept.keys()].filter((chunk) => !there.includes(chunk))).toEqual(missing);
      }),
      { numRuns: 100 },
    );
  });

  it("says how many lines in between are damaged", async () => {
    const folder = temporaryFolder();
    const result = { summaries: "[1]", rows: null };
    const { bytes, ends } = await stopped([result, result, result], folder);
    bytes[ends[1]! + 40]! ^= 1;
    writeFileSync(file(folder), bytes);
    const warned: string[] = [];
    await (await open({ folder, resumes: true, warned })).close(false);
    expect(warned).toEqual([`${file(folder)}: 1 damaged line left out and done again`]);
  });

  it.each<[string, Partial<RunIdentity>, string]>([
    ["another seed", { seed: "2" }, "seed 1, not 2"],
    [
      "another program",
      { program: "1.0.0+bb", seed: "2" },
      "the program has changed from 1.0.0+aa to 1.0.0+bb",
    ],
    ["another profile", { profile: "full" }, "profile quick, not full"],
    ["row-level data", { rows: true }, "row-level data no, not yes"],
    [
      "another mechanism",
      { mechanism: { spec: "two-stage", checksum: null } },
      "mechanism online, not two-stage",
    ],
    [
      "other markets of the user's own",
      { markets: [{ spec: "m.jsonl", checksum: "1" }] },
      "markets none, not m.jsonl",
    ],
    [
      "another agent",
      { agents: [{ spec: "overbid:factor=2", checksum: null }] },
      "agents none, not overbid:factor=2",
    ],
    [
      "fewer analyses",
      { analyses: heading.analyses.slice(0, 1) },
      "analyses landscape ./mine.ts, not landscape",
    ],
    [
      "a file that was changed",
      { analyses: [heading.analyses[0]!, { spec: "./mine.ts", checksum: "xyz" }] },
      "mine.ts has changed since",
    ],
  ])("of a study with %s is refused in one line, and left as it is", async (_, header, words) => {
    const folder = temporaryFolder();
    const { bytes } = await stopped([{ summaries: "[1]", rows: null }], folder);
    await expect(open({ folder, resumes: true, header })).rejects.toThrow(
      `${file(folder)}: belongs to another study: ${words}; without --resume it is set aside, and everything starts again`,
    );
    expect(readFileSync(file(folder))).toEqual(bytes);
    expect(readdirSync(folder)).toEqual(["journal.jsonl"]);
  });

  it("that is not there cannot be resumed", async () => {
    const folder = temporaryFolder();
    await expect(open({ folder, resumes: true })).rejects.toThrow(
      `${file(folder)}: no such file: there is nothing to resume`,
    );
  });

  it("is there only while something unfinished is kept in it", async () => {
    const folder = join(temporaryFolder(), "new");
    await (await open({ folder })).close(false);
    expect(existsSync(folder)).toBe(false);
    const journal = await open({ folder });
    await journal.keep("study", 0, { summaries: "[]", rows: null });
    expect(readdirSync(folder).sort()).toEqual(["journal.jsonl", "journal.lock"]);
    await journal.close(true);
    expect(existsSync(folder)).toBe(false);
  });

  it("of an unfinished study is set aside, never overwritten, when another begins", async () => {
    const folder = temporaryFolder();
    const warned: string[] = [];
    const texts = ["[1]", "[2]", "[3]"];
    for (const summaries of texts) {
      const journal = await open({ folder, warned });
      await journal.keep("study", 0, { summaries, rows: null });
      await journal.close(false);
    }
    const names = ["journal.previous.jsonl", "journal.previous-2.jsonl", "journal.jsonl"];
    expect(names.map((name) => readFileSync(join(folder, name), "utf8").split("\n")[1])).toEqual(
      texts.map((text) => expect.stringContaining(`"summaries":"${text}"`)),
    );
    expect(warned.map((text) => /kept as ([\w.-]+);/.exec(text)?.[1])).toEqual(names.slice(0, 2));
  });

  it("is written by one program at a time; one that has died does not count", async () => {
    const folder = temporaryFolder();
    const holds = (pid: number, host: string) =>
      writeFileSync(join(folder, "journal.lock"), `${pid} ${host}`);
    const tries = async () => {
      const journal = await open({ folder });
      const has = journal.has("study", 0);
      await journal.close(false);
      return has;
    };
    holds(process.ppid, hostname());
    await expect(tries()).rejects.toThrow(`process ${process.ppid} is writing it; if not, remove `);
    holds(1, "elsewhere");
    await expect(tries()).rejects.toThrow("process 1 on elsewhere is writing it");
    holds(spawnSync("true").pid, hostname());
    expect(await tries()).toBe(false);
  });
});
