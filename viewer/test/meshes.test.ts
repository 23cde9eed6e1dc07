// SPDX-License-Identifier: Apache-2.0
// Meshes: reading of the embedded files, normals, and the notices about missing ones.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as THREE from "three";
import { attach_meshes, has_shape, make_shape, missing_meshes_text, reverse_triangles } from "../src/data/mesh";
import { PoseSource } from "../src/data/pose_source";
import { read_run } from "../src/data/run";
import { creased_normals } from "../src/meshes/creased_normals";
import { load_meshes, parse_meshes } from "../src/meshes/load_meshes";
import { frame } from "../src/scene/framing";
import { RobotBody } from "../src/scene/robot";
import { make_run, planar3 } from "./fixtures";
import { box_obj, box_stl, embedded } from "./mesh_files";

async function load(files: Record<string, unknown>, problems: string[] = []) {
  return load_meshes(parse_meshes(JSON.stringify({ files, problems }))!);
}

test("STL and OBJ files are read with the loaders of three.js", async () => {
  const { shapes, problems } = await load({
    "a.stl": embedded("stl", box_stl([1, 2, 3])),
    "b.obj": embedded("obj", box_obj([1, 2, 3]), "newmtl green\nKd 0 1 0\n"),
    "c.obj": embedded("obj", box_obj([1, 2, 3])),
  });
  assert.deepEqual(problems, []);
  for (const name of ["a.stl", "b.obj", "c.obj"]) {
    const shape = shapes.get(name)!;
    assert.deepEqual([shape.low, shape.high], [[0, 0, 0], [1, 2, 3]], name);
    assert.equal(shape.parts.reduce((sum, part) => sum + part.position.length, 0), 12 * 9, name);
  }
  assert.equal(shapes.get("a.stl")!.parts[0]!.color, null);
  assert.deepEqual(shapes.get("b.obj")!.parts[0]!.color!.map((x) => Math.round(100 * x)), [0, 100, 0, 100]);
  assert.equal(shapes.get("c.obj")!.parts[0]!.color, null, "without a material file the URDF's color is used");
});

test("a file that cannot be read is a problem, and the others are loaded", async () => {
  const { shapes, problems } = await load({
    "good.stl": embedded("stl", box_stl([1, 1, 1])),
    "cut.stl": { format: "stl", data: embedded("stl", box_stl([1, 1, 1])).data.slice(0, 40) },
    "text.stl": { format: "stl", data: "?" },
    "faceless.obj": embedded("obj", "v 0 0 0\n"),
    "new.ply": embedded("ply", "ply"),
  }, ["link 'a': mesh 'b': is missing"]);
  assert.deepEqual([...shapes.keys()], ["good.stl"]);
  assert.equal(problems.length, 5);
  for (const name of ["link 'a'", "cut.stl", "text.stl", "faceless.obj", "new.ply"]) {
    assert.ok(problems.some((text) => text.includes(name)), name);
  }
  assert.equal(parse_meshes("null"), null);
  assert.equal(parse_meshes("__DYNAMICS_MESHES__"), null);
  assert.throws(() => parse_meshes('{"files": []}'), /meshes\.files is an array/);
});

test("normals are sharp at the edges of a box and smooth on a sphere", () => {
  const normals = (geometry: THREE.BufferGeometry): [Float32Array, Float32Array] => {
    const flat = geometry.toNonIndexed();
    const position = flat.getAttribute("position").array as Float32Array;
    return [position, creased_normals(position, 0.6)];
  };
  const [box, of_box] = normals(new THREE.BoxGeometry(1, 1, 1));
  for (let i = 0; i < box.length; i += 3) {
    const axis = [0, 1, 2].filter((k) => Math.abs(of_box[i + k]!) > 0.999);
    assert.equal(axis.length, 1, "along an axis");
    assert.equal(Math.sign(of_box[i + axis[0]!]!), Math.sign(box[i + axis[0]!]!), "to the outside");
  }
  const [sphere, of_sphere] = normals(new THREE.SphereGeometry(1, 48, 32));
  for (let i = 0; i < sphere.length; i += 3) {
    const dot = sphere[i]! * of_sphere[i]! + sphere[i + 1]! * of_sphere[i + 1]! + sphere[i + 2]! * of_sphere[i + 2]!;
    // triangles without area at the poles have no normal of their own
    if (Math.abs(sphere[i + 1]!) < 0.99) assert.ok(dot > 0.995, `normal ${dot} at ${sphere.slice(i, i + 3).join()}`);
  }
});

