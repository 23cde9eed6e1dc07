// SPDX-License-Identifier: Apache-2.0
// Camera placement: up direction, size of the robot, and a view that contains its motion.

import * as THREE from "three";
import { extent } from "../data/columns";
import { from_xyz_rpy, normalized, transform_direction, transform_point } from "../data/matrix";
import { has_shape } from "../data/mesh";
import type { Joint, Visual } from "../data/model";
import type { PoseSource } from "../data/pose_source";
import type { Triple } from "../data/readers";
import { spread } from "../data/sampling";
import { bone_ends } from "./robot";

export interface Framing {
  up: THREE.Vector3;
  /** Approximate reach of the robot. */
  size: number;
  /** Height of the ground along up. */
  level: number;
  /** From the target towards the camera. */
  direction: THREE.Vector3;
  points: THREE.Vector3[];
}

function up_of(gravity: Triple): THREE.Vector3 {
  const strength = Math.hypot(...gravity);
  return strength > 1e-9 ? new THREE.Vector3(...gravity).multiplyScalar(-1 / strength) : new THREE.Vector3(0, 0, 1);
}

/** Common direction of all revolute axes if they are parallel (planar motion). */
function common_axis(source: PoseSource): THREE.Vector3 | null {
  const { poses } = source.pose_at(source.run.samples.t[0]!);
  let common: THREE.Vector3 | null = null;
  const { joints } = source.run.model;
  for (let i = 0; i < joints.length; ++i) {
    const joint = joints[i]!;
    if (joint.coordinate < 0) continue;
    if (joint.type !== "revolute" && joint.type !== "continuous") return null;
    const axis = new THREE.Vector3(...transform_direction(poses.joints[i]!, normalized(joint.axis)));
    if (common && Math.abs(common.dot(axis)) < 0.999) return null;
    common ??= axis;
  }
  return common;
}

