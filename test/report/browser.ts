/** A report in a real browser, opened from disk with the network off. */

import { type Browser, chromium, type Page } from "playwright-core";

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });

export interface Opened {
  readonly page: Page;
  /** Errors and warnings on the console, failed requests, dialogs. */
  readonly complaints: readonly string[];
}

export interface OpenOptions {
  readonly width?: number;
  readonly hash?: string;
  readonly colorScheme?: "light" | "dark";
}

/** Opens a file and waits until everything is drawn. */
export async function open(browser: Browser, path: string, options: OpenOptions = {}): Promise<Opened> {
  const { width = 1280, hash = "", colorScheme = "light" } = options;
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme, offline: true });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text());
  });
  await page.addInitScript(
    `addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
      console.error("against the policy: " + violatedDirective + " " + blockedURI))`,
  );
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("requestfailed", (request) => complaints.push(`request to ${request.url()}`));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(`file://${path}${hash}`);
  await page.waitForSelector("html[data-ready]");
  return { page, complaints };
}
