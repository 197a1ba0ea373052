/** What the built-in mechanisms are expected to keep, and where they are known to break. `candor gate --config` with this file holds them to it. */

import { defineConfig } from "candor";

const holds = (...properties: ("P1" | "P2" | "P4" | "P5" | "P6" | "joint")[]) =>
  properties.map((property) => ({ property, expect: "holds" as const }));

const breaks = (...properties: ("P4" | "P5" | "P6" | "joint")[]) =>
  properties.map((property) => ({ property, expect: "breaks" as const }));

const shapes = ["2x2", "2x3", "3x2"];

export default defineConfig({
  markets: 200,
  mechanisms: [
    {
      mechanism: "online",
      claims: [
        ...holds("P1", "P2"),
        { property: "P2", maxRatio: 0.95, expect: "breaks" },
        { property: "P5", regime: "sufficient", start: "kept", expect: "proved", shapes },
        { property: "P5", regime: "late start", expect: "breaks" },
        { property: "joint", regime: "sufficient", start: "kept", expect: "proved", shapes: ["2x2"] },
        { property: "joint", expect: { atMost: 0.5 } },
      ],
    },
    {
      mechanism: "falling-price",
      claims: [...holds("P1", "P2", "joint"), { property: "joint", expect: "proved", shapes }],
    },
    { mechanism: "posted-rounds", claims: [...holds("P1", "P2", "joint")] },
    { mechanism: "fixed-threshold", claims: [...holds("P1", "P2", "joint")] },
    { mechanism: "rrafl", claims: [...holds("P1", "P2", "joint"), ...breaks("P4")] },
    { mechanism: "proportional-share", claims: holds("P1", "P2", "P4", "joint") },
    { mechanism: "vanilla", claims: [...holds("P2"), ...breaks("P5")] },
    { mechanism: "bid-greedy", claims: [...holds("P2"), ...breaks("P5")] },
    { mechanism: "two-stage", claims: [...holds("P2", "P5"), ...breaks("P6")] },
    { mechanism: "multi-stage", claims: [...holds("P2"), ...breaks("P5", "P6")] },
    { mechanism: "approximate-optimal", claims: holds("P1", "P2", "joint") },
  ],
});
