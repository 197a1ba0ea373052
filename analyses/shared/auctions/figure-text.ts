/** What a figure says of money and of repairs, in words. */

import { listed, percent, threeDigits } from "../../../src/lib/format.js";
import type { Estimate } from "../../../src/lib/statistics.js";
import type { Finding } from "../../../src/report/result.js";
import { type Measure, meanOf, perUnit, ratioOf, spent, utility } from "./accounts.js";
import { repairsTogether } from "./figure-tables.js";
import { type Held, repairsIn } from "./held.js";
import { places } from "./words.js";

/** What utility per unit paid does not show: how little some auctions buy, and where nothing is bought at all. */
export function moneyFindings(held: Held): Finding[] {
  const at = held.values[Math.floor((held.values.length - 1) / 2)]!;
  const ledgers = held.ledgers.get(at)!;
  const { budget } = held.settingAt(at);
  const parts = held.auctions
    .map((name) => ({ name, part: meanOf(ledgers, name, spent).mean / budget }))
    .sort((a, b) => a.part - b.part);
  const [least, most] = [parts[0]!, parts.at(-1)!];
  const got = (name: string) => threeDigits(meanOf(ledgers, name, utility).mean);
  const own = parts.find(({ name }) => name === held.ours)!;
  const spending = ({ name, part }: typeof least, k: number) =>
    `${name} ${k === 0 ? "spends " : ""}${percent(part)}${k === 0 ? " of the budget" : ""} for a utility of ${got(name)}`;
  const ends = [own, least, most].filter((one, k, all) => all.indexOf(one) === k).map(spending);
  return [
    {
      text: `Utility per unit paid does not show how much is bought: ${held.axis.phrase.one(at)} ${listed(ends)}.`,
      weight: 30,
    },
    ...unpaidFinding(held),
  ];
}

function unpaidFinding({ auctions, values, markets, ledgers }: Held): Finding[] {
  const unpaid = auctions
    .map((name) => ({
      name,
      none: values.reduce((sum, at) => sum + markets - meanOf(ledgers.get(at)!, name, perUnit).n, 0),
    }))
    .filter(({ none }) => none > 0)
    .sort((a, b) => b.none - a.none)
    .map(({ name, none }) => `${name} in ${threeDigits(none)}`);
  const all = `of ${(markets * values.length).toLocaleString("en-US")} markets`;
  return unpaid.length === 0
    ? []
    : [{ text: `Some auctions pay nobody in some markets: ${all}, ${unpaid.join(", ")}.`, weight: 10 }];
}

/** For each repair: what of the original's utility it reaches, and at what price. */
export function repairFindings(held: Held): Finding[] {
  return repairsIn(held).flatMap((name) => {
    const reached = ratiosOf(held, name, utility);
    return reached.length > 0 ? [{ text: repairText(held, name, reached), weight: 45 }] : [];
  });
}

interface Reached extends Estimate {
  readonly at: number;
}

/** What a repair reaches of the original, wherever there is anything to compare. */
function ratiosOf(held: Held, name: string, measure: Measure): Reached[] {
  const together = repairsTogether(held);
  return held.values
    .map((at) => ({ at, ...ratioOf(held.ledgers.get(at)!, [name, held.ours], { measure, together }) }))
    .filter(({ mean }) => Number.isFinite(mean));
}

function repairText(held: Held, name: string, reached: readonly Reached[]): string {
  const { ours, axis } = held;
  const ordered = [...reached].sort((a, b) => a.mean - b.mean);
  const [least, most] = [ordered[0]!, ordered.at(-1)!];
  const end = ({ at, mean, low, high }: Reached) => {
    const interval = Number.isFinite(low) ? `; ${low.toFixed(2)} to ${high.toFixed(2)}` : "";
    return `${mean.toFixed(2)} (${axis.phrase.one(at)}${interval})`;
  };
  const part = least === most ? end(least) : `between ${end(least)} and ${end(most)}`;
  const units = ratiosOf(held, name, perUnit).map(({ mean }) => mean - 1);
  return (
    `The repair ${name} gives the publisher ${part} of the utility of ${ours}, ` +
    `${changeText(units)} per unit paid.${sidesText(held, reached)}`
  );
}

/** Where the repair is below or above the original, its whole interval being so. */
function sidesText({ ours, axis, values }: Held, reached: readonly Reached[]): string {
  const where = (side: string, is: (one: Reached) => boolean) => {
    const some = reached.filter(is).map(({ at }) => at);
    return some.length > 0 ? [`${side} than ${ours} ${places(some, values, axis)}`] : [];
  };
  const sides = [...where("less", ({ high }) => high < 1), ...where("more", ({ low }) => low > 1)];
  return sides.length > 0
    ? ` In all it gives ${listed(sides)} (with 95 %, at all these places together).`
    : "";
}

/** "at 2 % to 18 % less", "at 3 % less to 1 % more". */
function changeText(changes: readonly number[]): string {
  const [least, most] = [Math.min(...changes), Math.max(...changes)];
  const side = (x: number) => (x < 0 ? "less" : "more");
  if (side(least) !== side(most)) return `at ${percent(-least)} less to ${percent(most)} more`;
  const [small, large] = [least, most].map(Math.abs).sort((a, b) => a - b) as [number, number];
  return `at ${percent(small)} to ${percent(large)} ${side(most)}`;
}
