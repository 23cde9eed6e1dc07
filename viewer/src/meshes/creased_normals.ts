// SPDX-License-Identifier: Apache-2.0
// Normals of a mesh without normals: smooth where neighboring triangles meet at a small angle, sharp at edges.

/** Corners of more triangles than this get the mean over all of them, which bounds the time. */
const most_neighbors = 128;

/** Equal points get equal numbers, from 0. */
function number_points(position: Float32Array): { ids: Int32Array; count: number } {
  const corners = position.length / 3;
  // + 0 turns -0 into 0
  const bits = new Int32Array(position.map((x) => x + 0).buffer);
  let size = 16;
  while (size < 2 * corners) size *= 2;
  const table = new Int32Array(size).fill(-1);
  const ids = new Int32Array(corners);
  let count = 0;
  for (let i = 0; i < corners; ++i) {
    const x = bits[3 * i]!;
    const y = bits[3 * i + 1]!;
    const z = bits[3 * i + 2]!;
    let hash = Math.imul(x, 0x9e3779b1) ^ Math.imul(y, 0x85ebca77) ^ Math.imul(z, 0xc2b2ae3d);
    hash ^= hash >>> 15;
    let slot = Math.imul(hash, 0x27d4eb2f) >>> 0 & (size - 1);
    for (;;) {
      const first = table[slot]!;
      if (first < 0) {
        table[slot] = i;
        ids[i] = count++;
        break;
      }
      if (bits[3 * first] === x && bits[3 * first + 1] === y && bits[3 * first + 2] === z) {
        ids[i] = ids[first]!;
        break;
      }
      slot = (slot + 1) & (size - 1);
    }
  }
  return { ids, count };
}

/** Normals of the triangles, their lengths twice the areas. */
function triangle_normals(position: Float32Array): Float64Array {
  const normals = new Float64Array(position.length / 3);
  for (let i = 0; i < normals.length; i += 3) {
    const p = 3 * i;
    const edge = (corner: number, k: number): number => position[p + 3 * corner + k]! - position[p + k]!;
    for (let k = 0; k < 3; ++k) {
      const a = (k + 1) % 3;
      const b = (k + 2) % 3;
      normals[i + k] = edge(1, a) * edge(2, b) - edge(1, b) * edge(2, a);
    }
  }
  return normals;
}

/** One normal per corner. `position`: nine numbers per triangle; `crease`: largest angle that is drawn smooth (rad). */
export function creased_normals(position: Float32Array, crease: number): Float32Array {
  const faces = triangle_normals(position);
  const lengths = new Float64Array(faces.length / 3);
  for (let f = 0; f < lengths.length; ++f) lengths[f] = Math.hypot(faces[3 * f]!, faces[3 * f + 1]!, faces[3 * f + 2]!);
  const { ids, count } = number_points(position);
  // triangles of each point: triangles[start[id]] to triangles[start[id + 1] - 1]
  const start = new Int32Array(count + 1);
  for (const id of ids) ++start[id + 1]!;
  for (let i = 0; i < count; ++i) start[i + 1]! += start[i]!;
  const filled = start.slice();
  const triangles = new Int32Array(ids.length);
  ids.forEach((id, corner) => { triangles[filled[id]!++] = Math.floor(corner / 3); });

  const smallest = Math.cos(crease);
  const normals = new Float32Array(position.length);
  for (let corner = 0; corner < ids.length; ++corner) {
    const own = Math.floor(corner / 3);
    const [from, to] = [start[ids[corner]!]!, start[ids[corner]! + 1]!];
    let [x, y, z] = [0, 0, 0];
    for (let i = from; i < to; ++i) {
      const other = triangles[i]!;
      const dot = faces[3 * own]! * faces[3 * other]! + faces[3 * own + 1]! * faces[3 * other + 1]! + faces[3 * own + 2]! * faces[3 * other + 2]!;
      if (other !== own && to - from <= most_neighbors && dot < smallest * lengths[own]! * lengths[other]!) continue;
      x += faces[3 * other]!;
      y += faces[3 * other + 1]!;
      z += faces[3 * other + 2]!;
    }
    const length = Math.hypot(x, y, z) || 1;
    normals.set([x / length, y / length, z / length], 3 * corner);
  }
  return normals;
}
