// SPDX-License-Identifier: Apache-2.0
// Joint axes and arrows: curved for torques of revolute joints, straight for forces of prismatic joints.

import * as THREE from "three";
import type { Poses } from "../data/kinematics";
import { joint_value } from "../data/kinematics";
import { normalized, z_onto } from "../data/matrix";
import type { Joint, Model } from "../data/model";
import { coordinate_count } from "../data/model";
import type { Triple } from "../data/readers";
import { matrix4 } from "./primitives";

const arc_segments = 64;
const tube_sides = 10;
const longest_arc = 1.7 * Math.PI;

/** An arc about z that starts at the x axis; its length is set by the number of drawn segments. */
class ArcArrow {
  readonly group = new THREE.Group();
  private readonly tube: THREE.BufferGeometry;
  private readonly head: THREE.Mesh;

  constructor(private readonly radius: number, thickness: number, material: THREE.Material) {
    this.tube = new THREE.TorusGeometry(radius, thickness, tube_sides, arc_segments, longest_arc);
    // reorder the torus indices along the arc, so that a prefix is a shorter arc
    const index: number[] = [];
    for (let i = 0; i < arc_segments; ++i) {
      for (let j = 0; j < tube_sides; ++j) {
        const a = j * (arc_segments + 1) + i;
        const b = (j + 1) * (arc_segments + 1) + i;
        index.push(b, a, b + 1, a, a + 1, b + 1);
      }
    }
    this.tube.setIndex(index);
    this.head = new THREE.Mesh(new THREE.ConeGeometry(3.2 * thickness, 8 * thickness, 20), material);
    this.group.add(new THREE.Mesh(this.tube, material), this.head);
  }

  /** ratio in [-1, 1]: the fraction of the longest arc, and its sense. */
  show(ratio: number): void {
    const segments = Math.round(Math.abs(ratio) * arc_segments);
    this.group.visible = segments > 0;
    this.tube.setDrawRange(0, segments * tube_sides * 6);
    const angle = (segments / arc_segments) * longest_arc;
    this.head.position.set(this.radius * Math.cos(angle), this.radius * Math.sin(angle), 0);
    this.head.rotation.z = angle;
    // scale the head of short arrows
    this.head.scale.setScalar(Math.min(1, 6 * Math.abs(ratio)));
    // negative sense: rotate the arrow by 180 degrees about x
    this.group.rotation.x = ratio < 0 ? Math.PI : 0;
  }
}

export class StraightArrow {
  readonly group = new THREE.Group();
  private readonly shaft: THREE.Mesh;
  private readonly head: THREE.Mesh;

  constructor(private readonly length: number, private readonly thickness: number, material: THREE.Material) {
    this.shaft = new THREE.Mesh(
      new THREE.CylinderGeometry(thickness, thickness, 1, 16).translate(0, 0.5, 0).rotateX(Math.PI / 2), material);
    this.head = new THREE.Mesh(new THREE.ConeGeometry(3.2 * thickness, 8 * thickness, 20).rotateX(Math.PI / 2), material);
    this.group.add(this.shaft, this.head);
  }

  /** Distance of the tip from the start. */
  tip(ratio: number): number {
    return Math.abs(ratio) * this.length + 4 * this.thickness * Math.min(1, 6 * Math.abs(ratio));
  }

  show(ratio: number): void {
    const length = Math.abs(ratio) * this.length;
    this.group.visible = length > 1e-3 * this.length;
    this.shaft.scale.z = Math.max(length, 1e-9);
    this.head.position.z = length;
    this.head.scale.setScalar(Math.min(1, 6 * Math.abs(ratio)));
    this.group.rotation.x = ratio < 0 ? Math.PI : 0;
  }
}

interface Mark {
  coordinate: number;
  joint: number;
  /** Index of the coordinate within the joint. */
  part: number;
  turns: boolean;
  holder: THREE.Group;
  line: THREE.Line;
  line_material: THREE.LineBasicMaterial;
  arrow: ArcArrow | StraightArrow;
  material: THREE.MeshStandardMaterial;
}

