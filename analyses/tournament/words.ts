/** The tournament in sentences. */

import { type AnyAgent, isInformed } from "../../src/agents/agent.js";
import { listed, many, signed, threeDigits } from "../../src/lib/format.js";
import { regimes } from "../../src/mechanisms/outcome.js";
import type { Finding, Row, Table } from "../../src/report/result.js";
import { ALONE, MIXED } from "./populations.js";

const of = ({ rows }: Table, about: Row): Row[] =>
  rows.filter((row) => Object.entries(about).every(([name, value]) => row[name] === value));

const isAbove = ({ verdict }: Row): boolean => verdict === "more";
const isBelow = ({ verdict }: Row): boolean => verdict === "less";

export function findingsOf(
  table: Table,
  agents: readonly AnyAgent[],
  { tasks }: { tasks: number },
): Finding[] {
  const blind = agents.filter((agent) => !isInformed(agent) && agent.traits.lies.length > 0);
  const informed = agents.filter(isInformed);
  return [
    { text: blindSentence(table, blind), weight: 55 },
    ...informed.map((agent) => ({ text: informedSentence(table, agent), weight: 65 })),
    ...agents
      .filter(({ traits }) => traits.learns)
      .map((agent) => ({ text: learnerSentence(table, agent, tasks), weight: 30 })),
    ...agents
      .filter(({ traits }) => traits.lies.length === 0)
      .map((agent) => ({ text: honestSentence(table, agent), weight: 45 })),
  ].filter(({ text }) => text !== "");
}

function blindSentence(table: Table, blind: readonly AnyAgent[]): string {
  const names = new Set(blind.map(({ name }) => name));
  const alone = of(table, { population: ALONE, regime: "all" }).filter(({ agent }) =>
    names.has(String(agent)),
  );
  if (alone.length === 0) return "No agent that lies without seeing the bids took part.";
  const better = alone.filter(isAbove);
  const worse = alone.filter(isBelow);
  const gains = better.map((row) => `${row.agent} (+${threeDigits(Number(row.gain))})`);
  const count = `Of ${alone.length} agents that lie without knowing the others' bids`;
  const up =
    better.length === 0
      ? "none was shown to earn more than the truth"
      : `${listed(gains)} earn${better.length === 1 ? "s" : ""} more than the truth`;
  const worst = worse.reduce<Row | null>((a, b) => (a && Number(a.gain) <= Number(b.gain) ? a : b), null);
  const down = worst
    ? `; ${worse.length} earn${worse.length === 1 ? "s" : ""} less, ${worst.agent} least (${signed(Number(worst.gain))} a worker, where the truth has ${threeDigits(Number(worst.truthful))})`
    : "; none was shown to earn less";
  return `${count}, alone among the truthful, ${up}${down} (with 95 %, over ${many(Number(alone[0]!.markets), "market")}, all agents together).`;
}

function informedSentence(table: Table, { name }: AnyAgent): string {
  const alone = of(table, { agent: name, population: ALONE });
  const parts = regimes.flatMap((regime) => {
    const row = alone.find((each) => each.regime === regime);
    return row ? [`${amountOf(row)} in the regime ${regime}`] : [];
  });
  if (parts.length === 0) return "";
  const mixed = of(table, { agent: name, population: MIXED, regime: "all" })[0];
  const also = mixed ? `; among liars of all kinds ${amountOf(mixed)}` : "";
  return `Shown all bids, the ${name} gains ${listed(parts)}${also}.`;
}

function learnerSentence(table: Table, { name }: AnyAgent, tasks: number): string {
  const [row] = of(table, { agent: name, population: ALONE, regime: "all" });
  return row
    ? `After ${tasks} tasks the ${name} earns ${amountOf(row)} beside the truth, alone among the truthful.`
    : "";
}

function honestSentence(table: Table, { name }: AnyAgent): string {
  const [row] = of(table, { agent: name, population: MIXED, regime: "all" });
  if (!row) return "";
  const drift = Number(row.drift);
  const [mixed, world] = [earned(row), earned(row) - drift].map(threeDigits);
  const change =
    row.driftLow === null
      ? `too few markets (${row.markets}) for an interval`
      : `a difference of ${signed(drift)}, 95 %: ${signed(Number(row.driftLow))} to ${signed(Number(row.driftHigh))}, over ${many(Number(row.markets), "market")}`;
  return `Among liars of all kinds the ${name} earn ${mixed} a worker, where all tell the truth ${world} (${change}).`;
}

/** What a worker got: what the truth would have got it against the same bids, and the gain on top. */
const earned = ({ truthful, gain }: Row): number => Number(truthful) + Number(gain);

/** "+0.02 (0.01 to 0.03)", "nothing". */
function amountOf(row: Row): string {
  if (Number(row.gain) === 0) return "nothing";
  const gain = signed(Number(row.gain));
  if (row.low === null) return `${gain} (too few markets, ${row.markets}, for an interval)`;
  return `${gain} (95 %: ${threeDigits(Number(row.low))} to ${threeDigits(Number(row.high))})`;
}

export function chartSummary(table: Table): string {
  const alone = of(table, { population: ALONE, regime: "all" });
  if (alone.length === 0) return "Nobody played.";
  const sorted = [...alone].sort((a, b) => Number(b.gain) - Number(a.gain));
  const [best, worst] = [sorted[0]!, sorted.at(-1)!];
  return `Alone among the truthful, ${best.agent} does best (${signed(Number(best.gain))} a worker) and ${worst.agent} worst (${signed(Number(worst.gain))}).`;
}
