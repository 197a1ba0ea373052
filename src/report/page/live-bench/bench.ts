/** The live bench: the auction itself in the page, run again with every change, on threads of its own. */

import { InputError } from "../../../lib/errors.js";
import type { Worker } from "../../../market/market.js";
import { marketToWrite } from "../../../market/words.js";
import { fields, onFields, setFields } from "../choices.js";
import { contents, element, find, offerFile } from "../dom.js";
import { type Answer, type AnswerOf, type Landscape, type Question, utilityOf, type Why } from "./answers.js";
import * as controls from "./controls.js";
import { benchFields, type Exhibits, type Fields, fieldsOf, noFields, stateFrom } from "./link.js";
import * as pictures from "./pictures.js";
import { type BenchState, bidOf, withBid } from "./state.js";
import * as tables from "./tables.js";
import * as words from "./words.js";

const { control, section } = controls;
const errorLine = find(".bench-error");
const trace = find<HTMLDetailsElement>(".bench-trace");
const map = find(".bench-map");
const picture = find(".bench-landscape");

let state: BenchState;
let ask: (part: Question["part"]) => void;
let number = 0;
/** What was asked last and may still be answered. */
const KEPT = 100;
const asked = new Map<number, BenchState>();
/** What the last question still waits for. */
const pending = new Set<string>();
/** What was answered last. */
let outcome: { readonly answer: AnswerOf<"outcome">; readonly state: BenchState } | null = null;
let landscape: { readonly number: number; readonly worker: number; readonly found: Landscape } | null = null;
const answered = new Map<string, tables.MechanismAnswers>();
let shown: () => void = () => {};

/** What is known of a mechanism so far. */
function answersOf(mechanism: string): tables.MechanismAnswers {
  const nothing = { compared: null, of: state, gains: new Map(), fresh: new Set<number>(), exact: true };
  if (!answered.has(mechanism)) answered.set(mechanism, { ...nothing, all: null, failed: null });
  return answered.get(mechanism)!;
}

/** Resolves once the first outcome and landscape are there. */
export async function startBench(): Promise<void> {
  const first = new Promise<void>((resolve) => {
    shown = resolve;
  });
  const [fast, slow] = [startThread(), startThread()];
  ask = (part) => {
    const { market, bids, worker } = state;
    const mechanisms = tables.mechanismsIn(state);
    const asks = part === "more" ? slow : fast;
    asks({ number, part, market, bids, worker, mechanisms, traced: trace.open, beside: tables.isBeside() });
  };
  controls.startControls({ change, chosen, choose, lieBest });
  tables.startTable({ change, choose: (row) => choose(state.market.workers[row]!.id), opened: showAgain });
  tables.startBeside((compared) => apply({ ...state, compared }), showAgain);
  pictures.startPictures({ choose, price: (price) => apply(withBid(state, chosen(), { price })) });
  startDownloads();
  trace.addEventListener("toggle", showAgain);
  onFields(readAddress);
  await first;
}

