/** What tests need from Debian: finds it, or installs it where it can, or says the one line that helps. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Makes sure that a path is there, by its package unless told not to install. */
export function ensure({ path, package: name, why, otherwise, mayInstall = true }) {
  if (existsSync(path)) return;
  if (mayInstall && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    console.error(`Installing ${name} for the tests of ${why} …`);
    const quietly = {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    };
    spawnSync("apt-get", ["update", "-q"], quietly);
    spawnSync("apt-get", ["install", "-y", "-q", "--no-install-recommends", name], quietly);
  }
  if (existsSync(path)) return;
  console.error(`Nothing at ${path}: run "sudo apt-get install ${name}"${otherwise ?? ""}.`);
  process.exit(1);
}
