// SPDX-License-Identifier: Apache-2.0
// Decompresses the meshes embedded in the page and reads them with the loaders of three.js.

import * as THREE from "three";
import { ColladaLoader } from "three/examples/jsm/loaders/ColladaLoader.js";
import { MTLLoader } from "three/examples/jsm/loaders/MTLLoader.js";
import { OBJLoader } from "three/examples/jsm/loaders/OBJLoader.js";
import { STLLoader } from "three/examples/jsm/loaders/STLLoader.js";
import { bytes_of_base64 } from "../data/columns";
import { make_shape, reverse_triangles } from "../data/mesh";
import type { MeshPart, MeshShape } from "../data/mesh";
import { as_array, as_object, as_string, optional_string } from "../data/readers";
import { creased_normals } from "./creased_normals";

export interface EmbeddedFile {
  format: string;
  /** Compressed (zlib), in base64. */
  data: string;
  /** Text of the material file of an OBJ file. */
  materials: string | null;
}

export interface EmbeddedMeshes {
  files: Map<string, EmbeddedFile>;
  /** Meshes that the program could not embed. */
  problems: string[];
}

export interface LoadedMeshes {
  /** By file name in the URDF. */
  shapes: Map<string, MeshShape>;
  problems: string[];
}

/** The embedded meshes from JSON text; null if there are none. */
export function parse_meshes(text: string): EmbeddedMeshes | null {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed === "null" || /^__[A-Z_]+__$/.test(trimmed)) return null;
  const object = as_object(JSON.parse(trimmed), "meshes");
  const files = Object.entries(as_object(object.files, "meshes.files")).map(([name, value]): [string, EmbeddedFile] => {
    const file = as_object(value, `meshes.files['${name}']`);
    return [name, {
      format: as_string(file.format, `meshes.files['${name}'].format`),
      data: as_string(file.data, `meshes.files['${name}'].data`),
      materials: optional_string(file.materials),
    }];
  });
  return { files: new Map(files), problems: as_array(object.problems, "meshes.problems").map((x, i) => as_string(x, `meshes.problems[${i}]`)) };
}

/** Loads all meshes; a mesh that cannot be read is a problem of its own. */
export async function load_meshes({ files, problems }: EmbeddedMeshes): Promise<LoadedMeshes> {
  const loaded: LoadedMeshes = { shapes: new Map(), problems: [...problems] };
  await Promise.all(Array.from(files, async ([name, file]) => {
    try {
      loaded.shapes.set(name, read_mesh(file, await decompress(bytes_of_base64(file.data, "data"))));
    } catch (error) {
      loaded.problems.push(`mesh '${name}': cannot be displayed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }));
  return loaded;
}

function decompress(bytes: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).arrayBuffer();
}

export function read_mesh({ format, materials }: Pick<EmbeddedFile, "format" | "materials">, bytes: ArrayBuffer): MeshShape {
  const text = (): string => new TextDecoder().decode(bytes);
  switch (format) {
    case "stl":
      return make_shape([part_of(new STLLoader().parse(bytes), null, { mirrored: false, normals: false })]);
    case "obj":
      // without "vn" the loader returns the normals of the triangles
      return make_shape(parts_of(read_obj(text(), materials), { colors: materials !== null, normals: /^\s*vn\s/m.test(text()) }));
    case "dae":
      return make_shape(parts_of(read_collada(text()), { colors: true, normals: true }));
    default:
      throw new Error(`the format ${format} is unknown`);
  }
}

function read_obj(text: string, materials: string | null): THREE.Object3D {
  const loader = new OBJLoader();
  if (materials !== null) loader.setMaterials(new MTLLoader().parse(materials, ""));
  // the page has no files beside it
  return loader.parse(text.replace(/^\s*(mtllib|usemap)\b.*$/gm, ""));
}

/**
 * The scene with its units (in meters). As in RViz the up axis is ignored: the coordinates of the file are those of
 * the link.
 */
function read_collada(text: string): THREE.Object3D {
  // textures are not part of the page: a white pixel
  const manager = new THREE.LoadingManager();
  manager.setURLModifier(() => "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACwAAAAAAQABAAACAkQBADs=");
  const collada = new ColladaLoader(manager).parse(text.replace(/<up_axis>[^<]*<\/up_axis>/, ""), "");
  if (!collada) throw new Error("it is not a Collada file");
  return collada.scene;
}

/** All triangles below an object, by material; `uses`: which colors and normals of the file are used. */
function parts_of(root: THREE.Object3D, uses: { colors: boolean; normals: boolean }): MeshPart[] {
  const parts: MeshPart[] = [];
  root.updateMatrixWorld(true);
  root.traverse((object) => {
    if (!(object instanceof THREE.Mesh)) return;
    const geometry = (object as THREE.Mesh<THREE.BufferGeometry>).geometry.clone().applyMatrix4(object.matrixWorld);
    const mirrored = object.matrixWorld.determinant() < 0;
    const materials: THREE.Material[] = Array.isArray(object.material) ? object.material : [object.material];
    const groups = Array.isArray(object.material) && geometry.groups.length > 0 ? geometry.groups : [null];
    const flat = geometry.index ? geometry.toNonIndexed() : geometry;
    for (const group of groups) {
      const color = uses.colors ? color_of(materials[group?.materialIndex ?? 0]) : null;
      parts.push(part_of(group ? slice(flat, group.start, group.count) : flat, color, { mirrored, normals: uses.normals }));
    }
  });
  return parts.filter(({ position }) => position.length > 0);
}

function color_of(material: THREE.Material | undefined): MeshPart["color"] {
  if (!material || !("color" in material) || !(material.color instanceof THREE.Color)) return null;
  const { r, g, b } = material.color.getRGB({ r: 0, g: 0, b: 0 }, THREE.SRGBColorSpace);
  return [r, g, b, material.transparent ? material.opacity : 1];
}

function slice(geometry: THREE.BufferGeometry, start: number, count: number): THREE.BufferGeometry {
  const part = new THREE.BufferGeometry();
  for (const name of ["position", "normal"]) {
    const attribute = geometry.getAttribute(name);
    if (attribute) part.setAttribute(name, new THREE.BufferAttribute((attribute.array as Float32Array).slice(3 * start, 3 * (start + count)), 3));
  }
  return part;
}

const crease = (35 * Math.PI) / 180;

function part_of(geometry: THREE.BufferGeometry, color: MeshPart["color"], { mirrored, normals }: { mirrored: boolean; normals: boolean }): MeshPart {
  const position = Float32Array.from(geometry.getAttribute("position").array);
  const normal = geometry.getAttribute("normal");
  const given = normals && normal?.count === position.length / 3 ? Float32Array.from(normal.array) : null;
  // a reflection turns the triangles inside out
  if (mirrored) reverse_triangles(position);
  if (mirrored && given) reverse_triangles(given);
  return { position, normal: given ?? creased_normals(position, crease), color };
}