/** Changes what is on the bench; an error of a change is shown where it was made, and all stays as it was. */
const change: controls.Change = (make, failed = () => {}) => {
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

function showState(): void {
  errorLine.hidden = true;
  showAgain();
}

/** Shows what was chosen at once, and asks what comes of it. */
function showAgain(): void {
  showChosen();
  question();
}

function showChosen(): void {
  const worker = chosenWorker();
  controls.showControls(state, worker);
  tables.showWorkers(state, worker?.id ?? null);
  tables.showChoice(state);
  if (worker) controls.showChoices(state, worker.id);
}

function question(): void {
  number++;
  asked.set(number, state);
  asked.delete(number - KEPT);
  pending.clear();
  for (const step of ["outcome", "words", "landscape"]) pending.add(step);
  for (const name of tables.mechanismsIn(state)) pending.add(`gains ${name}`);
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

/** What can wait: the address, for browsers refuse hundreds of changes of it, what is read in peace, and what is read aloud. */
function rest(): void {
  ask("words");
  if (unwritten) writeAddress();
  // What takes long is marked, but not what is there at once.
  picture.toggleAttribute("data-busy", pending.has("landscape"));
  map.toggleAttribute("data-busy", pending.has(`gains ${state.mechanism}`));
}

/** A step of the last question is answered. */
function done(of: number, step: string): void {
  if (of !== number) return;
  pending.delete(step);
  if (pending.size > 0) return;
  delete section.dataset.working;
  if (state.worker !== null) controls.showChoices(state, state.worker, answersOf(state.mechanism).gains);
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
    tables.showOutcome(outcome.state, outcome.answer);
    find(".bench-run .summary").textContent = words.runText(outcome.answer.said, outcome.state.market);
  }
  if (parts.has("outcome") || parts.has("landscape")) showWorker();
  if (parts.has("gains")) showEverybody();
}

const sayError = (message: string): void => controls.sayIn(errorLine, message);

function receive(answer: Answer): void {
  const of = asked.get(answer.number);
  if (of) (receivers[answer.kind] as (answer: Answer, of: BenchState) => void)(answer, of);
}

const receivers: { [Kind in Answer["kind"]]: (answer: AnswerOf<Kind>, of: BenchState) => void } = {
  outcome(answer, of) {
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
  },
  landscape({ number: of, worker, landscape: found }) {
    landscape = { number: of, worker, found: found ?? landscape!.found };
    picture.removeAttribute("data-busy");
    done(of, "landscape");
    later("landscape");
  },
  words({ number: of, why, trace: decisions }) {
    if (of !== number) return;
    find(".bench-why div").replaceChildren(...whyElements(why));
    if (decisions !== null) find("pre", trace).textContent = decisions;
    find("[role=status]", section).textContent = find(".verdict", section).textContent;
    done(of, "words");
  },
  compared(answer) {
    Object.assign(answersOf(answer.mechanism), { compared: answer, failed: null });
    later("gains");
  },
  gains({ number: of, mechanism, gains, exact, complete }, asked) {
    const known = answersOf(mechanism);
    if (!sameGains(known.of, asked)) known.fresh = new Set();
    Object.assign(known, { of: asked, exact });
    for (const gain of gains) {
      known.gains.set(gain.id, gain);
      known.fresh.add(gain.id);
    }
    if (complete) {
      const all = asked.market.workers.map(({ id }) => known.gains.get(id)!.gain);
      known.all = { can: all.filter((gain) => gain > 0).length, most: Math.max(...all), exact };
      done(of, `gains ${mechanism}`);
    }
    later("gains");
  },
  failed({ number: of, step, mechanism, message }) {
    if (step === "outcome") {
      sayError(controls.canRun(mechanism) ? message : words.ownText(mechanism));
      section.dataset.failed = "yes";
    } else if (step === "landscape") find(".summary", picture).textContent = message;
    else if (step !== "words")
      Object.assign(answersOf(mechanism), { compared: null, all: null, failed: message });
    if (step === "gains" && mechanism === state.mechanism) find(".summary", map).textContent = message;
    if (step === "outcome" || step === "landscape") shown();
    done(of, step === "gains" ? `gains ${mechanism}` : step);
    later("gains");
  },
};

/** Whether two states have the same gains, the mechanism aside. */
const sameGains = (a: BenchState, b: BenchState): boolean => a.market === b.market && a.bids === b.bids;

function whyElements(why: Why | null): HTMLElement[] {
  if (!why) return [element("p", {}, words.truthText)];
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
  const view = { state: of, worker, bid: bidOf(of, worker), outcome: answer, landscape: found };
  const { head, text } = words.verdictText(view);
  find(".verdict", section).replaceChildren(element("b", {}, head), ` ${text}`);
  if (!known) return;
  controls.showPriceLimit(known.found.priceLimit, bidOf(state, worker).price);
  const utility = utilityOf(answer.said, worker.id);
  pictures.showLandscape(known.found, { worker, bid: view.bid, utility });
  find(".drawing", picture).setAttribute("aria-label", words.landscapeText(view, known.found));
  find(".summary", picture).textContent = words.landscapeNote(view, known.found);
  shown();
}

function showEverybody(): void {
  const { market, bids, worker } = state;
  const { gains, of, fresh, exact } = answersOf(state.mechanism);
  const known = (id: number) => sameGains(of, state) && fresh.has(id);
  tables.showGains(gains, known);
  pictures.showStrip({ gains, workers: market.workers, chosen: worker, known });
  const now = market.workers.filter(({ id }) => known(id)).map(({ id }) => gains.get(id)!);
  if (now.length === market.workers.length) {
    map.removeAttribute("data-busy");
    const text = words.gainsText(now, { exact, lie: bids.length > 0 });
    find(".summary", map).textContent = text;
    find(".strip", map).setAttribute("aria-label", text);
  }
  tables.showBeside(state, answered);
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
        if (lie !== null && controls.canRun(mechanism)) return `${analysis}/${name}`;
    return null;
  },
};

/** What the address held of the bench when it was read or written last. */
let addressed: string | null = null;

const ofBench = (all: URLSearchParams): Fields =>
  Object.fromEntries(benchFields.flatMap((name) => (all.has(name) ? [[name, all.get(name)!]] : [])));

/** An address that somebody else has changed wins over one that is about to be written. */
function readAddress(all: URLSearchParams): void {
  const linked = ofBench(all);
  const text = JSON.stringify(linked);
  if (text === addressed) return;
  addressed = text;
  unwritten = false;
  try {
    state = stateFrom(linked, exhibits);
    tables.openBeside(state);
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
  setFields({ ...noFields, ...fieldsOf(state), at: null });
  addressed = JSON.stringify(ofBench(fields()));
}

function startDownloads(): void {
  const offer = (name: string, value: unknown): void =>
    offerFile(name, `${JSON.stringify(value)}\n`, "application/json");
  control("market").addEventListener("click", () => offer("market.json", marketToWrite(state.market)));
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

type Ask = (question: Question) => void;

/**
 * Answers questions by the code in the page, on a thread of its own or, where the browser refuses one, in the page: every
 * answer then holds up the page for as long as it takes.
 */
function startThread(): Ask {
  const code = find("#bench-worker").textContent ?? "";
  let ask: Ask;
  let last: Question | null = null;
  const withoutThread = () => {
    ask = answererIn(code);
    find(".bench-slow").hidden = false;
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

/** The name under which the script finds it: the page's policy allows scripts of its own, and no eval. */
const STAND_IN = "benchThread";

/** The same code with a stand-in for the thread's globals; it lets the page respond between two answers. */
function answererIn(code: string): Ask {
  const thread = { postMessage: receive, onmessage: (_: { data: Question }) => {} };
  Object.assign(window, { [STAND_IN]: thread });
  document.head.append(element("script", {}, `(function (globalThis) {${code}\n})(${STAND_IN});`));
  return (data) => thread.onmessage({ data });
}
