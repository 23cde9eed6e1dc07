// SPDX-License-Identifier: Apache-2.0
// Comparison of two runs: the other run is interpolated at the times of this run.

import type { Notice, Run } from "./run";
import { total_energy } from "./run";
import { locate, value_at } from "./sampling";

/** The other column at the times t; NaN outside the other run. */
export function resample(t: Float64Array, other_t: Float64Array, other: Float64Array): Float64Array {
  const start = other_t[0]!;
  const end = other_t[other_t.length - 1]!;
  return t.map((time) => (time < start || time > end ? NaN : value_at(other, locate(other_t, time))));
}

export interface Differences {
  /** This minus other by coordinate of this run; null if the other run does not have it. */
  q: (Float64Array | null)[];
  qd: (Float64Array | null)[];
  tau: (Float64Array | null)[];
  energy: Float64Array | null;
  notices: Notice[];
}

type Quantity = "q" | "qd" | "tau";

export function differences(run: Run, other: Run): Differences {
  const t = run.samples.t;
  const subtract = (mine: Float64Array, theirs: Float64Array): Float64Array => {
    const resampled = resample(t, other.samples.t, theirs);
    return mine.map((x, i) => x - resampled[i]!);
  };
  const quantity = (key: Quantity): (Float64Array | null)[] =>
    run.model.coordinates.map((name, i) => {
      const j = other.model.coordinates.indexOf(name);
      const mine = run.samples[key]?.[i];
      const theirs = j < 0 ? undefined : other.samples[key]?.[j];
      return mine && theirs ? subtract(mine, theirs) : null;
    });
  const mine = total_energy(run.samples);
  const theirs = total_energy(other.samples);
  const notices: Notice[] = [];
  const missing = run.model.coordinates.filter((name) => !other.model.coordinates.includes(name));
  if (missing.length > 0) {
    notices.push({ kind: "warning", text: `The compared run has no joint named ${missing.join(", ")}: no difference is plotted for ${missing.length === 1 ? "it" : "them"}.` });
  }
  if (other.samples.t[0]! > t[t.length - 1]! || other.samples.t[other.samples.count - 1]! < t[0]!) {
    notices.push({ kind: "warning", text: "The two runs have no time in common: there are no differences to plot." });
  }
  return { q: quantity("q"), qd: quantity("qd"), tau: quantity("tau"), energy: mine && theirs ? subtract(mine, theirs) : null, notices };
}

/** The largest absolute finite value of all columns. */
export function largest(columns: readonly (Float64Array | null)[]): number {
  let result = 0;
  for (const column of columns) {
    if (!column) continue;
    for (const x of column) if (Number.isFinite(x)) result = Math.max(result, Math.abs(x));
  }
  return result;
}
