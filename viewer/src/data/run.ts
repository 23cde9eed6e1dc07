// SPDX-License-Identifier: Apache-2.0
// Reads and checks a run in JSON: columns as typed arrays, and notices for the user.

import { RunError, decode_column, extent, first_not_finite, hold_last_finite } from "./columns";
import { read_model } from "./model";
import type { Model } from "./model";
import { read_pushes } from "./pushes";
import type { Push } from "./pushes";
import { as_array, as_object, as_string, vector3 } from "./readers";
import type { JsonObject, Triple } from "./readers";
import { effort_limits, saturated_intervals } from "./saturation";
import type { Interval } from "./saturation";
import { track } from "./tracking";
import type { Tracking } from "./tracking";

export interface NamedColumns {
  names: string[];
  values: Float64Array[];
}

export interface Samples {
  count: number;
  t: Float64Array;
  q: Float64Array[];
  /** q with gaps filled, for display. */
  q_pose: Float64Array[];
  qd: Float64Array[] | null;
  qdd: Float64Array[] | null;
  tau: Float64Array[] | null;
  kinetic: Float64Array | null;
  potential: Float64Array | null;
  strain: Float64Array | null;
  work: Float64Array | null;
  energy_drift: Float64Array | null;
  power: Float64Array | null;
  power_balance: Float64Array | null;
  com: Float64Array[] | null;
  end_effector: Float64Array[] | null;
  /** The reference. */
  desired_q: Float64Array[] | null;
  desired_qd: Float64Array[] | null;
  amplitudes: NamedColumns | null;
  /** Deflections of the ends of the beams. */
  tips: NamedColumns | null;
}

export interface Notice {
  kind: "info" | "warning";
  text: string;
}

export interface Run {
  settings: JsonObject;
  statistics: JsonObject;
  model: Model;
  samples: Samples;
  gravity: Triple;
  pushes: Push[];
  /** By coordinate; null without a reference. */
  tracking: Tracking[] | null;
  /** By coordinate; null: no limit. */
  effort_limits: (number | null)[];
  /** Intervals at the effort limit, by coordinate; null if the limits did not act. */
  saturated: Interval[][] | null;
  notices: Notice[];
}

export const supported_version = 2;

function present(value: unknown): boolean {
  return value !== undefined && value !== null;
}

class ColumnReader {
  constructor(private readonly object: JsonObject, readonly count: number) {}

  column(value: unknown, path: string): Float64Array {
    const column = decode_column(value, path);
    if (column.length !== this.count) {
      throw new RunError(`${path} has ${column.length} values, but samples.t has ${this.count}.`);
    }
    return column;
  }

  scalar(key: string): Float64Array | null {
    return present(this.object[key]) ? this.column(this.object[key], `samples.${key}`) : null;
  }

  list(value: unknown, path: string, names: readonly string[]): Float64Array[] {
    const raw = as_array(value, path);
    if (raw.length !== names.length) {
      throw new RunError(`${path} has ${raw.length} columns; expected ${names.length} (${names.join(", ") || "none"}).`);
    }
    return raw.map((column, i) => this.column(column, `${path}[${i}] (${names[i]})`));
  }

  vector(key: string, names: readonly string[]): Float64Array[] | null {
    return present(this.object[key]) ? this.list(this.object[key], `samples.${key}`, names) : null;
  }

  /** Columns of samples.desired; null if they are absent or the list is empty. */
  reference(key: "q" | "qd", names: readonly string[]): Float64Array[] | null {
    const path = "samples.desired";
    const columns = present(this.object.desired) ? as_object(this.object.desired, path)[key] : null;
    if (!present(columns) || (Array.isArray(columns) && columns.length === 0)) return null;
    return this.list(columns, `${path}.${key}`, names);
  }

  /** {"names", "values"}; null if there are none. */
  named(key: string): NamedColumns | null {
    if (!present(this.object[key])) return null;
    const path = `samples.${key}`;
    const raw = as_object(this.object[key], path);
    const names = as_array(raw.names, `${path}.names`).map((name, i) => as_string(name, `${path}.names[${i}]`));
    const values = this.list(raw.values, `${path}.values`, names);
    return names.length > 0 ? { names, values } : null;
  }
}

