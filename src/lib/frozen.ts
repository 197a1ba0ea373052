/** Plain data that nobody can write to: what users' own code is handed. */

/** A deep copy of lists and plain objects, frozen; whatever else is in them is passed on as it is. */
export function frozenCopy<T>(value: T): T {
  if (Array.isArray(value)) return Object.freeze(value.map(frozenCopy)) as T;
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  const entries = Object.entries(value).map(([name, part]) => [name, frozenCopy(part)]);
  return Object.freeze(Object.fromEntries(entries));
}

const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;

/** Whether an error says that somebody wrote to frozen data. */
export const isWriteToFrozen = (error: unknown): boolean =>
  error instanceof TypeError &&
  /read only property|not extensible|Cannot delete property/.test(error.message);

/** Whether a value is, or behaves as, a promise. */
export const isPromise = (value: unknown): boolean =>
  typeof (value as PromiseLike<unknown> | null | undefined)?.then === "function";
