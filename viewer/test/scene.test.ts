// SPDX-License-Identifier: Apache-2.0
// Geometry of the 3D view.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";
import { PoseSource } from "../src/data/pose_source";
import { read_run } from "../src/data/run";
import { frame } from "../src/scene/framing";
import { Ground } from "../src/scene/ground";
import { PushArrows } from "../src/scene/push_arrows";
import { visual_geometry } from "../src/scene/primitives";
import { RobotBody } from "../src/scene/robot";
import { bending, controlled_run, flexible_run, make_run, planar3, puma, stanford } from "./fixtures";

function meshes(object: THREE.Object3D): THREE.Mesh[] {
  return object.children.filter((child): child is THREE.Mesh => child instanceof THREE.Mesh);
}

test("the shape of a flexible link follows its deflection", () => {
  const run = read_run(flexible_run());
  const source = new PoseSource(run);
  const body = new RobotBody(run.model, 6, { color: "gray", ghost: null }, [1, 2]);
  const time = 2.6;
  const { poses, q, bends } = source.pose_at(time, 2);
  body.update(poses, q, bends);
  const tip = 2 * bending.amplitude * Math.sin(bending.frequency * time);
  const position = meshes(body.frame(1))[0]!.geometry.getAttribute("position");
  let checked = 0;
  // cross-sections stay plane, with centers on w(x) = tip (x / 6)^2, and rotate by its slope
  const straight = meshes(new RobotBody(run.model, 6, { color: "gray", ghost: null }, [1, 2]).frame(1))[0]!.geometry.getAttribute("position");
  for (let i = 0; i < position.count; ++i) {
    const [x, y, z] = [straight.getX(i), straight.getY(i), straight.getZ(i)];
    const slope = (2 * tip * x) / 36;
    const expected = [x - y * Math.sin(slope), tip * (x / 6) ** 2 + y * Math.cos(slope), z];
    const is = [position.getX(i), position.getY(i), position.getZ(i)];
    // vertices have single precision
    expected.forEach((value, k) => assert.ok(Math.abs(is[k]! - value) < 1e-6 * 6, `at x = ${x}`));
    ++checked;
  }
  assert.ok(checked > 40 * 10);
});

test("primitives follow URDF: cylinder along z, origin at its center", () => {
  const run = read_run(make_run(puma(), { count: 11 }));
  const body = new RobotBody(run.model, 1, { color: "gray", ghost: null }, []);
  const [column] = meshes(body.frame(0));
  column!.geometry.computeBoundingBox();
  const { min, max } = column!.geometry.boundingBox!;
  [[min.x, -0.09], [max.y, 0.09], [min.z, -0.58], [max.z, -0.08]].forEach(([is, should]) => assert.ok(Math.abs(is! - should!) < 1e-3));
  assert.equal(meshes(body.frame(2)).length, 2, "a link with two visuals");
  assert.equal(meshes(body.frame(7)).length, 0, "a massless frame has no body");
});

test("a link without geometry is drawn as bones to its joints", () => {
  const run = read_run(make_run(planar3(), { count: 11 }));
  const body = new RobotBody(run.model, 3, { color: "gray", ghost: null }, []);
  for (const link of [1, 2, 3]) {
    const reach = meshes(body.frame(link)).map((mesh) => {
      mesh.geometry.computeBoundingBox();
      return mesh.geometry.boundingBox!.max.x;
    });
    assert.ok(Math.max(...reach) >= 1 && Math.max(...reach) < 1.1, `link${link} reaches its end (${reach.join(", ")})`);
  }
});

test("up is opposite to gravity and the complete motion is in view", () => {
  const across = frame(new PoseSource(read_run(make_run(planar3()))));
  assert.ok(across.up.distanceTo(new THREE.Vector3(0, 1, 0)) < 1e-12);
  assert.ok(across.direction.z > 0.9, "a planar arm is seen from the side");
  assert.ok(across.level < 0 && across.points.every((point) => point.y > across.level));
  const space = frame(new PoseSource(read_run(flexible_run())));
  assert.ok(space.up.distanceTo(new THREE.Vector3(0, 0, 1)) < 1e-12);
});

test("the reference is in view too", () => {
  const run = read_run(controlled_run());
  const reference = new PoseSource(run, run.samples.desired_q!);
  const extent_of = (points: THREE.Vector3[]): number => new THREE.Box3().setFromPoints(points).getSize(new THREE.Vector3()).length();
  const [alone, both] = [frame(new PoseSource(run)), frame(new PoseSource(run), [reference])];
  assert.ok(extent_of(both.points) > 1.01 * extent_of(alone.points), `${extent_of(both.points)} m beside ${extent_of(alone.points)} m`);
});

