// SPDX-License-Identifier: Apache-2.0
// Pushes: forces that act on a link for a time.

import { RunError } from "./columns";
import type { Model } from "./model";
import { as_array, as_number, as_object, as_string, vector3 } from "./readers";
import type { Triple } from "./readers";

export interface Push {
  /** Index of the link. */
  link: number;
  start: number;
  /** Infinity: acts to the end of the run. */
  end: number;
  /** N, in world axes. */
  force: Triple;
  /** Point of application in the link frame. */
  point: Triple;
}

export function read_pushes(value: unknown, model: Model): Push[] {
  if (value === undefined || value === null) return [];
  return as_array(value, "pushes").map((raw, i) => {
    const path = `pushes[${i}]`;
    const object = as_object(raw, path);
    const name = as_string(object.link, `${path}.link`);
    const link = model.links.findIndex((candidate) => candidate.name === name);
    if (link < 0) throw new RunError(`${path} acts on the link '${name}', which does not exist.`);
    const start = as_number(object.start, `${path}.start`);
    const end = object.end === undefined || object.end === null ? Infinity : as_number(object.end, `${path}.end`);
    if (end < start) throw new RunError(`${path} ends at ${end} s, before it starts at ${start} s.`);
    return { link, start, end, force: vector3(object.force, `${path}.force`), point: vector3(object.point, `${path}.point`, [0, 0, 0]) };
  });
}

export function is_active({ start, end }: Push, time: number): boolean {
  return time >= start && time < end;
}
