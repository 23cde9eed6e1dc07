// SPDX-License-Identifier: Apache-2.0
// Shapes in the link frame: URDF primitives, meshes and rods.

import * as THREE from "three";
import { from_xyz_rpy } from "../data/matrix";
import { reverse_triangles } from "../data/mesh";
import type { MeshPart } from "../data/mesh";
import type { Geometry, Origin } from "../data/model";
import type { Triple } from "../data/readers";

export function matrix4(m: ArrayLike<number>): THREE.Matrix4 {
  return new THREE.Matrix4().fromArray(Array.from(m));
}

export function origin_matrix(origin: Origin): THREE.Matrix4 {
  return matrix4(from_xyz_rpy(origin.xyz, origin.rpy));
}

/** A primitive with its origin applied; segments > 1 subdivides it for bending. Null for a mesh. */
export function visual_geometry(geometry: Geometry, origin: Origin, segments = 1): THREE.BufferGeometry | null {
  let shape: THREE.BufferGeometry;
  switch (geometry.type) {
    case "box": {
      // subdivided along the longest side only
      const longest = geometry.size.indexOf(Math.max(...geometry.size));
      const cuts = [0, 1, 2].map((k) => (k === longest ? segments : 1)) as Triple;
      shape = new THREE.BoxGeometry(...geometry.size, ...cuts);
      break;
    }
    case "cylinder":
      // cylinders are along y in three.js and along z in URDF
      shape = new THREE.CylinderGeometry(geometry.radius, geometry.radius, geometry.length, 40, segments).rotateX(Math.PI / 2);
      break;
    case "capsule":
      shape = new THREE.CapsuleGeometry(geometry.radius, geometry.length, 12, 40, segments).rotateX(Math.PI / 2);
      break;
    case "sphere":
      shape = new THREE.SphereGeometry(geometry.radius, 36, 24);
      break;
    case "mesh":
      return null;
  }
  return shape.applyMatrix4(origin_matrix(origin));
}

/** Mesh coordinates to the link frame: scale, then origin. */
export function mesh_matrix(scale: Triple, origin: Origin): THREE.Matrix4 {
  return origin_matrix(origin).multiply(new THREE.Matrix4().makeScale(...scale));
}

/** Triangles of a part of a mesh in the link frame. */
export function mesh_geometry(part: MeshPart, placement: THREE.Matrix4): THREE.BufferGeometry {
  const attribute = (numbers: Float32Array): THREE.BufferAttribute => {
    const copy = numbers.slice();
    // a reflection turns the triangles inside out
    if (placement.determinant() < 0) reverse_triangles(copy);
    return new THREE.BufferAttribute(copy, 3);
  };
  return new THREE.BufferGeometry()
    .setAttribute("position", attribute(part.position))
    .setAttribute("normal", attribute(part.normal))
    .applyMatrix4(placement);
}

/** A rod with round ends between two points; null if they coincide. */
export function bone_geometry(from: Triple, to: Triple, radius: number, segments = 1): THREE.BufferGeometry | null {
  const a = new THREE.Vector3(...from);
  const b = new THREE.Vector3(...to);
  const length = a.distanceTo(b);
  if (length < 1e-6) return null;
  const shape = new THREE.CapsuleGeometry(radius, length, 8, 24, segments);
  const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), b.clone().sub(a).divideScalar(length));
  return shape.applyQuaternion(turn).translate(...a.add(b).multiplyScalar(0.5).toArray());
}
