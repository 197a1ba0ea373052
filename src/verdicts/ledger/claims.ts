/** What the paper claims, in its words, and the places where it says two things. A quote is a part of the paper's LaTeX, as it stands. */

import type { StepName } from "./steps.js";

/** How a claim is looked at here. */
export type Question =
  /** A theorem: proved or broken for all markets of small shapes, and for any number of workers where a proof gives that. */
  | { readonly by: "proof"; readonly theorem: TheoremName }
  /** A sentence about runs: looked at in drawn markets and in the markets that break a theorem. */
  | { readonly by: "runs"; readonly step: StepName }
  /** A sentence about what experiments show. */
  | { readonly by: "experiment"; readonly experiment: ExperimentName };

export type TheoremName = "P1" | "P2" | "P5" | "P6";

export type ExperimentName =
  | "growth"
  | "optimum"
  | "close"
  | "outperforms"
  | "proportion"
  | "loss"
  | "groups"
  | "stages"
  | "delays"
  | "multi-stage";

export interface PaperClaim {
  readonly id: string;
  readonly where: string;
  readonly quote: string;
  /** What is looked at, in plain words. */
  readonly asks: string;
  readonly question: Question;
}

const runs = (step: StepName): Question => ({ by: "runs", step });
const proof = (theorem: TheoremName): Question => ({ by: "proof", theorem });
const experiment = (name: ExperimentName): Question => ({ by: "experiment", experiment: name });