test("the grid is perpendicular to gravity at ground level", () => {
  for (const up of [new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1), new THREE.Vector3(2, -3, 6).divideScalar(7)]) {
    const { group } = new Ground(up, 2, -0.7);
    group.updateMatrixWorld(true);
    const heights: number[] = [];
    group.traverse((object) => {
      if (!(object instanceof THREE.Mesh)) return;
      const position = object.geometry.getAttribute("position");
      for (let i = 0; i < position.count; ++i) heights.push(new THREE.Vector3().fromBufferAttribute(position, i).applyMatrix4(object.matrixWorld).dot(up));
    });
    assert.ok(heights.length >= 50, "grid and shadow");
    heights.forEach((height) => assert.ok(Math.abs(height + 0.7) < 1e-5));
  }
});

test("a prismatic joint in free fall does not change the scale", () => {
  const json = make_run(stanford());
  const near = frame(new PoseSource(read_run(json)));
  json.samples.q[2] = json.samples.t.map((t: number) => 5 * t * t);
  const far = frame(new PoseSource(read_run(json)));
  assert.ok(far.size < 3 * near.size, `${far.size} m beside ${near.size} m`);
});

test("a capsule is along z with a hemisphere at each end", () => {
  const run = make_run(planar3(), { count: 3 });
  run.model.links[0].visuals = [{ origin: { xyz: [1, 0, 0], rpy: [0, 0, 0] }, geometry: { type: "capsule", radius: 0.1, length: 0.4 }, color: [1, 0, 0, 1] }];
  const { geometry, origin } = read_run(run).model.links[0]!.visuals[0]!;
  const shape = visual_geometry(geometry, origin)!;
  shape.computeBoundingBox();
  const { min, max } = shape.boundingBox!;
  [[min.x, 0.9], [max.x, 1.1], [max.y, 0.1], [min.z, -0.3], [max.z, 0.3]].forEach(([is, should]) => assert.ok(Math.abs(is! - should!) < 1e-3));
});

test("an arrow has the direction of a push and ends at its point, while the push acts", () => {
  const run = read_run(controlled_run());
  const source = new PoseSource(run);
  const arrows = new PushArrows(run.pushes, 1);
  const tips = (time: number): (THREE.Vector3 | null)[] => {
    const { poses, bends } = source.pose_at(time);
    arrows.update(time, poses, bends);
    arrows.group.updateMatrixWorld(true);
    return arrows.group.children.map((holder) => {
      if (!holder.visible) return null;
      const tip = new THREE.Vector3(-Infinity, 0, 0);
      holder.traverse((object) => {
        if (!(object instanceof THREE.Mesh)) return;
        const position = object.geometry.getAttribute("position");
        for (let i = 0; i < position.count; ++i) {
          const at = new THREE.Vector3().fromBufferAttribute(position, i).applyMatrix4(object.matrixWorld);
          // the farthest point along the force of the first push
          if (tip.x === -Infinity || at.y > tip.y) tip.copy(at);
        }
      });
      return tip;
    });
  };
  assert.deepEqual(tips(1), [null, null]);
  const [tip, other] = tips(2.2);
  assert.equal(other, null);
  const { poses } = source.pose_at(2.2);
  const point = new THREE.Vector3(0, -0.15, 0).applyMatrix4(new THREE.Matrix4().fromArray(Array.from(poses.links[3]!)));
  assert.ok(tip!.distanceTo(point) < 1e-6, `${tip!.toArray().join()} instead of ${point.toArray().join()}`);
});

test("an arrow on a flexible link follows its deflection", () => {
  const json = flexible_run();
  json.pushes = [{ link: "upper", start: 0, end: 9, force: [0, 0, -1], point: [6, 0, 0] }];
  const run = read_run(json);
  const source = new PoseSource(run);
  const arrows = new PushArrows(run.pushes, 1);
  const { poses, bends } = source.pose_at(2.6);
  arrows.update(2.6, poses, bends);
  const at = new THREE.Vector3().setFromMatrixPosition(arrows.group.children[0]!.matrix);
  const elbow = new THREE.Vector3().setFromMatrixPosition(new THREE.Matrix4().fromArray(Array.from(poses.links[2]!)));
  assert.ok(at.distanceTo(elbow) < 1e-12, "the elbow is at the end of the beam");
});
