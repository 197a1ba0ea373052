/**
 * The registry of mechanisms, the key being the file name and the name on the command line, and what a command line may
 * add to a name: `fixed-threshold:density=0.5`, `online:reading=pseudocode`, `critical(online)`.
 */

import { type AnyMechanism, adapt, madeFrom } from "../auction/mechanism.js";
import { plainError, unknownName } from "../lib/errors.js";
import { type Options, parseSettings, type SomeSettings } from "../lib/options.js";
import { type Rules, withOption } from "../market/market.js";
import { ruleOptions } from "../market/rules.js";
import { approximateOptimal } from "./approximate-optimal.js";
import { bidGreedy } from "./bid-greedy.js";
import { critical } from "./critical.js";
import { fallingPrice } from "./falling-price.js";
import { fixedThreshold } from "./fixed-threshold.js";
import { learnedPrice } from "./learned-price.js";
import { multiStage } from "./multi-stage.js";
import { online } from "./online/online.js";
import { postedRounds } from "./posted-rounds.js";
import { proportionalShare } from "./proportional-share.js";
import { pruning } from "./pruning.js";
import { published } from "./published/index.js";
import { roundAuctions } from "./round-auctions.js";
import { rrafl } from "./rrafl.js";
import { twoStage } from "./two-stage.js";
import { vanilla } from "./vanilla.js";

export const mechanisms = {
  online,
  "fixed-threshold": fixedThreshold,
  rrafl,
  "proportional-share": proportionalShare,
  vanilla,
  "bid-greedy": bidGreedy,
  "approximate-optimal": approximateOptimal,
  "two-stage": twoStage,
  "multi-stage": multiStage,
  "posted-rounds": postedRounds,
  "falling-price": fallingPrice,
  "round-auctions": roundAuctions,
  pruning,
  "learned-price": learnedPrice,
  ...published,
} as const satisfies Record<string, AnyMechanism>;

/** Those that every comparison shows. */
export const comparedEverywhere: readonly AnyMechanism[] = Object.values<AnyMechanism>(mechanisms).filter(
  ({ comparison }) => comparison === undefined,
);

/** Those and the ones that only the frontier of truthful mechanisms shows. */
export const comparedOrFrontier: readonly AnyMechanism[] = Object.values<AnyMechanism>(mechanisms).filter(
  ({ comparison }) => comparison !== "published",
);

/** The registered mechanism, or the variant of one, that a text names; the source starts every message. */
export function mechanismNamed(text: string, source = "mechanism"): AnyMechanism {
  const inner = insideCritical(text);
  if (inner !== null) return criticalOf(mechanismNamed(inner, source), text);
  const [name, settings] = splitOptions(text);
  const registry: Readonly<Record<string, AnyMechanism>> = mechanisms;
  if (!Object.hasOwn(registry, name)) throw unknownName(source, name, { names: Object.keys(registry) });
  return variantOf(registry[name]!, settings, source);
}

/** What stands between the brackets of "critical(…)"; null where that is not what a text says. */
export const insideCritical = (text: string): string | null => /^critical\((.+)\)$/.exec(text)?.[1] ?? null;

/** A mechanism with payments by Myerson, under the name it was asked for by. */
export function criticalOf(mechanism: AnyMechanism, name: string): AnyMechanism {
  if ("sees" in mechanism)
    throw plainError(name, "a mechanism that is shown the costs has no critical payments");
  const { variantOf: variant } = mechanism;
  if (!variant) return { ...critical(mechanism), name };
  return { ...underRules(criticalOf(variant.mechanism, name), variant.rules), name };
}

/** A text up to its first colon, and what comes after it. */
function splitOptions(text: string): [string, string | undefined] {
  const colon = text.indexOf(":");
  return colon < 0 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
}

/** All that may be set behind a mechanism's name: its own options, and rules in place of the market's. */
export const settableOf = ({ options }: AnyMechanism): Options => ({ ...ruleOptions, ...options });

/** A mechanism with options and rules set as in "density=0.5,reading=prose", named after the setting. */
export function variantOf(
  mechanism: AnyMechanism,
  settings: string | undefined,
  source = "mechanism",
): AnyMechanism {
  if (settings === undefined) return mechanism;
  const chosen = parseSettings(settings, settableOf(mechanism), `${source} ${mechanism.name}`);
  const own = pick(chosen, (name) => Object.hasOwn(mechanism.options ?? {}, name));
  const rules: Partial<Rules> = pick(chosen, (name) => !Object.hasOwn(own, name));
  const varied = mechanism.vary?.(own) ?? mechanism;
  return { ...underRules(varied, rules), name: `${mechanism.name}:${settings}` };
}

function pick(settings: SomeSettings, keep: (name: string) => boolean): SomeSettings {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => keep(name)));
}

function underRules(mechanism: AnyMechanism, rules: Partial<Rules>): AnyMechanism {
  const applied = (given: Rules): Rules => withOption(given, rules);
  const keepsBudget = (given: Rules) => mechanism.keepsBudget?.(applied(given)) ?? true;
  const variantOf = { mechanism, rules };
  const adapted = { ...adapt(mechanism, applied), keepsBudget, variantOf };
  madeFrom(adapted.decide, { variantOf });
  if (mechanism.vary === undefined) return adapted;
  return {
    ...adapted,
    vary: (settings: SomeSettings) => underRules(mechanism.vary!(settings), rules),
  } as AnyMechanism;
}
