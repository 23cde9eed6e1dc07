// SPDX-License-Identifier: Apache-2.0
// State of the robot at a time: joint values, deflected links, poses.

import { Bend } from "./beam";
import { Kinematics } from "./kinematics";
import type { Poses } from "./kinematics";
import { transform_point } from "./matrix";
import type { Triple } from "./readers";
import type { Run } from "./run";
import { locate, spread, value_at, values_at } from "./sampling";
import type { Instant } from "./sampling";

export class PoseSource {
  readonly kinematics: Kinematics;
  readonly poses: Poses;
  private readonly columns: Float64Array[];
  private readonly bent: boolean;

  /** The recorded motion, or a rigid robot with the given columns. */
  constructor(readonly run: Run, columns?: Float64Array[]) {
    this.bent = columns === undefined;
    this.kinematics = new Kinematics(run.model);
    this.poses = this.kinematics.make_poses();
    this.columns = columns ?? run.samples.q_pose;
  }

  instant(time: number): Instant {
    return locate(this.run.samples.t, time);
  }

  joint_values(instant: Instant): number[] {
    return values_at(this.columns, instant);
  }

  /** Flexible links of this run. */
  get bending_links(): number[] {
    if (!this.bent) return [];
    return this.run.model.links.flatMap((link, i) => (link.flexible?.shapes ? [i] : []));
  }

  bends(instant: Instant, scale: number): Map<number, Bend> {
    const result = new Map<number, Bend>();
    const { model, samples } = this.run;
    for (const link of this.bending_links) {
      const { length, shapes } = model.links[link]!.flexible!;
      const { amplitude, modes } = shapes!;
      const d = modes.map((_, j) => {
        const value = scale * value_at(samples.amplitudes!.values[amplitude + j]!, instant);
        return Number.isFinite(value) ? value : 0;
      });
      result.set(link, new Bend(length, shapes!, d));
    }
    return result;
  }

  pose_at(time: number, scale = 1): { q: number[]; bends: Map<number, Bend>; poses: Poses } {
    const instant = this.instant(time);
    const q = this.joint_values(instant);
    const bends = this.bends(instant, scale);
    return { q, bends, poses: this.kinematics.pose(q, this.poses, bends) };
  }

  /** Path of the end effector: about `count` points with their times. */
  path(count: number): { times: number[]; points: Triple[] } {
    const { samples, model } = this.run;
    const recorded = samples.end_effector;
    const times: number[] = [];
    const points: Triple[] = [];
    for (const i of spread(samples.count, count)) {
      const time = samples.t[i]!;
      const point: Triple = recorded
        ? [recorded[0]![i]!, recorded[1]![i]!, recorded[2]![i]!]
        : transform_point(this.pose_at(time).poses.links[model.end_effector]!, [0, 0, 0]);
      if (!point.every(Number.isFinite)) continue;
      times.push(time);
      points.push(point);
    }
    return { times, points };
  }
}
