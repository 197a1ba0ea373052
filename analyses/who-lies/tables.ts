/** The tables of who lies. */

import type { Column, Row, Table } from "../../src/analysis.js";
import type { LieKind } from "../../src/explain.js";
import { grouped, shareOverMarkets } from "../../src/survey/over-markets.js";
import { rounded } from "../../src/survey/words.js";
import type { WhoSettings } from "../who-lies.js";
import {
  causeNames,
  causeWords,
  everyRegime,
  gainsOf,
  inRegime,
  kinds,
  type Liar,
  type Person,
  total,
} from "./people.js";

/** At most so many, spread evenly over the list. */
function thinned<Item>(items: readonly Item[], most: number): Item[] {
  if (items.length <= most) return [...items];
  return Array.from({ length: most }, (_, k) => items[Math.floor((k * items.length) / most)]!);
}

const pointColumns: readonly Column[] = [
  { name: "regime", label: "Regime", kind: "text" },
  { name: "kind", label: "Kind of lie", kind: "text" },
  { name: "reputation", label: "Reputation", kind: "amount" },
  { name: "density", label: "True density", kind: "amount" },
  { name: "gain", label: "Gain of the best lie", kind: "amount" },
  { name: "workers", label: "Workers", kind: "count" },
  { name: "ratio", label: "Relative budget", kind: "amount" },
];

export function pointTable(people: readonly Person[], { shown }: WhoSettings): Table {
  const visible = people.filter(({ reputation }) => reputation > 0);
  const picked = [
    ...thinned(
      visible.filter(({ lie }) => !lie),
      shown.others,
    ),
    ...thinned(
      visible.filter(({ lie }) => lie),
      shown.gaining,
    ).sort((a, b) => a.lie!.gain - b.lie!.gain),
  ];
  return {
    name: "people",
    title: "Workers by reputation and density (a sample)",
    columns: pointColumns,
    rows: picked.map(({ regime, reputation, density, lie, workers, ratio }) => ({
      regime,
      kind: lie?.kind ?? null,
      reputation,
      density: Number(density.toPrecision(4)),
      gain: Number((lie?.gain ?? 0).toPrecision(4)),
      workers,
      ratio,
    })),
  };
}

export const BANDS = 10;

const bandOf = ({ reputation }: Person): number => Math.min(BANDS - 1, Math.floor(reputation * BANDS));

const bandColumns: readonly Column[] = [
  { name: "regime", label: "Regime", kind: "text" },
  { name: "from", label: "Reputation from", kind: "amount" },
  { name: "to", label: "to", kind: "amount" },
  { name: "share", label: "Can gain", kind: "share" },
  { name: "low", label: "95 % from", kind: "share" },
  { name: "high", label: "to", kind: "share" },
  { name: "meanGain", label: "Mean gain of those who gain", kind: "amount" },
  { name: "seen", label: "Workers asked", kind: "count" },
  { name: "markets", label: "Markets", kind: "count" },
];

export function bandTable(people: readonly Person[]): Table {
  const rows = everyRegime.flatMap((regime) => {
    const bands = grouped(inRegime(people, regime), (person) => String(bandOf(person)));
    return Array.from({ length: BANDS }, (_, band) => {
      const there = bands.get(String(band));
      return there ? [{ regime, from: band / BANDS, to: (band + 1) / BANDS, ...bandEstimates(there) }] : [];
    }).flat();
  });
  return { name: "reputations", title: "Who has a lie that pays, by reputation", columns: bandColumns, rows };
}

function bandEstimates(people: readonly Person[]) {
  const markets = [...grouped(people, ({ market }) => market).values()];
  const shares = markets.map((part) => part.filter(({ lie }) => lie).length / part.length);
  const { mean, low, high, n } = shareOverMarkets(shares);
  const gains = people.flatMap(({ lie }) => lie?.gain ?? []);
  return {
    share: rounded(mean),
    low: rounded(low),
    high: rounded(high),
    meanGain: rounded(total(gains) / gains.length),
    seen: people.length,
    markets: n,
  };
}

const kindColumns: readonly Column[] = [
  { name: "regime", label: "Regime", kind: "text" },
  { name: "kind", label: "Kind of lie", kind: "text" },
  { name: "count", label: "Workers", kind: "count" },
  { name: "share", label: "Of a market's paying lies", kind: "share" },
  { name: "low", label: "95 % from", kind: "share" },
  { name: "high", label: "to", kind: "share" },
  { name: "meanGain", label: "Mean gain", kind: "amount" },
  { name: "maxGain", label: "Largest gain", kind: "amount" },
  { name: "part", label: "Of all that is gained", kind: "share" },
];

export function kindTable(liars: readonly Liar[]): Table {
  const rows = everyRegime.flatMap((regime) => {
    const there = inRegime(liars, regime);
    return kinds.flatMap((kind): Row[] => {
      const told = there.filter(({ lie }) => lie.kind === kind);
      if (told.length === 0) return [];
      const gains = gainsOf(told);
      const { mean, low, high } = shareOverMarkets(sharesOf(there, kind));
      return [
        {
          regime,
          kind,
          count: told.length,
          share: rounded(mean),
          low: rounded(low),
          high: rounded(high),
          meanGain: rounded(total(gains) / gains.length),
          maxGain: rounded(gains.reduce((most, gain) => Math.max(most, gain), 0)),
          part: rounded(total(gains) / total(gainsOf(there))),
        },
      ];
    });
  });
  return {
    name: "kinds",
    title: "Kinds of lie: how often each is the best, and what it brings",
    columns: kindColumns,
    rows,
  };
}

/** Of each market's paying lies, the share of a kind. */
const sharesOf = (liars: readonly Liar[], kind: LieKind): number[] =>
  [...grouped(liars, ({ market }) => market).values()].map(
    (part) => part.filter(({ lie }) => lie.kind === kind).length / part.length,
  );

const causeColumns: readonly Column[] = [
  { name: "regime", label: "Regime", kind: "text" },
  { name: "kind", label: "Kind of lie", kind: "text" },
  { name: "cause", label: "Cause", kind: "text" },
  { name: "mean", label: "Mean part of a gain", kind: "amount" },
  { name: "sum", label: "Added up", kind: "amount" },
  { name: "part", label: "Of all that is gained", kind: "share" },
  { name: "helping", label: "Lies it helps", kind: "count" },
];

export function causeTable(liars: readonly Liar[]): Table {
  const rows = everyRegime.flatMap((regime) =>
    (["all", ...kinds] as const).flatMap((kind) => {
      const told = inRegime(liars, regime).filter(({ lie }) => kind === "all" || lie.kind === kind);
      return told.length === 0 ? [] : causeRows(told).map((row) => ({ regime, kind, ...row }));
    }),
  );
  return {
    name: "causes",
    title: "Where gains come from",
    columns: causeColumns,
    rows,
  };
}

export function causeRows(liars: readonly Liar[]): Row[] {
  const causes = liars.flatMap(({ lie }) => lie.causes ?? []);
  if (causes.length === 0) return [];
  return causeNames.map((name) => {
    const parts = causes.map((cause) => cause[name]);
    const sum = total(parts);
    return {
      cause: causeWords[name],
      mean: rounded(sum / parts.length),
      sum: rounded(sum),
      part: rounded(sum / total(gainsOf(liars))),
      helping: parts.filter((part) => part > 1e-9).length,
    };
  });
}
