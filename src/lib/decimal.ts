/** Numbers as people write them. */

/** Decimal notation only: Number() would also take "", "0x10" and "Infinity". */
const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

export const isDecimal = (text: string): boolean => DECIMAL.test(text);

/** The number that a text writes, blanks around it aside; any other text as it is, for a check that names it. */
export const writtenNumber = (text: string): number | string =>
  isDecimal(text.trim()) ? Number(text) : text.trim();
