/** A background thread of the live bench: it answers the latest question, and drops an older one as soon as a newer is there. */

import "../no-eval.js";
import { type Answer, answersTo, newMemory, type Question } from "./answers.js";

/** What a background thread has of its own; the page's types know only windows. */
interface Thread {
  onmessage: ((event: MessageEvent<Question>) => void) | null;
  postMessage(answer: Answer): void;
}

const thread = globalThis as unknown as Thread;
const memory = newMemory();
const { port1, port2 } = new MessageChannel();

let answers: Generator<Answer> | null = null;

thread.onmessage = ({ data }) => {
  const idle = answers === null;
  answers = answersTo(data, memory);
  if (idle) port2.postMessage(null);
};

/** One answer, then room for a newer question. */
port1.onmessage = () => {
  const { value, done } = answers!.next();
  if (done) {
    answers = null;
    return;
  }
  thread.postMessage(value);
  port2.postMessage(null);
};
