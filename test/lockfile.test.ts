import { readFileSync } from "node:fs";
import { expect, it } from "vitest";

interface Locked {
  readonly resolved?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")) as {
  packages: Readonly<Record<string, Locked>>;
};

it("the lockfile holds what every platform needs, or npm ci would refuse it", () => {
  const needed = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies }).map((name) => ({ path, name })),
  );
  const missing = needed.filter(
    ({ path, name }) =>
      !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
  );
  expect(missing).toEqual([]);
  expect(needed.length).toBeGreaterThan(50);
});

it("the lockfile names no download addresses", () => {
  expect(Object.values(packages).filter(({ resolved }) => resolved !== undefined)).toEqual([]);
});
