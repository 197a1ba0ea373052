/** The live bench: the auction itself in the page, run again with every change, on threads of its own. */

import { InputError } from "../../../lib/errors.js";
import type { Worker } from "../../../market/market.js";
import { fields, onFields, setFields } from "../choices.js";
import { contents } from "../contents.js";
import { find, offerFile } from "../dom.js";
import { benchFields, type Exhibits, type Fields, fieldsOf, stateFrom } from "./address.js";
import type {
  Answer,
  FailedAnswer,
  Gain,
  GainsAnswer,
  Landscape,
  LandscapeAnswer,
  OutcomeAnswer,
  Question,
  WordsAnswer,
} from "./answers.js";
import { type Beside, showBeside, showChoice, startBeside } from "./beside.js";
import {
  canRun,
  control,
  section,
  showChoices,
  showControls,
  showPriceLimit,
  startControls,
} from "./controls.js";
import { onBar, showLandscape, showStrip } from "./pictures.js";
import { type BenchState, bidOf, withBid } from "./state.js";
import { startThread } from "./thread.js";
import { gainsText, ownText, truthText, verdictText } from "./words.js";
import { type Change, showGains, showOutcome, showWorkers, startTable } from "./worker-table.js";

const errorLine = find(".bench-error");
const trace = find<HTMLDetailsElement>(".bench-trace");

/** Everybody's gain under a mechanism, as far as it is known. */
interface KnownGains {
  readonly gains: Map<number, Gain>;
  /** The market and the bids it is of, and whose gain is known for just these; the others' is of an earlier state. */
  readonly of: string;
  readonly fresh: Set<number>;
  readonly exact: boolean;
}

/** A state, and the part of it that gains depend on besides the mechanism. */
interface Asked {
  readonly state: BenchState;
  readonly gainsOf: string;
}

let state: BenchState;
let ask: (question: Omit<Question, "part">) => void;
let number = 0;
/** What was asked last and may still be answered. */
const KEPT = 100;
const asked = new Map<number, Asked>();
/** What was answered last. */
let outcome: { readonly answer: OutcomeAnswer; readonly state: BenchState } | null = null;
let landscape: (Pick<LandscapeAnswer, "number" | "worker"> & { readonly found: Landscape }) | null = null;
const gains = new Map<string, KnownGains>();
const beside = new Map<string, Beside>();
let shown: () => void = () => {};

/** Resolves once the first outcome and landscape are there. */
export async function startBench(): Promise<void> {
  const first = new Promise<void>((resolve) => {
    shown = resolve;
  });
  const inPage = () => {
    find(".bench-slow").hidden = false;
  };
  const threads = (["outcome", "more"] as const).map((part) => ({
    part,
    ask: startThread({ receive, inPage }),
  }));
  ask = (question) => {
    for (const thread of threads) thread.ask({ ...question, part: thread.part });
  };
  startControls({ change, chosen, choose, lieBest });
  startTable({ change, choose: (row) => choose(state.market.workers[row]!.id) });
  startBeside((compared) => apply({ ...state, compared }));
  onBar(choose);
  startDownloads();
  trace.addEventListener("toggle", () => question());
  onFields(readAddress);
  await first;
}

/** Changes what is on the bench; what is wrong with a change is said where it was made, and all stays as it was. */
const change: Change = (make, failed) => {
  let next: BenchState;
  try {
    next = make(state);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return failed(error.message);
  }
  failed(null);
  apply(next);
};

function apply(next: BenchState): void {
  state = next;
  writeAddress();
  showState();
}

function showState(): void {
  errorLine.hidden = true;
  const worker = chosenWorker();
  showControls(state, worker);
  showWorkers(state, worker?.id ?? null);
  showChoice(state);
  if (worker) showChoices(state, worker.id, gainsNow().gains);
  question();
}

function question(): void {
  const { market, bids, worker, mechanism, compared } = state;
  number++;
  asked.set(number, { state, gainsOf: JSON.stringify([market, bids]) });
  asked.delete(number - KEPT);
  const mechanisms = [mechanism, ...compared.filter((name) => name !== mechanism)];
  markWorking();
  for (const part of [".bench-landscape", ".bench-map"]) find(part).dataset.busy = "yes";
  ask({ number, market, bids, worker, mechanisms, traced: trace.open });
  scheduleGains();
}

const sayError = (message: string): void => {
  errorLine.textContent = message;
  errorLine.hidden = false;
};

