/**
 * The fields of an object, each read once, as a plain object. Those that it inherits are among them, as the methods of a
 * class are; a method stays one of the object that it was read from.
 */
export function plainFields<Value extends object>(value: Value): Value {
  const fields: Record<PropertyKey, unknown> = { ...(value as Record<PropertyKey, unknown>) };
  let from: object | null = Object.getPrototypeOf(value);
  while (from !== null && from !== Object.prototype) {
    for (const key of Reflect.ownKeys(from)) {
      if (key === "constructor" || Object.hasOwn(fields, key)) continue;
      const field: unknown = Reflect.get(value, key);
      fields[key] = typeof field === "function" ? field.bind(value) : field;
    }
    from = Object.getPrototypeOf(from);
  }
  return fields as Value;
}
