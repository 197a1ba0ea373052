/** The live bench's background thread, made from the code in the page. */

import { find } from "../dom.js";
import type { Answer, Question } from "./answers.js";

export function startThread(
  receive: (answer: Answer) => void,
  failed: (message: string) => void,
): (question: Question) => void {
  const code = find("#bench-worker").textContent ?? "";
  const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const thread = new Worker(address);
  thread.onmessage = ({ data }: MessageEvent<Answer>) => receive(data);
  thread.onerror = ({ message }) =>
    failed(message || "this browser starts no background threads from a file");
  return (question) => thread.postMessage(question);
}