export const paperClaims: readonly PaperClaim[] = [
  {
    id: "T1",
    where: "Theorem 1",
    quote: "The mechanism satisfies individual rationality.",
    asks: "No selected worker that tells the truth is paid less than its cost.",
    question: proof("P1"),
  },
  {
    id: "T1.1",
    where: "Theorem 1, proof",
    quote:
      "his temporary reward is $p_i = \\min(\\frac{B}{\\sum_{j \\in S} Re_j}, \\frac{T \\cdot b_{k+1}}{Re_{k+1}}) \\cdot Re_i \\geq T\\cdot b_i$",
    asks: "The first step pays a winner at least its price for all rounds bought (with B1 for the printed B).",
    question: runs("first reward"),
  },
  {
    id: "T1.2",
    where: "Theorem 1, proof",
    quote:
      "his temporary reward is $p_i = \\rho^{\\ast} \\cdot Re_i \\cdot (T - t + 1) \\geq \\frac{b_i}{Re_i} \\cdot Re_i \\cdot (T - t + 1) = b_i(T - t + 1)$",
    asks: "A worker admitted in a later round is paid at least its price for all rounds that remain.",
    question: runs("later reward"),
  },
  {
    id: "T1.3",
    where: "Theorem 1, proof",
    quote:
      "The final reward of the selected worker is not lower than the temporary reward, indicating $u_i \\geq 0$.",
    asks: "No later round lowers a payment.",
    question: runs("final reward"),
  },
  {
    id: "T2",
    where: "Theorem 2",
    quote: "The mechanism satisfies budget feasibility.",
    asks: "The payments do not exceed the budget.",
    question: proof("P2"),
  },
  {
    id: "T2.1",
    where: "Theorem 2, proof",
    quote: "\\leq \\sum_{i \\in S}\\frac{B_1 Re_i}{\\sum_{ j \\in S}Re_j} = B_1$",
    asks: "The first step pays at most B1 in all.",
    question: runs("first budget"),
  },
  {
    id: "T2.2",
    where: "Theorem 2, proof",
    quote:
      "ensure that the total reward of workers selected from $U_1$ and $U_2$ does not exceed $\\frac{B}{2}$ respectively, which means the total reward does not exceed $B$.",
    asks: "Neither group is paid more than half of the budget.",
    question: runs("half budgets"),
  },
  {
    id: "T3",
    where: "Theorem 3",
    quote: "The mechanism satisfies computational efficiency.",
    asks: "The number of comparisons grows no faster than the bound of the proof.",
    question: experiment("growth"),
  },
  {
    id: "T4",
    where: "Theorem 4, proof",
    quote:
      "At each time step, as long as the worker's bid is low enough and the remaining budget is sufficient, that worker is selected and paid.",
    asks: "A worker that bids 0 at its true arrival is selected and paid, unless money turned that bid down.",
    question: runs("low bid wins"),
  },
  {
    id: "T5",
    where: "Theorem 5",
    quote: "The mechanism satisfies cost truthfulness with a sufficient budget.",
    asks: "No price gains anything, at the true arrival, where the task starts on time and money never turned the worker down.",
    question: proof("P5"),
  },
  {
    id: "T5.0",
    where: "Section 4",
    quote:
      "A worker's bid does not affect the payment density threshold used to decide on him, thus ensuring cost truthfulness.",
    asks: "In every round after the first step the other group's threshold is the same whatever the worker bids.",
    question: runs("threshold unaffected"),
  },
  {
    id: "T5.1",
    where: "Theorem 5, proof, wins with its cost, case 1",
    quote:
      "If worker $i$ with $c_i$ is selected at $t \\geq \\hat{a_i}$ and  he with $b_i$ is still selected at $t$, then $u(b_i, b_{-i}) = u(c_i, b_{-i})$.",
    asks: "A price that is selected in the same round brings the same utility.",
    question: runs("same round, same utility"),
  },
  {
    id: "T5.2",
    where: "Theorem 5, proof, wins with its cost, case 2",
    quote:
      "Worker $i$ with $c_i$ is not selected in $[t^{\\prime}, t)$, indicating that $\\frac{c_i}{Re_i} > \\rho^{\\ast}$, that is, $c_i > Re_i \\cdot \\rho^{\\ast}$. This means that the utility of worker $i$ with $b_i$ is negative during $[t^{\\prime}, t)$. Thus $u(b_i, b_{-i}) < u(c_i, b_{-i })$.",
    asks: "A lower price that is selected earlier brings less.",
    question: runs("lower and earlier brings less"),
  },
  {
    id: "T5.3",
    where: "Theorem 5, proof, wins with its cost, case 3",
    quote: "If worker $i$ with whether $b_i$ does not win, then $u(c_i, b_{-i}) \\geq u(b_i, b_{-i}) = 0$.",
    asks: "A price that is never selected brings no more.",
    question: runs("not selected brings no more"),
  },
  {
    id: "T5.4",
    where: "Theorem 5, proof, wins with its cost, case 4",
    quote:
      "This means that the utility of worker $i$ with $c_i$ is not negative during $[t, t^{\\prime})$. Thus $u(b_i, b_{-i}) \\leq u(c_i, b_{-i})$.",
    asks: "A higher price that is selected later brings no more.",
    question: runs("higher and later brings no more"),
  },
  {
    id: "T5.5",
    where: "Theorem 5, proof, does not win with its cost, case 2",
    quote:
      "Worker $i$ with $c_i$ is not selected, indicating that $\\frac{c_i}{Re_i} > \\rho^{\\ast}$, that is, $c_i > Re_i \\cdot \\rho^{\\ast}$. This means that $u(b_i, b_{-i}) < u(c_i, b_{-i }) = 0$.",
    asks: "A worker that the truth leaves unselected loses by a lower price that is selected.",
    question: runs("unselected worker loses by less"),
  },
  {
    id: "T5.6",
    where: "Theorem 5, proof",
    quote: "In summary, the mechanism satisfies cost truthfulness.",
    asks: "The cases are all there are: asking less never selects later, and asking more never earlier.",
    question: runs("asking less is never later"),
  },
  {
    id: "T6",
    where: "Theorem 6",
    quote: "The mechanism satisfies time truthfulness with a sufficient budget.",
    asks: "No later arrival gains anything, at the true price, where the task starts on time and money never turned the worker down.",
    question: proof("P6"),
  },
  {
    id: "T6.0",
    where: "Section 4",
    quote:
      "The maximum payment density threshold he encounters after being selected is $\\rho_i^{\\ast} = \\rho^{\\ast}$.",
    asks: "The truth pays each round from the selection on by the largest threshold met by then.",
    question: runs("largest threshold paid"),
  },
  {
    id: "T6.1",
    where: "Theorem 6, proof",
    quote:
      "If a worker is selected at time step $t$, he will be paid a maximum reward that can be earned during $[t, T]$.",
    asks: "A later arrival that is selected in the same round is paid no more.",
    question: runs("same round, later pays no more"),
  },
  {
    id: "T6.2",
    where: "Theorem 6, proof",
    quote:
      "If reporting the true arrival time $a_i$ makes worker $i$ to be selected at time step $t$, and reporting a later arrival time $\\hat{a_i}$ makes him to be selected at time step $t^{\\prime}$, then $t \\leq t^{\\prime}$.",
    asks: "A later arrival is never selected in an earlier round.",
    question: runs("later is never earlier"),
  },
  {
    id: "T6.3",
    where: "Theorem 6, proof",
    quote:
      "As long as $(a_i, c_i)$ are submitted, the utility of worker $i$ is greater than that of reporting $\\hat{a_i}$.",
    asks: "A later arrival at the true price brings no more (printed as strictly less, see the slips).",
    question: runs("later brings no more"),
  },
  {
    id: "S1",
    where: "Section 4",
    quote:
      "Because of the randomness of the hash value, the distribution of bids in the two groups is similar, thus ensuring the validity of the payment density threshold.",
    asks: "With groups as a hash gives them, both have workers, and their mean densities are close.",
    question: experiment("groups"),
  },
  {
    id: "S2",
    where: "Section 4, on two stages",
    quote:
      "However, this mechanism does not satisfy consumer sovereignty since the workers who bid in the first stage cannot win no matter how they bid.",
    asks: "Under two-stage, no worker that bids in the first stage is ever selected, also with a bid of 0.",
    question: experiment("stages"),
  },
  {
    id: "S3",
    where: "Section 4, on two stages",
    quote: "Workers are more inclined to delay arrivals, which will lead to task starvation.",
    asks: "Under two-stage, workers gain by a later arrival; once each arrives when that pays best, more tasks select nobody (task starvation), and the publisher gets less.",
    question: experiment("delays"),
  },
  {
    id: "S4",
    where: "Section 4, on many stages",
    quote:
      "This approach satisfies consumer sovereignty without causing task starvation while making the threshold more accurate by dynamically updating.",
    asks: "Under multi-stage, a worker that bids 0 at its true arrival is selected.",
    question: experiment("multi-stage"),
  },
  {
    id: "F1",
    where: "Section 6, Figures 2 and 3",
    quote: "The offline Approx. Optimal mechanism outperforms ours because of holding all prior information.",
    asks: "approximate-optimal gives at least as much per unit paid, at every place of both figures.",
    question: experiment("optimum"),
  },
  {
    id: "F2",
    where: "Section 6, Figures 2 and 3",
    quote: "its result is still close to the offline RRAFL and Proportional Share mechanisms",
    asks: "online is at most 5 % below rrafl and proportional-share per unit paid (the paper gives no number for close).",
    question: experiment("close"),
  },
  {
    id: "F3",
    where: "Section 6, Figures 2 and 3",
    quote: "and significantly outperforms other benchmarks.",
    asks: "online gives more per unit paid than fixed-threshold, vanilla and bid-greedy, at every place of both figures.",
    question: experiment("outperforms"),
  },
  {
    id: "B1",
    where: "Section 6, Table 1",
    quote:
      "we can observe that the proportion of workers with a data accuracy of 1.0 selected by our mechanism remains high whether it is the MNIST task or the Fashion MNIST task.",
    asks: "The share of workers with accuracy 1.0 among the selected, in recorded training.",
    question: experiment("proportion"),
  },
  {
    id: "B2",
    where: "Section 6, Table 2",
    quote:
      "illustrates that the average loss of the global model in our mechanism is close to the offline mechanism with the best results, and substantially lower than that in the offline Vanilla FL and Bid Greedy mechanisms.",
    asks: "The mean loss over all rounds in recorded training, against rrafl, vanilla and bid-greedy.",
    question: experiment("loss"),
  },
];

