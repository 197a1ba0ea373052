/** Keeps two programs from writing the same file: a file beside it says who does, line by line in the order in which they came. */

import { randomUUID } from "node:crypto";
import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { hostname } from "node:os";
import { openAs } from "./disk.js";

/** Tokens of the locks that this very process holds or asks for. */
const mine = new Set<string>();

/**
 * Returns how to let go; or who holds it. The holder is the first whose process lives and who has not withdrawn: lines are only
 * ever added, so a dead holder is succeeded by one process and no more, and only the holder removes the file.
 */
export function lock(path: string): { readonly release: () => void } | { readonly holder: string } {
  const token = randomUUID();
  mine.add(token);
  for (;;) {
    add(path, `${process.pid} ${hostname()} ${token}`);
    const claims = claimsIn(path);
    // The process that held it has removed the file meanwhile, and the line with it.
    if (!claims.some((claim) => claim.token === token)) continue;
    const holder = claims.find(holds)!;
    if (holder.token === token) return { release: () => release(path, token) };
    add(path, `${WITHDRAWN} ${token}`);
    mine.delete(token);
    return { holder: `process ${holder.pid}${holder.host === hostname() ? "" : ` on ${holder.host}`}` };
  }
}

/** A line of its own, whatever stands before it. A link in the file's place could make it grow anywhere. */
const add = (path: string, line: string): void =>
  appendFileSync(path, `\n${line}\n`, { flag: openAs.append as unknown as string });

function release(path: string, token: string): void {
  rmSync(path, { force: true });
  mine.delete(token);
}

interface Claim {
  readonly pid: number;
  readonly host: string;
  readonly token: string;
}

const WITHDRAWN = "withdrawn";

/** Those that have not been withdrawn. */
function claimsIn(path: string): Claim[] {
  const lines = textOf(path).split("\n");
  const gone = new Set(lines.filter((line) => line.startsWith(WITHDRAWN)).map((line) => line.split(" ")[1]));
  return lines.flatMap((line) => {
    const [, pid, host = "", token = ""] = /^(\d+) (\S+)(?: (\S+))?$/.exec(line) ?? [];
    return pid === undefined || gone.has(token) ? [] : [{ pid: Number(pid), host, token }];
  });
}

/** A process of this number may have been another one's before. */
function holds({ pid, host, token }: Claim): boolean {
  if (host !== hostname()) return true;
  return pid === process.pid ? mine.has(token) : lives(pid);
}

function textOf(path: string): string {
  try {
    return readFileSync(path, { encoding: "utf8", flag: openAs.read as unknown as string });
  } catch {
    return "";
  }
}

/** Whether a process of this machine is there. */
export function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
