// SPDX-License-Identifier: Apache-2.0
// The robot: visual geometry and meshes, rods ("bones") for links without geometry, and deflected flexible links.

import * as THREE from "three";
import type { Bend } from "../data/beam";
import type { Poses } from "../data/kinematics";
import { joint_value } from "../data/kinematics";
import { normalized, transform_point } from "../data/matrix";
import { has_shape } from "../data/mesh";
import type { Link, Model } from "../data/model";
import type { Triple } from "../data/readers";
import { bone_geometry, mesh_geometry, mesh_matrix, visual_geometry } from "./primitives";

export interface BodyStyle {
  /** Color of bones and of links without color. */
  color: THREE.ColorRepresentation;
  /** A ghost is translucent, has one color and casts no shadow. */
  ghost: THREE.ColorRepresentation | null;
}

interface BendingMesh {
  link: number;
  mesh: THREE.Mesh;
  straight: Float32Array;
}

interface SlidingRod {
  joint: number;
  rod: THREE.Mesh;
}

const bend_segments = 48;

/** End points of the bones of a link without geometry, in its frame. */
export function bone_ends(model: Model, i: number): Triple[] {
  const link = model.links[i]!;
  const ends = model.joints.filter((joint) => joint.parent === i).map((joint) => joint.origin.xyz);
  if (link.flexible) ends.push([link.flexible.length, 0, 0]);
  // the last link of a chain has no child joint: use its center of mass
  if (ends.length === 0 && link.mass > 0) ends.push(link.com.map((x) => 2 * x) as Triple);
  return ends;
}

export class RobotBody {
  readonly group = new THREE.Group();
  private readonly links: THREE.Group[];
  private readonly bending: BendingMesh[] = [];
  private readonly rods: SlidingRod[] = [];
  private readonly plain: THREE.MeshStandardMaterial;
  private readonly plain_part: THREE.MeshStandardMaterial;
  private readonly flexible_links: Set<number>;

  constructor(private readonly model: Model, size: number, private readonly style: BodyStyle, deflected: Iterable<number>) {
    this.flexible_links = new Set(deflected);
    this.plain = this.material(null);
    this.plain_part = this.material(null);
    this.links = model.links.map((link) => {
      const group = new THREE.Group();
      group.name = link.name;
      group.matrixAutoUpdate = false;
      this.group.add(group);
      return group;
    });
    model.links.forEach((link, i) => (has_shape(link) ? this.add_visuals(link, i) : this.add_bones(i, 0.022 * size)));
    this.add_joint_knobs(0.034 * size);
    this.add_rods(0.014 * size);
  }

  /** Scene object of a link. */
  frame(link: number): THREE.Object3D {
    return this.links[link]!;
  }

  /** Lowest and highest coordinates of the shapes of a link, in its frame; null if there are none. */
  bounds(link: number): number[] | null {
    const box = new THREE.Box3();
    for (const object of this.links[link]!.children) {
      if (!(object instanceof THREE.Mesh)) continue;
      const { geometry } = object as THREE.Mesh<THREE.BufferGeometry>;
      geometry.computeBoundingBox();
      object.updateMatrix();
      box.union(geometry.boundingBox!.clone().applyMatrix4(object.matrix));
    }
    return box.isEmpty() ? null : [...box.min.toArray(), ...box.max.toArray()];
  }

  set_plain_color(color: THREE.ColorRepresentation): void {
    if (this.style.ghost !== null) return;
    for (const material of [this.plain, this.plain_part]) material.color.set(color);
  }

  update(poses: Poses, q: ArrayLike<number>, bends: ReadonlyMap<number, Bend>): void {
    this.links.forEach((group, i) => {
      group.matrix.fromArray(poses.links[i]! as unknown as number[]);
      group.matrixWorldNeedsUpdate = true;
    });
    for (const { link, mesh, straight } of this.bending) {
      const bend = bends.get(link);
      if (bend) bend_mesh(mesh, straight, bend);
    }
    for (const { joint, rod } of this.rods) {
      const length = joint_value(this.model.joints[joint]!, q);
      rod.scale.y = Math.max(Math.abs(length), 1e-6);
      const axis = normalized(this.model.joints[joint]!.axis);
      // the rod is attached to the child and ends at the joint origin
      rod.position.set(...(axis.map((x) => (-x * length) / 2) as Triple));
    }
  }

