/** Federated averaging (FedAvg) on flat weights, and what each update was in it. */

/** A worker's model after local training. */
export interface LocalModel {
  readonly weights: Float32Array;
  /** How many samples it was trained on: its weight in the average. */
  readonly samples: number;
}

/** The average of local models, weighted by samples; adds in double precision, so that equal models average to themselves. */
export function average(locals: readonly LocalModel[]): Float32Array {
  const total = locals.reduce((sum, { samples }) => sum + samples, 0);
  const sums = new Float64Array(locals[0]!.weights.length);
  for (const { weights, samples } of locals)
    for (let k = 0; k < sums.length; k++) sums[k]! += weights[k]! * samples;
  return Float32Array.from(sums, (sum) => sum / total);
}

/** The average without one of the local models; the model from before where it is the only one. */
export function averageWithout(
  left: LocalModel,
  locals: readonly LocalModel[],
  before: Float32Array,
): Float32Array {
  const others = locals.filter((local) => local !== left);
  return others.length === 0 ? before : average(others);
}

/** What a model has changed by. */
export const updateOf = (after: Float32Array, before: Float32Array): Float32Array =>
  after.map((weight, k) => weight - before[k]!);

/** The cosine of the angle between two vectors, from −1 to 1; 0 where there is no angle, as with a model that diverged. */
export function cosine(a: Float32Array, b: Float32Array): number {
  const value = dot(a, b) / (Math.sqrt(dot(a, a)) * Math.sqrt(dot(b, b)));
  return Number.isFinite(value) ? Math.max(-1, Math.min(1, value)) : 0;
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let k = 0; k < a.length; k++) sum += a[k]! * b[k]!;
  return sum;
}
