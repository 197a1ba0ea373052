/** The effects of liars in sentences. */

import { type AnyAgent, isInformed } from "../../src/agents/agent.js";
import { listed, many, percent, signed, threeDigits } from "../../src/lib/format.js";
import type { Finding } from "../../src/report/result.js";
import { datasets, datasetTitles } from "../shared/paper-tables/paper-tables.js";
import { populationText, unitsText } from "./effect-views.js";
import type { Direction, Effect, EffectMeasure } from "./effects.js";

export function effectFindings(effects: readonly Effect[], liars: readonly AnyAgent[]): Finding[] {
  return (["surrogate", "recorded"] as const).flatMap((source) =>
    datasets.flatMap((dataset) => {
      const here = effects.filter((one) => one.source === source && one.dataset === dataset);
      if (here.length === 0) return [];
      const weight = (source === "recorded" ? 58 : 54) - (dataset === "mnist" ? 0 : 10);
      const place = `On ${datasetTitles[dataset]}, ${source === "surrogate" ? "under the surrogate" : "trained for real once"}`;
      return [
        ...lossFinding(here, { place, weight }),
        ...informedFindings(here, liars, { place, weight: weight - 2 }),
        ...emptyFinding(here, { place, weight: weight - 20 }),
      ];
    }),
  );
}

interface About {
  readonly place: string;
  readonly weight: number;
}

const pick = (effects: readonly Effect[], measure: EffectMeasure): Effect[] =>
  effects.filter((one) => one.measure === measure);

/** Which liars make the model worse or better, where all of them lie. */
function lossFinding(here: readonly Effect[], { place, weight }: About): Finding[] {
  const truth = pick(here, "loss").find(({ agent }) => agent === null);
  const liars = pick(here, "loss").filter(({ part, change }) => part === "all" && (change?.n ?? 0) > 0);
  if (truth === undefined || liars.length === 0) return [];
  const shown = (some: readonly Effect[]) =>
    listed(some.map((one) => `${one.agent} (${signed(one.change!.mean)})`));
  const of = (direction: Direction) =>
    liars
      .filter((one) => one.direction === direction)
      .sort((a, b) => Math.abs(b.change!.mean) - Math.abs(a.change!.mean));
  const [worse, better, open] = [of("higher"), of("lower"), of("too few to tell")];
  const parts = [
    ...(worse.length > 0
      ? [`${worse.length} ${worse.length === 1 ? "raises" : "raise"} it: ${shown(worse)}`]
      : []),
    ...(better.length > 0
      ? [`${better.length} ${better.length === 1 ? "lowers" : "lower"} it: ${shown(better)}`]
      : []),
    ...(open.length > 0 ? [`for ${open.length} of them ${unitsOf(open)} are too few to tell`] : []),
  ];
  const text = `${place}: a truthful population leads to a loss of ${threeDigits(truth.level.mean)} (${unitsText(truth)}). Of ${many(liars.length, "population")} of liars, ${parts.join("; ")} (95 %, all of them together).`;
  return [{ text, weight }];
}

/** What those who answer best do to loss, quality and spending. */
function informedFindings(
  here: readonly Effect[],
  liars: readonly AnyAgent[],
  { place, weight }: About,
): Finding[] {
  return liars.filter(isInformed).flatMap(({ name }) => {
    const of = (measure: EffectMeasure) =>
      pick(here, measure).find(({ agent, part }) => agent === name && part === "all");
    const changes = [
      ["the loss", of("loss"), (x: number) => signed(x)],
      ["the share of good workers", of("goodShare"), points],
      ["spending", of("spent"), (x: number) => signed(x)],
    ] as const;
    const known = changes.flatMap(([what, effect, show]) =>
      effect?.change && effect.change.n > 0 ? [{ what, effect, text: changeText(effect, show) }] : [],
    );
    if (known.length < changes.length) return [];
    const told = known.filter(({ effect }) => effect.direction !== "too few to tell");
    const open = known.filter(({ effect }) => effect.direction === "too few to tell");
    const parts = [
      ...told.map(({ what, text }) => `it changes ${what} by ${text}`),
      ...(open.length > 0
        ? [
            `${unitsText(open[0]!.effect)} are too few to tell whether it changes ${listed(open.map(({ what, text }) => `${what} (${text})`))}`,
          ]
        : []),
    ];
    return [{ text: `${place}, with a population of ${name}s: ${parts.join("; ")}.`, weight }];
  });
}

const points = (x: number): string => signed(x, (size) => percent(size).replace(" %", " points"));

/** "+0.02, 95 %: −0.01 to +0.05". */
function changeText({ change }: Effect, show: (x: number) => string): string {
  const { mean, low, high } = change!;
  return Number.isFinite(low) ? `${show(mean)}, 95 %: ${show(low)} to ${show(high)}` : show(mean);
}

/** "7 tasks", "5 to 7 tasks". */
function unitsOf(effects: readonly Effect[]): string {
  const sorted = effects.toSorted((a, b) => a.change!.n - b.change!.n);
  const [least, most] = [sorted[0]!, sorted.at(-1)!];
  const alike = least.change!.n === most.change!.n;
  return alike ? unitsText(most) : `${least.change!.n} to ${unitsText(most)}`;
}

/** Lies after which no model is trained at all. */
function emptyFinding(here: readonly Effect[], { place, weight }: About): Finding[] {
  const none = pick(here, "loss").filter(({ agent, level }) => agent !== null && level.n === 0);
  if (none.length === 0) return [];
  return [
    {
      text: `${place}: where workers play ${listed(none.map(populationText))}, nobody is ever selected and there is no model.`,
      weight,
    },
  ];
}
