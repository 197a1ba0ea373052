/** What answers the live bench's questions: the code in the page, on a thread of its own or, where the browser refuses one, in the page. */

import { find } from "../dom.js";
import type { Answer, Question } from "./answers.js";

type Ask = (question: Question) => void;

export interface Answering {
  receive(answer: Answer): void;
  /** Called where there is no thread: every answer then holds up the page for as long as it takes. */
  inPage(): void;
}

export function startThread({ receive, inPage }: Answering): Ask {
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
