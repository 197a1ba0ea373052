/** Keeps two programs from writing the same file: a file beside it says who does. */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";

/** Returns how to let go; or who holds it, unless that process is no more. */
export function lock(path: string): { readonly release: () => void } | { readonly holder: string } {
  const mine = `${process.pid} ${hostname()}`;
  for (;;) {
    try {
      writeFileSync(path, mine, { flag: "wx" });
      return { release: () => rmSync(path, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = holderOf(path);
    if (holder !== null) return { holder };
    rmSync(path, { force: true });
  }
}

function holderOf(path: string): string | null {
  const [, pid, host] = /^(\d+) (.+)$/.exec(textOf(path)) ?? [];
  if (pid === undefined) return null;
  if (host !== hostname()) return `process ${pid} on ${host}`;
  return Number(pid) !== process.pid && lives(Number(pid)) ? `process ${pid}` : null;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
