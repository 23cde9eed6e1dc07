// SPDX-License-Identifier: Apache-2.0
// Forward kinematics compared with an independent implementation, with dynamics_core and with closed forms.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Bend } from "../src/data/beam";
import type { BeamShapes } from "../src/data/beam";
import { Kinematics } from "../src/data/kinematics";
import { transform_point } from "../src/data/matrix";
import { read_model } from "../src/data/model";
import { PoseSource } from "../src/data/pose_source";
import { read_run } from "../src/data/run";
import { bending, flexible_run, make_run, planar3, puma, stanford } from "./fixtures";
import type { ModelJson } from "./fixtures";
import frames from "./frames.json";
import { pose_difference, reference_pose } from "./reference";
import type { ReferencePose } from "./reference";

function check(model: ModelJson, q: number[]): void {
  const kinematics = new Kinematics(read_model(model));
  const poses = kinematics.pose(q, kinematics.make_poses());
  model.links.forEach((link, i) => {
    assert.ok(pose_difference(reference_pose(model, link.name, q), poses.links[i]!) < 1e-12, `${model.name} ${link.name}`);
  });
}

test("link poses match the independent implementation", () => {
  for (const model of [puma(), planar3(), stanford()]) {
    for (let k = 0; k < 20; ++k) check(model, model.coordinates.map((_, i) => 2 * Math.sin(1 + 7 * k + 3 * i)));
  }
});

