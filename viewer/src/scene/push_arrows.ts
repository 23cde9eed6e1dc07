// SPDX-License-Identifier: Apache-2.0
// Arrows of the pushes that act at a time. An arrow has the direction of the force and ends at its point of application.

import * as THREE from "three";
import type { Bend } from "../data/beam";
import type { Poses } from "../data/kinematics";
import { normalized, transform_point, z_onto } from "../data/matrix";
import { is_active } from "../data/pushes";
import type { Push } from "../data/pushes";
import type { Triple } from "../data/readers";
import { StraightArrow } from "./arrows";
import { matrix4 } from "./primitives";

interface PushArrow {
  push: Push;
  holder: THREE.Group;
}

export class PushArrows {
  readonly group = new THREE.Group();
  private readonly arrows: PushArrow[] = [];
  private readonly material = new THREE.MeshStandardMaterial({ roughness: 0.5, emissiveIntensity: 0.45, depthTest: false, transparent: true });

  constructor(pushes: readonly Push[], size: number) {
    const largest = Math.max(...pushes.map(({ force }) => Math.hypot(...force)));
    const [length, thickness] = [0.34 * size, 0.0085 * size];
    for (const push of pushes) {
      const strength = Math.hypot(...push.force);
      if (!(strength > 0)) continue;
      // square-root scale, so that small forces remain visible
      const ratio = Math.sqrt(strength / largest);
      const arrow = new StraightArrow(length, thickness, this.material);
      arrow.show(ratio);
      arrow.group.position.z = -arrow.tip(ratio);
      const holder = new THREE.Group();
      holder.matrixAutoUpdate = false;
      holder.add(arrow.group);
      holder.traverse((object) => { object.renderOrder = 5; });
      this.group.add(holder);
      this.arrows.push({ push, holder });
    }
  }

  set_color(color: THREE.ColorRepresentation): void {
    this.material.color.set(color);
    this.material.emissive.set(color);
  }

  update(time: number, poses: Poses, bends: ReadonlyMap<number, Bend>): void {
    for (const { push, holder } of this.arrows) {
      holder.visible = is_active(push, time);
      if (!holder.visible) continue;
      const at = transform_point(poses.links[push.link]!, on_bent_link(push.point, bends.get(push.link)));
      holder.matrix.copy(matrix4(z_onto(normalized(push.force))).setPosition(...at));
      holder.matrixWorldNeedsUpdate = true;
    }
  }
}

function on_bent_link(point: Triple, bend: Bend | undefined): Triple {
  if (!bend) return point;
  const { section, rest } = bend.section_of(point[0]);
  return transform_point(section, [rest, point[1], point[2]]);
}
