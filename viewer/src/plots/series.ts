// SPDX-License-Identifier: Apache-2.0
// The plots of a run and their series.

import { differences, largest } from "../data/compare";
import { rate, total_energy } from "../data/run";
import type { Run } from "../data/run";
import { peak as peak_of, total_duration } from "../data/saturation";
import type { Interval } from "../data/saturation";
import { format_duration, format_setting, format_value, short_names } from "../format";

/** A number of the legend. */
export interface Statistic {
  text: string;
  /** Makes it a button that shows a time. */
  jump?: { time: number; label: string };
  warns?: boolean;
}

export interface Series {
  name: string;
  /** Shorter name for the legend. */
  label?: string;
  column: Float64Array;
  /** Index in the palette. */
  color: number;
  /** Coordinate of the series, hidden with it. Null for series of the complete robot. */
  coordinate: number | null;
  dashed?: boolean;
  /** Drawn dashed, wide and light below the series of its coordinate. */
  reference?: boolean;
  /** Effort limit; null: none. */
  limit?: number | null;
  /** Intervals at the limit. */
  saturated?: readonly Interval[];
  /** Numbers of the legend, by column of the plot. */
  statistics?: Statistic[];
}

export interface PlotSpec {
  id: string;
  title: string;
  note?: string;
  unit: string;
  series: Series[];
  /** Columns of statistics: the legend is a table. */
  columns?: string[];
  /** Times of pushes. */
  pushes?: Interval[];
}

interface Quantity {
  id: string;
  title: { rad: string; m: string; other: string };
  unit: (coordinate_unit: string) => string;
}

const position: Quantity = {
  id: "positions",
  title: { rad: "Joint positions", m: "Slide positions", other: "Positions" },
  unit: (unit) => unit,
};
const velocity: Quantity = {
  id: "velocities",
  title: { rad: "Joint velocities", m: "Slide velocities", other: "Velocities" },
  unit: (unit) => `${unit}/s`,
};
const torque: Quantity = {
  id: "torques",
  title: { rad: "Joint torques", m: "Slide forces", other: "Efforts" },
  unit: (unit) => (unit === "m" ? "N" : "N·m"),
};
const acceleration: Quantity = {
  id: "accelerations",
  title: { rad: "Joint accelerations", m: "Slide accelerations", other: "Accelerations" },
  unit: (unit) => `${unit}/s²`,
};

const error: Quantity = {
  id: "tracking",
  title: { rad: "Joint tracking errors", m: "Slide tracking errors", other: "Tracking errors" },
  unit: (unit) => unit,
};

interface JointPlotOptions {
  prefix?: string;
  reference?: readonly Float64Array[] | null;
  columns?: string[];
  note?: (plot: Series[]) => string | undefined;
  /** Further properties of the series of a coordinate. */
  more?: (coordinate: number, name: string) => Partial<Series>;
}

/** One plot per unit: radians and meters need separate axes. */
function by_unit(run: Run, quantity: Quantity, columns: readonly (Float64Array | null)[] | null, options: JointPlotOptions = {}): PlotSpec[] {
  if (!columns) return [];
  const { coordinates, units } = run.model;
  const { prefix = "", reference } = options;
  const labels = short_names(coordinates);
  const plots: PlotSpec[] = [];
  for (const unit of [...new Set(units)]) {
    const references: Series[] = [];
    const series: Series[] = [];
    coordinates.forEach((name, i) => {
      const column = columns[i];
      if (units[i] !== unit || !column) return;
      const label = labels[i]!;
      series.push({ name, label, column, color: i, coordinate: i, ...options.more?.(i, name) });
      if (reference?.[i]) {
        references.push({ name: `${name} reference`, label: `${label} reference`, column: reference[i], color: i, coordinate: i, reference: true });
      }
    });
    if (series.length === 0) continue;
    const title = unit === "rad" ? quantity.title.rad : unit === "m" ? quantity.title.m : quantity.title.other;
    const note = options.note?.(series);
    plots.push({
      id: `${prefix && "difference-"}${quantity.id}-${unit}`,
      title: prefix ? `${prefix}${title.toLowerCase()}` : title,
      unit: quantity.unit(unit),
      series: [...references, ...series],
      pushes: run.pushes.map(({ start, end }) => ({ from: start, to: end })),
      ...(options.columns ? { columns: options.columns } : {}),
      ...(note === undefined ? {} : { note }),
    });
  }
  return plots;
}

function tracking_plots(run: Run): PlotSpec[] {
  const { tracking } = run;
  if (!tracking) return [];
  return by_unit(run, error, tracking.map((one) => one.error), {
    columns: ["RMS", "peak", "at"],
    note: () => "reference − motion",
    more: (i, name) => {
      const { rms, peak, at } = tracking[i]!;
      if (Number.isNaN(at)) return { statistics: ["–", "–", "–"].map((text) => ({ text })) };
      const time = `${format_duration(at)} s`;
      return {
        statistics: [
          { text: format_value(rms) },
          { text: format_value(peak) },
          { text: time, jump: { time: at, label: `Show ${name} at its ${Number.isNaN(peak) ? "first NaN" : "largest error"}, ${time}` } },
        ],
      };
    },
  });
}

