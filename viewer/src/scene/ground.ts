// SPDX-License-Identifier: Apache-2.0
// The ground: grid, shadow, base frame and post of the base.

import * as THREE from "three";

const vertex = /* glsl */ `
  varying vec2 at;
  void main() {
    at = position.xz;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  }`;

const fragment = /* glsl */ `
  varying vec2 at;
  uniform float cell;
  uniform float reach;
  uniform vec3 color;
  float lines(float size, float width) {
    vec2 p = at / size;
    vec2 d = abs(fract(p - 0.5) - 0.5) / fwidth(p);
    return 1.0 - min(min(d.x, d.y) / width, 1.0);
  }
  void main() {
    float fade = smoothstep(1.0, 0.25, length(at) / reach);
    float ink = max(0.35 * lines(cell, 1.0), 0.7 * lines(5.0 * cell, 1.3));
    gl_FragColor = vec4(color, ink * fade);
    #include <colorspace_fragment>
  }`;

/** Largest 1, 2 or 5 times a power of ten not above x. */
export function round_length(x: number): number {
  const power = 10 ** Math.floor(Math.log10(x));
  const m = x / power;
  return (m >= 5 ? 5 : m >= 2 ? 2 : 1) * power;
}

export class Ground {
  readonly group = new THREE.Group();
  readonly cell: number;
  private readonly grid: THREE.ShaderMaterial;
  private readonly shadow: THREE.ShadowMaterial;
  private readonly post: THREE.LineDashedMaterial;

  /** level: height of the grid along up. */
  constructor(up: THREE.Vector3, size: number, level: number) {
    this.cell = round_length(size / 4);
    const reach = 3.2 * size;
    const plane = new THREE.PlaneGeometry(2 * reach, 2 * reach).rotateX(-Math.PI / 2);
    this.grid = new THREE.ShaderMaterial({
      vertexShader: vertex,
      fragmentShader: fragment,
      uniforms: { cell: { value: this.cell }, reach: { value: reach }, color: { value: new THREE.Color() } },
      transparent: true,
      depthWrite: false,
      side: THREE.DoubleSide,
    });
    this.shadow = new THREE.ShadowMaterial({ opacity: 0.16, depthWrite: false });
    const floor = new THREE.Group();
    // limited to the region of shadows: every pixel is expensive with software rendering
    const shadow = new THREE.Mesh(new THREE.CircleGeometry(1.6 * size, 48).rotateX(-Math.PI / 2), this.shadow);
    shadow.receiveShadow = true;
    const grid = new THREE.Mesh(plane, this.grid);
    grid.renderOrder = -1;
    floor.add(grid, shadow);
    floor.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
    floor.position.copy(up).multiplyScalar(level);
    this.group.add(floor);

    this.post = new THREE.LineDashedMaterial({ dashSize: 0.02 * size, gapSize: 0.015 * size, transparent: true, opacity: 0.7 });
    if (Math.abs(level) > 0.02 * size) {
      const line = new THREE.Line(
        new THREE.BufferGeometry().setFromPoints([new THREE.Vector3(), up.clone().multiplyScalar(level)]), this.post);
      line.computeLineDistances();
      this.group.add(line);
    }
    const frame = new THREE.AxesHelper(0.16 * size);
    (frame.material as THREE.Material).depthTest = false;
    frame.renderOrder = 5;
    this.group.add(frame);
  }

  set_colors(ink: string, dark: boolean): void {
    (this.grid.uniforms.color!.value as THREE.Color).set(ink);
    this.post.color.set(ink);
    this.shadow.opacity = dark ? 0.45 : 0.16;
  }
}
