/** `candor status`: studies and workers at a Redis server. */

import type { Command } from "commander";
import { type Address, parseAddress, shown } from "../study/redis/address.js";
import { connect } from "../study/redis/connect.js";
import { readStatus } from "../study/redis/status.js";
import { interrupted, redisPlace } from "./redis-place.js";
import type { Session } from "./session.js";
import { statusText } from "./status-text.js";
import { required } from "./values.js";

const examples = `
A study that nobody coordinates goes on when its command is given again with --resume.

Example:
  candor status --redis redis://10.0.0.7:6379`;

interface StatusFlags {
  readonly redis?: Address;
  readonly json?: boolean;
}

export function define(command: Command, session: Session): void {
  command
    .option("--redis <url>", "the server that connects workers and studies", (url) =>
      parseAddress(url, "--redis"),
    )
    .option("--json", "print one JSON object")
    .addHelpText("after", examples)
    .action(async (flags: StatusFlags) => {
      const address = required(flags.redis, "--redis", "the address of a Redis server");
      const { driver, tell } = await redisPlace(address, { session, waits: false });
      const redis = connect(address, driver, tell);
      const status = await Promise.race([
        readStatus(redis, driver, tell),
        interrupted(session.signal),
      ]).finally(() => redis.disconnect());
      session.spool.write(flags.json ? `${JSON.stringify(status)}\n` : statusText(status, shown(address)));
    });
}