test("supports arbitrary axes, planar and floating joints", () => {
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

test("planar arm matches the closed form", () => {
  const kinematics = new Kinematics(read_model(planar3()));
  const { links } = kinematics.pose([Math.PI / 2, -Math.PI / 2, 0], kinematics.make_poses());
  const place = Array.from(links[3]!.subarray(12, 15));
  [1, 1, 0].forEach((x, k) => assert.ok(Math.abs(place[k]! - x) < 1e-15));
});

// runs and frame poses computed by dynamics_core; written and checked by its page_frames_test
interface FrameCase {
  name: string;
  run: unknown;
  /** By link and sample: x, y, z and the rotation matrix by rows. */
  frames: Record<string, number[][]>;
}

for (const { name, run: json, frames: expected } of frames as unknown as FrameCase[]) {
  test(`frame poses match dynamics_core: ${name}`, () => {
    const run = read_run(json);
    const source = new PoseSource(run);
    const links = Object.entries(expected);
    assert.equal(links.length, run.model.links.length);
    const reach = Math.max(...links.flatMap(([, poses]) => poses.map(([x, y, z]) => Math.hypot(x!, y!, z!))));
    assert.ok(reach > 1, `the reach is ${reach} m`);
    let compared = 0;
    run.samples.t.forEach((time, sample) => {
      const { poses } = source.pose_at(time);
      for (const [link, computed] of links) {
        const [x, y, z, ...rotation] = computed[sample]!;
        const core: ReferencePose = {
          position: [x!, y!, z!],
          rotation: [0, 3, 6].map((row) => rotation.slice(row, row + 3) as [number, number, number]),
        };
        const index = run.model.links.findIndex((candidate) => candidate.name === link);
        // rotation errors are weighted by the reach
        const apart = pose_difference(core, poses.links[index]!, reach) / reach;
        assert.ok(apart <= 1e-9, `${link} at ${time} s is drawn ${apart} of the reach from where the core has it`);
        ++compared;
      }
    });
    assert.equal(compared, 4 * links.length);
  });
}

test("beam interpolation follows the mode shapes and keeps the length", () => {
  // y = d sin^2 x and z = e sin^2 x on a beam of 2 m; the integral of (2 sin x cos x)^2 is x/2 - sin(4x)/8
  const length = 2;
  const x = Float64Array.from({ length: 9 }, (_, k) => (length * k) / 8);
  const mode = { value: x.map((s) => Math.sin(s) ** 2), slope: x.map((s) => Math.sin(2 * s)), curvature: x.map((s) => 2 * Math.cos(2 * s)) };
  const square = x.map((s) => s / 2 - Math.sin(4 * s) / 8);
  const shapes: BeamShapes = {
    amplitude: 0, x, modes: [mode, mode], modes_y: 1, shortening: [{ j: 0, k: 0, value: square }, { j: 1, k: 1, value: square }],
  };
  const [d, e] = [0.4, -0.3];
  const bend = new Bend(length, shapes, [d, e]);
  for (const s of [0, 0.1, 0.33, 0.5, 1.234, 1.99, 2]) {
    const { section, rest } = bend.section_of(s);
    assert.equal(rest, 0);
    const place = [s - ((d * d + e * e) / 2) * (s / 2 - Math.sin(4 * s) / 8), d * Math.sin(s) ** 2, e * Math.sin(s) ** 2];
    place.forEach((value, k) => assert.ok(Math.abs(section[12 + k]! - value) < 1e-6, `x = ${s}`));
    // Rz(y') Ry(-z') maps x to (cos y' cos z', sin y' cos z', sin z')
    const [slope_y, slope_z] = [d * Math.sin(2 * s), e * Math.sin(2 * s)];
    const direction = [Math.cos(slope_y) * Math.cos(slope_z), Math.sin(slope_y) * Math.cos(slope_z), Math.sin(slope_z)];
    direction.forEach((value, k) => assert.ok(Math.abs(section[k]! - value) < 1e-5, `x = ${s}`));
  }
  // points beyond the end move with the last cross-section, points before the root do not move
  const beyond = bend.section_of(2.5);
  assert.equal(beyond.rest, 0.5);
  assert.deepEqual(transform_point(bend.section_of(-0.5).section, [-0.5, 0.1, 0.2]), [-0.5, 0.1, 0.2]);
});

test("joints on a flexible link move and rotate with it", () => {
  const run = read_run(flexible_run());
  const source = new PoseSource(run);
  const time = 2.6;
  const scale = 3;
  const { q, poses } = source.pose_at(time, scale);
  const w = scale * bending.amplitude * Math.sin(bending.frequency * time);
  const slope = (2 * w) / 6;
  const elbow = [6 * Math.cos(q[0]!) - w * Math.sin(q[0]!), 6 * Math.sin(q[0]!) + w * Math.cos(q[0]!)];
  const direction = q[0]! + slope + q[1]!;
  const hand = [
    elbow[0]! + 6 * Math.cos(direction) - w * Math.sin(direction),
    elbow[1]! + 6 * Math.sin(direction) + w * Math.cos(direction),
  ];
  hand.forEach((x, k) => assert.ok(Math.abs(poses.links[3]![12 + k]! - x) < 1e-9));
  // the desired motion is rigid
  const rigid = new PoseSource(run, run.samples.q).pose_at(time, scale);
  const straight = [6 * Math.cos(q[0]!) + 6 * Math.cos(q[0]! + q[1]!), 6 * Math.sin(q[0]!) + 6 * Math.sin(q[0]! + q[1]!)];
  straight.forEach((x, k) => assert.ok(Math.abs(rigid.poses.links[3]![12 + k]! - x) < 1e-12));
});

test("invalid mode shapes are errors, missing ones are notices", () => {
  const refused = (change: (shapes: any) => void, message: RegExp): void => { // eslint-disable-line @typescript-eslint/no-explicit-any
    const json = structuredClone(flexible_run({ count: 3 }));
    change(json.model.links[1].flexible.shapes);
    assert.throws(() => read_run(json), message);
  };
  refused((shapes) => { shapes.x = [0, 1, 2, 5]; }, /flexible\.shapes\.x must increase from 0 to the length 6/);
  refused((shapes) => { shapes.modes[0].slope = [0]; }, /modes\[0\]\.slope has 1 values/);
  refused((shapes) => { shapes.modes.push(shapes.modes[0]); }, /2 entries; 1 along y and 0 along z/);
  refused((shapes) => { shapes.amplitude = 2; }, /Link 'upper' uses the amplitudes 2 to 2; samples\.amplitudes has 2/);
  refused((shapes) => { shapes.shortening = [{ modes: [0, 1], value: [0, 0, 0, 0] }]; }, /two of the 1 modes/);
  const old = flexible_run({ count: 3 });
  for (const link of old.model.links) if (link.flexible) delete link.flexible.shapes;
  assert.match(read_run(old).notices.map((notice) => notice.text).join(), /drawn straight/);
});

test("the path is the recorded one, otherwise computed from the end effector", () => {
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
