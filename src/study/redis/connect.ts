/** Connections to Redis: a first try that says what is wrong, and ones that outlive a restart of the server. */

import type { Redis, RedisOptions } from "ioredis";
import { type InputError, plainError } from "../../lib/errors.js";
import type { Terminal } from "../progress.js";
import type { Key, WorkerCard } from "./records.js";

/** Takes a line for the user. */
type Warn = (line: string) => void;

/** A server that answers, and how to speak to it. */
export interface RedisPlace {
  readonly address: Address;
  /** Hears of what goes wrong but may pass. */
  readonly warn: Warn;
  readonly driver: Driver;
  /** What studies and results are signed with. */
  readonly key: Key;
}

/** Rejects when the signal comes: a server may take seconds not to answer. */
export const interrupted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });

/** From what `--redis` says to a server that answers; `waits`: one that is not there yet is waited for. */
export async function reachServer(
  address: Address,
  terminal: Pick<Terminal, "signal" | "warn">,
  { waits }: { readonly waits: boolean },
): Promise<RedisPlace> {
  const { signal } = terminal;
  const driver = await loadDriver();
  await Promise.race([tryAddress(address, driver, { waits, signal }), interrupted(signal)]);
  return { address, driver, warn: (line) => terminal.warn(line), key: process.env.CANDOR_KEY || null };
}

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
    if (!waits || !isAway(found)) throw toInputError(found, address);
  } finally {
    redis.disconnect();
  }
}

/** Tries again for ever; one line when Redis stays away, one when it is back. */
export function connect(address: Address, { ioredis }: Driver, warn: Warn): Redis {
  const redis = new ioredis.Redis({
    ...optionsFor(address),
    maxRetriesPerRequest: null,
    retryStrategy: (times) => Math.min(100 * times, 1000),
  });
  watch(redis, address, warn);
  return redis;
}

function watch(redis: Redis, address: Address, warn: Warn): void {
  let waiting: NodeJS.Timeout | undefined;
  let warned = false;
  const at = `Redis at ${placeOf(address)}`;
  const away = () => {
    warned = true;
    warn(`${at} does not answer; trying again`);
  };
  redis.on("error", (error) => {
    if (warned || isAway(error)) return;
    warned = true;
    warn(toInputError(error, address).message);
  });
  redis.on("close", () => {
    if (!warned) waiting ??= setTimeout(away, GRACE);
  });
  redis.on("ready", () => {
    clearTimeout(waiting);
    waiting = undefined;
    if (warned) warn(`${at} answers again`);
    warned = false;
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
export function toInputError(error: unknown, address: Address): InputError {
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

export interface Address {
  readonly host: string;
  readonly port: number;
  readonly database: number;
  readonly user: string | null;
  readonly password: string | null;
  readonly encrypted: boolean;
}

const EXPECTED =
  "must be the address of a Redis server, such as redis://HOST:6379 or rediss://USER:PASSWORD@HOST:6379/0";

/** The text itself is never repeated in an error: there may be a password in it. */
export function parseAddress(text: string, source: string): Address {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^rediss?:$/.test(url.protocol) || url.hostname === "")
    throw plainError(source, EXPECTED);
  const database = url.pathname.replace(/^\/$/, "").slice(1);
  if (!/^\d{0,6}$/.test(database))
    throw plainError(source, "what follows the last / must be the number of a database");
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? 6379 : Number(url.port),
    database: Number(database),
    user: decoded(url.username, source),
    password: decoded(url.password, source),
    encrypted: url.protocol === "rediss:",
  };
}

function decoded(text: string, source: string): string | null {
  try {
    return text === "" ? null : decodeURIComponent(text);
  } catch {
    throw plainError(source, "a % in the user or the password must be written as %25");
  }
}

/** As in "10.0.0.7:6379". */
const placeOf = ({ host, port }: Address): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;

/** The address as it may be shown to anybody. */
export function shown(address: Address): string {
  const secret = address.user === null && address.password === null ? "" : "***@";
  const database = address.database === 0 ? "" : `/${address.database}`;
  return `redis${address.encrypted ? "s" : ""}://${secret}${placeOf(address)}${database}`;
}

export interface Driver {
  readonly bullmq: typeof import("bullmq");
  readonly ioredis: Pick<typeof import("ioredis"), "Redis" | "ReplyError">;
}

export async function loadDriver(): Promise<Driver> {
  try {
    const [bullmq, ioredis] = await Promise.all([import("bullmq"), import("ioredis")]);
    return { bullmq, ioredis };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw plainError("--redis", "needs two more packages: npm install bullmq ioredis");
  }
}

/** How often no worker must be there before there is a warning: workers come and go. */
const IDLE_ROUNDS = 3;

/** Says why no worker works on a study. */
export class IdleWarning {
  private idle = 0;
  private warned = "";

  constructor(
    private readonly id: string,
    private readonly warn: Warn,
  ) {}

  /** `able` of the workers would take the study. */
  look(workers: readonly WorkerCard[], able: number): void {
    this.idle = able === 0 ? this.idle + 1 : 0;
    if (this.idle < IDLE_ROUNDS) return;
    const line = this.reason(workers);
    if (line !== this.warned) this.warn(line);
    this.warned = line;
  }

  private reason(workers: readonly WorkerCard[]): string {
    if (workers.length === 0) return "no worker is connected; candor worker --redis URL starts one";
    const reasons = workers.map(({ host, pid, refuses }) => `${refuses[this.id]} (${host}, process ${pid})`);
    return `no worker takes this study: ${reasons.sort().join("; ")}`;
  }
}
