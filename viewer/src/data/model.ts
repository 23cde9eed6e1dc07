// SPDX-License-Identifier: Apache-2.0
// The robot of a run: links, joints and shapes, validated while reading.

import { read_beam } from "./beam";
import type { Beam } from "./beam";
import { RunError } from "./columns";
import type { MeshShape } from "./mesh";
import { as_array, as_number, as_object, as_string, optional_number, optional_string, vector3 } from "./readers";
import type { Triple } from "./readers";

export type JointType = "revolute" | "continuous" | "prismatic" | "fixed" | "planar" | "floating";

export interface Origin {
  xyz: Triple;
  rpy: Triple;
}

export interface Joint {
  name: string;
  type: JointType;
  parent: number;
  child: number;
  origin: Origin;
  axis: Triple;
  limit: { lower: number | null; upper: number | null; velocity: number | null; effort: number | null } | null;
  coordinate: number;
  multiplier: number;
  offset: number;
}

export type Geometry =
  | { type: "box"; size: Triple }
  | { type: "cylinder"; radius: number; length: number }
  | { type: "sphere"; radius: number }
  | { type: "capsule"; radius: number; length: number }
  | { type: "mesh"; filename: string; scale: Triple; shape: MeshShape | null };

export interface Visual {
  origin: Origin;
  geometry: Geometry;
  color: [number, number, number, number] | null;
}

export interface Link {
  name: string;
  mass: number;
  com: Triple;
  visuals: Visual[];
  flexible: Beam | null;
}

export interface Model {
  name: string;
  coordinates: string[];
  units: string[];
  end_effector: number;
  joints: Joint[];
  links: Link[];
}

const joint_types: readonly string[] = ["revolute", "continuous", "prismatic", "fixed", "planar", "floating"];

/** Number of coordinates of a joint type. */
export function coordinate_count(type: JointType): number {
  return type === "fixed" ? 0 : type === "planar" ? 3 : type === "floating" ? 6 : 1;
}

function read_origin(value: unknown, path: string): Origin {
  if (value === undefined || value === null) return { xyz: [0, 0, 0], rpy: [0, 0, 0] };
  const object = as_object(value, path);
  return {
    xyz: vector3(object.xyz, `${path}.xyz`, [0, 0, 0]),
    rpy: vector3(object.rpy, `${path}.rpy`, [0, 0, 0]),
  };
}

function read_geometry(value: unknown, path: string): Geometry {
  const object = as_object(value, path);
  switch (object.type) {
    case "box":
      return { type: "box", size: vector3(object.size, `${path}.size`) };
    case "cylinder":
    case "capsule":
      return {
        type: object.type,
        radius: as_number(object.radius, `${path}.radius`),
        length: as_number(object.length, `${path}.length`),
      };
    case "sphere":
      return { type: "sphere", radius: as_number(object.radius, `${path}.radius`) };
    case "mesh":
      return { type: "mesh", filename: optional_string(object.filename) ?? "", scale: vector3(object.scale, `${path}.scale`, [1, 1, 1]), shape: null };
    default:
      throw new RunError(`${path}.type is ${JSON.stringify(object.type)}; expected box, cylinder, sphere, capsule or mesh.`);
  }
}

function read_color(value: unknown): Visual["color"] {
  if (!Array.isArray(value) || value.length < 3) return null;
  const [r, g, b, a] = value as unknown[];
  if (typeof r !== "number" || typeof g !== "number" || typeof b !== "number") return null;
  return [r, g, b, typeof a === "number" ? a : 1];
}

function read_link(value: unknown, path: string): Link {
  const object = as_object(value, path);
  return {
    name: as_string(object.name, `${path}.name`),
    mass: optional_number(object.mass) ?? 0,
    com: vector3(object.com, `${path}.com`, [0, 0, 0]),
    visuals: (object.visuals === undefined || object.visuals === null ? [] : as_array(object.visuals, `${path}.visuals`))
      .map((visual, i) => {
        const v = as_object(visual, `${path}.visuals[${i}]`);
        return {
          origin: read_origin(v.origin, `${path}.visuals[${i}].origin`),
          geometry: read_geometry(v.geometry, `${path}.visuals[${i}].geometry`),
          color: read_color(v.color),
        };
      }),
    flexible: read_beam(object.flexible, `${path}.flexible`),
  };
}

function read_joint(value: unknown, path: string, link_index: Map<string, number>, coordinates: number): Joint {
  const object = as_object(value, path);
  const name = as_string(object.name, `${path}.name`);
  const type = as_string(object.type, `${path}.type`);
  if (!joint_types.includes(type)) {
    throw new RunError(`Joint '${name}' has the unknown type '${type}'; expected one of ${joint_types.join(", ")}.`);
  }
  const link = (key: "parent" | "child"): number => {
    const link_name = as_string(object[key], `${path}.${key}`);
    const index = link_index.get(link_name);
    if (index === undefined) throw new RunError(`Joint '${name}' has the ${key} link '${link_name}', which does not exist.`);
    return index;
  };
  const coordinate = optional_number(object.coordinate) ?? -1;
  const count = coordinate_count(type as JointType);
  if (count > 0 && coordinate >= 0 && coordinate + count > coordinates) {
    throw new RunError(`Joint '${name}' uses coordinate ${coordinate + count - 1}; the model has ${coordinates}.`);
  }
  const raw_limit = object.limit === undefined || object.limit === null ? null : as_object(object.limit, `${path}.limit`);
  return {
    name,
    type: type as JointType,
    parent: link("parent"),
    child: link("child"),
    origin: read_origin(object.origin, `${path}.origin`),
    axis: vector3(object.axis, `${path}.axis`, [1, 0, 0]),
    limit: raw_limit && {
      lower: optional_number(raw_limit.lower),
      upper: optional_number(raw_limit.upper),
      velocity: optional_number(raw_limit.velocity),
      effort: optional_number(raw_limit.effort),
    },
    coordinate,
    multiplier: optional_number(object.multiplier) ?? 1,
    offset: optional_number(object.offset) ?? 0,
  };
}

export function read_model(value: unknown): Model {
  const object = as_object(value, "model");
  const coordinates = as_array(object.coordinates, "model.coordinates").map((x, i) => as_string(x, `model.coordinates[${i}]`));
  const raw_units = Array.isArray(object.units) ? (object.units as unknown[]) : [];
  const links = as_array(object.links, "model.links").map((x, i) => read_link(x, `model.links[${i}]`));
  if (links.length === 0) throw new RunError("The model has no links.");
  const link_index = new Map(links.map((link, i) => [link.name, i]));
  const joints = as_array(object.joints, "model.joints").map((x, i) =>
    read_joint(x, `model.joints[${i}]`, link_index, coordinates.length));

  const placed = new Set<number>();
  const children = new Set(joints.map((joint) => joint.child));
  links.forEach((_, i) => { if (!children.has(i)) placed.add(i); });
  for (const joint of joints) {
    if (!placed.has(joint.parent)) {
      throw new RunError(`Joint '${joint.name}' comes before the joint of its parent link '${links[joint.parent]!.name}'; parents must come first.`);
    }
    placed.add(joint.child);
  }
  const tip = typeof object.end_effector === "string" ? link_index.get(object.end_effector) : undefined;
  return {
    name: optional_string(object.name) ?? "robot",
    coordinates,
    units: coordinates.map((_, i) => optional_string(raw_units[i]) ?? "rad"),
    end_effector: tip ?? (joints.length > 0 ? joints[joints.length - 1]!.child : 0),
    joints,
    links,
  };
}
