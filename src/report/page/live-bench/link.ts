/** What a link says of the live bench: where its market comes from and, as JSON, each part of the state that was changed since. */

import { z } from "zod";
import { plainError } from "../../../lib/errors.js";
import { parseJson } from "../../../lib/json.js";
import { conforming } from "../../../lib/schema.js";
import { validateBids } from "../../../market/parse.js";
import type { Exhibit } from "../../result.js";
import { type BenchState, drawnState, liesAmong, type Origin, type Written, withMarket } from "./state.js";

export type Fields = Readonly<Record<string, string>>;

/** What the list of markets calls a market that is drawn and one of the reader's own, where an exhibit has its path. */
export const DRAWN = "drawn";
export const OWN = "own";

/** By path; and the one to open with, if any. */
export interface Exhibits {
  at(path: string): Exhibit | undefined;
  readonly first: string | null;
}

/** The field of the address that holds what was changed. */
const STATE = "bench";

/** Fields in which links of versions before 0.2 listed what was changed. */
const OLD_FIELDS = [
  ...["changed", "auction", "beside", "worker", "price", "arrival", "bids"],
  ...["budget", "rounds", "ratio", "minimum", "under", "workers", "seed"],
];

/** All fields of the bench. */
export const benchFields = ["exhibit", STATE, ...OLD_FIELDS];

/** What takes all of them out of the address. */
export const noFields = Object.fromEntries(benchFields.map((name) => [name, null]));

/** Starts the messages about a link. */
const LINK = "link";

const text = z.string({ error: "a text" });

const linkSchema = z.strictObject(
  {
    draw: z.strictObject({ workers: z.unknown(), seed: text }, { error: "workers and a seed" }).optional(),
    market: z.unknown().optional(),
    mechanism: text.optional(),
    compared: z.array(text, { error: "a list of mechanisms" }).optional(),
    worker: z.number({ error: "the id of a worker, or null" }).nullable().optional(),
    bids: z.unknown().optional(),
  },
  { error: "an object with what was changed on the bench" },
);

/** The state that an address describes; the first exhibit, or else a drawn market, where it says nothing. */
export function stateFrom(fields: Fields, exhibits: Exhibits): BenchState {
  if (OLD_FIELDS.some((name) => name in fields))
    throw plainError(
      LINK,
      "it was made by an earlier version, and this page cannot read such links: take the market as JSON from where the link was made, and paste it here",
    );
  const json = fields[STATE] ?? "{}";
  const { draw, ...changed } = conforming(linkSchema, parseJson(json, LINK), {
    source: LINK,
    fieldsAt: () => Object.keys(linkSchema.shape),
  });
  const path = fields.exhibit ?? (draw ? DRAWN : exhibits.first);
  const exhibit = path === null ? undefined : exhibits.at(path);
  const base = exhibit ? exhibitState(path!, exhibit) : drawnState(draw?.workers as Written, draw?.seed);
  const isOwn = path === OWN || (path !== null && path !== DRAWN && !exhibit && changed.market !== undefined);
  const origin: Origin = isOwn ? { kind: "own" } : base.origin;
  const { mechanism = base.mechanism, compared = [], worker = base.worker, bids = base.bids } = changed;
  const state = { ...base, origin, mechanism, compared, worker, bids: [] };
  const { market, ...rest } = withMarket(state, changed.market ?? base.market, LINK);
  return { ...rest, market, bids: liesAmong(validateBids(bids, market, LINK), market) };
}

function exhibitState(path: string, exhibit: Exhibit): BenchState {
  const { market, mechanism, lie, others = [] } = exhibit;
  const bids = lie ? [lie, ...others] : [];
  const origin = { kind: "exhibit", path, exhibit } as const;
  const state = { origin, market, mechanism, compared: [], worker: lie?.worker ?? null, bids };
  return withMarket(state, market, path);
}

/** The state with a market as it came. */
function unchanged(origin: Origin): BenchState {
  if (origin.kind === "exhibit") return exhibitState(origin.path, origin.exhibit);
  return origin.kind === "drawn" ? drawnState(origin.workers, origin.seed) : drawnState();
}

/** The parts of a state, in the order of a link. */
const parts = ["market", "mechanism", "compared", "worker", "bids"] as const;

/** The fields that describe a state; all others are to be taken out of the address. */
export function fieldsOf(state: BenchState): Fields {
  const { origin } = state;
  const base = unchanged(origin);
  const changed = parts.filter((part) => JSON.stringify(state[part]) !== JSON.stringify(base[part]));
  const linked = {
    ...(origin.kind === "drawn" && { draw: { workers: origin.workers, seed: origin.seed } }),
    ...Object.fromEntries(changed.map((part) => [part, state[part]])),
  };
  const exhibit = origin.kind === "exhibit" ? origin.path : origin.kind === "drawn" ? DRAWN : OWN;
  return { exhibit, ...(Object.keys(linked).length > 0 && { [STATE]: JSON.stringify(linked) }) };
}
