// SPDX-License-Identifier: Apache-2.0
// Forward kinematics of a model, including deflected links.

import type { Bend } from "./beam";
import { from_axis_angle, from_translation, from_xyz_rpy, identity, multiply, normalized, transform_direction, z_onto } from "./matrix";
import type { Matrix } from "./matrix";
import type { Joint, Model } from "./model";
import type { Triple } from "./readers";

export interface Poses {
  /** Link frames in the world, by link index. */
  links: Matrix[];
  /** Joint frames in the world before the joint moves, by joint index. */
  joints: Matrix[];
}

interface PlacedJoint {
  joint: Joint;
  axis: Triple;
  placement: Matrix;
  /** Planar joints: axes of the plane (z along the axis) in the joint frame. */
  plane: { x: Triple; y: Triple };
}

/** Joint value from its coordinate, for mimic joints too. */
export function joint_value(joint: Joint, q: ArrayLike<number>, k = 0): number {
  if (joint.coordinate < 0) return joint.offset;
  return joint.multiplier * q[joint.coordinate + k]! + joint.offset;
}

export class Kinematics {
  private readonly placed: PlacedJoint[];
  private readonly motion = identity();
  private readonly spare = identity();
  private readonly bent = identity();

  constructor(readonly model: Model) {
    this.placed = model.joints.map((joint) => {
      const axis = normalized(joint.axis);
      const plane = z_onto(axis);
      return {
        joint,
        axis,
        placement: from_xyz_rpy(joint.origin.xyz, joint.origin.rpy),
        plane: { x: transform_direction(plane, [1, 0, 0]), y: transform_direction(plane, [0, 1, 0]) },
      };
    });
  }

  make_poses(): Poses {
    return { links: this.model.links.map(identity), joints: this.model.joints.map(identity) };
  }

  /** Computes the pose at q; bends: deflection of flexible links, by link index. */
  pose(q: ArrayLike<number>, out: Poses, bends?: ReadonlyMap<number, Bend>): Poses {
    this.placed.forEach((placed, i) => {
      const { joint } = placed;
      const bend = bends?.get(joint.parent);
      const parent = out.links[joint.parent]!;
      const placement = bend ? this.on_bent_link(placed, bend) : placed.placement;
      const frame = multiply(parent, placement, out.joints[i]!);
      multiply(frame, this.joint_motion(placed, q), out.links[joint.child]!);
    });
    return out;
  }

  private joint_motion({ joint, axis, plane }: PlacedJoint, q: ArrayLike<number>): Matrix {
    const value = joint_value(joint, q);
    switch (joint.type) {
      case "fixed":
        return from_translation(0, 0, 0, this.motion);
      case "revolute":
      case "continuous":
        return from_axis_angle(axis, value, this.motion);
      case "prismatic":
        return from_translation(value * axis[0], value * axis[1], value * axis[2], this.motion);
      case "planar": {
        const y = joint_value(joint, q, 1);
        const m = from_axis_angle(axis, joint_value(joint, q, 2), this.motion);
        for (let k = 0; k < 3; ++k) m[12 + k] = value * plane.x[k]! + y * plane.y[k]!;
        return m;
      }
      case "floating": {
        const at = (k: number): number => joint_value(joint, q, k);
        return from_xyz_rpy([value, at(1), at(2)], [at(3), at(4), at(5)], this.motion);
      }
    }
  }

  /** A joint on a flexible link moves and rotates with the cross-section. */
  private on_bent_link({ joint, placement }: PlacedJoint, bend: Bend): Matrix {
    const { section, rest } = bend.section_of(joint.origin.xyz[0]);
    this.spare.set(placement);
    this.spare[12] = rest;
    return multiply(section, this.spare, this.bent);
  }
}
