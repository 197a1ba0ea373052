/** About how many milliseconds the parts of a survey take, as measured once on one core: it decides the size of chunks. */

/** To draw a market. */
export const drawingCost = (workers: number): number => 0.03 + 0.001 * workers;

/** To ask a market's workers at one budget: exactly, or with a search for each of the asked. */
export const askingCost = (workers: number, asked: number | null): number =>
  asked === null ? 0.1 + 0.001 * workers : Math.min(asked, workers) * 15;
