/** The pages of documentation, and the code on them. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./cli/candor.js";

export const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** Those that come with the package. */
export const pages: readonly string[] = [
  "README.md",
  "CONTRIBUTING.md",
  ...["src", "agents", "analyses"].flatMap((folder) =>
    (readdirSync(join(root, folder), { recursive: true }) as string[])
      .filter((path) => path.endsWith("README.md"))
      .map((path) => `${folder}/${path}`),
  ),
];

/** The pieces of code of a language on a page, or below one of its headings. */
export function codeOn(page: string, language: string, heading = ""): string[] {
  const text = read(page);
  const from = heading === "" ? 0 : text.indexOf(`## ${heading}\n`);
  if (from < 0) throw new Error(`${page} has no heading "${heading}"`);
  const to = heading === "" ? -1 : text.indexOf("\n## ", from);
  const part = text.slice(from, to < 0 ? undefined : to);
  return [...part.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g"))].map(
    ([, code]) => code!,
  );
}
