/** Every command that takes a mechanism, on files in the folder where it is started. */

export interface Command {
  readonly name: string;
  readonly args: readonly string[];
  /** Needs this one to have been called before. */
  readonly after?: readonly string[];
  /** What a program that is refused ends with; an analysis that fails costs no more than itself. */
  readonly refusal?: 1 | 2;
}

const mine = ["--mechanism", "./mine.ts"];
const onMarket = (command: string, ...more: string[]) => [command, "market.json", "--json", ...mine, ...more];
const shape = ["prove", "--workers", "2", "--rounds", "2", "--reputations", "1,1", "--arrivals", "1,1"];

export const commands: readonly Command[] = [
  { name: "run", args: onMarket("run") },
  { name: "run --trace", args: ["run", "market.json", "--trace", ...mine] },
  { name: "best-response", args: onMarket("best-response") },
  { name: "best-response --interim", args: onMarket("best-response", "--interim", "--draws", "40") },
  { name: "best-response --pairs", args: onMarket("best-response", "--pairs") },
  { name: "best-response --coalition", args: onMarket("best-response", "--coalition", "0,1") },
  { name: "best-response --false-names", args: onMarket("best-response", "--false-names", "1") },
  { name: "check", args: onMarket("check") },
  { name: "hunt", args: ["hunt", "--markets", "60", "--json", ...mine] },
  { name: "prove", args: [...shape, "--json", ...mine] },
  {
    name: "prove --verify",
    args: ["prove", "--verify", "proof.json", "--json", ...mine],
    after: [...shape, "--certificate", "proof.json", ...mine],
  },
  { name: "explain", args: onMarket("explain", "--worker", "0") },
  { name: "try", args: onMarket("try", "--agent", "overbid") },
  { name: "gate", args: ["gate"] },
  { name: "train", args: ["train", "--tasks", "1", "--workers", "5", "--json", ...mine] },
  {
    name: "analyze",
    args: ["analyze", "own-markets", "--markets", "market.json", "--threads", "1", "--json", ...mine],
    refusal: 1,
  },
];

/** The claims that the gate holds it to. */
export const gateConfig = `export default { mechanisms: [{ mechanism: "./mine.ts", claims: [
  { property: "P5", expect: "holds", markets: 40, allowInconclusive: true },
  { property: "P5", expect: "proved", shapes: ["2x1"] },
] }] };
`;
