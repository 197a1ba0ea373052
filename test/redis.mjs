/** Studies on several machines are tested with a real Redis server. */

import { ensure } from "./debian.mjs";

ensure({ path: "/usr/bin/redis-server", package: "redis-server", why: "several machines" });
