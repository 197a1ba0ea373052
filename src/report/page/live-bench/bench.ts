/** The live bench: the auction itself in the page, run again with every change, on threads of its own. */

import { InputError } from "../../../lib/errors.js";
import type { Worker } from "../../../market/market.js";
import { fields, onFields, setFields } from "../choices.js";
import { contents, element, find, offerFile } from "../dom.js";
import {
  type Answer,
  type FailedAnswer,
  type Gain,
  type GainsAnswer,
  type Landscape,
  type LandscapeAnswer,
  type OutcomeAnswer,
  type Question,
  utilityOf,
  type Why,
  type WordsAnswer,
} from "./answers.js";
import {
  canRun,
  control,
  section,
  showChoices,
  showControls,
  showPriceLimit,
  startControls,
} from "./controls.js";
import { showLandscape, showStrip, startPictures } from "./pictures.js";
import {
  type BenchState,
  benchFields,
  bidOf,
  type Exhibits,
  type Fields,
  fieldsOf,
  stateFrom,
  withBid,
} from "./state.js";
import {
  type Beside,
  type Change,
  isBeside,
  mechanismsIn,
  openBeside,
  showBeside,
  showChoice,
  showGains,
  showOutcome,
  showWorkers,
  startBeside,
  startTable,
} from "./tables.js";
import {
  gainsText,
  landscapeNote,
  landscapeText,
  ownText,
  runText,
  type Told,
  truthText,
  verdictText,
} from "./words.js";

const errorLine = find(".bench-error");
const trace = find<HTMLDetailsElement>(".bench-trace");
const map = find(".bench-map");
const picture = find(".bench-landscape");

/** Everybody's gain under a mechanism, as far as it is known. */
interface KnownGains {
  readonly gains: Map<number, Gain>;
  /** The state it is of, and whose gain is known for just this; the others' is of an earlier one. */
  readonly of: BenchState;
  readonly fresh: Set<number>;
  readonly exact: boolean;
}

let state: BenchState;
let ask: (part: Question["part"]) => void;
let number = 0;
/** What was asked last and may still be answered. */
const KEPT = 100;
const asked = new Map<number, BenchState>();
/** What the last question still waits for. */
const pending = new Set<string>();
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
  const [fast, slow] = [startThread({ receive, inPage }), startThread({ receive, inPage })];
  ask = (part) => {
    const { market, bids, worker } = state;
    const question = {
      number,
      part,
      market,
      bids,
      worker,
      mechanisms: mechanismsIn(state),
      traced: trace.open,
      beside: isBeside(),
    };
    if (part === "more") slow(question);
    else fast(question);
  };
  const showAgain = () => {
    showChosen();
    question();
  };
  startControls({ change, chosen, choose, lieBest });
  startTable({ change, choose: (row) => choose(state.market.workers[row]!.id), opened: showAgain });
  startBeside((compared) => apply({ ...state, compared }), showAgain);
  startPictures({ choose, price: (price) => apply(withBid(state, chosen(), { price })) });
  startDownloads();
  trace.addEventListener("toggle", showAgain);
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
  unwritten = true;
  showState();
}

/** Shows what was chosen at once, and asks what comes of it. */
function showState(): void {
  errorLine.hidden = true;
  showChosen();
  question();
}

function showChosen(): void {
  const worker = chosenWorker();
  showControls(state, worker);
  showWorkers(state, worker?.id ?? null);
  showChoice(state);
  if (worker) showChoices(state, worker.id);
}

function question(): void {
  number++;
  asked.set(number, state);
  asked.delete(number - KEPT);
  pending.clear();
  for (const step of ["outcome", "words", "landscape"]) pending.add(step);
  for (const name of mechanismsIn(state)) pending.add(`gains ${name}`);
  section.dataset.working = "yes";
  ask("outcome");
  ask("more");
  clearTimeout(resting);
  resting = setTimeout(rest, REST) as unknown as number;
  later("gains");
}

/** Milliseconds after which a hand that moves a slider has come to rest. */
const REST = 250;
let resting = 0;
let unwritten = false;

/** What can wait: the address, for browsers refuse hundreds of changes of it, what is read in peace, and what is said aloud. */
function rest(): void {
  ask("words");
  if (unwritten) writeAddress();
  markWaiting();
}

/** Marks what takes long, but not what is there at once. */
function markWaiting(): void {
  for (const [place, step] of [
    [picture, "landscape"],
    [map, `gains ${state.mechanism}`],
  ] as const)
    place.toggleAttribute("data-busy", pending.has(step));
}