function robot_with(shape: { filename: string; scale?: number[]; xyz?: number[] }) {
  const json = make_run(planar3(), { count: 3 });
  json.model.links[1].visuals = [{ origin: { xyz: shape.xyz ?? [0, 0, 0], rpy: [0, 0, 0] }, geometry: { type: "mesh", filename: shape.filename, scale: shape.scale }, color: [1, 0, 0, 1] }];
  return read_run(json);
}

test("scale and origin place a mesh; a reflection keeps its outside outside", async () => {
  const { shapes } = await load({ "a.stl": embedded("stl", box_stl([1, 2, 3])) });
  const run = robot_with({ filename: "a.stl", scale: [0.1, -0.1, 0.2], xyz: [0, 0, 1] });
  attach_meshes(run.model, shapes);
  const body = new RobotBody(run.model, 1, { color: "gray", ghost: null }, []);
  const near = (is: number[], should: number[]): void => should.forEach((x, k) => assert.ok(Math.abs(is[k]! - x) < 1e-6, `${is.join()}`));
  near(body.bounds(1)!, [0, -0.2, 1, 0.1, 0, 1.6]);
  const mesh = body.frame(1).children[0] as THREE.Mesh<THREE.BufferGeometry, THREE.MeshStandardMaterial>;
  assert.equal(mesh.material.color.getHex(), 0xff0000, "STL has the color of the URDF");
  // normals and the order of the corners agree, and both point to the outside
  const position = mesh.geometry.getAttribute("position");
  const normal = mesh.geometry.getAttribute("normal");
  const point = (k: number): THREE.Vector3 => new THREE.Vector3().fromBufferAttribute(position, k);
  const center = new THREE.Vector3(0.05, -0.1, 1.3);
  for (let i = 0; i < position.count; i += 3) {
    const face = point(i + 1).sub(point(i)).cross(point(i + 2).sub(point(i)));
    assert.ok(face.dot(point(i).sub(center)) > 0);
    assert.ok(face.normalize().dot(new THREE.Vector3().fromBufferAttribute(normal, i)) > 0.999);
  }
});

test("framing contains the mesh", async () => {
  const run = robot_with({ filename: "a.stl" });
  const small = frame(new PoseSource(run)).size;
  attach_meshes(run.model, (await load({ "a.stl": embedded("stl", box_stl([20, 20, 20])) })).shapes);
  assert.ok(frame(new PoseSource(run)).size > 3 * small);
});

test("a link whose mesh is missing is drawn as bones and reported", async () => {
  const { shapes } = await load({ "a.stl": embedded("stl", box_stl([1, 2, 3])) });
  const run = robot_with({ filename: "b.stl" });
  attach_meshes(run.model, shapes);
  assert.equal(has_shape(run.model.links[1]!), false);
  const bones = new RobotBody(run.model, 3, { color: "gray", ghost: null }, []).bounds(1)!;
  assert.ok(bones[3]! > 0.9, "a bone to the next joint");
  assert.match(missing_meshes_text(run.model, false)!, /^Meshes are not part of the page: link1 is drawn as bones.*--meshes/);
  assert.match(missing_meshes_text(run.model, true)!, /^Some meshes are not part of the page: link1 is drawn as bones/);
  run.model.links[1]!.visuals = [];
  assert.equal(missing_meshes_text(run.model, true), null);
});

test("reversed triangles have the opposite normal", () => {
  const numbers = Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0]);
  assert.deepEqual([...creased_normals(numbers, 1).slice(0, 3)], [0, 0, 1]);
  reverse_triangles(numbers);
  assert.deepEqual([...creased_normals(numbers, 1).slice(0, 3)], [0, 0, -1]);
  assert.throws(() => make_shape([]), /no triangles/);
});
