// SPDX-License-Identifier: Apache-2.0
// Interpolation between samples, and reduction of samples for drawing.

export interface Instant {
  index: number;
  fraction: number;
}

/** Interval of t: between samples index and index + 1, at the given fraction. Clamped to the ends. */
export function locate(t: Float64Array, time: number): Instant {
  const last = t.length - 1;
  if (last < 1 || !(time > t[0]!)) return { index: 0, fraction: 0 };
  if (time >= t[last]!) return { index: last - 1, fraction: 1 };
  let low = 0;
  let high = last;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (t[middle]! <= time) low = middle;
    else high = middle;
  }
  return { index: low, fraction: (time - t[low]!) / (t[low + 1]! - t[low]!) };
}

/** Linear interpolation, exact at samples. */
export function value_at(column: Float64Array, { index, fraction }: Instant): number {
  const a = column[index]!;
  if (fraction === 0) return a;
  const b = column[index + 1]!;
  return fraction === 1 ? b : a + fraction * (b - a);
}

export function values_at(columns: readonly Float64Array[], instant: Instant): number[] {
  return columns.map((column) => value_at(column, instant));
}

export interface Thinned {
  /** True if points are the two extremes of intervals of samples. */
  dense: boolean;
  x: number[];
  y: (number | null)[][];
}

/**
 * At most 2 * buckets points that look like the samples in [from, to]: the smallest and largest value of each
 * bucket in order of time. One sample beyond each end is kept, so that lines extend to the border.
 */
export function thin(t: Float64Array, columns: readonly Float64Array[], from: number, to: number, buckets: number): Thinned {
  let first = locate(t, from).index;
  let end = locate(t, to).index + 2;
  first = Math.max(0, first);
  end = Math.min(t.length, end);
  const count = end - first;
  const finite = (x: number): number | null => (Number.isFinite(x) ? x : null);
  if (count <= 2 * buckets) {
    return {
      dense: false,
      x: Array.from(t.subarray(first, end)),
      y: columns.map((column) => Array.from(column.subarray(first, end), finite)),
    };
  }
  const x: number[] = [];
  const bounds: number[] = [];
  for (let b = 0; b <= buckets; ++b) bounds.push(first + Math.floor((b * count) / buckets));
  for (let b = 0; b < buckets; ++b) {
    // the values are placed at the first and last time of the bucket; exact at the ends of the run
    x.push(t[bounds[b]!]!, t[bounds[b + 1]! - 1]!);
  }
  const y = columns.map((column) => {
    const out: (number | null)[] = new Array<number | null>(2 * buckets);
    for (let b = 0; b < buckets; ++b) {
      const start = bounds[b]!;
      const stop = bounds[b + 1]!;
      let low = Infinity;
      let high = -Infinity;
      let low_at = start;
      let high_at = start;
      for (let i = start; i < stop; ++i) {
        const value = column[i]!;
        if (value < low) {
          low = value;
          low_at = i;
        }
        if (value > high) {
          high = value;
          high_at = i;
        }
      }
      const rising = low_at <= high_at;
      out[2 * b] = finite(rising ? low : high);
      out[2 * b + 1] = finite(rising ? high : low);
    }
    return out;
  });
  return { dense: count > 16 * buckets, x, y };
}

/** About `count` equally spaced sample indices, including first and last. */
export function spread(samples: number, count: number): number[] {
  if (samples <= count) return Array.from({ length: samples }, (_, i) => i);
  return Array.from({ length: count }, (_, i) => Math.round((i * (samples - 1)) / (count - 1)));
}
