// SPDX-License-Identifier: Apache-2.0
// The 3D view of a run: the robot at a time, its markers and its ghosts.

import * as THREE from "three";
import { extent, hold_last_finite } from "../data/columns";
import { PoseSource } from "../data/pose_source";
import type { Run } from "../data/run";
import { values_at } from "../data/sampling";
import type { Theme } from "../theme";
import { JointMarks } from "./arrows";
import { frame } from "./framing";
import { Ground } from "./ground";
import { MassMarks, Trail } from "./marks";
import { PushArrows } from "./push_arrows";
import { RobotBody } from "./robot";
import { Stage } from "./stage";

export interface ViewOptions {
  axes: boolean;
  trail: boolean;
  masses: boolean;
  torques: boolean;
  ground: boolean;
  reference: boolean;
  pushes: boolean;
  compared: boolean;
  deflection_scale: number;
}

export const default_view: ViewOptions = {
  axes: true, trail: true, masses: false, torques: true, ground: true, reference: true, pushes: true, compared: true, deflection_scale: 1,
};

interface Ghost {
  source: PoseSource;
  body: RobotBody;
  option: "reference" | "compared";
}

export class RobotScene {
  readonly stage: Stage;
  readonly source: PoseSource;
  readonly options: ViewOptions = { ...default_view };
  readonly cell: number;
  private readonly body: RobotBody;
  private readonly ground: Ground;
  private readonly marks: JointMarks;
  private readonly trail: Trail;
  private readonly masses: MassMarks;
  private readonly pushes: PushArrows;
  private readonly ghosts: Ghost[] = [];
  private readonly largest: number[];
  private hidden = new Set<number>();
  private q: number[] = [];

  constructor(host: HTMLElement, private readonly run: Run, other: Run | null, private readonly theme: Theme, invalidate: () => void) {
    this.source = new PoseSource(run);
    const { desired_q } = run.samples;
    const reference = desired_q && new PoseSource(run, desired_q.map(hold_last_finite));
    const framing = frame(this.source, reference ? [reference] : []);
    const { size } = framing;
    this.stage = new Stage(host, framing, invalidate);
    this.body = new RobotBody(run.model, size, { color: theme.color("bone"), ghost: null }, this.source.bending_links);
    this.ground = new Ground(framing.up, size, framing.level);
    this.cell = this.ground.cell;
    this.marks = new JointMarks(run.model, size);
    this.trail = new Trail(this.source.path(4000));
    this.masses = new MassMarks(run.model, size, theme.color("accent"));
    this.pushes = new PushArrows(run.pushes, size);
    const { scene } = this.stage;
    scene.add(this.body.group, this.ground.group, this.marks.group, this.trail.group, this.masses.group, this.pushes.group);
    if (reference) this.add_ghost(reference, size, "reference", theme.color("ghost-reference"));
    if (other) this.add_ghost(new PoseSource(other), size, "compared", theme.color("ghost-compared"));
    this.largest = this.largest_efforts();
    this.apply_theme();
    theme.on_change(() => {
      this.apply_theme();
      invalidate();
    });
  }

  private get ghost_kinds(): ("reference" | "compared")[] {
    return this.ghosts.map((ghost) => ghost.option);
  }

  /** Options that this run has. */
  has(option: keyof ViewOptions): boolean {
    if (option === "pushes") return this.run.pushes.length > 0;
    return (option !== "reference" && option !== "compared") || this.ghost_kinds.includes(option);
  }

  get bends(): boolean {
    return this.source.bending_links.length > 0;
  }

  /** Displayed joint values, by coordinate. */
  get joint_values(): number[] {
    return this.q;
  }

  hide_joints(hidden: Set<number>): void {
    this.hidden = hidden;
  }

  link_matrix(name: string): THREE.Matrix4 | null {
    const index = this.run.model.links.findIndex((link) => link.name === name);
    if (index < 0) return null;
    const frame_of_link = this.body.frame(index);
    frame_of_link.updateWorldMatrix(true, false);
    return frame_of_link.matrixWorld;
  }

  /** Lowest and highest coordinates of the drawn shapes of a link, in its frame; null if there are none. */
  link_bounds(name: string): number[] | null {
    const index = this.run.model.links.findIndex((link) => link.name === name);
    return index < 0 ? null : this.body.bounds(index);
  }

  /** Updates all poses to a time. */
  show(time: number): void {
    const { options } = this;
    const { q, bends, poses } = this.source.pose_at(time, options.deflection_scale);
    const instant = this.source.instant(time);
    const { samples } = this.run;
    this.q = q;
    this.body.update(poses, q, bends);
    this.marks.show(options.axes, options.torques, this.hidden);
    const efforts = samples.tau ? values_at(samples.tau, instant) : null;
    this.marks.update(poses, q, efforts && efforts.map((x, i) => this.ratio(x, i)));
    this.trail.group.visible = options.trail;
    this.trail.update(time);
    this.masses.group.visible = options.masses;
    this.masses.update(poses, samples.com && options.deflection_scale === 1 ? values_at(samples.com, instant) : null);
    this.pushes.group.visible = options.pushes;
    this.pushes.update(time, poses, bends);
    this.ground.group.visible = options.ground;
    for (const { source, body, option } of this.ghosts) {
      body.group.visible = options[option];
      if (!body.group.visible) continue;
      const pose = source.pose_at(time, options.deflection_scale);
      body.update(pose.poses, pose.q, pose.bends);
    }
  }

  private add_ghost(source: PoseSource, size: number, option: Ghost["option"], color: string): void {
    const body = new RobotBody(source.run.model, size, { color, ghost: color }, source.bending_links);
    this.stage.scene.add(body.group);
    this.ghosts.push({ source, body, option });
  }

  /** Torques relative to the largest torque of the run, forces relative to the largest force. */
  private largest_efforts(): number[] {
    const { samples, model } = this.run;
    const peaks = (samples.tau ?? []).map((column) => Math.max(...extent(column).map(Math.abs)));
    return peaks.map((_, i) => Math.max(...peaks.filter((__, j) => model.units[j] === model.units[i])));
  }

  /** Square-root scale, so that small torques remain visible. */
  private ratio(effort: number, i: number): number {
    const largest = this.largest[i]!;
    return largest > 0 ? Math.sign(effort) * Math.sqrt(Math.abs(effort) / largest) : 0;
  }

  private apply_theme(): void {
    const { theme } = this;
    this.stage.set_theme(theme.dark);
    this.ground.set_colors(theme.color("grid"), theme.dark);
    this.trail.set_color(theme.color("accent"));
    this.pushes.set_color(theme.color("push"));
    this.body.set_plain_color(theme.color("bone"));
    this.marks.set_colors((i) => theme.series(i));
  }
}
