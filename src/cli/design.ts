/** `candor design`: a setting of a mechanism that gives the publisher most, under demands and without a lie that gains. */

import type { AnyMechanism } from "../auction/mechanism.js";
import { InputError, plainError, unknownName } from "../lib/errors.js";
import {
  brief,
  columnOf,
  listed,
  many,
  percent,
  table,
  threeDigits,
  wrapped,
  writtenNumber,
} from "../lib/format.js";
import { jsonText } from "../lib/json.js";
import { admits, describeOption, type Option } from "../lib/options.js";
import { stream } from "../lib/random.js";
import type { Estimate } from "../lib/statistics.js";
import { ruleOfThree } from "../lib/statistics.js";
import { drawMarkets } from "../market/draw.js";
import { type Market, paperRules } from "../market/market.js";
import { ruleOptions } from "../market/rules.js";
import { settableOf } from "../mechanisms/index.js";
import {
  bestPoint,
  type Demand,
  type DesignMeasure,
  type DesignPoint,
  designMeasures,
  frontierOf,
  measuring,
  meets,
  nearBest,
} from "../verdicts/design.js";
import { isTable, readMarkets, withRules } from "./input.js";
import { resolveMechanism } from "./resolve.js";
import { ruleOption } from "./rules.js";
import type { Session } from "./session.js";
import * as option from "./values.js";

type Value = number | string;

const measureNames = Object.keys(designMeasures) as DesignMeasure[];

const examples = `
A family is a mechanism and one of its options without a value, behind others that are fixed: fixed-threshold:density,
./mine.ts:depth=2,share. Every mechanism also has some rules as options:
${listed(Object.keys(ruleOptions))}.
A measure is relative to the reference, in the same markets: utility (the publisher's), utilityPerUnitPaid or spent.
A value counts only where no worker asked can gain by any lie about price or arrival.

Examples:
  candor design --family round-auctions:share --goal utilityPerUnitPaid --at-least "utility>=0.98"
  candor design --family fixed-threshold:density --values 0.4,0.5,0.6 --workers 20 --budget 25
  candor design markets.jsonl --family ./mine.ts:share --goal utility`;

const options = {
  family: option.text("<spec>", "the mechanism and its option, as in round-auctions:share (required)"),
  goal: option.word("<measure>", "what to maximise", measureNames).default("utilityPerUnitPaid"),
  atLeast: option
    .several(option.value("<demand>", 'as in "utility>=0.98"; may be repeated', readDemand))
    .default([]),
  values: option.list(
    option.value(
      "<list>",
      "the values to try first, separated by commas",
      (typed): Value => writtenNumber(typed),
    ),
  ),
  steps: option
    .integer("<n>", "how many values of the option's range to try first", { from: 2, to: 1000 })
    .default(11),
  refine: option
    .integer("<n>", "how often to halve the distance to the best value", { from: 0, to: 30 })
    .default(3),
  reference: option.text("<name>", "the mechanism that measures are relative to").default("online"),
  workers: option.integer("<n>", "workers of a drawn market", { from: 1, to: 1e5 }).default(100),
  budget: ruleOption("budget", "its budget").default(125),
  rounds: ruleOption("rounds", "its rounds").default(10),
  count: option.integer("<k>", "how many markets are drawn", { from: 1, to: 1e6 }).default(60),
  lies: option
    .integer("<k>", "in how many markets every worker's best lie is computed", { from: 1 })
    .default(10),
  seed: option.text("<s>", "the seed, any text; it fixes everything").default("1"),
  json: option.flag("one JSON object"),
};

type Flags = option.FlagsOf<typeof options>;

const argument = [
  "[market...]",
  "market files, or -; without any, markets are drawn as in the paper",
] as const;

export const define = option.command({ argument, options, help: examples }, design);

function readDemand(typed: string, flag: string): Demand {
  const [, name, amount] = /^\s*(\w+)\s*>=\s*(\d+\.?\d*|\.\d+)\s*$/.exec(typed) ?? [];
  if (name === undefined)
    throw plainError(flag, `must be MEASURE>=NUMBER, as in "utility>=0.98", got ${JSON.stringify(typed)}`);
  const measure = measureNames.find((known) => known === name);
  if (measure === undefined) throw unknownName(flag, name, { noun: "measure", names: measureNames });
  return { measure, atLeast: Number(amount) };
}

interface Family {
  readonly spec: string;
  readonly name: string;
  readonly option: Option;
  readonly at: (value: Value) => Promise<AnyMechanism>;
}

