// SPDX-License-Identifier: Apache-2.0
// Where the links are, against an independent computation and by hand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Kinematics } from "../src/data/kinematics";
import { read_model } from "../src/data/model";
import { PoseSource } from "../src/data/pose_source";
import { read_run } from "../src/data/run";
import { Curve } from "../src/data/shape";
import { bending, flexible_run, make_run, planar3, puma, stanford } from "./fixtures";
import type { ModelJson } from "./fixtures";
import { pose_difference, reference_pose } from "./reference";

function check(model: ModelJson, q: number[]): void {
  const kinematics = new Kinematics(read_model(model));
  const poses = kinematics.pose(q, kinematics.make_poses());
  model.links.forEach((link, i) => {
    assert.ok(pose_difference(reference_pose(model, link.name, q), poses.links[i]!) < 1e-12, `${model.name} ${link.name}`);
  });
}

test("links are where an independent computation puts them", () => {
  for (const model of [puma(), planar3(), stanford()]) {
    for (let k = 0; k < 20; ++k) check(model, model.coordinates.map((_, i) => 2 * Math.sin(1 + 7 * k + 3 * i)));
  }
});

test("axes of any direction and length, planar and floating joints", () => {
  const model = puma();
  model.joints[1]!.axis = [1, 2, -3];
  model.joints[2]!.origin.rpy = [0.3, -0.7, 1.9];
  check(model, [0.4, -1, 2, 0.1, 0.2, 0.3]);
  const body = planar3();
  body.joints = [
    { ...body.joints[0]!, type: "floating", coordinate: 0 },
    { ...body.joints[1]!, type: "planar", coordinate: 6 },
    { ...body.joints[2]!, coordinate: 9 },
  ];
  body.coordinates = ["x", "y", "z", "roll", "pitch", "yaw", "px", "py", "pyaw", "joint3"];
  body.units = body.coordinates.map(() => "rad");
  check(body, [0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 1.1, -1.2, 1.3, 0.7]);
});

test("the planar arm by hand", () => {
  const kinematics = new Kinematics(read_model(planar3()));
  const { links } = kinematics.pose([Math.PI / 2, -Math.PI / 2, 0], kinematics.make_poses());
  const place = Array.from(links[3]!.subarray(12, 15));
  [1, 1, 0].forEach((x, k) => assert.ok(Math.abs(place[k]! - x) < 1e-15));
});

test("a curve goes through its points and knows a parabola's slope", () => {
  const x = [0, 0.2, 0.5, 0.8, 1];
  const curve = new Curve(x, x.map((s) => 3 * s * s - s));
  for (const s of [0, 0.1, 0.33, 0.5, 0.99, 1]) {
    assert.ok(Math.abs(curve.at(s).value - (3 * s * s - s)) < 1e-12);
    assert.ok(Math.abs(curve.at(s).slope - (6 * s - 1)) < 1e-12);
  }
});

test("what sits on a bent link moves and turns with it", () => {
  const run = read_run(flexible_run());
  const source = new PoseSource(run);
  const time = 2.6;
  const scale = 3;
  const { q, poses } = source.pose_at(time, scale);
  const w = scale * bending.amplitude * Math.sin(bending.frequency * time);
  const slope = Math.atan((2 * w) / 6);
  const elbow = [6 * Math.cos(q[0]!) - w * Math.sin(q[0]!), 6 * Math.sin(q[0]!) + w * Math.cos(q[0]!)];
  const direction = q[0]! + slope + q[1]!;
  const hand = [
    elbow[0]! + 6 * Math.cos(direction) - w * Math.sin(direction),
    elbow[1]! + 6 * Math.sin(direction) + w * Math.cos(direction),
  ];
  hand.forEach((x, k) => assert.ok(Math.abs(poses.links[3]![12 + k]! - x) < 1e-9));
});

test("the path is the recorded one where there is one, else the end effector's", () => {
  const json = make_run(planar3(), { count: 11 });
  const source = new PoseSource(read_run(json));
  const { points, times } = source.path(100);
  assert.equal(times.length, 11);
  const pose = reference_pose(json.model, "link3", json.samples.q.map((column: number[]) => column[7]!));
  pose.position.forEach((x, k) => assert.ok(Math.abs(points[7]![k]! - x) < 1e-12));
  json.samples.end_effector = [0, 1, 2].map((k) => Array.from({ length: 11 }, (_, i) => (i === 3 ? null : k + i)));
  const recorded = new PoseSource(read_run(json)).path(100);
  assert.equal(recorded.points.length, 10, "a point that is no number is left out");
  assert.deepEqual(recorded.points[0], [0, 1, 2]);
});
