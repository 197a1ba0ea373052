/** A traced run: every decision of the auction with the numbers that decided it, as events and as text. */

import { brief, counted, hangingList } from "../lib/format.js";
import { same } from "../lib/tolerance.js";
import type { Bidder, Group, Rules } from "../market/market.js";
import type {
  RoundEvent,
  Ruling,
  RulingEvent,
  SampleEvent,
  Share,
  StartEvent,
  TraceEvent,
} from "./trace-events.js";

export type {
  RoundEvent,
  Ruling,
  RulingEvent,
  SampleEvent,
  Share,
  StartEvent,
  TraceEvent,
} from "./trace-events.js";

/** A traced run as text that a person follows with the paper in hand; numbers in brackets are rule ids. */
export function traceText(events: readonly TraceEvent[], known: PublicMarket): string {
  const facts = factsOf(known);
  return sections(events)
    .map((section, k, all) => sectionText(section, facts, k === all.length - 1))
    .join("\n\n");
}

/** What happens at one start, in one round, or between two. */
interface Section {
  readonly opening: StartEvent | RoundEvent | SampleEvent | null;
  readonly rulings: RulingEvent[];
}

/** A mechanism need not announce its rounds: rulings of a new round then open a section of their own. */
function sections(events: readonly TraceEvent[]): Section[] {
  const all: Section[] = [];
  for (const event of events) {
    const current = all.at(-1);
    if (event.kind !== "ruling") all.push({ opening: event, rulings: [] });
    else if (current !== undefined && roundOf(current) === event.round) current.rulings.push(event);
    else all.push({ opening: null, rulings: [event] });
  }
  return all;
}

function roundOf({ opening, rulings }: Section): number | undefined {
  if (opening === null) return rulings[0]?.round;
  if (opening.kind === "sample") return undefined;
  return opening.kind === "start" ? 1 : opening.round;
}

function sectionText(section: Section, facts: Facts, last: boolean): string {
  const { opening, rulings } = section;
  if (opening?.kind === "start")
    return [startText(opening, facts, last), ...judgements(rulings, facts)].join("\n");
  if (opening?.kind === "round") return roundText(opening, rulings, facts);
  if (opening?.kind === "sample") return sampleText(opening, facts);
  return [`Round ${roundOf(section)}`, ...judgements(rulings, facts)].join("\n");
}

/** The rulings of a mechanism that does not judge group by group. */
const judgements = (rulings: readonly RulingEvent[], facts: Facts): string[] =>
  rulings.length === 0 ? [] : [rulingsText(rulings, facts)];

function sampleText({ round, share }: SampleEvent, facts: Facts): string {
  const title = `After round ${round}: all who have arrived are a sample, ${brief(share.budget)} for one round [M3]`;
  return [title, ...shareText(share, "ρ*", facts)].join("\n");
}

function startText(event: StartEvent, facts: Facts, last: boolean): string {
  const { clock, share, enough, payments } = event;
  const money = firstBudgetText(share, facts);
  const title = `Start at clock ${clock}: ${money} for ${counted(share.roundsBought, "round")}`;
  const lines = [`${title} [${money.startsWith("B1") ? "M5" : "M3"}]`, ...shareText(share, "ρ*", facts)];
  if (!enough) return [...lines, `  ${delayText(event, last)} [M6]`].join("\n");
  const paid = payments.map(({ worker, payment }) => {
    const factors = [share.roundsBought, facts.reputation.get(worker)!, share.density ?? 0]
      .map(brief)
      .join(" · ");
    return `${worker} gets ${factors} = ${brief(payment)}`;
  });
  const spent = payments.reduce((sum, { payment }) => sum + payment, 0);
  const selected = paid.length === 0 ? [] : [hangingList("  selected   ", paid)];
  return [...lines, ...selected, `  spent      ${brief(spent)}`].join("\n");
}

