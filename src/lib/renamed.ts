/** What was renamed works under its old name until 2.0, and warns on standard error the first time. */

const warned = new Set<string>();

/** A function under its old name. */
export function renamed<Call extends (...given: never[]) => unknown>(
  oldName: string,
  newName: string,
  call: Call,
): Call {
  const warning: Call = ((...given) => {
    if (!warned.has(oldName))
      console.warn(`candor: ${oldName} is now called ${newName}; the old name goes with 2.0`);
    warned.add(oldName);
    return call(...given);
  }) as Call;
  return warning;
}
