/** The report is tested in a real browser: finds Chromium, or installs it where it can, or says the one line that helps. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const wanted = process.env.CHROMIUM ?? "/usr/bin/chromium";

if (!existsSync(wanted)) {
  const canInstall =
    process.env.CHROMIUM === undefined && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get");
  if (canInstall) {
    console.error("Installing Chromium for the tests of the report …");
    const quietly = {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    };
    spawnSync("apt-get", ["update", "-q"], quietly);
    spawnSync("apt-get", ["install", "-y", "-q", "--no-install-recommends", "chromium"], quietly);
  }
  if (!existsSync(wanted)) {
    console.error(
      `No Chromium at ${wanted}: run "sudo apt-get install chromium", or set CHROMIUM to where it is.`,
    );
    process.exit(1);
  }
}