/** A place where the paper says two things, or something else than it means. */
export interface PaperSlip {
  readonly id: string;
  readonly where: string;
  readonly quote: string;
  /** What stands against it: another sentence of the paper, where there is one. */
  readonly against: string | null;
  readonly about: string;
  /** The switch of a market that chooses between the two. */
  readonly rule?: "firstStep" | "reading" | "delay";
}

export const paperSlips: readonly PaperSlip[] = [
  {
    id: "B for B1",
    where: "Theorem 1, proof",
    quote:
      "$b_i \\leq \\min(\\frac{B}{\\sum_{j \\in S} Re_j}, \\frac{T \\cdot b_{k+1 }}{Re_{k+1}}) \\cdot Re_i / T$",
    against:
      "$k = i - 1$; $\\rho^{\\ast} = \\frac{\\min(\\frac{B_1}{\\sum_{j \\in S}Re_j}, \\frac{T \\cdot  b_{k+1}}{Re_{k+1}})}{T}$;",
    about: "The proof writes B where Algorithm 3 has B1.",
  },
  {
    id: "Re_k twice",
    where: "Section 4, first time step",
    quote: "$T\\rho_k \\leq \\frac{B_1}{Re_k + \\sum_{i = 1}^{k}Re_i}$",
    against: "$\\frac{T\\cdot b_i}{Re_i} \\leq \\frac{B_1}{Re_i + \\sum_{j \\in S}Re_j}$",
    about:
      "The prose counts a worker's own reputation twice in the condition of the first step, Algorithm 3 once.",
    rule: "firstStep",
  },
  {
    id: "order of reputations",
    where: "Section 4",
    quote: "For $U_1$, the task publisher prioritizes decisions on workers with higher reputation.",
    against: "Sort all workers in $U$ such that $Re_1 \\leq ... \\leq Re_{|U|}$;",
    about: "The prose decides on higher reputations first, Algorithm 2 on lower ones.",
    rule: "reading",
  },
  {
    id: "the cap",
    where: "Section 4",
    quote: "and $U_1$ has remaining budget, then $p_i = \\min(p_i + ",
    against: "$p_i^{\\prime} > \\frac{B}{2} - \\sum_{j \\in U}p_j + p_i$",
    about:
      "The prose raises a payment only while budget remains; Algorithm 2 applies the cap also where none does, which lowers the payment.",
    rule: "reading",
  },
  {
    id: "a delayed start",
    where: "Section 3",
    quote:
      "the publisher will delay the start time and re-execute the worker selection phase at the new start time",
    against: "The winning workers participate in all remaining global iterations.",
    about:
      "If the start time is delayed, all T rounds still lie ahead; if winners take part in the remaining ones, those that passed are lost.",
    rule: "delay",
  },
  {
    id: "strictly greater",
    where: "Theorem 6, proof",
    quote: "the utility of worker $i$ is greater than that of reporting $\\hat{a_i}$",
    against: null,
    about: "A later arrival that changes nothing brings the same, not less: not smaller is meant.",
  },
  {
    id: "an empty sample",
    where: "Algorithm 1",
    quote:
      "$\\rho^{\\ast} = \\min(\\frac{B^{\\prime}}{\\sum_{j \\in S^{\\prime}} Re_j}, \\frac{b_{k+1}}{Re_{k+1}} )$;",
    against: null,
    about:
      "Of an empty sample neither term exists, and of one that is taken whole there is no worker k + 1; the loop does not say where it ends.",
  },
];

