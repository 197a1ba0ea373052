/** What JavaScript itself brings, which all of candor is made of: a user's file that changes it makes every answer worthless. */

/** What `Math.random` and the clocks are while a mechanism decides is somebody else's matter. */
const watched: Readonly<Record<string, object>> = {
  Array,
  "Array.prototype": Array.prototype,
  "Array iterator": Object.getPrototypeOf([][Symbol.iterator]()),
  BigInt,
  "BigInt.prototype": BigInt.prototype,
  "Function.prototype": Function.prototype,
  JSON,
  "Map.prototype": Map.prototype,
  Math,
  Number,
  "Number.prototype": Number.prototype,
  Object,
  "Object.prototype": Object.prototype,
  "Promise.prototype": Promise.prototype,
  Reflect,
  "Set.prototype": Set.prototype,
  "String.prototype": String.prototype,
};

interface Original {
  readonly name: string;
  readonly owner: object;
  readonly key: PropertyKey;
  readonly descriptor: PropertyDescriptor;
}

// Called by these names, for what is checked may be what checks.
const { getOwnPropertyDescriptor, defineProperty, is, keys } = Object;
const { ownKeys, deleteProperty } = Reflect;

const originals: readonly Original[] = Object.entries(watched).flatMap(([name, owner]) =>
  ownKeys(owner)
    .filter((key) => !(owner === Math && key === "random"))
    .map((key) => ({
      name: `${name}.${String(key)}`,
      owner,
      key,
      descriptor: getOwnPropertyDescriptor(owner, key)!,
    })),
);

const { length: count } = originals;

const isSame = (now: PropertyDescriptor | undefined, { value, get, set }: PropertyDescriptor): boolean =>
  now !== undefined && is(now.value, value) && now.get === get && now.set === set;

/** Puts back what has been changed since this module was loaded; the name of one thing that was, null if nothing was. */
export function restoreIntrinsics(): string | null {
  let changed: string | null = null;
  for (let k = 0; k < count; k++) {
    const { name, owner, key, descriptor } = originals[k]!;
    if (isSame(getOwnPropertyDescriptor(owner, key), descriptor)) continue;
    changed = name;
    try {
      defineProperty(owner, key, descriptor);
    } catch {
      // It was made so that nobody can change it again; then it is only named.
    }
  }
  return changed ?? restoreEmpty(Object.prototype, "Object") ?? restoreEmpty(Array.prototype, "Array");
}

/** What is added there turns up in every `for … in`. */
function restoreEmpty(prototype: object, name: string): string | null {
  const added = keys(prototype)[0];
  if (added === undefined) return null;
  deleteProperty(prototype, added);
  return `${name}.prototype.${added}`;
}