/** "round-auctions:share", or with other options fixed before it. */
async function familyOf(spec: string): Promise<Family> {
  const [, base, fixed, name] = /^(.+?):(?:(.*=.*),)?([A-Za-z]\w*)$/.exec(spec) ?? [];
  if (base === undefined || name === undefined)
    throw plainError(
      "--family",
      `must be a mechanism and one of its options, as in round-auctions:share, got ${JSON.stringify(spec)}`,
    );
  const settings = (value?: Value) =>
    [fixed, value === undefined ? undefined : `${name}=${value}`].filter((one) => one !== undefined);
  const specAt = (value?: Value) => [base, settings(value).join(",")].filter((part) => part !== "").join(":");
  const options = settableOf(await resolveMechanism(specAt(), "--family"));
  if (!Object.hasOwn(options, name))
    throw unknownName(`--family ${base}`, name, {
      noun: "option",
      names: Object.keys(options),
      known: "it has",
    });
  return { spec, name, option: options[name]!, at: (value) => resolveMechanism(specAt(value), "--family") };
}

function firstValues({ name, option, spec }: Family, { values, steps }: Flags): Value[] {
  if (values !== undefined) {
    const wrong = values.find((value) => !admits(option, value));
    if (wrong === undefined) return [...new Set(values)];
    throw new InputError({
      source: "--values",
      path: [name],
      expected: describeOption(option),
      kind: "invalid",
      got: wrong,
    });
  }
  if ("among" in option) return [...option.among];
  const { from, to, whole } = option;
  if (to === undefined)
    throw plainError("--family", `${spec} has no largest value: say with --values which to try`);
  const even = Array.from({ length: steps }, (_, k) => from + ((to - from) * k) / (steps - 1));
  return [...new Set(even.map((value) => (whole ? Math.round(value) : Number(value.toPrecision(6)))))];
}

async function design(paths: readonly string[], flags: Flags, session: Session): Promise<void> {
  const family = await familyOf(
    option.required(
      flags.family,
      "--family",
      "a mechanism and one of its options, as in round-auctions:share",
    ),
  );
  const reference = await resolveMechanism(flags.reference, "--reference");
  const values = firstValues(family, flags);
  const markets = paths.length === 0 ? drawn(flags, 0) : await given(paths, flags, session);
  const measure = measuring({ reference, markets, lieMarkets: flags.lies });
  const points: DesignPoint<Value>[] = [];
  const best = () => bestPoint(points, flags.goal, flags.atLeast);
  const progress = session.progress("measured");
  for (let wanted = values, round = 0; wanted.length > 0; round++) {
    for (const value of wanted) {
      if (!(await session.goesOn())) return;
      points.push(measure(value, await family.at(value)));
      progress.tick("value");
    }
    wanted = round < flags.refine ? untried(family.option, points, best()) : [];
  }
  const chosen = best();
  const again =
    chosen && paths.length === 0 ? await onNewMarkets(chosen, family, { reference, flags }) : null;
  const done: Design = {
    family: family.spec,
    ...flags,
    reference: reference.name,
    markets,
    points: points.sort(inOrder),
    chosen,
    again,
    drawn: paths.length === 0,
  };
  session.spool.write(
    flags.json ? `${jsonText(recordOf(done))}\n` : designText(done, family.name, session.columns),
  );
}

const drawn = ({ workers, budget, rounds, count, seed }: Flags, part: number): Market[] => [
  ...drawMarkets(
    { workers, rules: { ...paperRules, budget, rounds } },
    count,
    stream(seed).fork("design").fork(part),
  ),
];

/** The budget and the rounds of drawn markets are also those of CSV files. */
async function given(
  paths: readonly string[],
  { budget, rounds }: Flags,
  session: Session,
): Promise<Market[]> {
  const markets: Market[] = [];
  const ruled = paths.flatMap((path) => (isTable(path) ? withRules([path], { budget, rounds }) : [path]));
  for await (const { market } of readMarkets(ruled, session)) markets.push(market);
  return markets;
}

/** Numbers that are not whole have others between them. */
function untried(
  option: Option,
  points: readonly DesignPoint<Value>[],
  best: DesignPoint<Value> | null,
): number[] {
  if (best === null || typeof best.value !== "number" || "among" in option || option.whole) return [];
  const known = points.map(({ value }) => Number(value));
  return nearBest(known, best.value).filter((value) => !known.includes(value));
}

/** What was chosen for being the best looks better than it is where it was chosen: it is measured on markets of its own. */
async function onNewMarkets(
  { value }: DesignPoint<Value>,
  family: Family,
  { reference, flags }: { readonly reference: AnyMechanism; readonly flags: Flags },
): Promise<DesignPoint<Value>> {
  const measure = measuring({ reference, markets: drawn(flags, 1), lieMarkets: flags.lies });
  return measure(value, await family.at(value));
}

const inOrder = (a: DesignPoint<Value>, b: DesignPoint<Value>): number =>
  typeof a.value === "number" && typeof b.value === "number" ? a.value - b.value : 0;

