/** Holds an agent of a user's own to its word: its traits are traits, and what it returns is a bid. */

import { z } from "zod";
import { oneLine, plainError } from "../lib/errors.js";
import { isPromise, isWriteToFrozen } from "../lib/frozen.js";
import type { Stream } from "../lib/random.js";
import { conforming } from "../lib/schema.js";
import type { AnyAgent, InformedView, Offer } from "./agent.js";

const flag = z.boolean({ error: "true or false" });
const lies: readonly unknown[] = ["price", "time", "start"];
const liesError = { error: 'a list of "price", "time" and "start"' };

const agentSchema = z.object({
  name: z.string({ error: "a text" }),
  about: z.string({ error: "a text" }),
  traits: z.object(
    {
      stochastic: flag,
      lies: z
        .array(z.unknown(), liesError)
        .refine((all) => all.every((lie) => lies.includes(lie)), liesError),
      sees: z.enum(["own", "bids"], { error: '"own" or "bids"' }),
      learns: flag,
    },
    { error: "an object with stochastic, lies, sees and learns" },
  ),
  bid: z.custom((value) => typeof value === "function", { error: "a function" }),
});

const finite = z.number({ error: "a finite number" });

const offerSchema = z.object(
  { price: finite, arrival: finite },
  { error: "a bid: an object with price and arrival" },
);

/** What an agent said, if it is a bid at all; the source starts every message. */
export function validateOffer(offer: unknown, source: string): Offer {
  if (isPromise(offer)) throw plainError(source, "must return a bid, not a promise: bid cannot be async");
  return conforming(offerSchema, offer, { source });
}

/** The agent with its failures and whatever it bids that is no bid put into one line, which the source starts. */
export function validatedAgent<A extends AnyAgent>(agent: A, source = `agent ${agent.name}`): A {
  conforming(agentSchema, agent, { source });
  return {
    ...agent,
    bid: (view: InformedView, random: Stream) => {
      const where = `${source}: bid of worker ${view.self.id}`;
      return validateOffer(
        attempt(() => agent.bid(view, random), where),
        where,
      );
    },
  };
}

function attempt(bid: () => unknown, source: string): unknown {
  try {
    return bid();
  } catch (error) {
    const what = isWriteToFrozen(error) ? "writes to the view it was given" : "failed";
    throw plainError(source, `${what}: ${oneLine(error)}`);
  }
}