function receive(answer: Answer): void {
  const of = asked.get(answer.number);
  if (answer.kind === "landscape") receiveLandscape(answer);
  else if (answer.kind === "words") receiveWords(answer);
  else if (!of) return;
  else if (answer.kind === "outcome") receiveOutcome(answer, of);
  else if (answer.kind === "gains") receiveGains(answer, of);
  else if (answer.kind === "failed") receiveFailure(answer);
  else {
    beside.set(answer.mechanism, { ...besideOf(answer.mechanism), compared: answer, failed: null });
    scheduleGains();
  }
}

function receiveOutcome(answer: OutcomeAnswer, { state: of }: Asked): void {
  const resolved = { ...of, worker: answer.worker };
  if (state === of && of.worker === null) {
    state = resolved;
    showControls(state, chosenWorker());
    showWorkers(state, answer.worker);
    showChoices(state, answer.worker, gainsNow().gains);
  }
  outcome = { answer, state: resolved };
  delete section.dataset.failed;
  showOutcome(resolved, answer);
  markWorking();
  void showKnown(false);
}

function receiveLandscape({ number: of, worker, landscape: found }: LandscapeAnswer): void {
  landscape = { number: of, worker, found: found ?? landscape!.found };
  if (of === number) delete find(".bench-landscape").dataset.busy;
  void showKnown(true);
}

function receiveWords({ number: of, why, trace: decisions }: WordsAnswer): void {
  if (of !== number) return;
  find(".bench-why pre").textContent = why ?? truthText;
  if (decisions !== null) find("pre", trace).textContent = decisions;
}

/**
 * The outcome and the landscape of one worker. Each comes when it is ready; the picture is drawn once for both, and may be a step
 * behind while a slider moves.
 */
async function showKnown(redraw: boolean): Promise<void> {
  if (!outcome) return;
  const { answer, state: of } = outcome;
  const worker = of.market.workers.find(({ id }) => id === answer.worker)!;
  const known = landscape?.worker === worker.id ? landscape : null;
  const found = known && known.number >= answer.number ? known.found : null;
  const told = { state: of, worker, bid: bidOf(of, worker), outcome: answer, landscape: found };
  say(verdictText(told));
  if (!known || !(redraw || found)) return;
  showPriceLimit(known.found.priceLimit, told.bid.price);
  await showLandscape(told, known.found);
  shown();
}

const besideOf = (mechanism: string): Beside =>
  beside.get(mechanism) ?? { compared: null, gains: null, failed: null };

function receiveGains(answer: GainsAnswer, { state: of, gainsOf }: Asked): void {
  const { mechanism, exact } = answer;
  const before = gains.get(mechanism);
  const found = before?.gains ?? new Map<number, Gain>();
  const fresh = before?.of === gainsOf ? before.fresh : new Set<number>();
  for (const gain of answer.gains) {
    found.set(gain.id, gain);
    fresh.add(gain.id);
  }
  gains.set(mechanism, { gains: found, of: gainsOf, fresh, exact });
  if (answer.complete) {
    const all = of.market.workers.map(({ id }) => found.get(id)!.gain);
    const summary = {
      can: all.filter((gain) => gain > 0).length,
      most: Math.max(...all),
      exact: answer.exact,
    };
    beside.set(answer.mechanism, { ...besideOf(answer.mechanism), gains: summary });
    if (answer.number === number && isLast(answer.mechanism)) gainsKnown = number;
    markWorking();
  }
  if (answer.complete && answer.number === number) showAllGains();
  else scheduleGains();
}

let gainsKnown = 0;

/** Until the outcome and everybody's gains are those of now. */
function markWorking(): void {
  if (gainsKnown === number && outcome?.answer.number === number) delete section.dataset.working;
  else section.dataset.working = "yes";
}

const isLast = (mechanism: string): boolean => mechanism === (state.compared.at(-1) ?? state.mechanism);

function receiveFailure({ step, mechanism, message }: FailedAnswer): void {
  if (step === "outcome") {
    sayError(canRun(mechanism) ? message : ownText(mechanism));
    section.dataset.failed = "yes";
  } else if (step === "landscape") find(".bench-landscape .summary").textContent = message;
  else beside.set(mechanism, { compared: null, gains: null, failed: message });
  if (step === "gains" && mechanism === state.mechanism) find(".bench-map .summary").textContent = message;
  if (step === "outcome" || step === "landscape") shown();
  delete section.dataset.working;
  scheduleGains();
}

let scheduled = 0;

/** Gains come in portions, and what was known before stays for a moment: to show each at once would only flicker. */
const EVERY = 120;