interface Design extends Pick<Flags, "goal" | "atLeast" | "seed"> {
  readonly family: string;
  readonly reference: string;
  readonly markets: readonly Market[];
  readonly drawn: boolean;
  readonly points: readonly DesignPoint<Value>[];
  readonly chosen: DesignPoint<Value> | null;
  readonly again: DesignPoint<Value> | null;
}

/** What `design --json` prints. */
function recordOf({ family, goal, atLeast, reference, seed, markets, drawn, points, chosen, again }: Design) {
  const frontier = new Set(frontierOf(points));
  const rowOf = (point: DesignPoint<Value>) => ({
    value: point.value,
    mechanism: point.mechanism,
    ...point.relative,
    lies: liesRecord(point, markets),
  });
  return {
    ...{ family, goal, atLeast, reference, ...(drawn && { seed }), markets: markets.length },
    points: points.map((point) => ({
      ...rowOf(point),
      frontier: frontier.has(point),
      meets: meets(point, atLeast),
    })),
    best: chosen && { ...rowOf(chosen), ...(again && { onNewMarkets: again.relative }) },
  };
}

/** With the market in which the largest gain was found. */
const liesRecord = ({ lies }: DesignPoint<Value>, markets: readonly Market[]) => ({
  ...lies,
  largest: lies.largest && { ...lies.largest, market: markets[lies.largest.market]! },
});

function designText(design: Design, option: string, columns: number): string {
  const { family, reference, markets, points, chosen } = design;
  const size = design.drawn
    ? `${many(markets.length, "market")} of ${markets[0]!.workers.length} workers, drawn as in the paper with a budget of ${brief(markets[0]!.rules.budget)}`
    : many(markets.length, "market");
  const exact = points.every(({ lies }) => lies.exact);
  const asked = Math.max(...points.map(({ lies }) => lies.markets));
  const lines = [
    `${family}, relative to ${reference} in the same ${size} (95 % intervals). ${exact ? "Best lies are exact" : "Lies were searched for: where none was found there may be one"}; looked for in ${many(asked, "market")}, up to the first in which one gains.`,
    "* on the frontier: no other value without a gainful lie gives more of one measure and no less of the other",
  ];
  const words = lines.map((line) => wrapped(line, columns)).join("\n");
  return `${words}\n\n${pointsTable(points, option)}\n\n${wrapped(chosenText(design, chosen, option), columns)}\n`;
}

function pointsTable(points: readonly DesignPoint<Value>[], option: string): string {
  const frontier = new Set(frontierOf(points));
  const column = columnOf(points);
  return table([
    column("", (point) => (frontier.has(point) ? "*" : "")),
    column(option, ({ value }) => (typeof value === "number" ? brief(value) : value)),
    column("utility", ({ relative }) => relativeText(relative.utility)),
    column("per unit paid", ({ relative }) => relativeText(relative.utilityPerUnitPaid)),
    column("spent", ({ relative }) => threeDigits(relative.spent.mean)),
    column("lies", ({ lies }) =>
      lies.markets === 0
        ? "not looked for"
        : lies.gainers === 0
          ? "none gains"
          : `one gains ${threeDigits(lies.largest!.gain)}`,
    ),
  ]);
}

/** "0.981 (0.97 to 0.99)". */
const relativeText = ({ mean, low, high }: Estimate): string =>
  `${threeDigits(mean)}${Number.isFinite(low) ? ` (${threeDigits(low)} to ${threeDigits(high)})` : ""}`;

function chosenText(
  { goal, atLeast, again, reference, drawn }: Design,
  chosen: DesignPoint<Value> | null,
  option: string,
): string {
  const demands = atLeast.map(({ measure, atLeast: least }) => `${measure} ≥ ${least}`).join(", ");
  if (chosen === null)
    return `No value tried ${demands === "" ? "is without a lie that gains" : `has ${demands} and no lie that gains`}.`;
  const { lies, relative, value } = chosen;
  const bound = lies.exact
    ? ` (at most ${percent(ruleOfThree(lies.markets))} of such markets can hide one, 95 %)`
    : ", by a search";
  const found = `Best: ${option} = ${value}, with ${goal} ${relativeText(relative[goal])} of ${reference}'s${demands === "" ? "" : ` under ${demands}`}; no lie gains for any of ${many(lies.workers, "worker")} in ${many(lies.markets, "market")}${drawn ? bound : ""}.`;
  if (again === null) return `${found} It was chosen and measured on the same markets.`;
  const gaining =
    again.lies.gainers > 0 ? `; but there a lie gains ${threeDigits(again.lies.largest!.gain)}` : "";
  const measured = (Object.keys(designMeasures) as DesignMeasure[]).map(
    (name) => `${name} ${relativeText(again.relative[name])}`,
  );
  return `${found} On as many new markets: ${measured.join(", ")}${gaining}.`;
}
