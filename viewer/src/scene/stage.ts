// SPDX-License-Identifier: Apache-2.0
// Renderer, lights, camera and controls of the 3D view. Draws only after changes.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { fit } from "./framing";
import type { Framing } from "./framing";

export class Stage {
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(36, 1, 0.01, 1000);
  readonly renderer: THREE.WebGLRenderer;
  private readonly controls: OrbitControls;
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xb8bcc4, 1.7);
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2.1);
  /** The user has moved the camera: do not reset it when the window is resized. */
  private moved = false;
  private shown = false;

  constructor(private readonly host: HTMLElement, private readonly framing: Framing, private readonly invalidate: () => void) {
    this.renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true });
    // checking shader errors would block for each shader
    this.renderer.debug.checkShaderErrors = false;
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
    const canvas = this.renderer.domElement;
    host.append(canvas);

    const { up, size } = framing;
    this.camera.up.copy(up);
    this.camera.near = size / 200;
    this.camera.far = size * 60;
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.controls.dampingFactor = 0.12;
    this.controls.minDistance = size * 0.08;
    this.controls.maxDistance = size * 14;
    this.controls.addEventListener("start", () => { this.moved = true; });
    this.controls.addEventListener("change", invalidate);
    this.add_lights();
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
  }

  set_theme(dark: boolean): void {
    this.sky.intensity = dark ? 1.1 : 1.7;
    this.sky.groundColor.set(dark ? 0x2c313b : 0xb8bcc4);
    this.sun.intensity = dark ? 1.8 : 2.1;
  }

  reset_view(): void {
    const { target, position } = fit(this.framing, this.camera);
    this.controls.target.copy(target);
    this.camera.position.copy(position);
    this.controls.update();
    this.moved = false;
    this.invalidate();
  }

  /** Orbits about the target, for keyboard control. */
  orbit(azimuth: number, elevation: number): void {
    const { up } = this.framing;
    const offset = this.camera.position.clone().sub(this.controls.target);
    const side = up.clone().cross(offset).normalize();
    const angle = offset.angleTo(up);
    const tilt = THREE.MathUtils.clamp(angle - elevation, 0.05, Math.PI - 0.05) - angle;
    offset.applyAxisAngle(side, tilt).applyAxisAngle(up, azimuth);
    this.place(offset);
  }

  zoom(factor: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    offset.setLength(THREE.MathUtils.clamp(offset.length() * factor, this.controls.minDistance, this.controls.maxDistance));
    this.place(offset);
  }

  /** Draws; true while the camera is moving. */
  render(): boolean {
    const gliding = this.controls.update();
    this.renderer.render(this.scene, this.camera);
    return gliding;
  }

  private place(offset: THREE.Vector3): void {
    this.moved = true;
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.invalidate();
  }

  private add_lights(): void {
    const { up, size, points } = this.framing;
    this.sky.position.copy(up);
    const center = new THREE.Box3().setFromPoints(points).getCenter(new THREE.Vector3());
    const side = up.clone().cross(this.framing.direction).normalize();
    this.sun.position.copy(center)
      .addScaledVector(up, 2.4 * size).addScaledVector(side, -1.1 * size).addScaledVector(this.framing.direction, 0.9 * size);
    this.sun.target.position.copy(center);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.radius = 4;
    this.sun.shadow.normalBias = 0.004 * size;
    const { camera } = this.sun.shadow;
    camera.left = camera.bottom = -1.4 * size;
    camera.right = camera.top = 1.4 * size;
    camera.near = 0.1 * size;
    camera.far = 6 * size;
    const fill = new THREE.DirectionalLight(0xffffff, 0.5);
    fill.position.copy(side).add(this.framing.direction);
    this.scene.add(this.sky, this.sun, this.sun.target, fill);
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.host;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    if (!this.shown || !this.moved) this.reset_view();
    this.shown = true;
    this.invalidate();
  }
}
