/** Normally distributed draws by number: the same whichever are asked for, and in whatever order. */

import type { Stream } from "../../lib/random.js";

export type Normal = (index: number) => number;

/** Mean 0 and deviation 1, two at a time after Box and Muller. */
export function normals(stream: Stream): Normal {
  const drawn: number[] = [];
  return (index) => {
    while (drawn.length <= index) {
      const length = Math.sqrt(-2 * Math.log(1 - stream.next()));
      const angle = 2 * Math.PI * stream.next();
      drawn.push(length * Math.cos(angle), length * Math.sin(angle));
    }
    return drawn[index]!;
  };
}
