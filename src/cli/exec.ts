/**
 * Mechanisms and agents in any language, `exec:python3 mine.py`: a process that is asked in lines of JSON and answers each
 * with one. Decisions are made synchronously: a thread of its own holds the process, and the one that asks waits.
 */

import { statSync } from "node:fs";
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads";
import type { Agent } from "../agents/agent.js";
import { type Mechanism, type Outcome, type StochasticMechanism, withSeed } from "../auction/mechanism.js";
import { plainError, showValue } from "../lib/errors.js";
import { defaultsOf, type Options, parseSettings, type Settings } from "../lib/options.js";
import { checksumOf } from "../study/study.js";
import type { ExecCall, ExecReply } from "./exec-thread.js";
import { checksumOfFile } from "./extension.js";
import { demandUserThread } from "./user-code.js";

export const isExec = (spec: string): boolean => spec.startsWith("exec:");

/** A study that other machines compute is names, never commands. */
export const onlyHere = "runs only on the machine where it is named";

const common = { seconds: { default: 5, from: 0.1, to: 3600 } } as const satisfies Options;
const ofMechanisms = {
  ...common,
  draws: { default: "no", among: ["no", "yes"] },
  seed: { default: 0, from: 0, whole: true },
} as const satisfies Options;

/** "exec:COMMAND" or "exec:seconds=20:COMMAND": what is set, and the words of the command, in quotes where they hold blanks. */
function parsed<const O extends Options>(spec: string, options: O) {
  const [, set, command = ""] = /^exec:(?:(\w+=[^:\s]*):)?\s*(.*?)\s*$/s.exec(spec) ?? [];
  const settings = set === undefined ? {} : parseSettings(set, options, "exec");
  const word = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g;
  if (command === "" || command.replace(word, "").trim() !== "")
    throw plainError(
      showValue(spec),
      command === "" ? 'names no command; as in "exec:python3 mine.py"' : "a quotation mark is not closed",
    );
  const words = command.match(word)!.map((one) => one.replace(/"([^"]*)"|'([^']*)'/g, "$1$2"));
  return { words, settings: { ...defaultsOf(options), ...settings } as Settings<O> };
}

/** Of all files that a command names; of Python's also those it imports from beside it. */
export function checksumOfExec(spec: string): string {
  const { words } = parsed(spec, ofMechanisms);
  const files = words.filter((word) => statSync(word, { throwIfNoEntry: false })?.isFile());
  return checksumOf(JSON.stringify(files.map((file) => [file, checksumOfFile(file)])));
}

/** Waits a little longer than the thread does for the process. */
const EXTRA_SECONDS = 10;

/** A process, started when it is first asked. */
class Respondent {
  private readonly answered = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private port: MessagePort | null = null;
  private asked = 0;

  constructor(private readonly call: Pick<ExecCall, "words" | "seconds">) {}

  /** The process's answer, whatever it is. */
  ask(question: object): unknown {
    this.port ??= this.begin();
    Atomics.store(this.answered, 0, 0);
    this.asked++;
    this.port.postMessage(JSON.stringify({ question: this.asked, ...question }));
    Atomics.wait(this.answered, 0, 0, (this.call.seconds + EXTRA_SECONDS) * 1000);
    const reply: ExecReply | undefined = receiveMessageOnPort(this.port)?.message;
    if (reply === undefined) throw new Error("the thread that holds the process does not answer");
    if ("error" in reply) throw new Error(reply.error);
    return answerIn(reply.line, this.asked);
  }

  private begin(): MessagePort {
    const { port1, port2 } = new MessageChannel();
    const call: ExecCall = { ...this.call, port: port2, answered: this.answered };
    const thread = new Worker(new URL("./exec-thread.js", import.meta.url), {
      workerData: call,
      transferList: [port2],
    });
    thread.unref();
    port1.unref();
    return port1;
  }
}

/** An answer that says its question's number is of this very question; others are taken as they come. */
function answerIn(line: string, asked: number): unknown {
  let answer: unknown;
  try {
    answer = JSON.parse(line);
  } catch {
    throw new Error(`must answer in JSON, got ${showValue(line)} (anything else goes to standard error)`);
  }
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return answer;
  const { question = asked, ...rest } = answer as { question?: unknown; error?: unknown };
  if (question !== asked)
    throw new Error(`answers question ${showValue(question)}, and was asked question ${asked}`);
  if (typeof rest.error === "string") throw new Error(rest.error);
  return rest;
}

/** One for each command in a thread, however often it is named. */
const respondents = new Map<string, Respondent>();

function respondent(words: readonly string[], seconds: number): Respondent {
  demandUserThread();
  const key = JSON.stringify([words, seconds]);
  const found = respondents.get(key) ?? new Respondent({ words, seconds });
  respondents.set(key, found);
  return found;
}

/** A mechanism that is not yet held to its word; its best lies are searched for. */
export function execMechanism(spec: string): Mechanism {
  const { words, settings } = parsed(spec, ofMechanisms);
  const asked = respondent(words, settings.seconds);
  const about = `Asks ${words.join(" ")} in lines of JSON.`;
  if (settings.draws === "no")
    return { name: spec, about, decide: (rules, bids) => asked.ask({ rules, bids }) as Outcome };
  const drawing: StochasticMechanism = {
    // Its draws go by its name: those of the same command are the same, whatever else is set.
    name: words.join(" "),
    about,
    stochastic: true,
    decide: (rules, bids, _, random) => asked.ask({ rules, bids, random: random.next() }) as Outcome,
  };
  return { ...withSeed(drawing, settings.seed), name: spec };
}

/** An agent that is not yet held to its word. What it makes of its random number and of the past is its own matter. */
export function execAgent(spec: string): Agent {
  const { words, settings } = parsed(spec, common);
  const asked = respondent(words, settings.seconds);
  return {
    name: spec,
    about: `Asks ${words.join(" ")} in lines of JSON.`,
    traits: { stochastic: true, lies: ["price", "time"], sees: "own", learns: true },
    bid: ({ self, rules, history }, random) =>
      asked.ask({ self, rules, history, random: random.next() }) as ReturnType<Agent["bid"]>,
  };
}
