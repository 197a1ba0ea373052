/** The effects of liars in sentences. */

import type { AnyAgent } from "../../src/agents/agent.js";
import { isInformed } from "../../src/agents/agent.js";
import type { Estimate } from "../../src/lib/statistics.js";
import type { Finding } from "../../src/report/result.js";
import { amount, list, percent } from "../shared/auctions/words.js";
import { datasets, datasetTitles } from "../shared/paper-tables/paper-tables.js";
import { amountWithSign, populationText } from "./effect-views.js";
import type { Effect, EffectMeasure } from "./effects.js";

const isMore = ({ low }: Estimate): boolean => low > 0;
const isLess = ({ high }: Estimate): boolean => high < 0;

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
  const liars = pick(here, "loss").filter(({ part, change }) => part === "all" && (change?.n ?? 0) > 1);
  if (truth === undefined || liars.length === 0) return [];
  const shown = (some: readonly Effect[]) =>
    list(some.map((one) => `${one.agent} (${amountWithSign(one.change!.mean)})`));
  const worse = liars.filter(({ change }) => isMore(change!)).sort((a, b) => b.change!.mean - a.change!.mean);
  const better = liars.filter(({ change }) => isLess(change!));
  const parts = [
    worse.length > 0 ? `higher with ${shown(worse)}` : "higher with none",
    ...(better.length > 0 ? [`lower with ${shown(better)}`] : []),
    `not told apart at 95 % with ${liars.length - worse.length - better.length || "none"} others`,
  ];
  const text = `${place}: a truthful population leads to a loss of ${amount(truth.level.mean)}; of ${liars.length} populations of liars it is ${list(parts)}.`;
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
      pick(here, measure).find(({ agent, part }) => agent === name && part === "all")?.change;
    const [loss, good, spent] = [of("loss"), of("goodShare"), of("spent")];
    if (!loss || !good || !spent || loss.n < 2) return [];
    const change = (one: Estimate, show: (x: number) => string) =>
      isMore(one) || isLess(one) ? show(one.mean) : `${show(one.mean)}, not told apart from none`;
    const points = (x: number) => `${x < 0 ? "−" : "+"}${percent(Math.abs(x)).replace(" %", " points")}`;
    const text = `${place}, a population of ${name}s changes the loss by ${change(loss, amountWithSign)}; the share of good workers by ${change(good, points)}; spending by ${change(spent, amountWithSign)}.`;
    return [{ text, weight }];
  });
}

/** Lies after which no model is trained at all. */
function emptyFinding(here: readonly Effect[], { place, weight }: About): Finding[] {
  const none = pick(here, "loss").filter(({ agent, level }) => agent !== null && level.n === 0);
  if (none.length === 0) return [];
  return [
    {
      text: `${place}: where workers play ${list(none.map(populationText))}, nobody is ever selected and there is no model.`,
      weight,
    },
  ];
}