function firstBudgetText({ budget, roundsBought }: Share, { rules }: Facts): string {
  const { firstRoundRatio: ratio, budget: whole, rounds } = rules;
  const first = ratio * whole;
  if (same(first, budget)) return `B1 = ${brief(ratio)} · ${brief(whole)} = ${brief(budget)}`;
  return same((first * roundsBought) / rounds, budget)
    ? `B1 · ${roundsBought}/${rounds} = ${brief(first)} · ${roundsBought}/${rounds} = ${brief(budget)}`
    : brief(budget);
}

function delayText({ clock, share, minWorkers }: StartEvent, last: boolean): string {
  const next = last
    ? "there is nobody left to wait for: the task never starts"
    : `the start moves to clock ${clock + 1}`;
  return `${share.taken.length} taken, ${minWorkers} needed: nobody is selected; ${next}`;
}

function roundText(event: RoundEvent, rulings: readonly RulingEvent[], facts: Facts): string {
  const { round, clock, sampleBudget, shares } = event;
  const half = brief(sampleBudget / 2);
  const when = clock === round ? "" : `, clock ${clock}`;
  const lines = [`Round ${round}${when}: B' = ${sampleBudgetText(event, facts)} [M7]`];
  const arrived = facts.arrivals.get(clock) ?? [];
  if (arrived.length > 0) lines.push(hangingList("  arrived: ", arrived.map(String)));
  for (const g of [0, 1] as const) {
    lines.push(`  Sample of group ${g}: ${half} for one round [M3]`);
    lines.push(...shareText(shares[g], `ρ*${g}`, facts).map((line) => line.replaceAll(/^/gm, "  ")));
  }
  for (const g of [0, 1] as const) lines.push(judgementText(event, g, rulings, facts));
  return lines.join("\n");
}

/** B' with the numbers of [M7], where they give it. */
function sampleBudgetText({ round, sampleBudget }: RoundEvent, { rules }: Facts): string {
  const { budget, rounds } = rules;
  const first = rules.firstRoundRatio * budget;
  const formula = (first + ((budget - first) * (round - 1)) / (rounds - 1)) / rounds;
  if (!same(formula, sampleBudget)) return brief(sampleBudget);
  const growth = `${brief(budget - first)} · ${round - 1}/${rounds - 1}`;
  return `(${brief(first)} + ${growth}) / ${rounds} = ${brief(sampleBudget)}`;
}

function judgementText(
  { shares, left }: RoundEvent,
  group: Group,
  rulings: readonly RulingEvent[],
  facts: Facts,
): string {
  const other = group === 0 ? 1 : 0;
  const { density } = shares[other];
  if (density === null) return `  Group ${group}: no threshold from group ${other}, nobody is judged [M4]`;
  const title = `  Group ${group}, judged by ρ*${other} = ${brief(density)} [M8]: ${brief(left[group])} left`;
  const own = rulings.filter((ruling) => ruling.group === group);
  return own.length === 0 ? `${title}, nobody to judge` : `${title}\n${rulingsText(own, facts)}`;
}

/** A proportional share ([M3]) in words: who is taken, who is not, and which of the two terms sets the density. */
function shareText(share: Share, name: string, facts: Facts): string[] {
  if (share.pool.length === 0) return ["  nobody has arrived"];
  const show = digitsFor(share);
  const shown = (id: number) => `${id} (${show(facts.density.get(id)!)})`;
  const lines: string[] = [];
  if (share.taken.length > 0) {
    lines.push(
      hangingList("  taken      ", share.taken.map(shown)),
      `             ${lastTaken(share, facts, show)}`,
    );
  }
  if (share.next !== null) {
    lines.push(hangingList("  not taken  ", share.pool.slice(share.taken.length).map(shown)));
    lines.push(`             ${firstNotTaken(share, share.next, facts, show)}`);
  }
  return [...lines, `  ${name.padEnd(11)}${densityText(share, show)}${edgeMark(share)}`];
}

const bought = ({ roundsBought }: Share): string => (roundsBought === 1 ? "" : `${roundsBought} · `);

