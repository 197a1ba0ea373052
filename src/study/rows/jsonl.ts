/** A JSON object per row and line. */

import type { RowFormat } from "./format.js";

export const jsonl: RowFormat = (columns, sink) => {
  const names = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  return {
    async write({ count, values }) {
      const lines = Array.from({ length: count }, (_, r) => {
        const fields = names.map((name, k) => name + JSON.stringify(values[k]![r]));
        return `{${fields.join(",")}}\n`;
      });
      await sink(lines.join(""));
    },
    async finish() {},
  };
};
