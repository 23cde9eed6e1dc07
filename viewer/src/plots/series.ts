// SPDX-License-Identifier: Apache-2.0
// The plots of a run and their series.

import { differences, largest } from "../data/compare";
import { rate, total_energy } from "../data/run";
import type { Run } from "../data/run";
import { format_setting, short_names } from "../format";

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
}

export interface PlotSpec {
  id: string;
  title: string;
  note?: string;
  unit: string;
  series: Series[];
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

const tracking: Quantity = {
  id: "tracking",
  title: { rad: "Joint tracking errors", m: "Slide tracking errors", other: "Tracking errors" },
  unit: (unit) => unit,
};

/** One plot per unit: radians and meters need separate axes. */
function by_unit(run: Run, quantity: Quantity, columns: readonly (Float64Array | null)[] | null, prefix = "", extra?: Float64Array[] | null): PlotSpec[] {
  if (!columns) return [];
  const { coordinates, units } = run.model;
  const labels = short_names(coordinates);
  const plots: PlotSpec[] = [];
  for (const unit of [...new Set(units)]) {
    const series: Series[] = [];
    coordinates.forEach((name, i) => {
      const column = columns[i];
      if (units[i] !== unit || !column) return;
      const label = labels[i]!;
      series.push({ name, label, column, color: i, coordinate: i });
      if (extra?.[i]) series.push({ name: `${name} desired`, label: `${label} desired`, column: extra[i], color: i, coordinate: i, dashed: true });
    });
    if (series.length === 0) continue;
    const title = unit === "rad" ? quantity.title.rad : unit === "m" ? quantity.title.m : quantity.title.other;
    plots.push({
      id: `${prefix && "difference-"}${quantity.id}-${unit}`,
      title: prefix ? `${prefix}${title.toLowerCase()}` : title,
      unit: quantity.unit(unit),
      series,
    });
  }
  return plots;
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
    ...by_unit(run, position, samples.q, "", samples.desired_q),
    ...by_unit(run, velocity, samples.qd),
    ...by_unit(run, torque, samples.tau),
    ...by_unit(run, tracking, samples.desired_q?.map((desired, i) => samples.q[i]!.map((x, k) => x - desired[k]!)) ?? null),
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
    ...by_unit(run, position, q, prefix),
    ...by_unit(run, velocity, qd, prefix),
    ...by_unit(run, torque, tau, prefix),
    ...robot_series("difference-energy", "Difference of total energy", "J", [["total", energy, 2]]),
  ];
  for (const plot of plots) {
    plot.note = `this − other, at most ${format_setting(Number(largest(plot.series.map((s) => s.column)).toPrecision(3)))} ${plot.unit}`;
  }
  return { plots, notices };
}