function check_beams(model: Model, amplitudes: NamedColumns | null): void {
  const count = amplitudes?.names.length ?? 0;
  for (const { name, flexible } of model.links) {
    if (!flexible?.shapes) continue;
    const { amplitude, modes } = flexible.shapes;
    if (amplitude < 0 || amplitude + modes.length > count) {
      throw new RunError(`Link '${name}' uses the amplitudes ${amplitude} to ${amplitude + modes.length - 1}; samples.amplitudes has ${count}.`);
    }
  }
}

function read_samples(value: unknown, model: Model): Samples {
  const object = as_object(value, "samples");
  const t = decode_column(object.t, "samples.t");
  if (t.length === 0) throw new RunError("The run has no samples: samples.t is empty.");
  for (let i = 0; i < t.length; ++i) {
    if (!Number.isFinite(t[i])) throw new RunError(`samples.t[${i}] is not a finite number.`);
    if (i > 0 && t[i]! <= t[i - 1]!) {
      throw new RunError(`Time does not increase: samples.t[${i}] = ${t[i]} follows ${t[i - 1]}.`);
    }
  }
  const reader = new ColumnReader(object, t.length);
  const q = reader.list(object.q, "samples.q", model.coordinates);
  const xyz = ["x", "y", "z"];
  const amplitudes = reader.named("amplitudes");
  check_beams(model, amplitudes);
  return {
    count: t.length,
    t,
    q,
    q_pose: q.map(hold_last_finite),
    qd: reader.vector("qd", model.coordinates),
    qdd: reader.vector("qdd", model.coordinates),
    tau: reader.vector("tau", model.coordinates),
    kinetic: reader.scalar("kinetic"),
    potential: reader.scalar("potential"),
    strain: reader.scalar("strain"),
    work: reader.scalar("work"),
    energy_drift: reader.scalar("energy_drift"),
    power: reader.scalar("power"),
    power_balance: reader.scalar("power_balance"),
    com: reader.vector("com", xyz),
    end_effector: reader.vector("end_effector", xyz),
    desired_q: reader.reference("q", model.coordinates),
    desired_qd: reader.reference("qd", model.coordinates),
    amplitudes,
    tips: reader.named("tips"),
  };
}

function not_a_number_notice(samples: Samples, model: Model): Notice | null {
  const found: { name: string; index: number }[] = [];
  const look = (columns: Float64Array[] | null, quantity: string): void =>
    columns?.forEach((column, i) => {
      const index = first_not_finite(column);
      if (index >= 0) found.push({ name: `${quantity} of ${model.coordinates[i] ?? i}`, index });
    });
  look(samples.q, "position");
  look(samples.qd, "velocity");
  look(samples.tau, "torque");
  for (const [column, name] of [[samples.kinetic, "kinetic energy"], [samples.potential, "potential energy"]] as const) {
    const index = column ? first_not_finite(column) : -1;
    if (index >= 0) found.push({ name, index });
  }
  if (found.length === 0) return null;
  const first = found.reduce((a, b) => (b.index < a.index ? b : a));
  const time = samples.t[first.index]!;
  const others = found.length > 1 ? ` and ${found.length - 1} more ${found.length === 2 ? "column" : "columns"}` : "";
  return {
    kind: "warning",
    text: `The run holds values that are not numbers: ${first.name}${others}, first at t = ${Number(time.toPrecision(6))} s ` +
      `(sample ${first.index + 1} of ${samples.count}). Plots have gaps there; the arm keeps its last known pose.`,
  };
}

