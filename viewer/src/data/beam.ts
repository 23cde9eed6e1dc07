// SPDX-License-Identifier: Apache-2.0
// Deflection of a flexible link: the mode shapes of the run times the amplitudes at a time. The same kinematics as in
// dynamics_core: u_y and u_z are sums over the modes, the foreshortening u_x is a quadratic form of
// the amplitudes, and the cross-section is rotated by Rz(u_y') Ry(-u_z').

import { RunError, decode_column } from "./columns";
import { identity } from "./matrix";
import type { Matrix } from "./matrix";
import { as_array, as_number, as_object } from "./readers";

export interface Mode {
  value: Float64Array;
  slope: Float64Array;
  curvature: Float64Array;
}

export interface BeamShapes {
  /** Index of the first amplitude in samples.amplitudes. */
  amplitude: number;
  /** Positions along the undeformed beam, ascending from 0 to its length. */
  x: Float64Array;
  /** Bending along y first, then along z; one entry per position. */
  modes: Mode[];
  modes_y: number;
  /** int s_j' s_k' from 0 to x, for j <= k; empty without foreshortening. */
  shortening: { j: number; k: number; value: Float64Array }[];
}

export interface Beam {
  length: number;
  /** null: the run has no amplitudes of this link; it is drawn undeformed. */
  shapes: BeamShapes | null;
}

export function read_beam(value: unknown, path: string): Beam | null {
  if (value === undefined || value === null) return null;
  const object = as_object(value, path);
  const length = as_number(object.length, `${path}.length`);
  if (object.shapes === undefined || object.shapes === null) return { length, shapes: null };
  const modes_y = as_number(object.modes_y, `${path}.modes_y`);
  const modes_z = as_number(object.modes_z, `${path}.modes_z`);
  return { length, shapes: read_shapes(object.shapes, `${path}.shapes`, length, modes_y, modes_z) };
}

function read_shapes(value: unknown, path: string, length: number, modes_y: number, modes_z: number): BeamShapes {
  const object = as_object(value, path);
  const x = decode_column(object.x, `${path}.x`);
  const tip = x[x.length - 1];
  if (x.length < 2 || x[0] !== 0 || tip !== length || x.some((place, i) => i > 0 && !(place > x[i - 1]!))) {
    throw new RunError(`${path}.x must increase from 0 to the length ${length}.`);
  }
  const column = (raw: unknown, at: string): Float64Array => {
    const result = decode_column(raw, at);
    if (result.length !== x.length) throw new RunError(`${at} has ${result.length} values, but ${path}.x has ${x.length}.`);
    return result;
  };
  const modes = as_array(object.modes, `${path}.modes`).map((raw, j) => {
    const at = `${path}.modes[${j}]`;
    const mode = as_object(raw, at);
    return {
      value: column(mode.value, `${at}.value`),
      slope: column(mode.slope, `${at}.slope`),
      curvature: column(mode.curvature, `${at}.curvature`),
    };
  });
  if (modes.length !== modes_y + modes_z) {
    throw new RunError(`${path}.modes has ${modes.length} entries; ${modes_y} along y and ${modes_z} along z were expected.`);
  }
  const shortening = as_array(object.shortening, `${path}.shortening`).map((raw, i) => {
    const at = `${path}.shortening[${i}]`;
    const entry = as_object(raw, at);
    const [j, k] = as_array(entry.modes, `${at}.modes`).map((mode) => as_number(mode, `${at}.modes`));
    if (j === undefined || k === undefined || !modes[j] || !modes[k]) throw new RunError(`${at}.modes must be two of the ${modes.length} modes.`);
    return { j, k, value: column(entry.value, `${at}.value`) };
  });
  return { amplitude: as_number(object.amplitude, `${path}.amplitude`), x, modes, modes_y, shortening };
}

/** Value, slope and curvature of one displacement at the positions of a beam. */
class Line {
  private readonly value: Float64Array;
  private readonly slope: Float64Array;
  private readonly curvature: Float64Array;

