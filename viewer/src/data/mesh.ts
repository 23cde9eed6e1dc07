// SPDX-License-Identifier: Apache-2.0
// Meshes of the robot: the triangles of each file, the visuals that show them, and notices about those that are
// not shown.

import type { Link, Model } from "./model";
import type { Triple } from "./readers";

/** Triangles of one color, in the coordinates of the file: nine numbers per triangle. */
export interface MeshPart {
  position: Float32Array;
  normal: Float32Array;
  /** Color in the file (sRGB and opacity); null: the color of the URDF. */
  color: [number, number, number, number] | null;
}

export interface MeshShape {
  parts: MeshPart[];
  low: Triple;
  high: Triple;
}

export function make_shape(parts: MeshPart[]): MeshShape {
  const low: Triple = [Infinity, Infinity, Infinity];
  const high: Triple = [-Infinity, -Infinity, -Infinity];
  for (const { position } of parts) {
    for (let i = 0; i < position.length; ++i) {
      const x = position[i]!;
      if (x < low[i % 3]!) low[i % 3] = x;
      if (x > high[i % 3]!) high[i % 3] = x;
    }
  }
  if (!(low[0] <= high[0])) throw new Error("it has no triangles");
  return { parts, low, high };
}

/** Exchanges the second and third corner of each triangle. */
export function reverse_triangles(numbers: Float32Array): void {
  for (let i = 0; i + 8 < numbers.length; i += 9) {
    for (let k = 3; k < 6; ++k) [numbers[i + k], numbers[i + k + 3]] = [numbers[i + k + 3]!, numbers[i + k]!];
  }
}

/** Sets the shapes of all visuals whose mesh is known. */
export function attach_meshes(model: Model, shapes: ReadonlyMap<string, MeshShape>): void {
  for (const { visuals } of model.links) {
    for (const { geometry } of visuals) {
      if (geometry.type === "mesh") geometry.shape = shapes.get(geometry.filename) ?? null;
    }
  }
}

/** True if a link has a shape to draw; otherwise it is drawn as bones. */
export function has_shape(link: Link): boolean {
  return link.visuals.some(({ geometry }) => geometry.type !== "mesh" || geometry.shape !== null);
}

/** Links that are drawn as bones, or not completely, because a mesh is missing. */
export function links_without_mesh(model: Model): string[] {
  return model.links
    .filter((link) => link.visuals.some(({ geometry }) => geometry.type === "mesh" && geometry.shape === null))
    .map((link) => link.name);
}

function listed(texts: readonly string[], what: string): string {
  const shown = texts.slice(0, 3).join(", ");
  return texts.length > 3 ? `${shown} and ${texts.length - 3} more ${what}` : shown;
}

/** A text about the links that are drawn without their meshes; null if there are none. */
export function missing_meshes_text(model: Model, embedded: boolean): string | null {
  const links = links_without_mesh(model);
  if (links.length === 0) return null;
  const drawn = `${listed(links, "links")} ${links.length === 1 ? "is" : "are"} drawn as bones between the joints`;
  return embedded ? `Some meshes are not part of the page: ${drawn}.`
    : `Meshes are not part of the page: ${drawn}. The option --meshes of the program embeds them.`;
}