function collect_notices(run: Omit<Run, "notices">, version: unknown): Notice[] {
  const { samples, model, statistics } = run;
  const notices: Notice[] = [];
  if (typeof version === "number" && version > supported_version) {
    notices.push({ kind: "warning", text: `This run was written in format version ${version}; the page knows version ${supported_version} and may leave something out.` });
  }
  if (samples.amplitudes && !model.links.some((link) => link.flexible?.shapes)) {
    notices.push({ kind: "warning", text: "This run has amplitudes of flexible links but not their shapes: the links are drawn straight. A run written by the current program has them." });
  }
  const bad = not_a_number_notice(samples, model);
  if (bad) notices.push(bad);
  if (statistics.completed === false) {
    notices.push({ kind: "warning", text: `The simulation did not reach its end: it stopped at t = ${samples.t[samples.count - 1]} s` +
        `${typeof statistics.ending === "string" && statistics.ending !== "" ? `: ${statistics.ending}` : ""}.` });
  }
  if (samples.count === 1) {
    notices.push({ kind: "info", text: `The run holds a single sample (t = ${samples.t[0]} s): there is a pose to see, but nothing to play.` });
  } else if (model.coordinates.length === 0) {
    notices.push({ kind: "info", text: "This model has no moving joints." });
  } else if (!bad) {
    const still = samples.q.every((column) => {
      const [low, high] = extent(column);
      return high - low <= 1e-9 * Math.max(1, Math.abs(high));
    });
    const bends = samples.amplitudes?.values.some((column) => {
      const [low, high] = extent(column);
      return high > low;
    }) ?? false;
    if (still && !bends) notices.push({ kind: "info", text: "No joint moves in this run: every position stays at its first value." });
  }
  return notices;
}

export function read_run(value: unknown): Run {
  const object = as_object(value, "The run");
  if (object.format !== "dynamics-run") {
    throw new RunError(`This is not a run: "format" is ${JSON.stringify(object.format) ?? "missing"}; expected "dynamics-run".`);
  }
  const settings = present(object.settings) ? as_object(object.settings, "settings") : {};
  const statistics = present(object.statistics) ? as_object(object.statistics, "statistics") : {};
  const model = read_model(object.model);
  const samples = read_samples(object.samples, model);
  const { t, q, tau, desired_q } = samples;
  const limits = effort_limits(model);
  const partial = {
    settings,
    statistics,
    model,
    samples,
    gravity: vector3(settings.gravity, "settings.gravity", [0, 0, -9.81]),
    pushes: read_pushes(object.pushes, model),
    tracking: desired_q && desired_q.map((reference, i) => track(t, reference, q[i]!)),
    effort_limits: limits,
    saturated: settings.limits === true && tau ? limits.map((limit, i) => (limit === null ? [] : saturated_intervals(t, tau[i]!, limit))) : null,
  };
  return { ...partial, notices: collect_notices(partial, object.version) };
}

/** Parses JSON; also accepts NaN and Infinity, which some programs write instead of null. */
function parse_json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    try {
      return JSON.parse(text.replace(/([[,:]\s*)-?(?:NaN|Infinity|nan|inf)(?=\s*[\],}])/g, "$1null"));
    } catch {
      throw new RunError(`The JSON of the run is malformed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** A run from JSON text; null for the empty template. */
export function parse_run(text: string): Run | null {
  const trimmed = text.trim();
  // placeholder of the empty template
  if (trimmed === "" || trimmed === "null" || /^__[A-Z_]+__$/.test(trimmed)) return null;
  return read_run(parse_json(trimmed));
}

/** Total energy: sum of the recorded energies. */
export function total_energy(samples: Samples): Float64Array | null {
  if (!samples.kinetic || !samples.potential) return null;
  const { kinetic, potential, strain } = samples;
  return kinetic.map((x, i) => x + potential[i]! + (strain ? strain[i]! : 0));
}

/** Time derivative of a column: central differences, one-sided at the ends. */
export function rate(t: Float64Array, column: Float64Array): Float64Array {
  const last = t.length - 1;
  return t.map((_, i) => {
    const a = Math.max(0, i - 1);
    const b = Math.min(last, i + 1);
    return b > a ? (column[b]! - column[a]!) / (t[b]! - t[a]!) : NaN;
  });
}