/** Largest |effort| of a series relative to its limit. */
function use_of_limit({ column, limit }: Series): number {
  return limit ? peak_of(column) / limit : 0;
}

function torque_plots(run: Run): PlotSpec[] {
  const { samples, saturated, effort_limits } = run;
  const acting = saturated !== null && effort_limits.some((limit) => limit !== null);
  const limited = (i: number): Partial<Series> => ({ limit: effort_limits[i]!, saturated: saturated?.[i] ?? [] });
  if (!acting) {
    return by_unit(run, torque, samples.tau, {
      more: limited,
      note: (series) => {
        const range = largest(series.map((one) => one.column));
        return series.some(({ limit }) => limit && limit <= range) ? "thin lines: effort limits, which did not act" : undefined;
      },
    });
  }
  return by_unit(run, torque, samples.tau, {
    columns: ["limit", "peak", "saturated"],
    note: (series) => {
      if (series.some((one) => one.saturated!.length > 0)) return "shaded: saturated at the effort limit";
      const most = series.reduce((a, b) => (use_of_limit(b) > use_of_limit(a) ? b : a));
      return use_of_limit(most) > 0 ? `at most ${format_setting(Number((100 * use_of_limit(most)).toPrecision(2)))} % of the effort limit` : undefined;
    },
    more: (i, name) => {
      const limit = effort_limits[i]!;
      const intervals = saturated[i]!;
      const first = intervals[0];
      const duration = `${format_duration(total_duration(intervals))} s`;
      return {
        ...limited(i),
        statistics: [
          { text: limit === null ? "–" : `±${format_setting(limit)}` },
          { text: format_value(peak_of(samples.tau![i]!)) },
          first === undefined ? { text: "–" }
            : { text: duration, warns: true, jump: { time: first.from, label: `Show where ${name} first reaches its limit, ${format_duration(first.from)} s` } },
        ],
      };
    },
  });
}

type Entry = [name: string, column: Float64Array | null, color: number, dashed?: boolean];

function robot_series(id: string, title: string, unit: string, entries: Entry[], note?: string): PlotSpec[] {
  const series = entries.flatMap(([name, column, color, dashed = false]) => (column ? [{ name, column, color, coordinate: null, dashed }] : []));
  return series.length > 0 ? [{ id, title, unit, series, ...(note === undefined ? {} : { note }) }] : [];
}

function tip_deflections({ samples: { tips } }: Run): PlotSpec[] {
  const series: Series[] = [];
  tips?.values.forEach((column, i) => {
    // skip zero columns: a beam may bend in one direction only
    if (column.some((x) => x !== 0)) series.push({ name: tips.names[i]!, column, color: series.length, coordinate: null });
  });
  return series.length > 0 ? [{ id: "tips", title: "Tip deflections", unit: "m", series }] : [];
}

export function run_plots(run: Run): PlotSpec[] {
  const { samples } = run;
  const total = total_energy(samples);
  // skip zero columns, such as strain of a rigid robot
  const unless_zero = (column: Float64Array | null): Float64Array | null => (column?.some((x) => x !== 0) ? column : null);
  return [
    ...by_unit(run, position, samples.q, { reference: samples.desired_q }),
    ...tracking_plots(run),
    ...by_unit(run, velocity, samples.qd, { reference: samples.desired_qd }),
    ...torque_plots(run),
    ...tip_deflections(run),
    ...(samples.amplitudes
      ? robot_series("amplitudes", "Mode amplitudes", "m", samples.amplitudes.names.map((name, i) => [name, samples.amplitudes!.values[i]!, i]))
      : []),
    ...robot_series("energies", "Energies", "J", [
      ["kinetic", samples.kinetic, 0],
      ["potential", samples.potential, 1],
      ["strain", unless_zero(samples.strain), 3],
      ["total", total, 2],
      ["joints’ work", unless_zero(samples.work), 4],
    ]),
    ...robot_series("drift", "Energy drift", "relative", [["drift", samples.energy_drift, 6]], "relative error of the energy balance"),
    ...(samples.power && total && samples.count > 1
      ? robot_series("power", "Power balance", "W", [["joints’ power", samples.power, 5], ["rate of energy", rate(samples.t, total), 1, true]], "one line where nothing is lost")
      : robot_series("power", "Power", "W", [["joints’ power", samples.power, 5]])),
    ...robot_series("balance", "Power balance, residual", "W", [["residual", samples.power_balance, 7]], "zero if energy and work agree"),
    ...by_unit(run, acceleration, samples.qdd),
  ];
}

export function difference_plots(run: Run, other: Run): { plots: PlotSpec[]; notices: Run["notices"] } {
  const { q, qd, tau, energy, notices } = differences(run, other);
  const prefix = "Difference of ";
  const plots = [
    ...by_unit(run, position, q, { prefix }),
    ...by_unit(run, velocity, qd, { prefix }),
    ...by_unit(run, torque, tau, { prefix }),
    ...robot_series("difference-energy", "Difference of total energy", "J", [["total", energy, 2]]),
  ];
  for (const plot of plots) {
    plot.note = `this − other, at most ${format_setting(Number(largest(plot.series.map((s) => s.column)).toPrecision(3)))} ${plot.unit}`;
  }
  return { plots, notices };
}
