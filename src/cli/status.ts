/** `candor status`: studies and workers at a Redis server. */

import { sum } from "d3-array";
import { columnOf, counted, table } from "../lib/format.js";
import { connect, interrupted, parseAddress, reachServer, shown } from "../study/redis/connect.js";
import { readStatus, type Status, type StudyStatus } from "../study/redis/records.js";
import type { Session } from "./session.js";
import * as option from "./values.js";

const examples = `
A study without a coordinator continues when its command is given again with --resume.

Example:
  candor status --redis redis://10.0.0.7:6379`;

const options = {
  redis: option.value("<url>", "the server that connects workers and studies", parseAddress),
  json: option.flag("print one JSON object"),
};

export const define = option.command({ options, help: examples }, run);

async function run(flags: option.FlagsOf<typeof options>, session: Session): Promise<void> {
  session.listens();
  const address = option.required(flags.redis, "--redis", "the address of a Redis server");
  const { driver, warn } = await reachServer(address, session, { waits: false });
  const redis = connect(address, driver, warn);
  const reading = Promise.race([readStatus(redis, driver, warn), interrupted(session.signal)]);
  const status = await reading.finally(() => redis.disconnect());
  session.spool.write(flags.json ? `${JSON.stringify(status)}\n` : statusText(status, shown(address)));
}

type WorkerCard = Status["workers"][number];

function statusText({ studies, workers }: Status, place: string): string {
  const threads = sum(workers, (worker) => worker.threads);
  const parts = [
    `${place}: ${studies.length === 1 ? "1 study" : `${studies.length} studies`}, ${counted(workers.length, "worker")} with ${counted(threads, "thread")}`,
    ...(studies.length === 0 ? [] : [studiesTable(studies)]),
    ...(workers.length === 0 ? [] : [workersTable(workers)]),
    ...refusals(workers),
  ];
  return `${parts.join("\n\n")}\n`;
}

function studiesTable(studies: readonly StudyStatus[]): string {
  const column = columnOf(studies);
  return table([
    column("study", ({ id }) => id),
    column("analysis", ({ analysis }) => analysis),
    column("chunks", ({ chunks }) => String(chunks.all)),
    column("done", ({ chunks }) => String(chunks.done)),
    column("active", ({ chunks }) => String(chunks.active)),
    column("waiting", ({ chunks }) => String(chunks.waiting)),
    column("failed", ({ chunks }) => String(chunks.failed)),
    column("per second", ({ rate }) => (rate === null ? "" : rate.toFixed(1))),
    column("left", ({ secondsLeft }) => (secondsLeft === null ? "" : `${Math.ceil(secondsLeft)} s`)),
    column("coordinator", ({ coordinator }) =>
      coordinator === null
        ? "none; --resume continues it"
        : `${coordinator.host}, process ${coordinator.pid}`,
    ),
  ]);
}

function workersTable(workers: readonly WorkerCard[]): string {
  const column = columnOf(workers);
  return table([
    column("worker", ({ host, pid }) => `${host}, process ${pid}`),
    column("program", ({ program }) => program),
    column("threads", ({ threads }) => String(threads)),
  ]);
}

function refusals(workers: readonly WorkerCard[]): string[] {
  const lines = workers.flatMap(({ host, pid, refuses }) =>
    Object.entries(refuses).map(
      ([id, reason]) => `${host}, process ${pid} leaves study ${id} alone: ${reason}`,
    ),
  );
  return lines.length === 0 ? [] : [lines.join("\n")];
}
