/** A counterexample in words: its market, with the lies beside the liars. */

import { brief, columnOf, counted, hangingList, table } from "../../lib/format.js";
import { type Bid, groupOf, type Market } from "../../market/market.js";
import type { SearchedProperty } from "./violations.js";

/** The rules and the workers, indented by two. */
export const marketLines = (market: Market, lies: readonly Bid[]): string =>
  [hangingList("  ", rulesOf(market)), indented(workersTable(market, lies))].join("\n");

export const indented = (text: string): string => text.replace(/^/gm, "  ");

function rulesOf({ rules, workers }: Market): string[] {
  const { budget, rounds, firstRoundRatio, minWorkers, reading } = rules;
  return [
    counted(workers.length, "worker"),
    `budget B = ${brief(budget)}`,
    `T = ${counted(rounds, "round")}`,
    `first-round ratio ${brief(firstRoundRatio)}`,
    `starts with at least ${counted(minWorkers, "worker")}`,
    `reading ${reading}`,
  ];
}

function workersTable({ workers }: Market, lies: readonly Bid[]): string {
  const column = columnOf(workers);
  const ofLiar = (id: number, field: "price" | "arrival") =>
    String(lies.find(({ worker }) => worker === id)?.[field] ?? "");
  return table([
    column("worker", ({ id }) => String(id)),
    column("group", ({ id }) => String(groupOf(id))),
    column("reputation", ({ reputation }) => brief(reputation)),
    column("cost", ({ cost }) => brief(cost)),
    column("arrival", ({ arrival }) => String(arrival)),
    ...(lies.length === 0
      ? []
      : [
          column("price bid", ({ id }) => ofLiar(id, "price")),
          column("arrival bid", ({ id }) => ofLiar(id, "arrival")),
        ]),
  ]);
}

/** What an amount is, by property. */
export const amountWord = (property: SearchedProperty): string =>
  property === "P1" ? "loss" : property === "P2" ? "excess" : "gain";