/** A step of the last question is answered. */
function done(of: number, step: string): void {
  if (of !== number) return;
  pending.delete(step);
  if (pending.size > 0) return;
  delete section.dataset.working;
  if (state.worker !== null) showChoices(state, state.worker, gainsNow()?.gains);
}

type Part = "outcome" | "landscape" | "gains";
const changed = new Set<Part>();
let frame = 0;

/** Whatever comes between two frames is shown once. */
function later(part: Part): void {
  changed.add(part);
  if (frame === 0) frame = requestAnimationFrame(showAnswers);
}

function showAnswers(): void {
  frame = 0;
  const parts = new Set(changed);
  changed.clear();
  if (parts.has("outcome") && outcome) {
    showOutcome(outcome.state, outcome.answer);
    find(".bench-run .summary").textContent = runText(outcome.answer.said);
  }
  if (parts.has("outcome") || parts.has("landscape")) showWorker();
  if (parts.has("gains")) showEverybody();
}

const sayError = (message: string): void => {
  errorLine.textContent = message;
  errorLine.hidden = false;
};

function receive(answer: Answer): void {
  const of = asked.get(answer.number);
  if (!of) return;
  if (answer.kind === "outcome") receiveOutcome(answer, of);
  else if (answer.kind === "landscape") receiveLandscape(answer);
  else if (answer.kind === "words") receiveWords(answer);
  else if (answer.kind === "gains") receiveGains(answer, of);
  else if (answer.kind === "failed") receiveFailure(answer);
  else {
    beside.set(answer.mechanism, { ...besideOf(answer.mechanism), compared: answer, failed: null });
    later("gains");
  }
}

function receiveOutcome(answer: OutcomeAnswer, of: BenchState): void {
  const resolved = { ...of, worker: answer.worker };
  if (state === of && of.worker === null) {
    state = resolved;
    asked.set(number, state);
    showChosen();
  }
  outcome = { answer, state: resolved };
  delete section.dataset.failed;
  done(answer.number, "outcome");
  later("outcome");
}

function receiveLandscape({ number: of, worker, landscape: found }: LandscapeAnswer): void {
  landscape = { number: of, worker, found: found ?? landscape!.found };
  picture.removeAttribute("data-busy");
  done(of, "landscape");
  later("landscape");
}

function receiveWords({ number: of, why, trace: decisions }: WordsAnswer): void {
  if (of !== number) return;
  find(".bench-why div").replaceChildren(...whyElements(why));
  if (decisions !== null) find("pre", trace).textContent = decisions;
  find("[role=status]", section).textContent = find(".verdict", section).textContent;
  done(of, "words");
}

function whyElements(why: Why | null): HTMLElement[] {
  if (!why) return [element("p", {}, truthText)];
  const paragraphs = (texts: readonly string[]) => texts.map((text) => element("p", {}, text.trim()));
  const { gain, difference, causes } = why;
  const rows = (causes?.lines ?? []).map(([amount, cause]) =>
    element("tr", {}, element("td", { class: "number" }, amount), element("td", {}, cause)),
  );
  return [
    ...paragraphs([gain]),
    element("div", {}, ...paragraphs(difference)),
    ...(causes ? [element("div", {}, ...paragraphs([causes.head]), element("table", {}, ...rows))] : []),
  ];
}

/** The outcome and the landscape of one worker. Each comes when it is ready; the picture may be a step behind while a slider moves. */
function showWorker(): void {
  if (!outcome) return;
  const { answer, state: of } = outcome;
  const worker = of.market.workers.find(({ id }) => id === answer.worker)!;
  const known = landscape?.worker === worker.id ? landscape : null;
  const found = known && known.number >= answer.number ? known.found : null;
  const told: Told = { state: of, worker, bid: bidOf(of, worker), outcome: answer, landscape: found };
  const { head, text } = verdictText(told);
  find(".verdict", section).replaceChildren(element("b", {}, head), ` ${text}`);
  if (!known) return;
  showPriceLimit(known.found.priceLimit, bidOf(state, worker).price);
  showLandscape(known.found, { worker, bid: told.bid, utility: utilityOf(answer.said, worker.id) });
  find(".drawing", picture).setAttribute("aria-label", landscapeText(told, known.found));
  find(".summary", picture).textContent = landscapeNote(told, known.found);
  shown();
}

const besideOf = (mechanism: string): Beside =>
  beside.get(mechanism) ?? { compared: null, gains: null, failed: null };