function lastTaken(share: Share, facts: Facts, show: Show): string {
  const id = share.taken.at(-1)!;
  const density = facts.density.get(id)!;
  const own = facts.reputation.get(id)!;
  const cost = share.roundsBought * density * (share.reputation + (share.ownTwice ? own : 0));
  const sum = share.ownTwice ? `(${show(own)} + ${show(share.reputation)})` : show(share.reputation);
  return `Σ Re = ${show(share.reputation)}; the last is ${id}: ${bought(share)}${show(density)} · ${sum} = ${show(cost)} ≤ ${show(share.budget)}`;
}

function firstNotTaken(share: Share, next: NonNullable<Share["next"]>, facts: Facts, show: Show): string {
  const own = show(facts.reputation.get(next.worker)!);
  const re = share.ownTwice ? `2 · ${own}` : own;
  const sum = share.taken.length === 0 ? re : `(${re} + ${show(share.reputation)})`;
  return `the first is ${next.worker}: ${bought(share)}${show(next.density)} · ${sum} = ${show(next.cost)} > ${show(share.budget)}`;
}

function densityText(share: Share, show: Show): string {
  const { byBudget, next, density } = share;
  const budgetTerm =
    byBudget === null ? null : `${show(share.budget)} / ${weight(share, show)} = ${show(byBudget)}`;
  const loserTerm = next === null ? null : `ρ of ${next.worker} = ${show(next.density)}`;
  if (budgetTerm === null || loserTerm === null) return budgetTerm ?? `${loserTerm}, for nobody is taken`;
  const setter = byBudget! < next!.density ? "the budget" : `worker ${next!.worker}`;
  return `min(${budgetTerm}, ${loserTerm}) = ${show(density!)}, set by ${setter}`;
}

const weight = (share: Share, show: Show): string =>
  share.roundsBought === 1 ? show(share.reputation) : `(${bought(share)}${show(share.reputation)})`;

/** Rulings that change nothing, and what is said of all of them at once. */
const idle: Partial<Record<Ruling, string>> = {
  kept: "promised as much already",
  denied: "denied a raise, for nothing is left",
  dear: "too dear",
};

const isIdle = (event: RulingEvent): boolean =>
  event.ruling in idle && (!event.knifeEdge || isByDesign(event));

/** The very threshold it has, or a group that a cap has left with exactly nothing: such ties need no line. */
const isByDesign = ({ ruling, threshold, promised, left }: RulingEvent): boolean =>
  (ruling === "kept" && threshold === promised) || (ruling === "denied" && left === 0);

/** The rulings on workers in one round, in the order they fell; those that changed nothing share a line. */
function rulingsText(rulings: readonly RulingEvent[], facts: Facts): string {
  const width = rulings.reduce((most, { worker }) => Math.max(most, String(worker).length), 0);
  const changing = rulings.filter((event) => !isIdle(event));
  const lines = changing.map(
    (event) => `    ${String(event.worker).padStart(width)} ${sentence(event, facts)}`,
  );
  for (const [ruling, label] of Object.entries(idle)) {
    const those = rulings.filter((event) => event.ruling === ruling && isIdle(event));
    if (those.length > 0) lines.push(hangingList(`    ${label}${cite(those[0]!)}: `, those.map(worker)));
  }
  return lines.join("\n");
}

/** The rule behind a ruling; only groups that judge each other follow these. */
const cite = ({ ruling, group }: RulingEvent): string => (group === null ? "" : ` [${rules[ruling]}]`);

const rules: Record<Ruling, string> = {
  admitted: "M9",
  hired: "M9",
  refused: "M9",
  raised: "M10",
  capped: "M10",
  kept: "M10",
  denied: "M10",
  dear: "M8",
};

const worker = ({ worker, ruling, density, promised }: RulingEvent): string =>
  `${worker} (${brief(ruling === "dear" ? density : (promised ?? density))})`;

const verdicts: Partial<Record<Ruling, string>> = { dear: "too dear" };

function sentence(event: RulingEvent, facts: Facts): string {
  const show = digitsFor(event);
  const verdict = `${verdicts[event.ruling] ?? event.ruling}${cite(event)}`;
  const reasons = words[event.ruling](event, costOf(event, facts, show), show);
  return `${verdict.padEnd(14)}  ${offer(event)}${reasons}${edgeMark(event)}`;
}

