/** A random sample of many items, in a size that does not grow with their number: each draws a lot, and the lowest stay. */

export interface Lot<Item> {
  readonly lot: number;
  readonly item: Item;
}

/** The lowest so many, in order. */
export const lowest = <Item>(lots: readonly Lot<Item>[], most: number): Lot<Item>[] =>
  [...lots].sort((a, b) => a.lot - b.lot).slice(0, most);

/** The lowest of two samples in order; of equal lots the left one's comes first. */
export function mergeLots<Item>(
  left: readonly Lot<Item>[],
  right: readonly Lot<Item>[],
  most: number,
): Lot<Item>[] {
  const merged: Lot<Item>[] = [];
  let [l, r] = [0, 0];
  while (merged.length < most && (l < left.length || r < right.length)) {
    const fromLeft = r === right.length || (l < left.length && left[l]!.lot <= right[r]!.lot);
    merged.push(fromLeft ? left[l++]! : right[r++]!);
  }
  return merged;
}
