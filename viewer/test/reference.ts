// SPDX-License-Identifier: Apache-2.0
// Independent forward kinematics: quaternions, from the tip to the base.

import type { JointJson, ModelJson } from "./fixtures";

type Vector = [number, number, number];
type Quaternion = [number, number, number, number];

function product(a: Quaternion, b: Quaternion): Quaternion {
  const [aw, ax, ay, az] = a;
  const [bw, bx, by, bz] = b;
  return [
    aw * bw - ax * bx - ay * by - az * bz,
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
  ];
}

function about(axis: Vector, angle: number): Quaternion {
  const length = Math.hypot(...axis);
  const s = Math.sin(angle / 2) / length;
  return [Math.cos(angle / 2), s * axis[0], s * axis[1], s * axis[2]];
}

function rotate(q: Quaternion, v: Vector): Vector {
  const [, x, y, z] = product(product(q, [0, ...v]), [q[0], -q[1], -q[2], -q[3]]);
  return [x, y, z];
}

/** Fixed axes: first roll about x, then pitch about y, then yaw about z. */
function from_rpy([roll, pitch, yaw]: Vector): Quaternion {
  return product(about([0, 0, 1], yaw), product(about([0, 1, 0], pitch), about([1, 0, 0], roll)));
}

interface Pose {
  position: Vector;
  turn: Quaternion;
}

/** Composition of the poses a and b. */
function compose(a: Pose, b: Pose): Pose {
  const moved = rotate(a.turn, b.position);
  return { position: a.position.map((x, k) => x + moved[k]!) as Vector, turn: product(a.turn, b.turn) };
}

function joint_motion(joint: JointJson, q: readonly number[]): Pose {
  const value = (k = 0): number => (joint.coordinate < 0 ? joint.offset : joint.multiplier * q[joint.coordinate + k]! + joint.offset);
  const none: Quaternion = [1, 0, 0, 0];
  switch (joint.type) {
    case "fixed":
      return { position: [0, 0, 0], turn: none };
    case "prismatic": {
      const length = Math.hypot(...joint.axis);
      return { position: joint.axis.map((x) => (x / length) * value()) as Vector, turn: none };
    }
    case "planar":
      // planar joints of the tests have normal z
      return { position: [value(), value(1), 0], turn: about([0, 0, 1], value(2)) };
    case "floating":
      return { position: [value(), value(1), value(2)], turn: from_rpy([value(3), value(4), value(5)]) };
    default:
      return { position: [0, 0, 0], turn: about(joint.axis, value()) };
  }
}

/** Position, and the rows of the rotation matrix. */
export interface ReferencePose {
  position: Vector;
  rotation: Vector[];
}

/** The pose of a link in the world. */
export function reference_pose(model: ModelJson, link: string, q: readonly number[]): ReferencePose {
  let pose: Pose = { position: [0, 0, 0], turn: [1, 0, 0, 0] };
  let at = link;
  for (;;) {
    const joint = model.joints.find((candidate) => candidate.child === at);
    if (!joint) break;
    const placement: Pose = { position: joint.origin.xyz, turn: from_rpy(joint.origin.rpy) };
    pose = compose(compose(placement, joint_motion(joint, q)), pose);
    at = joint.parent;
  }
  const columns = ([[1, 0, 0], [0, 1, 0], [0, 0, 1]] as Vector[]).map((axis) => rotate(pose.turn, axis));
  return { position: pose.position, rotation: [0, 1, 2].map((row) => columns.map((column) => column[row]!) as Vector) };
}

/** Largest difference between a reference pose and a column-major matrix; rotations are weighted by `lever`. NaN if any entry is NaN. */
export function pose_difference(reference: ReferencePose, matrix: ArrayLike<number>, lever = 1): number {
  const differences: number[] = [];
  for (let row = 0; row < 3; ++row) {
    differences.push(Math.abs(reference.position[row]! - matrix[12 + row]!));
    for (let column = 0; column < 3; ++column) {
      differences.push(lever * Math.abs(reference.rotation[row]![column]! - matrix[4 * column + row]!));
    }
  }
  return Math.max(...differences);
}
