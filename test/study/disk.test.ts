import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { demandWritable, readText, replaceFile } from "../../src/cli/files.js";
import { openArchive } from "../../src/study/compute.js";
import { makeFolder } from "../../src/study/disk.js";
import { lock } from "../../src/study/lock.js";
import type { RunIdentity } from "../../src/study/study.js";
import { temporaryFolder } from "../cli/candor.js";

const heading: RunIdentity = {
  program: "1.0.0+aa",
  analyses: [],
  mechanism: { spec: "online", checksum: null },
  agents: [],
  markets: [],
  seed: "1",
  profile: "quick",
  rows: false,
};

const open = (folder: string, resumes = false) => openArchive({ folder, resumes, heading, warn: () => {} });

/** A folder that nobody can write to, whoever asks; null where none can be mounted. */
function readOnly(): string | null {
  const folder = temporaryFolder();
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "ro", "none", folder]).status === 0;
  if (mounted) onTestFinished(() => void spawnSync("umount", [folder]));
  return mounted ? folder : null;
}

describe("what the disk refuses is said for what it is", () => {
  it("a read-only file system", async ({ skip }) => {
    const folder = readOnly();
    if (folder === null) return skip("no file system can be mounted here");
    const reason = "read-only file system (EROFS)";
    await expect(replaceFile(join(folder, "a/b/c.json"), "x")).rejects.toThrow(reason);
    await expect(demandWritable(join(folder, "c.jsonl"))).rejects.toThrow(reason);
    await expect(open(folder)).rejects.toThrow(reason);
    await expect(open(join(folder, "a/b"))).rejects.toThrow(reason);
  });

  it("a file where a folder should be, a folder where a file should be, and a name that is too long", async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "");
    const inside = "is inside of a file, not of a folder";
    await expect(open(join(folder, "file"))).rejects.toThrow(inside);
    await expect(open(join(folder, "file/a/b"))).rejects.toThrow(inside);
    await expect(replaceFile(join(folder, "file/a/b"), "x")).rejects.toThrow(inside);
    await expect(readText(join(folder, "file/a"))).rejects.toThrow(inside);
    await expect(readText(folder)).rejects.toThrow("is a folder, not a file");
    await expect(replaceFile(folder, "x")).rejects.toThrow("is a folder, not a file");
    await expect(readText(join(folder, "a".repeat(300)))).rejects.toThrow("is too long a name");
  });

  it("a folder in which none can be made", () => {
    // Node's own recursive mkdir never comes back from there.
    if (existsSync("/proc/self")) expect(() => makeFolder("/proc/candor/a")).toThrow(/ENOENT|EACCES|EPERM/);
  });
});

it("makeFolder says which was the topmost that it made", () => {
  const folder = temporaryFolder();
  expect(makeFolder(join(folder, "a/b/c"))).toBe(join(folder, "a"));
  expect(makeFolder(join(folder, "a/b/c"))).toBe(undefined);
});

describe("links that somebody has put in the place of a file of candor's own are not followed", () => {
  const linked = (name: string) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "out"));
    writeFileSync(join(folder, "theirs"), "theirs");
    symlinkSync(join(folder, "theirs"), join(folder, "out", name));
    return { folder: join(folder, "out"), theirs: () => readFileSync(join(folder, "theirs"), "utf8") };
  };

  it("by a lock", () => {
    const { folder, theirs } = linked("journal.lock");
    expect(() => lock(join(folder, "journal.lock"))).toThrow(/ELOOP/);
    expect(theirs()).toBe("theirs");
  });

  it("by a journal", async () => {
    const { folder, theirs } = linked("journal.jsonl");
    await expect(open(folder, true)).rejects.toThrow("is a link, which is not followed here");
    expect(theirs()).toBe("theirs");
  });

  it("by a file that is written, neither where it is begun nor where it goes", async () => {
    const { folder, theirs } = linked("data.json");
    const { hostname } = await import("node:os");
    symlinkSync(join(folder, "../theirs"), join(folder, `.data.json.${process.pid}@${hostname()}.part`));
    await replaceFile(join(folder, "data.json"), "ours");
    expect(theirs()).toBe("theirs");
    expect(lstatSync(join(folder, "data.json")).isSymbolicLink()).toBe(false);
    expect(readFileSync(join(folder, "data.json"), "utf8")).toBe("ours");
  });
});
