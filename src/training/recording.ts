/** What is written down of real training: who worked in each round, what became of the model, what each update was worth. */

/** Rounded figures of one round; gains and cosines go by increasing id of those selected. */
export interface RecordedRound {
  readonly loss: number;
  readonly accuracy: number;
  readonly gains: readonly number[];
  readonly cosines: readonly number[];
}

/** random: drawn for the fit. paper and even: everybody works in every round of several tasks in a row. */
export type Design = "random" | "paper" | "even";

export interface Composition {
  readonly design: Design;
  /** Fixes the task's data and training. */
  readonly seed: string;
  /** Kept away from the fit, to test it. */
  readonly heldOut: boolean;
  /** By worker id: the share of labels that are right. */
  readonly accuracies: readonly number[];
  /** By worker id: the first round it works in; it works in all later ones too. */
  readonly joins: readonly number[];
}

export interface RecordedTask extends Composition {
  /** The model before the first round. */
  readonly before: { readonly loss: number; readonly accuracy: number };
  readonly rounds: readonly RecordedRound[];
}

export interface Provenance {
  readonly date: string;
  readonly command: string;
  readonly candor: string;
  readonly tfjs: string;
  readonly node: string;
  readonly seconds: number;
}

export interface RecordingSettings {
  readonly dataset: string;
  readonly model: string;
  readonly rounds: number;
  readonly samples: number;
  readonly epochs: number;
  readonly rate: number;
  readonly batch: number;
  readonly validation: number;
  readonly test: number;
}

export interface Recording {
  readonly provenance: Provenance;
  readonly settings: RecordingSettings;
  readonly tasks: readonly RecordedTask[];
}

/** The ids that work in a round, counted from 1. */
export const selectedIn = ({ joins }: Pick<Composition, "joins">, round: number): number[] =>
  [...joins.keys()].filter((id) => joins[id]! <= round);