function scheduleGains(): void {
  scheduled ||= setTimeout(showAllGains, EVERY) as unknown as number;
}

const gainsNow = (): KnownGains =>
  gains.get(state.mechanism) ?? { gains: new Map(), of: "", fresh: new Set(), exact: true };

function showAllGains(): void {
  clearTimeout(scheduled);
  scheduled = 0;
  const { market, bids, worker } = state;
  const { gains: found, of, fresh, exact } = gainsNow();
  const current = of === asked.get(number)?.gainsOf;
  const known = (id: number) => current && fresh.has(id);
  showGains(found, known);
  showStrip({ gains: found, workers: market.workers, chosen: worker, known });
  const now = market.workers.filter(({ id }) => known(id)).map(({ id }) => found.get(id)!);
  const words = gainsText(now, { workers: market.workers.length, exact, lie: bids.length > 0 });
  find(".bench-map .summary").textContent = words;
  if (now.length === market.workers.length) {
    delete find(".bench-map").dataset.busy;
    find(".bench-map .strip").setAttribute("aria-label", words);
    if (worker !== null) showChoices(state, worker, found);
  }
  showBeside(state, beside);
}

let quiet = 0;

/** At once for those who see it, and once it has come to rest for those who hear it. */
function say(verdict: string): void {
  find(".bench .verdict").textContent = verdict;
  clearTimeout(quiet);
  quiet = setTimeout(() => {
    find(".bench [role=status]").textContent = verdict;
  }, 700) as unknown as number;
}

const chosenWorker = (): Worker | undefined => state.market.workers.find(({ id }) => id === state.worker);

const chosen = (): number => state.worker ?? outcome?.answer.worker ?? state.market.workers[0]!.id;

const choose = (worker: number): void => apply({ ...state, worker });

function lieBest(): void {
  if (landscape?.worker !== chosen()) return;
  const { price, arrival } = landscape.found.best;
  apply(withBid(state, chosen(), { price, arrival }));
}

const exhibits: Exhibits = {
  at(path) {
    const [analysis = "", ...name] = path.split("/");
    return contents.get(analysis)?.exhibits.get(name.join("/"));
  },
  /** One with a lie to look at, of a mechanism that this page has. */
  get first() {
    for (const [analysis, content] of contents)
      for (const [name, { lie, mechanism }] of content.exhibits)
        if (lie !== null && canRun(mechanism)) return `${analysis}/${name}`;
    return null;
  },
};

/** What the address said of the bench when it was read or written last. */
let addressed: string | null = null;
let writing = 0;

const ofBench = (all: URLSearchParams): Fields =>
  Object.fromEntries(benchFields.flatMap((name) => (all.has(name) ? [[name, all.get(name)!]] : [])));

/** An address that somebody else has changed wins over one that is about to be written. */
function readAddress(all: URLSearchParams): void {
  const said = ofBench(all);
  const text = JSON.stringify(said);
  if (text === addressed) return;
  addressed = text;
  clearTimeout(writing);
  try {
    state = stateFrom(said, exhibits);
    showState();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    if (!state) {
      state = stateFrom({}, exhibits);
      showState();
    }
    sayError(error.message);
  }
}

/** Browsers refuse hundreds of changes of the address in a few seconds: it follows once a slider has come to rest. */
function writeAddress(): void {
  clearTimeout(writing);
  writing = setTimeout(flushAddress, 250) as unknown as number;
}

function flushAddress(): void {
  clearTimeout(writing);
  const said = fieldsOf(state);
  const gone = Object.fromEntries(benchFields.map((name) => [name, null]));
  setFields({ ...gone, ...said, at: null });
  addressed = JSON.stringify(ofBench(fields()));
}

function startDownloads(): void {
  const offer = (name: string, value: unknown): void =>
    offerFile(name, `${JSON.stringify(value)}\n`, "application/json");
  control("market").addEventListener("click", () => offer("market.json", state.market));
  control("bids").addEventListener("click", () => offer("bids.json", state.bids));
  control("link").addEventListener("click", copyLink);
}

/** The link has only what is on the bench, and leads there. */
async function copyLink(): Promise<void> {
  flushAddress();
  const link = new URL(location.href);
  link.hash = String(new URLSearchParams({ at: "_bench", ...fieldsOf(state) }));
  const done = control<HTMLOutputElement>("done");
  try {
    await navigator.clipboard.writeText(link.href);
    done.value = "Copied.";
  } catch {
    done.value = link.href;
  }
}
