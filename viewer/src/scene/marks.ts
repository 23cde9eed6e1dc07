// SPDX-License-Identifier: Apache-2.0
// Trail of the end effector and centers of mass.

import * as THREE from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { Poses } from "../data/kinematics";
import { transform_point } from "../data/matrix";
import type { Model } from "../data/model";
import type { Triple } from "../data/readers";

/** The complete path (faint) and the path up to the current time (strong). */
export class Trail {
  readonly group = new THREE.Group();
  private readonly past_material = new LineMaterial({ linewidth: 2.6 });
  private readonly path_material = new LineMaterial({ linewidth: 1.3, transparent: true, opacity: 0.4, depthWrite: false });
  private readonly past: Line2 | null = null;
  private readonly times: number[];

  constructor(path: { times: number[]; points: Triple[] }) {
    this.times = path.times;
    if (path.points.length < 2) return;
    const positions = path.points.flat();
    this.past = new Line2(new LineGeometry().setPositions(positions), this.past_material);
    const full = new Line2(new LineGeometry().setPositions(positions), this.path_material);
    this.past.frustumCulled = full.frustumCulled = false;
    this.group.add(full, this.past);
  }

  set_color(color: string): void {
    this.past_material.color.set(color);
    this.path_material.color.set(color);
  }

  update(time: number): void {
    if (!this.past) return;
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.times[middle]! <= time) low = middle + 1;
      else high = middle;
    }
    this.past.visible = low > 1;
    this.past.geometry.instanceCount = Math.max(0, low - 1);
  }
}

/** The center-of-mass symbol of engineering drawings. */
function center_texture(ring: string): THREE.Texture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 128;
  const pen = canvas.getContext("2d")!;
  for (let quarter = 0; quarter < 4; ++quarter) {
    pen.beginPath();
    pen.moveTo(64, 64);
    pen.arc(64, 64, 52, (quarter * Math.PI) / 2, ((quarter + 1) * Math.PI) / 2);
    pen.fillStyle = quarter % 2 === 0 ? "#16181d" : "#ffffff";
    pen.fill();
  }
  pen.beginPath();
  pen.arc(64, 64, 54, 0, 2 * Math.PI);
  pen.lineWidth = 9;
  pen.strokeStyle = ring;
  pen.stroke();
  const texture = new THREE.CanvasTexture(canvas);
  texture.colorSpace = THREE.SRGBColorSpace;
  return texture;
}

export class MassMarks {
  readonly group = new THREE.Group();
  private readonly sprites: { sprite: THREE.Sprite; link: number }[] = [];
  private readonly robot_center: THREE.Sprite;
  private readonly total: number;

  constructor(private readonly model: Model, size: number, accent: string) {
    const material = (ring: string): THREE.SpriteMaterial =>
      new THREE.SpriteMaterial({ map: center_texture(ring), depthTest: false, transparent: true });
    const link_material = material("#8a93a3");
    const heaviest = Math.max(...model.links.map((link) => link.mass), 1e-9);
    model.links.forEach((link, i) => {
      if (!(link.mass > 0)) return;
      const sprite = new THREE.Sprite(link_material);
      sprite.scale.setScalar(size * (0.022 + 0.022 * Math.cbrt(link.mass / heaviest)));
      sprite.renderOrder = 6;
      this.sprites.push({ sprite, link: i });
      this.group.add(sprite);
    });
    this.total = model.links.reduce((sum, link) => sum + Math.max(0, link.mass), 0);
    this.robot_center = new THREE.Sprite(material(accent));
    this.robot_center.scale.setScalar(0.07 * size);
    this.robot_center.renderOrder = 7;
    this.group.add(this.robot_center);
  }

  /** com: center of mass of the robot if recorded, otherwise computed from the links. */
  update(poses: Poses, com: readonly number[] | null): void {
    const sum = [0, 0, 0];
    for (const { sprite, link } of this.sprites) {
      const { mass, com: local } = this.model.links[link]!;
      const at = transform_point(poses.links[link]!, local);
      sprite.position.set(...at);
      at.forEach((x, k) => { sum[k]! += mass * x; });
    }
    const center = com?.every(Number.isFinite) ? com : sum.map((x) => x / this.total);
    this.robot_center.visible = this.total > 0;
    if (this.robot_center.visible) this.robot_center.position.set(center[0]!, center[1]!, center[2]!);
  }
}
