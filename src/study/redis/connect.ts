/** Connections to Redis: a first try that says what is wrong, and ones that outlive a restart of the server. */

import type { Redis, RedisOptions } from "ioredis";
import { type InputError, plainError } from "../../lib/errors.js";
import { type Address, placeOf } from "./address.js";
import type { Driver } from "./driver.js";

/** Says a line to whoever looks on. */
export type Tell = (line: string) => void;

const PATIENCE = 5000;
const OLDEST = [6, 2];

/** How long Redis may be away before anybody hears of it. */
const GRACE = 1500;

/** Throws one line that says what to mend; `waits`: a server that is not there yet is no error. */
export async function tryAddress(
  address: Address,
  { ioredis }: Driver,
  { waits, signal }: { readonly waits: boolean; readonly signal: AbortSignal },
): Promise<void> {
  const once = { lazyConnect: true, retryStrategy: null, connectTimeout: PATIENCE };
  const redis = new ioredis.Redis({ ...optionsFor(address), ...once });
  signal.addEventListener("abort", () => redis.disconnect(), { once: true });
  let trouble: unknown;
  redis.on("error", (error) => {
    trouble ??= error;
  });
  try {
    await redis.connect();
    await redis.select(address.database);
    checkVersion(await redis.info("server"), address);
  } catch (error) {
    const found = trouble ?? error;
    if (!waits || !isAway(found)) throw inWords(found, address);
  } finally {
    redis.disconnect();
  }
}

/** Tries again for ever; one line when Redis stays away, one when it is back. */
export function connect(address: Address, { ioredis }: Driver, tell: Tell): Redis {
  const redis = new ioredis.Redis({
    ...optionsFor(address),
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(100 * times, 1000),
  });
  watch(redis, address, tell);
  return redis;
}

function watch(redis: Redis, address: Address, tell: Tell): void {
  let waiting: NodeJS.Timeout | undefined;
  let told = false;
  const at = `Redis at ${placeOf(address)}`;
  const away = () => {
    told = true;
    tell(`${at} does not answer; trying again`);
  };
  redis.on("error", (error) => {
    if (told || isAway(error)) return;
    told = true;
    tell(inWords(error, address).message);
  });
  redis.on("close", () => {
    if (!told) waiting ??= setTimeout(away, GRACE);
  });
  redis.on("ready", () => {
    clearTimeout(waiting);
    waiting = undefined;
    if (told) tell(`${at} answers again`);
    told = false;
  });
  redis.on("end", () => clearTimeout(waiting));
}

const optionsFor = (address: Address): RedisOptions => ({
  host: address.host,
  port: address.port,
  db: address.database,
  connectTimeout: PATIENCE,
  ...(address.user !== null && { username: address.user }),
  ...(address.password !== null && { password: address.password }),
  ...(address.encrypted && { tls: {} }),
});

function checkVersion(info: string, address: Address): void {
  const [, text = "0"] = /redis_version:([\d.]+)/.exec(info) ?? [];
  const [major = 0, minor = 0] = text.split(".").map(Number);
  if (major > OLDEST[0]! || (major === OLDEST[0] && minor >= OLDEST[1]!)) return;
  throw plainError(
    `Redis at ${placeOf(address)}`,
    `is version ${text}; must be ${OLDEST.join(".")} or newer`,
  );
}

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code ?? "");

const AWAY: Readonly<Record<string, string>> = {
  ECONNREFUSED: "refuses the connection: nothing listens there",
  ECONNRESET: "closes the connection",
  EPIPE: "closes the connection",
  ETIMEDOUT: "does not answer",
  EHOSTUNREACH: "cannot be reached",
  ENETUNREACH: "cannot be reached",
  EAI_AGAIN: "cannot be found: names are not resolved at the moment",
};

const isAway = (error: unknown): boolean =>
  codeOf(error) in AWAY || /ETIMEDOUT|Connection is closed|LOADING/.test(String(error));

/** Patterns of what servers and the network say, and what a user can do about it. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/ENOTFOUND/, "cannot be found: no such host"],
  [/NOAUTH/, "asks for a password, as in redis://:PASSWORD@HOST:PORT"],
  [/WRONGPASS|invalid password|invalid username/, "does not take this user and password"],
  [/NOPERM/, "does not permit this user what candor needs"],
  [/DB index/, "has no database of this number"],
  [/wrong version number|packet length|EPROTO/i, "does not speak TLS; its address begins with redis://"],
  [
    /self.signed|unable to verify|unable to get .*issuer/i,
    "shows a certificate that this machine does not trust; NODE_EXTRA_CA_CERTS=FILE names the authority that signed it",
  ],
  [/altnames|ERR_TLS_CERT_ALTNAME/i, "shows a certificate for another host"],
  [/certificate has expired|CERT_HAS_EXPIRED/i, "shows a certificate that has expired"],
  [/ETIMEDOUT/, "does not answer"],
  [/Connection is closed/, "closes the connection"],
];

/** Who speaks TLS to a server that does not, or the other way round, hears nothing of the reason. */
const SPEECH = /^(does not answer|closes the connection)$/;

/** What went wrong with a server, as one line. */
export function inWords(error: unknown, address: Address): InputError {
  const text = `${codeOf(error)} ${error instanceof Error ? error.message : error}`;
  const words =
    AWAY[codeOf(error)] ??
    WORDS.find(([pattern]) => pattern.test(text))?.[1] ??
    `says: ${text.trim().split("\n")[0]!.slice(0, 200)}`;
  const other = address.encrypted
    ? "without TLS its address begins with redis://"
    : "with TLS its address begins with rediss://";
  return plainError(`Redis at ${placeOf(address)}`, SPEECH.test(words) ? `${words}; ${other}` : words);
}