  private material(color: [number, number, number, number] | null): THREE.MeshStandardMaterial {
    if (this.style.ghost !== null) {
      return new THREE.MeshStandardMaterial({
        color: this.style.ghost, transparent: true, opacity: 0.28, roughness: 0.9, depthWrite: false,
        // draw the robot in front of a coincident ghost
        depthFunc: THREE.LessDepth, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 2,
      });
    }
    const material = new THREE.MeshStandardMaterial({ color: this.style.color, roughness: 0.55, metalness: 0.08 });
    if (color) {
      material.color.setRGB(color[0], color[1], color[2], THREE.SRGBColorSpace);
      if (color[3] < 1) {
        material.transparent = true;
        material.opacity = color[3];
      }
    }
    return material;
  }

  /** Both sides of a triangle are drawn: not all files have their corners in the right order. */
  private part_material(color: [number, number, number, number] | null): THREE.Material {
    const material = color ? this.material(color) : this.plain_part;
    material.side = THREE.DoubleSide;
    return material;
  }

  private add_mesh(link: number, geometry: THREE.BufferGeometry, material: THREE.Material): THREE.Mesh {
    const mesh = new THREE.Mesh(geometry, material);
    mesh.castShadow = this.style.ghost === null;
    mesh.receiveShadow = mesh.castShadow;
    if (this.style.ghost !== null) mesh.renderOrder = 2;
    this.links[link]!.add(mesh);
    if (this.flexible_links.has(link)) {
      mesh.frustumCulled = false;
      this.bending.push({ link, mesh, straight: Float32Array.from(geometry.getAttribute("position").array) });
    }
    return mesh;
  }

  private add_visuals(link: Link, i: number): void {
    const segments = this.flexible_links.has(i) ? bend_segments : 1;
    for (const visual of link.visuals) {
      if (visual.geometry.type === "mesh") {
        const { shape, scale } = visual.geometry;
        const placement = mesh_matrix(scale, visual.origin);
        for (const part of shape?.parts ?? []) this.add_mesh(i, mesh_geometry(part, placement), this.part_material(part.color ?? visual.color));
        continue;
      }
      const geometry = visual_geometry(visual.geometry, visual.origin, segments);
      if (geometry) this.add_mesh(i, geometry, visual.color ? this.material(visual.color) : this.plain);
    }
  }

  private add_bones(i: number, radius: number): void {
    const ends = bone_ends(this.model, i);
    const segments = this.flexible_links.has(i) ? bend_segments : 1;
    for (const end of ends) {
      const geometry = bone_geometry([0, 0, 0], end, radius, segments);
      if (geometry) this.add_mesh(i, geometry, this.plain);
    }
  }

  /** Revolute joints between bones are drawn as short cylinders along their axis. */
  private add_joint_knobs(radius: number): void {
    for (const joint of this.model.joints) {
      if (joint.type !== "revolute" && joint.type !== "continuous") continue;
      if (has_shape(this.model.links[joint.child]!) || has_shape(this.model.links[joint.parent]!)) continue;
      const axis = normalized(joint.axis);
      const drum = new THREE.CylinderGeometry(radius, radius, 2.4 * radius, 32)
        .applyQuaternion(new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), new THREE.Vector3(...axis)));
      const mesh = new THREE.Mesh(drum, this.plain);
      mesh.castShadow = this.style.ghost === null;
      this.links[joint.child]!.add(mesh);
    }
  }

  private add_rods(radius: number): void {
    this.model.joints.forEach((joint, i) => {
      if (joint.type !== "prismatic") return;
      if (has_shape(this.model.links[joint.child]!) && has_shape(this.model.links[joint.parent]!)) return;
      const rod = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, 1, 24), this.plain);
      rod.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), new THREE.Vector3(...normalized(joint.axis)));
      rod.castShadow = this.style.ghost === null;
      this.links[joint.child]!.add(rod);
      this.rods.push({ joint: i, rod });
    });
  }
}

/** Cross-sections stay plane and normal to the neutral axis (Euler-Bernoulli). */
function bend_mesh(mesh: THREE.Mesh, straight: Float32Array, bend: Bend): void {
  const position = mesh.geometry.getAttribute("position") as THREE.BufferAttribute;
  const out = position.array as Float32Array;
  for (let i = 0; i < straight.length; i += 3) {
    const { section, rest } = bend.section_of(straight[i]!);
    out.set(transform_point(section, [rest, straight[i + 1]!, straight[i + 2]!]), i);
  }
  position.needsUpdate = true;
  mesh.geometry.computeVertexNormals();
}
