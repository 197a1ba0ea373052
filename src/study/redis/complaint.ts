/** Says why nobody works on a study: once, and again when the reason changes. */

import type { WorkerCard } from "./board.js";
import type { Tell } from "./connect.js";

/** How often nobody must be there before it is worth a word: workers come and go. */
const PATIENCE = 3;

export class Complaint {
  private idle = 0;
  private told = "";

  constructor(
    private readonly id: string,
    private readonly tell: Tell,
  ) {}

  /** `able` of the workers would take the study. */
  hear(workers: readonly WorkerCard[], able: number): void {
    this.idle = able === 0 ? this.idle + 1 : 0;
    if (this.idle < PATIENCE) return;
    const line = this.reason(workers);
    if (line !== this.told) this.tell(line);
    this.told = line;
  }

  private reason(workers: readonly WorkerCard[]): string {
    if (workers.length === 0) return "no worker is connected; candor worker --redis URL starts one";
    const reasons = workers.map(({ host, pid, refuses }) => `${refuses[this.id]} (${host}, process ${pid})`);
    return `no worker takes this study: ${reasons.sort().join("; ")}`;
  }
}
