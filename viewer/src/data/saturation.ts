// SPDX-License-Identifier: Apache-2.0
// Effort limits of the joints, and the intervals in which a joint is at its limit.

import { coordinate_count } from "./model";
import type { Model } from "./model";

export interface Interval {
  from: number;
  to: number;
}

/** Effort limit by coordinate; null if there is none. A mimic joint has no limit of its own. */
export function effort_limits(model: Model): (number | null)[] {
  const limits: (number | null)[] = model.coordinates.map(() => null);
  for (const joint of model.joints) {
    const effort = joint.limit?.effort ?? null;
    if (joint.coordinate < 0 || effort === null || !(effort > 0 && Number.isFinite(effort))) continue;
    for (let k = joint.coordinate; k < joint.coordinate + coordinate_count(joint.type); ++k) {
      const name = model.coordinates[k]!;
      // coordinates of planar and floating joints are named JOINT/x and so on
      if (name === joint.name || name.startsWith(`${joint.name}/`)) limits[k] = effort;
    }
  }
  return limits;
}

/**
 * Intervals in which |tau| is at the limit. They start and end halfway between a sample at the limit and its
 * neighbor, so that one sample alone counts as one sample interval. A sample that is not a number is not at the limit.
 */
export function saturated_intervals(t: Float64Array, tau: Float64Array, limit: number): Interval[] {
  const exact = limit * (1 - 1e-12);
  // columns may have single precision
  const threshold = Math.min(exact, Math.fround(exact));
  const last = t.length - 1;
  const between = (k: number): number => (t[k - 1]! + t[k]!) / 2;
  const intervals: Interval[] = [];
  for (let k = 0; k <= last; ++k) {
    if (!(Math.abs(tau[k]!) >= threshold)) continue;
    const from = k > 0 ? between(k) : t[0]!;
    while (k < last && Math.abs(tau[k + 1]!) >= threshold) ++k;
    intervals.push({ from, to: k < last ? between(k + 1) : t[last]! });
  }
  return intervals;
}

/** Largest absolute value; NaN if a value is not a number. */
export function peak(column: Float64Array): number {
  return column.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0);
}

export function total_duration(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { from, to }) => sum + (to - from), 0);
}
