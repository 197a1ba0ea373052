/** A counterexample in words: its market, and what happens in it. */

import { brief, type Column, counted, hangingList, table } from "../../lib/format.js";
import { type Bid, groupOf, type Market } from "../../market/market.js";
import type { HuntedProperty } from "./violations.js";

/** A market that breaks a property, and how. */
export interface Broken {
  readonly market: Market;
  readonly worker: number | null;
  readonly lie: Bid | null;
  readonly amount: number;
}

/** The rules and the workers, the lie beside the liar; indented by two. */
export function marketLines({ market, lie }: Pick<Broken, "market" | "lie">): string {
  return [hangingList("  ", rulesOf(market)), indented(workersTable(market, lie))].join("\n");
}

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

function workersTable({ workers }: Market, lie: Bid | null): string {
  const column = (head: string, cell: (worker: (typeof workers)[number]) => string): Column => ({
    head,
    cells: workers.map(cell),
  });
  const ofLiar = ({ id }: { id: number }, value: string) => (lie?.worker === id ? value : "");
  return table([
    column("worker", ({ id }) => String(id)),
    column("group", ({ id }) => String(groupOf(id))),
    column("reputation", ({ reputation }) => brief(reputation)),
    column("cost", ({ cost }) => brief(cost)),
    column("arrival", ({ arrival }) => String(arrival)),
    ...(lie === null
      ? []
      : [
          column("price bid", (worker) => ofLiar(worker, String(lie.price))),
          column("arrival bid", (worker) => ofLiar(worker, String(lie.arrival))),
        ]),
  ]);
}

/** What happens, as a sentence without capital and full stop. */
export function violationText(property: HuntedProperty, { worker, lie, amount, market }: Broken): string {
  if (property === "P1") return `worker ${worker} is paid ${brief(amount)} less than its cost`;
  if (property === "P2") return `the payments exceed the budget by ${brief(amount)}`;
  if (lie === null) return `no bid gets worker ${worker} selected and paid`;
  const truth = market.workers.find(({ id }) => id === worker)!;
  const said = [
    ...(lie.price === truth.cost ? [] : [`bidding ${brief(lie.price)} instead of ${brief(truth.cost)}`]),
    ...(lie.arrival === truth.arrival ? [] : [`arriving at ${lie.arrival} instead of ${truth.arrival}`]),
  ];
  return `worker ${worker} gains ${brief(amount)} by ${said.join(" and ")}`;
}

/** What an amount is, by property. */
export const amountWord = (property: HuntedProperty): string =>
  property === "P1" ? "loss" : property === "P2" ? "excess" : "gain";
