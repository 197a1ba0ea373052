/** Where a Redis server is and how to get in. Nothing here prints a password. */

import { plainError } from "../../lib/errors.js";

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
    throw plainError(source, "behind the last / must be the number of a database");
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
export const placeOf = ({ host, port }: Address): string =>
  `${host.includes(":") ? `[${host}]` : host}:${port}`;

/** The address as it may be shown to anybody. */
export function shown(address: Address): string {
  const secret = address.user === null && address.password === null ? "" : "***@";
  const database = address.database === 0 ? "" : `/${address.database}`;
  return `redis${address.encrypted ? "s" : ""}://${secret}${placeOf(address)}${database}`;
}
