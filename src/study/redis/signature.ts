/** Signatures under what is posted in Redis: whoever has the shared key can tell what others who have it have posted. */

import { createHmac, timingSafeEqual } from "node:crypto";

/** The shared key; null where there is none, and nothing is signed. */
export type Key = string | null;

export const signature = (key: string, parts: readonly unknown[]): string =>
  createHmac("sha256", key).update(JSON.stringify(parts)).digest("hex");

export function isSigned(signed: string, key: string, parts: readonly unknown[]): boolean {
  const [found, right] = [Buffer.from(signed), Buffer.from(signature(key, parts))];
  return found.length === right.length && timingSafeEqual(found, right);
}