  constructor(private readonly x: Float64Array, at: (i: number) => [value: number, slope: number, curvature: number]) {
    this.value = new Float64Array(x.length);
    this.slope = new Float64Array(x.length);
    this.curvature = new Float64Array(x.length);
    for (let i = 0; i < x.length; ++i) [this.value[i], this.slope[i], this.curvature[i]] = at(i) as [number, number, number];
  }

  /** Quintic interpolation of values, slopes and curvatures between positions i and i + 1. */
  at(i: number, x: number): { value: number; slope: number } {
    const h = this.x[i + 1]! - this.x[i]!;
    const s = (x - this.x[i]!) / h;
    const [p, v, a] = [this.value[i]!, h * this.slope[i]!, h * h * this.curvature[i]!];
    const d = this.value[i + 1]! - p - v - a / 2;
    const dv = h * this.slope[i + 1]! - v - a;
    const da = h * h * this.curvature[i + 1]! - a;
    const c3 = 10 * d - 4 * dv + da / 2;
    const c4 = 7 * dv - 15 * d - da;
    const c5 = 6 * d - 3 * dv + da / 2;
    return {
      value: p + s * (v + s * (a / 2 + s * (c3 + s * (c4 + s * c5)))),
      slope: (v + s * (a + s * (3 * c3 + s * (4 * c4 + s * 5 * c5)))) / h,
    };
  }
}

/** The beam of a link at a time, in the link frame; the undeformed beam is along x. */
export class Bend {
  private readonly x: Float64Array;
  private readonly ux: Line;
  private readonly uy: Line;
  private readonly uz: Line;
  private readonly section_pose = identity();
  private place = NaN;

  /** d: the amplitudes of this link. */
  constructor(readonly length: number, shapes: BeamShapes, d: readonly number[]) {
    const { x, modes, modes_y, shortening } = shapes;
    this.x = x;
    const sum = (from: number, to: number, i: number): [number, number, number] => {
      let [value, slope, curvature] = [0, 0, 0];
      for (let j = from; j < to; ++j) {
        value += d[j]! * modes[j]!.value[i]!;
        slope += d[j]! * modes[j]!.slope[i]!;
        curvature += d[j]! * modes[j]!.curvature[i]!;
      }
      return [value, slope, curvature];
    };
    this.uy = new Line(x, (i) => sum(0, modes_y, i));
    this.uz = new Line(x, (i) => sum(modes_y, modes.length, i));
    this.ux = new Line(x, (i) => {
      if (shortening.length === 0) return [0, 0, 0];
      let form = 0;
      for (const { j, k, value } of shortening) form += (j === k ? 1 : 2) * value[i]! * d[j]! * d[k]!;
      const [, y1, y2] = sum(0, modes_y, i);
      const [, z1, z2] = sum(modes_y, modes.length, i);
      return [-form / 2, -(y1 * y1 + z1 * z1) / 2, -(y1 * y2 + z1 * z2)];
    });
  }

  /** Pose of the cross-section at x (on the beam). Valid until the next call. */
  private section(x: number): Matrix {
    const m = this.section_pose;
    if (x === this.place) return m;
    this.place = x;
    let i = 0;
    while (i < this.x.length - 2 && this.x[i + 1]! < x) ++i;
    const uy = this.uy.at(i, x);
    const uz = this.uz.at(i, x);
    const [cy, sy] = [Math.cos(uy.slope), Math.sin(uy.slope)];
    const [cz, sz] = [Math.cos(uz.slope), Math.sin(uz.slope)];
    m[0] = cy * cz;
    m[1] = sy * cz;
    m[2] = sz;
    m[4] = -sy;
    m[5] = cy;
    m[6] = 0;
    m[8] = -cy * sz;
    m[9] = -sy * sz;
    m[10] = cz;
    m[12] = x + this.ux.at(i, x).value;
    m[13] = uy.value;
    m[14] = uz.value;
    return m;
  }

  /**
   * The cross-section of a point (x, y, z) of the undeformed link; the deflected point is section * (rest, y, z).
   * Points beyond the end belong to the last cross-section, those before the root to the first.
   */
  section_of(x: number): { section: Matrix; rest: number } {
    const place = Math.min(Math.max(x, 0), this.length);
    return { section: this.section(place), rest: x - place };
  }
}