/** On a knife edge the comparison of density and threshold is shown too: it may be the close one. */
function offer({ knifeEdge, ruling, density, threshold }: RulingEvent): string {
  if (!knifeEdge || ruling === "dear" || threshold === null) return "";
  return `ρ = ${density}, offered ${threshold}; `;
}

type Words = (event: RulingEvent, cost: string, show: Show) => string;

const words: Record<Ruling, Words> = {
  admitted: ({ need, left, payment }, cost, show) =>
    `${cost} ≤ ${show(left)} left: gets ${show(payment)}, ${show(left - need)} left`,
  hired: ({ payment }, cost, show) => `${cost}: gets ${show(payment)}`,
  refused: ({ left }, cost, show) => `${cost} > ${show(left)} left`,
  raised: ({ need, left, payment }, cost, show) =>
    `${cost} ≤ ${show(left)} left: ${show(payment - need)} → ${show(payment)}, ${show(left - need)} left`,
  capped: ({ left, payment }, cost, show) =>
    `${cost} > ${show(left)} left: ${show(payment - left)} → ${show(payment)}, 0 left`,
  kept: ({ promised }, _, show) => `promised ${show(promised ?? 0)}`,
  denied: (_, cost) => `a raise of ${cost}, for nothing is left`,
  dear: ({ density, threshold }, _, show) => `ρ = ${show(density)}, offered ${show(threshold ?? 0)}`,
};

/** What the ruling is about to cost, with its factors where the rule of [M9] or [M10] gives them. */
function costOf({ worker, round, threshold, promised, need }: RulingEvent, facts: Facts, show: Show): string {
  const rounds = facts.rules.rounds - round + 1;
  const reputation = facts.reputation.get(worker) ?? Number.NaN;
  if (threshold === null || !same(rounds * reputation * (threshold - (promised ?? 0)), need))
    return show(need);
  if (promised === null) return `${rounds} · ${show(reputation)} · ${show(threshold)} = ${show(need)}`;
  return `(${show(threshold)} − ${show(promised)}) · ${show(reputation)} · ${rounds} = ${show(need)}`;
}

/** What the publisher knows; the trace itself leaves it out. */
interface PublicMarket {
  readonly rules: Rules;
  readonly bidders: readonly Bidder[];
}

/** What the text looks up: rules, reputations and densities. */
interface Facts {
  readonly rules: Rules;
  /** Re by id. */
  readonly reputation: ReadonlyMap<number, number>;
  /** ρ by id. */
  readonly density: ReadonlyMap<number, number>;
  /** The workers that can be selected ([M1]), by the clock tick at which they arrive. */
  readonly arrivals: ReadonlyMap<number, readonly number[]>;
}

const factsOf = ({ rules, bidders }: PublicMarket): Facts => ({
  rules,
  reputation: new Map(bidders.map(({ id, reputation }) => [id, reputation])),
  density: new Map(bidders.map(({ id, reputation, price }) => [id, price / reputation])),
  arrivals: arrivalsOf(bidders),
});

function arrivalsOf(bidders: readonly Bidder[]): Map<number, number[]> {
  const arrivals = new Map<number, number[]>();
  for (const { id, arrival } of bidders.filter(({ reputation }) => reputation > 0)) {
    const ids = arrivals.get(arrival) ?? [];
    ids.push(id);
    arrivals.set(arrival, ids);
  }
  for (const ids of arrivals.values()) ids.sort((a, b) => a - b);
  return arrivals;
}

type Show = (x: number) => string;

/** On a knife edge every digit counts. */
const digitsFor = ({ knifeEdge }: { readonly knifeEdge: boolean }): Show => (knifeEdge ? String : brief);

/** The mark at the end of a line about a knife edge. */
const edgeMark = ({ knifeEdge }: { readonly knifeEdge: boolean }): string =>
  knifeEdge ? "  ◄ knife edge [M13]" : "";