/** Direction of a coordinate in the joint frame when the following coordinates are zero. */
function direction(joint: Joint, part: number): Triple {
  const axis = normalized(joint.axis);
  if (joint.type === "planar") {
    const m = z_onto(axis);
    return part === 0 ? [m[0]!, m[1]!, m[2]!] : part === 1 ? [m[4]!, m[5]!, m[6]!] : axis;
  }
  if (joint.type === "floating") return ([[1, 0, 0], [0, 1, 0], [0, 0, 1]] as Triple[])[part % 3]!;
  return axis;
}

function part_turns(joint: Joint, part: number): boolean {
  if (joint.type === "planar") return part === 2;
  if (joint.type === "floating") return part >= 3;
  return joint.type !== "prismatic";
}

export class JointMarks {
  readonly group = new THREE.Group();
  private readonly marks: Mark[] = [];
  private hidden = new Set<number>();
  private axes_on = true;
  private torques_on = true;

  constructor(model: Model, size: number) {
    model.joints.forEach((joint, j) => {
      if (joint.coordinate < 0) return;
      for (let part = 0; part < coordinate_count(joint.type); ++part) {
        const turns = part_turns(joint, part);
        const material = new THREE.MeshStandardMaterial({ roughness: 0.5, emissiveIntensity: 0.35 });
        const line_material = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.85 });
        const reach = 0.2 * size;
        const line = new THREE.Line(new THREE.BufferGeometry().setFromPoints(
          [new THREE.Vector3(0, 0, -reach), new THREE.Vector3(0, 0, reach)]), line_material);
        const arrow = turns
          ? new ArcArrow(0.105 * size, 0.0055 * size, material)
          : new StraightArrow(0.35 * size, 0.0065 * size, material);
        const holder = new THREE.Group();
        holder.matrixAutoUpdate = false;
        holder.add(line, arrow.group);
        this.group.add(holder);
        this.marks.push({ coordinate: joint.coordinate + part, joint: j, part, turns, holder, line, line_material, arrow, material });
      }
    });
    this.model = model;
  }

  private readonly model: Model;

  set_colors(color: (coordinate: number) => string): void {
    for (const mark of this.marks) {
      mark.material.color.set(color(mark.coordinate));
      mark.material.emissive.set(color(mark.coordinate));
      mark.line_material.color.set(color(mark.coordinate));
    }
  }

  show(axes: boolean, torques: boolean, hidden: Set<number>): void {
    this.axes_on = axes;
    this.torques_on = torques;
    this.hidden = hidden;
  }

  /** ratios: torque or force by coordinate, relative to the largest one, in [-1, 1]. */
  update(poses: Poses, q: ArrayLike<number>, ratios: readonly number[] | null): void {
    for (const mark of this.marks) {
      const joint = this.model.joints[mark.joint]!;
      const on = !this.hidden.has(mark.coordinate);
      mark.line.visible = on && this.axes_on;
      const ratio = ratios?.[mark.coordinate] ?? 0;
      if (on && this.torques_on && Number.isFinite(ratio)) mark.arrow.show(ratio);
      else mark.arrow.group.visible = false;
      mark.holder.matrix.copy(this.place(mark, joint, poses, q));
      mark.holder.matrixWorldNeedsUpdate = true;
    }
  }

  private place(mark: Mark, joint: Joint, poses: Poses, q: ArrayLike<number>): THREE.Matrix4 {
    const along = matrix4(z_onto(direction(joint, mark.part)));
    const frame = matrix4(poses.joints[mark.joint]!);
    const child = matrix4(poses.links[joint.child]!);
    if (joint.type === "floating" && mark.part >= 3) {
      // the axes of roll and pitch are rotated by the following angles
      const [, pitch, yaw] = [0, joint_value(joint, q, 4), joint_value(joint, q, 5)];
      const turned = new THREE.Matrix4();
      if (mark.part < 5) turned.makeRotationZ(yaw);
      if (mark.part < 4) turned.multiply(new THREE.Matrix4().makeRotationY(pitch));
      frame.multiply(turned);
    }
    // at the origin of the child, with the orientation of the joint
    frame.setPosition(new THREE.Vector3().setFromMatrixPosition(child));
    return frame.multiply(along);
  }
}
