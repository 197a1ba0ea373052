/** Proofs as text: what `prove` prints for people. */

import { brief, type Column, counted, listed, percent, table, whole } from "../lib/format.js";
import { type Fraction, parseFraction } from "../lib/fraction.js";
import { replayCommand } from "../verdicts/explain.js";
import type { ProvedClaim } from "../verdicts/proofs/prove.js";
import type { ProofRecord } from "./prove.js";

export function proofText(record: ProofRecord, named: string): string {
  const { claims } = record;
  const broken = claims.filter(({ witness }) => witness !== null);
  const parts = [headText(record, named), claimsTable(claims), verdictText(claims)];
  return `${[...parts, ...broken.map((claim) => witnessText(claim, named))].join("\n\n")}\n`;
}

function headText({ shape }: ProofRecord, named: string): string {
  const { reputations, rounds, firstRoundRatio, minWorkers, reading, arrivals } = shape;
  const when = arrivals === undefined ? "all arrivals" : `arrivals ${listed(arrivals)}`;
  return [
    `For all costs, all budgets and ${when}, with ${counted(reputations.length, "worker")} ` +
      `of ${reputationText(reputations)} and ${counted(rounds, "round")}`,
    `(mechanism ${named}, first-round ratio ${firstRoundRatio.toFraction()}, starts with at least ` +
      `${counted(minWorkers, "worker")}, reading ${reading}):`,
  ].join("\n");
}

function reputationText(reputations: readonly Fraction[]): string {
  const [first] = reputations;
  if (reputations.every((one) => one.equals(first!))) return `equal reputation ${first!.toFraction()}`;
  return `reputations ${listed(reputations.map((one) => one.toFraction()))}`;
}

function claimsTable(claims: readonly ProvedClaim[]): string {
  const column = (head: string, cell: (claim: ProvedClaim) => string): Column => ({
    head,
    cells: claims.map(cell),
  });
  return table([
    column("property", ({ property }) => property),
    column("regime", ({ regime }) => regime),
    column("start", ({ start }) => start ?? ""),
    column("verdict", ({ verdict, cells }) => (cells === 0 ? "no such case" : verdict)),
    column("worst case", ({ worst, witness }) => (witness === null ? "" : worst)),
    column("reached", ({ attained, witness }) => (witness === null ? "" : attained ? "yes" : "as a limit")),
    column("cells", ({ cells }) => whole(cells)),
  ]);
}

function verdictText(claims: readonly ProvedClaim[]): string {
  const broken = claims.filter(({ verdict }) => verdict === "breaks").length;
  const count = broken === 0 ? "All claims are proved." : countText(broken, claims.length);
  return [
    count,
    "The worst case is the least upper bound of the gain (P1: of the loss; P2: of the overspending) as a",
    "fraction of the budget. A cell is a region of costs and prices in which all decisions are the same.",
  ].join("\n");
}

const countText = (broken: number, all: number): string =>
  `${counted(broken, "claim")} of ${all} ${broken === 1 ? "breaks" : "break"}, the others are proved.`;

function witnessText(claim: ProvedClaim, named: string): string {
  const { market, bid } = claim.witness!;
  const title = [claim.property, claim.regime, ...(claim.start === null ? [] : [`start ${claim.start}`])];
  return [
    `${title.join(", ")}: ${boundText(claim)}`,
    `  ${sentence(claim)}`,
    `  replay: ${replayCommand({ source: "stdin:1", market, lie: bid, mechanism: named })}`,
  ].join("\n");
}

const nouns: Partial<Record<ProvedClaim["property"], string>> = { P1: "loss", P2: "overspending" };

function boundText({ property, worst, attained }: ProvedClaim): string {
  const noun = nouns[property] ?? "gain";
  if (worst === "unbounded") return `no bound on the ${noun}`;
  const size = `${worst} of the budget (${percent(parseFraction(worst).valueOf())})`;
  return attained
    ? `the largest ${noun} is ${size}`
    : `the ${noun} comes as near as one likes to ${size}, and never reaches it`;
}

/** What happens in the witness. */
function sentence({ property, witness }: ProvedClaim): string {
  const { market, worker, bid, gain, share } = witness!;
  const amount = `${brief(parseFraction(gain).valueOf())} of a budget of ${brief(market.rules.budget)} (${share})`;
  if (property === "P2") return `In this market the payments exceed the budget by ${amount}.`;
  if (bid === null) return `In this market worker ${worker} is paid less than its cost, by ${amount}.`;
  const truth = market.workers[bid.worker]!;
  const said = [
    ...(bid.price === truth.cost ? [] : [`bidding ${brief(bid.price)} instead of ${brief(truth.cost)}`]),
    ...(bid.arrival === truth.arrival ? [] : [`arriving at ${bid.arrival} instead of ${truth.arrival}`]),
  ];
  return `In this market worker ${worker} gains ${amount} by ${said.join(" and ")}.`;
}
