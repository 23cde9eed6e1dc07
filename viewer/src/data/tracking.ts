// SPDX-License-Identifier: Apache-2.0
// Tracking error of a run: reference minus motion, by coordinate.

export interface Tracking {
  /** Reference minus position; NaN where one of them is not a number. */
  error: Float64Array;
  /** Root mean square over the samples that have a reference. */
  rms: number;
  /** Largest absolute error and its time; at: NaN if no sample has a reference. */
  peak: number;
  at: number;
}

/**
 * Samples without a reference (NaN) do not count. A position that is not a number at a sample with a reference makes
 * rms and peak NaN, and `at` is the time of the first such sample.
 */
export function track(t: Float64Array, reference: Float64Array, q: Float64Array): Tracking {
  const error = reference.map((x, k) => x - q[k]!);
  let [sum, count, peak, at] = [0, 0, 0, NaN];
  for (let k = 0; k < error.length; ++k) {
    if (!Number.isFinite(reference[k])) continue;
    const size = Math.abs(error[k]!);
    if (!Number.isFinite(size)) return { error, rms: NaN, peak: NaN, at: t[k]! };
    if (count === 0 || size > peak) [peak, at] = [size, t[k]!];
    sum += size * size;
    ++count;
  }
  return count > 0 ? { error, rms: Math.sqrt(sum / count), peak, at } : { error, rms: NaN, peak: NaN, at };
}

/** Index of the coordinate with the largest error among those of a unit; NaN is larger than any number. -1: none. */
export function worst_tracking(tracking: readonly Tracking[], units: readonly string[], unit: string): number {
  let worst = -1;
  tracking.forEach(({ peak, at }, i) => {
    if (units[i] !== unit || Number.isNaN(at)) return;
    if (worst < 0 || (!Number.isNaN(tracking[worst]!.peak) && !(peak <= tracking[worst]!.peak))) worst = i;
  });
  return worst;
}
