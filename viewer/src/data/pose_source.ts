// SPDX-License-Identifier: Apache-2.0
// The robot of a run at an instant: joint values, deflections, poses.

import { Kinematics } from "./kinematics";
import type { Poses } from "./kinematics";
import { transform_point } from "./matrix";
import type { Triple } from "./readers";
import type { Run } from "./run";
import { locate, spread, value_at, values_at } from "./sampling";
import type { Instant } from "./sampling";
import { Bend, Curve } from "./shape";

export class PoseSource {
  readonly kinematics: Kinematics;
  readonly poses: Poses;
  private readonly columns: Float64Array[];

  constructor(readonly run: Run, columns?: Float64Array[]) {
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

  bends(instant: Instant, scale: number): Map<number, Bend> {
    const result = new Map<number, Bend>();
    for (const { link, fractions, y, z } of this.run.samples.deflection) {
      const length = this.run.model.links[link]!.flexible?.length ?? 1;
      const curve = (columns: Float64Array[]): Curve =>
        new Curve(fractions, columns.map((column) => {
          const value = scale * value_at(column, instant);
          return Number.isFinite(value) ? value : 0;
        }));
      result.set(link, new Bend(length, curve(y), curve(z)));
    }
    return result;
  }

  pose_at(time: number, scale = 1): { q: number[]; bends: Map<number, Bend>; poses: Poses } {
    const instant = this.instant(time);
    const q = this.joint_values(instant);
    const bends = this.bends(instant, scale);
    return { q, bends, poses: this.kinematics.pose(q, this.poses, bends) };
  }

  /** The end effector's path: about `count` points, with their times. */
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