/** Reads LaTeX as a line of text. */
export const plainQuote = (latex: string): string =>
  latex
    .replaceAll("\\hat{a_i}", "â_i")
    .replaceAll("^{\\prime}", "′")
    .replaceAll("^{\\ast}", "*")
    .replace(/\\sum_\{([^{}]*)\}\^\{([^{}]*)\}/g, "Σ_{$1..$2} ")
    .replace(/\\sum_\{([^{}]*)\}/g, "Σ_{$1} ")
    .replace(/\\frac\{((?:[^{}]|\{[^{}]*\})*)\}\{((?:[^{}]|\{[^{}]*\})*)\}/g, "($1)/($2)")
    .replace(/\\frac\{((?:[^{}]|\{[^{}]*\})*)\}\{((?:[^{}]|\{[^{}]*\})*)\}/g, "($1)/($2)")
    .replace(/\(([^\s()·+]+)\)\//g, "$1/")
    .replace(/\/\(([^\s()·+]+)\)/g, "/$1")
    .replaceAll("\\rho", "ρ")
    .replaceAll("\\geq", "≥")
    .replaceAll("\\leq", "≤")
    .replaceAll("\\cdot", "·")
    .replaceAll("\\min", "min")
    .replaceAll("\\in", "in")
    .replaceAll("$", "")
    .replace(/\s+/g, " ")
    .trim();

/** The words of a claim, as text. */
export const quoteOf = (id: string): string =>
  plainQuote(paperClaims.find((claim) => claim.id === id)!.quote).replace(/\.$/, "");
