/** The command that replays a witness. */

import type { Bid, Market } from "../market/market.js";

export interface Replay {
  readonly source: string;
  readonly market: Market;
  /** Null: the truthful run. */
  readonly lie: Bid | null;
  /** As named on the command line: a file is found by its path only. */
  readonly mechanism: string;
}

/** One line for a shell; a market that came on standard input is written out in it. */
export function replayCommand({ source, market, lie, mechanism }: Replay): string {
  const how = mechanism === "online" ? "" : ` --mechanism ${quoted(mechanism)}`;
  const { from, name } = marketArgument(source, market);
  if (lie === null) return `${from}candor run ${name} --trace${how}`;
  return `${from}candor explain ${name} --worker ${lie.worker} --price ${lie.price} --arrival ${lie.arrival}${how}`;
}

function marketArgument(source: string, market: Market): { from: string; name: string } {
  const line = /^(.*):(\d+)$/.exec(source);
  if (!line) return { from: "", name: quoted(source) };
  const [, file, number] = line;
  if (file === "stdin") return { from: `echo ${quoted(JSON.stringify(market))} | `, name: "-" };
  return { from: `sed -n ${number}p ${quoted(file!)} | `, name: "-" };
}

/** Quoted where a shell would make something else of it. */
export const quoted = (text: string): string =>
  /^[\w./:=@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
