/** What runs in a thread: keeps the bench of the task at hand, and does what it is sent. */

import { type Bench, type Jobs, openBench, type Setup } from "./bench.js";

export interface Message<Name extends keyof Jobs = keyof Jobs> {
  readonly setup: Setup;
  readonly name: Name;
  readonly input: Parameters<Jobs[Name]>[0];
}

let open: { readonly key: string; readonly bench: Bench } | undefined;

export default async function perform({ setup, name, input }: Message): Promise<unknown> {
  if (open?.key !== setup.key) {
    open?.bench.close();
    open = { key: setup.key, bench: await openBench(setup) };
  }
  const job = open.bench.jobs[name] as (input: unknown) => unknown;
  return job(input);
}
