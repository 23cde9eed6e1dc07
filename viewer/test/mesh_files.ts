// SPDX-License-Identifier: Apache-2.0
// Mesh files for the tests: boxes in the formats of the page.

import { deflateSync } from "node:zlib";

export type Size = [number, number, number];

/** Corners of a box from 0 to `size`, and its triangles with normals to the outside. */
const corners = (size: Size): number[][] => Array.from({ length: 8 }, (_, k) => size.map((x, i) => (k & (1 << i) ? x : 0)));
const triangles = [
  [0, 2, 1], [1, 2, 3], [4, 5, 6], [5, 7, 6], [0, 1, 4], [1, 5, 4],
  [2, 6, 3], [3, 6, 7], [0, 4, 2], [2, 4, 6], [1, 3, 5], [3, 7, 5],
];

export function box_stl(size: Size): Buffer {
  const bytes = Buffer.alloc(84 + 50 * triangles.length);
  bytes.writeUInt32LE(triangles.length, 80);
  triangles.forEach((triangle, i) => triangle.forEach((corner, k) => corners(size)[corner]!.forEach((x, j) => {
    bytes.writeFloatLE(x, 84 + 50 * i + 12 + 12 * k + 4 * j);
  })));
  return bytes;
}

/** The first face has the material "green", the others have none. */
export function box_obj(size: Size): string {
  const faces = triangles.map((triangle) => `f ${triangle.map((x) => x + 1).join(" ")}`);
  return ["mtllib colors.mtl", ...corners(size).map((x) => `v ${x.join(" ")}`), "usemtl green", ...faces].join("\n");
}

/** A box in units of `meter`, its color blue, moved by `move` in the scene, with a texture that does not exist. */
export function box_dae(size: Size, { meter = 1, up = "Z_UP", move = [0, 0, 0] as Size, texture = false } = {}): string {
  const diffuse = texture ? '<texture texture="sampler" texcoord="UV"/>' : "<color>0 0 1 1</color>";
  return `<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="${meter}"/><up_axis>${up}</up_axis></asset>
<library_images><image id="image"><init_from>file:///etc/passwd.png</init_from></image></library_images>
<library_effects><effect id="e"><profile_COMMON>
<newparam sid="surface"><surface type="2D"><init_from>image</init_from></surface></newparam>
<newparam sid="sampler"><sampler2D><source>surface</source></sampler2D></newparam>
<technique sid="common"><lambert><diffuse>${diffuse}</diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="paint"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="24">${corners(size).flat().join(" ")}</float_array>
<technique_common><accessor source="#a" count="8" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles material="m" count="12"><input semantic="VERTEX" source="#v" offset="0"/><p>${triangles.flat().join(" ")}</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><translate>${move.join(" ")}</translate><instance_geometry url="#g"><bind_material>
<technique_common><instance_material symbol="m" target="#paint"/></technique_common></bind_material></instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>`;
}

/** A file as the program embeds it. */
export function embedded(format: string, bytes: Buffer | string, materials?: string): { format: string; data: string; materials?: string } {
  const data = deflateSync(bytes).toString("base64");
  return materials === undefined ? { format, data } : { format, data, materials };
}