/** Whether two states have the same gains, the mechanism aside. */
const sameGains = (a: BenchState, b: BenchState): boolean => a.market === b.market && a.bids === b.bids;

function receiveGains(answer: GainsAnswer, of: BenchState): void {
  const { mechanism, exact, complete } = answer;
  const before = gains.get(mechanism);
  const found = before?.gains ?? new Map<number, Gain>();
  const fresh = before && sameGains(before.of, of) ? before.fresh : new Set<number>();
  for (const gain of answer.gains) {
    found.set(gain.id, gain);
    fresh.add(gain.id);
  }
  gains.set(mechanism, { gains: found, of, fresh, exact });
  if (complete) {
    const all = of.market.workers.map(({ id }) => found.get(id)!.gain);
    const summary = { can: all.filter((gain) => gain > 0).length, most: Math.max(...all), exact };
    beside.set(mechanism, { ...besideOf(mechanism), gains: summary });
    done(answer.number, `gains ${mechanism}`);
  }
  later("gains");
}

function receiveFailure({ number: of, step, mechanism, message }: FailedAnswer): void {
  if (step === "outcome") {
    sayError(canRun(mechanism) ? message : ownText(mechanism));
    section.dataset.failed = "yes";
  } else if (step === "landscape") find(".summary", picture).textContent = message;
  else if (step !== "words") beside.set(mechanism, { compared: null, gains: null, failed: message });
  if (step === "gains" && mechanism === state.mechanism) find(".summary", map).textContent = message;
  if (step === "outcome" || step === "landscape") shown();
  done(of, step === "gains" ? `gains ${mechanism}` : step);
  later("gains");
}

const gainsNow = (): KnownGains | undefined => gains.get(state.mechanism);

function showEverybody(): void {
  const { market, bids, worker } = state;
  const { gains: found, of, fresh, exact } = gainsNow() ?? noGains();
  const known = (id: number) => sameGains(of, state) && fresh.has(id);
  showGains(found, known);
  showStrip({ gains: found, workers: market.workers, chosen: worker, known });
  const now = market.workers.filter(({ id }) => known(id)).map(({ id }) => found.get(id)!);
  if (now.length === market.workers.length) {
    map.removeAttribute("data-busy");
    const words = gainsText(now, { workers: now.length, exact, lie: bids.length > 0 });
    find(".summary", map).textContent = words;
    find(".strip", map).setAttribute("aria-label", words);
  }
  showBeside(state, beside);
}

const noGains = (): KnownGains => ({ gains: new Map(), of: state, fresh: new Set(), exact: true });

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

const ofBench = (all: URLSearchParams): Fields =>
  Object.fromEntries(benchFields.flatMap((name) => (all.has(name) ? [[name, all.get(name)!]] : [])));

/** An address that somebody else has changed wins over one that is about to be written. */
function readAddress(all: URLSearchParams): void {
  const said = ofBench(all);
  const text = JSON.stringify(said);
  if (text === addressed) return;
  addressed = text;
  unwritten = false;
  try {
    state = stateFrom(said, exhibits);
    openBeside(state);
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

function writeAddress(): void {
  unwritten = false;
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
  writeAddress();
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

/** What answers questions: the code in the page, on a thread of its own or, where the browser refuses one, in the page. */
type Ask = (question: Question) => void;

interface Answering {
  receive(answer: Answer): void;
  /** Called where there is no thread: every answer then holds up the page for as long as it takes. */
  inPage(): void;
}

function startThread({ receive, inPage }: Answering): Ask {
  const code = find("#bench-worker").textContent ?? "";
  let ask: Ask;
  let last: Question | null = null;
  const withoutThread = () => {
    ask = answererIn(code, receive);
    inPage();
    if (last) ask(last);
  };
  try {
    const thread = new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
    thread.onmessage = ({ data }: MessageEvent<Answer>) => receive(data);
    thread.onerror = (event) => {
      event.preventDefault();
      withoutThread();
    };
    ask = (question) => thread.postMessage(question);
  } catch {
    withoutThread();
  }
  return (question) => {
    last = question;
    ask(question);
  };
}

/** The same code with a stand-in for the thread's globals; it lets the page respond between two answers. */
function answererIn(code: string, postMessage: (answer: Answer) => void): Ask {
  const thread: { onmessage?: (event: { data: Question }) => void; postMessage: typeof postMessage } = {
    postMessage,
  };
  new Function("globalThis", code)(thread);
  return (data) => thread.onmessage!({ data });
}
