// SPDX-License-Identifier: Apache-2.0
// Homogeneous transforms as 16 numbers in column-major order, as in WebGL and three.js.

import type { Triple } from "./readers";

export type Matrix = Float64Array;

export function identity(): Matrix {
  const m = new Float64Array(16);
  m[0] = m[5] = m[10] = m[15] = 1;
  return m;
}

/** out = a b; out may be neither a nor b. */
export function multiply(a: Matrix, b: Matrix, out: Matrix): Matrix {
  for (let column = 0; column < 16; column += 4) {
    const b0 = b[column]!, b1 = b[column + 1]!, b2 = b[column + 2]!, b3 = b[column + 3]!;
    for (let row = 0; row < 4; ++row) {
      out[column + row] = a[row]! * b0 + a[row + 4]! * b1 + a[row + 8]! * b2 + a[row + 12]! * b3;
    }
  }
  return out;
}

/** URDF's roll, pitch, yaw about fixed axes: R = Rz(yaw) Ry(pitch) Rx(roll), and a translation. */
export function from_xyz_rpy(xyz: Triple, rpy: Triple, out: Matrix = identity()): Matrix {
  const [cr, sr] = [Math.cos(rpy[0]), Math.sin(rpy[0])];
  const [cp, sp] = [Math.cos(rpy[1]), Math.sin(rpy[1])];
  const [cy, sy] = [Math.cos(rpy[2]), Math.sin(rpy[2])];
  out[0] = cy * cp;
  out[1] = sy * cp;
  out[2] = -sp;
  out[3] = 0;
  out[4] = cy * sp * sr - sy * cr;
  out[5] = sy * sp * sr + cy * cr;
  out[6] = cp * sr;
  out[7] = 0;
  out[8] = cy * sp * cr + sy * sr;
  out[9] = sy * sp * cr - cy * sr;
  out[10] = cp * cr;
  out[11] = 0;
  out[12] = xyz[0];
  out[13] = xyz[1];
  out[14] = xyz[2];
  out[15] = 1;
  return out;
}

/** Rotation by angle about a unit axis (Rodrigues). */
export function from_axis_angle(axis: Triple, angle: number, out: Matrix = identity()): Matrix {
  const [x, y, z] = axis;
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  const v = 1 - c;
  out.fill(0);
  out[0] = c + x * x * v;
  out[1] = y * x * v + z * s;
  out[2] = z * x * v - y * s;
  out[4] = x * y * v - z * s;
  out[5] = c + y * y * v;
  out[6] = z * y * v + x * s;
  out[8] = x * z * v + y * s;
  out[9] = y * z * v - x * s;
  out[10] = c + z * z * v;
  out[15] = 1;
  return out;
}

export function from_translation(x: number, y: number, z: number, out: Matrix = identity()): Matrix {
  out.fill(0);
  out[0] = out[5] = out[10] = out[15] = 1;
  out[12] = x;
  out[13] = y;
  out[14] = z;
  return out;
}

export function normalized(v: Triple): Triple {
  const length = Math.hypot(...v);
  return length > 0 ? [v[0] / length, v[1] / length, v[2] / length] : [0, 0, 1];
}

/**
 * Rotation that maps z to the unit axis, as in dynamics_core for the plane of a planar joint: the shortest one if
 * axis.z >= 0, otherwise 180 degrees about x followed by the shortest one from -z.
 */
export function z_onto(axis: Triple): Matrix {
  const [x, y, z] = axis;
  const sine = Math.hypot(x, y);
  const side = z >= 0 ? 1 : -1;
  const turn = sine > 0 ? from_axis_angle([(-side * y) / sine, (side * x) / sine, 0], Math.atan2(sine, side * z)) : identity();
  if (side < 0) for (let k = 4; k < 12; ++k) turn[k] = -turn[k]!;
  return turn;
}

export function transform_point(m: Matrix, p: Triple): Triple {
  return [
    m[0]! * p[0] + m[4]! * p[1] + m[8]! * p[2] + m[12]!,
    m[1]! * p[0] + m[5]! * p[1] + m[9]! * p[2] + m[13]!,
    m[2]! * p[0] + m[6]! * p[1] + m[10]! * p[2] + m[14]!,
  ];
}

export function transform_direction(m: Matrix, d: Triple): Triple {
  return [
    m[0]! * d[0] + m[4]! * d[1] + m[8]! * d[2],
    m[1]! * d[0] + m[5]! * d[1] + m[9]! * d[2],
    m[2]! * d[0] + m[6]! * d[1] + m[10]! * d[2],
  ];
}
