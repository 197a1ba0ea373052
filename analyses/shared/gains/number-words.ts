/** Numbers as words of a sentence, rounded as a person would say them. */

import type { Estimate } from "../../../src/lib/statistics.js";

/** "3.1 %", "0.02 %", "12 %". */
export const percent = (share: number): string => percentTo(2, share);

const percentTo = (digits: number, share: number): string => `${Number((100 * share).toPrecision(digits))} %`;

/** Mean, low and high, with as many digits as it takes to tell them apart: of a million markets they are close. */
export function percents({ mean, low, high }: Omit<Estimate, "n">): [string, string, string] {
  let digits = 2;
  const alike = (a: number, b: number) => a !== b && percentTo(digits, a) === percentTo(digits, b);
  while (digits < 15 && (alike(low, mean) || alike(mean, high))) digits++;
  return [percentTo(digits, mean), percentTo(digits, low), percentTo(digits, high)];
}

/** Three significant digits. */
export const money = (x: number): string =>
  Math.abs(x) >= 1000 ? whole(Math.round(x)) : String(Number(x.toPrecision(3)));

/** "1,200". */
export const whole = (n: number): string => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

/** "no market", "1 market", "1,200 markets". */
export const many = (n: number, noun: string): string =>
  `${n === 0 ? "no" : whole(n)} ${noun}${n === 1 || n === 0 ? "" : "s"}`;

/** "a, b and c". */
export function listed(items: readonly string[]): string {
  const last = items.at(-1) ?? "";
  return items.length < 2 ? last : `${items.slice(0, -1).join(", ")} and ${last}`;
}

/** For tables: six significant digits are enough, and keep files small; null where there is no number. */
export const rounded = (x: number): number | null => (Number.isFinite(x) ? Number(x.toPrecision(6)) : null);

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