function view_direction(source: PoseSource, up: THREE.Vector3): THREE.Vector3 {
  // x and -y of the world projected on the horizontal plane
  const right = Math.abs(up.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
  right.addScaledVector(up, -right.dot(up)).normalize();
  const front = right.clone().cross(up);
  const plane = common_axis(source);
  if (plane && Math.abs(plane.dot(up)) < 0.1) {
    const towards = plane.clone().multiplyScalar(plane.x + plane.y + plane.z < 0 ? -1 : 1);
    return towards.addScaledVector(up, 0.16).addScaledVector(up.clone().cross(towards), 0.22).normalize();
  }
  const height = plane ? 1.1 : 0.42;
  return front.multiplyScalar(0.85).addScaledVector(right, 0.62).addScaledVector(up, height).normalize();
}

/** Corners of the bounding box of a shape, in the link frame. */
function visual_corners({ geometry, origin }: Visual): Triple[] {
  let extents: Triple;
  let center: Triple = [0, 0, 0];
  switch (geometry.type) {
    case "box": extents = geometry.size; break;
    case "cylinder": extents = [2 * geometry.radius, 2 * geometry.radius, geometry.length]; break;
    case "capsule": extents = [2 * geometry.radius, 2 * geometry.radius, geometry.length + 2 * geometry.radius]; break;
    case "sphere": extents = [2 * geometry.radius, 2 * geometry.radius, 2 * geometry.radius]; break;
    case "mesh": {
      const { shape, scale } = geometry;
      if (!shape) return [];
      center = scale.map((factor, k) => (factor * (shape.low[k]! + shape.high[k]!)) / 2) as Triple;
      extents = scale.map((factor, k) => factor * (shape.high[k]! - shape.low[k]!)) as Triple;
      break;
    }
  }
  const placement = from_xyz_rpy(origin.xyz, origin.rpy);
  const corners: Triple[] = [];
  for (let k = 0; k < 8; ++k) {
    corners.push(transform_point(placement, extents.map((x, i) => center[i]! + (k & (1 << i) ? x : -x) / 2) as Triple));
  }
  return corners;
}

/**
 * Reach of the robot with its prismatic joints near their initial position. A prismatic joint in free fall would
 * leave every view.
 */
function farthest_reach(source: PoseSource, tips: readonly Triple[][]): number {
  const { model, samples } = source.run;
  const along = model.links.map(() => 0);
  let longest = 0;
  for (const joint of model.joints) {
    const moves = joint.type === "prismatic" || joint.type === "planar" || joint.type === "floating";
    const start = moves && joint.coordinate >= 0 ? Math.abs(samples.q_pose[joint.coordinate]![0]!) : 0;
    const travel = joint.type === "prismatic" ? Math.min(slide_travel(joint, samples.q_pose), longest) : start;
    along[joint.child] = along[joint.parent]! + Math.hypot(...joint.origin.xyz) + start + travel;
    longest = Math.max(longest, along[joint.child]!);
  }
  return Math.max(...tips.map((ends, i) => along[i]! + Math.max(...ends.map((tip) => Math.hypot(...tip)))), 1e-3);
}

function slide_travel(joint: Joint, q: readonly Float64Array[]): number {
  if (joint.coordinate < 0) return 0;
  const [low, high] = extent(q[joint.coordinate]!);
  return Math.abs(joint.multiplier) * (high - low);
}

/** `ghosts`: other motions of the same robot, to be in view too. */
export function frame(source: PoseSource, ghosts: readonly PoseSource[] = []): Framing {
  const { samples, model, gravity } = source.run;
  const up = up_of(gravity);
  const points: THREE.Vector3[] = [];
  const tips = model.links.map((link, i): Triple[] =>
    [[0, 0, 0], ...(has_shape(link) ? link.visuals.flatMap(visual_corners) : bone_ends(model, i))]);
  const reach = 1.1 * farthest_reach(source, tips);
  const add = (point: Triple): void => { if (Math.hypot(...point) <= reach) points.push(new THREE.Vector3(...point)); };
  for (const i of spread(samples.count, 48)) {
    for (const one of [source, ...ghosts]) {
      const { poses } = one.pose_at(samples.t[i]!);
      poses.links.forEach((pose, k) => tips[k]!.forEach((tip) => add(transform_point(pose, tip))));
    }
  }
  source.path(200).points.forEach(add);
  const box = new THREE.Box3().setFromPoints(points);
  // half the diagonal of the visited region is about the reach
  const size = Math.max(0.6 * box.getSize(new THREE.Vector3()).length(), 1e-3);
  const lowest = points.reduce((low, p) => Math.min(low, p.dot(up)), Infinity);
  return { up, size, level: ground_level(source, up, size, lowest), direction: view_direction(source, up), points };
}

/** Height of the ground: at the base, or below the motion if the robot moves below its base; none without gravity. */
function ground_level(source: PoseSource, up: THREE.Vector3, size: number, lowest: number): number {
  const floats = Math.hypot(...source.run.gravity) <= 1e-9;
  if (floats) return lowest - 0.2 * size;
  const moving = new Set(source.run.model.joints.map((joint) => joint.child));
  const feet = source.run.model.links.flatMap((link, i) => (moving.has(i) ? [] : link.visuals.flatMap(visual_corners)));
  const foot = feet.reduce((low, corner) => Math.min(low, new THREE.Vector3(...corner).dot(up)), 0);
  return lowest < foot - 0.02 * size ? lowest - 0.06 * size : foot;
}

/** Target and distance for which all points are in the view. */
export function fit(framing: Framing, camera: THREE.PerspectiveCamera): { target: THREE.Vector3; position: THREE.Vector3 } {
  const { direction, up, points, size } = framing;
  const right = up.clone().cross(direction).normalize();
  const above = direction.clone().cross(right);
  const box = (axis: THREE.Vector3): [number, number] => {
    const along = points.map((p) => p.dot(axis));
    return [Math.min(...along), Math.max(...along)];
  };
  const axes = [right, above, direction] as const;
  const target = new THREE.Vector3();
  for (const axis of axes) {
    const [low, high] = box(axis);
    target.addScaledVector(axis, (low + high) / 2);
  }
  const margin = 0.09 * size;
  const vertical = Math.tan(THREE.MathUtils.degToRad(camera.fov / 2));
  const horizontal = vertical * camera.aspect;
  let distance = 0.6 * size;
  for (const point of points) {
    const offset = point.clone().sub(target);
    const depth = offset.dot(direction);
    distance = Math.max(
      distance,
      depth + (Math.abs(offset.dot(right)) + margin) / horizontal,
      depth + (Math.abs(offset.dot(above)) + margin) / vertical,
    );
  }
  return { target, position: target.clone().addScaledVector(direction, distance) };
}
