/** The gallery in sentences. */

import { listed, many, percent, threeDigits, whole } from "../../src/lib/format.js";
import type { Finding } from "../../src/report/result.js";
import type { ShrunkCounterexample } from "../../src/verdicts/counterexamples/search.js";
import { type Explanation, lieKinds } from "../../src/verdicts/explain.js";
import type { Piece } from "./tables.js";

/** "worker 1 gains 0.5 by bidding 0.2 instead of 0.4". */
export function catchText({ market, violation }: ShrunkCounterexample): string {
  const { property, worker, lie, amount } = violation;
  if (property === "P1") return `worker ${worker} is paid ${threeDigits(amount)} less than its cost`;
  if (property === "P2") return `the payments exceed the budget by ${threeDigits(amount)}`;
  if (lie === null) return `no bid gets worker ${worker} selected and paid`;
  const truth = market.workers.find(({ id }) => id === worker)!;
  const said = [
    ...(lie.price === truth.cost
      ? []
      : [`bidding ${threeDigits(lie.price)} instead of ${threeDigits(truth.cost)}`]),
    ...(lie.arrival === truth.arrival ? [] : [`arriving at ${lie.arrival} instead of ${truth.arrival}`]),
  ];
  return `worker ${worker} gains ${threeDigits(amount)} by ${said.join(" and ")}`;
}

export function findingsOf(pieces: readonly Piece[]): Finding[] {
  const ground = pieces.filter(({ prey }) => prey.regime === "sufficient");
  const kept = ground.filter(({ prey }) => prey.start === "kept");
  return [
    { text: summarySentence(pieces), weight: 35 },
    { text: keptSentence(kept), weight: 80 },
    ...smallest(ground.filter(({ prey }) => prey.start === "moved")).map((piece) => ({
      text: `The smallest sufficient market in which it pays to move the start: ${storyOf(piece)}`,
      weight: 62,
    })),
  ].filter(({ text }) => text !== "");
}

/** The one with the fewest workers, if any was caught. */
function smallest(pieces: readonly Piece[]): Piece[] {
  const caught = pieces.filter(({ shown }) => shown !== null);
  const size = ({ shown }: Piece) => shown!.market.workers.length;
  return caught.length === 0 ? [] : [caught.reduce((a, b) => (size(b) < size(a) ? b : a))];
}

function summarySentence(pieces: readonly Piece[]): string {
  const caught = pieces.flatMap(({ shown }) => (shown ? [shown] : []));
  if (caught.length === 0) return `None of ${many(pieces.length, "hunt")} found a break.`;
  const sizes = caught.map(({ market }) => market.workers.length);
  const most = Math.max(...sizes);
  const minimal = caught.every((found) => found.minimal)
    ? "none can be made smaller by a step of the shrinker"
    : "some may still shrink";
  const few = whole(sizes.filter((n) => n <= 2).length);
  return `${whole(caught.length)} of ${many(pieces.length, "hunt")} found a break; ${few} of these witnesses have no more than two workers, none more than ${most}; ${minimal}.`;
}

/** Joint lies are all lies: the hunt for them tells of the others too. */
function keptSentence(pieces: readonly Piece[]): string {
  const found = pieces.filter(({ shown }) => shown !== null);
  if (found.length > 0)
    return `Up to a first-round ratio of 1/2 a lie that keeps an on-time start pays in a sufficient market: ${listed(found.map(({ shown }) => catchText(shown!)))}.`;
  const joint = pieces.find(({ prey }) => prey.property === "joint");
  if (!joint) return "";
  const { markets, workers } = joint.report.searched.byRegime.sufficient;
  const { shareBound } = joint.report;
  const bound =
    shareBound === null
      ? "; lies were searched for, and a search can miss in every market"
      : ` (at most ${percent(shareBound)} of such markets have one, with 95 % confidence)`;
  return `Up to a first-round ratio of 1/2, a hunt through ${many(markets, "sufficient market")} with ${many(workers, "worker")} found no lie about price, arrival or both that keeps an on-time start and gains${markets === 0 ? "" : bound}.`;
}

function storyOf({ shown, explanation }: Piece): string {
  const { workers, rules } = shown!.market;
  const size = `${many(workers.length, "worker")}, ${many(rules.rounds, "round")}, budget ${threeDigits(rules.budget)}`;
  return `with ${size}, ${catchText(shown!)}${kindText(explanation)}.`;
}

const kindText = (explanation: Explanation | null): string =>
  explanation?.kind ? ` (${lieKinds[explanation.kind]})` : "";
