/** Quantiles of the normal distribution and of Student's t: distribution functions, inverted by bisection. */

/** Below this share of all values lies the quantile; `freedom` may be Infinity, where t is normal. */
export function studentQuantile(share: number, freedom: number): number {
  if (share < 0.5) return -studentQuantile(1 - share, freedom);
  const key = `${share} ${freedom}`;
  const known = quantiles.get(key) ?? bisect((t) => studentUpper(t, freedom) > 1 - share);
  quantiles.set(key, known);
  return known;
}

const quantiles = new Map<string, number>();

/** The largest t ≥ 0 for which the answer is yes. */
function bisect(isBelow: (t: number) => boolean): number {
  let [low, high] = [0, 1];
  while (isBelow(high)) high *= 2;
  for (let k = 0; k < 100; k++) {
    const middle = (low + high) / 2;
    if (isBelow(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The probability of a value above t ≥ 0. */
const studentUpper = (t: number, freedom: number): number =>
  freedom === Number.POSITIVE_INFINITY
    ? normalUpper(t)
    : incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;

/** By the series of Marsaglia (2004), which has no approximation in it. */
function normalUpper(x: number): number {
  let [sum, term] = [0, x];
  for (let k = 3; sum + term !== sum; k += 2) {
    sum += term;
    term *= (x * x) / k;
  }
  return 0.5 - (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
}

/** The regularized incomplete beta function by its continued fraction (DLMF 8.17.22), after Lentz. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  let [c, d] = [1, 1 / (1 - ((a + b) * x) / (a + 1))];
  let fraction = d;
  for (let m = 1; m < 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    const before = fraction;
    for (const step of [even, odd]) {
      d = 1 / (1 + step * d);
      c = 1 + step / c;
      fraction *= c * d;
    }
    if (Math.abs(fraction - before) <= 1e-15 * fraction) break;
  }
  return (front * fraction) / a;
}

/** By Stirling's series, moved up to where it is exact to the last digits. */
function logGamma(x: number): number {
  let [at, shift] = [x, 0];
  for (; at < 15; at++) shift += Math.log(at);
  const inverse = 1 / (at * at);
  const tail = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / at;
  return (at - 0.5) * Math.log(at) - at + Math.log(2 * Math.PI) / 2 + tail - shift;
}
