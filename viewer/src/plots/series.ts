// SPDX-License-Identifier: Apache-2.0
// Which plots a run has, and what is drawn in each.

import { differences, largest } from "../data/compare";
import { rate, total_energy } from "../data/run";
import type { Run } from "../data/run";
import { format_setting, short_names } from "../format";

export interface Series {
  name: string;
  /** What the legend calls it, where that is shorter. */
  label?: string;
  column: Float64Array;
  /** Index into the palette. */
  color: number;
  /** The coordinate it belongs to; hidden with it. Null for series of the whole robot. */
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

/** One plot for each unit: radians and metres do not share an axis. */
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

function whole_robot(id: string, title: string, unit: string, entries: Entry[], note?: string): PlotSpec[] {
  const series = entries.flatMap(([name, column, color, dashed = false]) => (column ? [{ name, column, color, coordinate: null, dashed }] : []));
  return series.length > 0 ? [{ id, title, unit, series, ...(note === undefined ? {} : { note }) }] : [];
}

function tip_deflections({ samples: { tips } }: Run): PlotSpec[] {
  const series: Series[] = [];
  tips?.values.forEach((column, i) => {
    // a beam that bends in one direction only has a column of zeros for the other
    if (column.some((x) => x !== 0)) series.push({ name: tips.names[i]!, column, color: series.length, coordinate: null });
  });
  return series.length > 0 ? [{ id: "tips", title: "Tip deflections", unit: "m", series }] : [];
}

export function run_plots(run: Run): PlotSpec[] {
  const { samples } = run;
  const total = total_energy(samples);
  // a rigid robot's strain, and the work on a free one, are zero throughout: nothing to see
  const unless_zero = (column: Float64Array | null): Float64Array | null => (column?.some((x) => x !== 0) ? column : null);
  return [
    ...by_unit(run, position, samples.q, "", samples.desired_q),
    ...by_unit(run, velocity, samples.qd),
    ...by_unit(run, torque, samples.tau),
    ...by_unit(run, tracking, samples.desired_q?.map((desired, i) => samples.q[i]!.map((x, k) => x - desired[k]!)) ?? null),
    ...tip_deflections(run),
    ...(samples.amplitudes
      ? whole_robot("amplitudes", "Mode amplitudes", "m", samples.amplitudes.names.map((name, i) => [name, samples.amplitudes!.values[i]!, i]))
      : []),
    ...whole_robot("energies", "Energies", "J", [
      ["kinetic", samples.kinetic, 0],
      ["potential", samples.potential, 1],
      ["strain", unless_zero(samples.strain), 3],
      ["total", total, 2],
      ["joints’ work", unless_zero(samples.work), 4],
    ]),
    ...whole_robot("drift", "Energy drift", "relative", [["drift", samples.energy_drift, 6]], "what the integrator gained or lost"),
    ...(samples.power && total && samples.count > 1
      ? whole_robot("power", "Power balance", "W", [["joints’ power", samples.power, 5], ["rate of energy", rate(samples.t, total), 1, true]], "one line where nothing is lost")
      : whole_robot("power", "Power", "W", [["joints’ power", samples.power, 5]])),
    ...whole_robot("balance", "Power balance, residual", "W", [["residual", samples.power_balance, 7]], "zero where energy and work agree"),
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
    ...whole_robot("difference-energy", "Difference of total energy", "J", [["total", energy, 2]]),
  ];
  for (const plot of plots) {
    plot.note = `this − other, at most ${format_setting(Number(largest(plot.series.map((s) => s.column)).toPrecision(3)))} ${plot.unit}`;
  }
  return { plots, notices };
}
