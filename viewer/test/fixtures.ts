// SPDX-License-Identifier: Apache-2.0
// Runs for the tests: smooth motions of the papers' robots, in the format of the program.

import type { JointType } from "../src/data/model";

type Triple = [number, number, number];
type Column = number[] | { f32: string } | { f64: string };
// the tests modify these objects
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type RunJson = any;

export interface JointJson {
  name: string;
  type: JointType;
  parent: string;
  child: string;
  origin: { xyz: Triple; rpy: Triple };
  axis: Triple;
  limit: null | { lower: number; upper: number; velocity: number; effort: number };
  coordinate: number;
  multiplier: number;
  offset: number;
}

interface ShapesJson {
  amplitude: number;
  x: number[];
  modes: { value: number[]; slope: number[]; curvature: number[] }[];
  shortening: { modes: [number, number]; value: number[] }[];
}

interface LinkJson {
  name: string;
  mass: number;
  com: Triple;
  visuals: unknown[];
  flexible: null | { length: number; modes_y: number; modes_z: number; shapes?: ShapesJson };
}

export interface ModelJson {
  name: string;
  coordinates: string[];
  units: string[];
  end_effector: string;
  joints: JointJson[];
  links: LinkJson[];
}

const half = Math.PI / 2;
const still: Triple = [0, 0, 0];

function joint(name: string, type: JointType, parent: string, child: string, xyz: Triple, rpy: Triple, axis: Triple, coordinate: number): JointJson {
  const limit = type === "fixed" ? null : { lower: -3, upper: 3, velocity: 2, effort: 150 };
  return { name, type, parent, child, origin: { xyz, rpy }, axis, limit, coordinate, multiplier: 1, offset: 0 };
}

function link(name: string, mass: number, com: Triple, ...visuals: unknown[]): LinkJson {
  return { name, mass, com, visuals, flexible: null };
}

function cylinder(radius: number, length: number, xyz: Triple, rpy: Triple, color: number[]): unknown {
  return { origin: { xyz, rpy }, geometry: { type: "cylinder", radius, length }, color };
}

function box(size: Triple, xyz: Triple, color: number[]): unknown {
  return { origin: { xyz, rpy: still }, geometry: { type: "box", size }, color };
}

const orange = [0.93, 0.49, 0.19, 1];
const steel = [0.62, 0.66, 0.71, 1];
const dark = [0.25, 0.28, 0.33, 1];

export function puma(): ModelJson {
  const names = ["joint1", "joint2", "joint3", "joint4", "joint5", "joint6"];
  return {
    name: "puma",
    coordinates: names,
    units: names.map(() => "rad"),
    end_effector: "tool",
    joints: [
      joint("joint1", "revolute", "base", "link1", still, still, [0, 0, 1], 0),
      joint("joint2", "revolute", "link1", "link2", [0, 0.15, 0], [-half, 0, 0], [0, 0, 1], 1),
      joint("joint3", "revolute", "link2", "link3", [0.432, 0, 0], still, [0, 0, 1], 2),
      joint("joint4", "continuous", "link3", "link4", [0.02, -0.43, 0], [half, 0, 0], [0, 0, 1], 3),
      joint("joint5", "revolute", "link4", "link5", still, [-half, 0, 0], [0, 0, 1], 4),
      joint("joint6", "revolute", "link5", "link6", still, [half, 0, 0], [0, 0, 1], 5),
      joint("flange", "fixed", "link6", "tool", [0, 0, 0.12], still, [1, 0, 0], -1),
    ],
    links: [
      link("base", 0, still, cylinder(0.09, 0.5, [0, 0, -0.33], still, dark)),
      link("link1", 10, [0, 0.05, 0], cylinder(0.085, 0.3, [0, 0.08, 0], [half, 0, 0], steel)),
      link("link2", 17.4, [0.2, 0, 0], box([0.55, 0.13, 0.09], [0.2, 0, 0.03], orange), cylinder(0.075, 0.1, [0.432, 0, 0.03], still, dark)),
      link("link3", 4.8, [0, -0.15, 0], box([0.09, 0.46, 0.08], [0.01, -0.2, 0], orange)),
      link("link4", 0.82, [0, 0, -0.02], cylinder(0.04, 0.1, [0, 0, -0.02], still, steel)),
      link("link5", 0.34, still, { origin: { xyz: still, rpy: still }, geometry: { type: "sphere", radius: 0.042 }, color: dark }),
      link("link6", 0.09, [0, 0, 0.03], cylinder(0.03, 0.06, [0, 0, 0.06], still, steel)),
      link("tool", 0, still),
    ],
  };
}

/** No geometry, gravity along -y. */
export function planar3(): ModelJson {
  const names = ["joint1", "joint2", "joint3"];
  return {
    name: "planar3",
    coordinates: names,
    units: names.map(() => "rad"),
    end_effector: "link3",
    joints: names.map((name, i) =>
      joint(name, "revolute", i === 0 ? "base" : `link${i}`, `link${i + 1}`, [i === 0 ? 0 : 1, 0, 0], still, [0, 0, 1], i)),
    links: [link("base", 0, still), ...names.map((_, i) => link(`link${i + 1}`, 10 - 2 * i, [0.5, 0, 0]))],
  };
}

/** Prismatic third joint, mimic joint at the end, no geometry. */
export function stanford(): ModelJson {
  const model: ModelJson = {
    name: "stanford",
    coordinates: ["joint1", "joint2", "slide", "joint4"],
    units: ["rad", "rad", "m", "rad"],
    end_effector: "hand",
    joints: [
      joint("joint1", "revolute", "base", "link1", [0, 0, 0.4], still, [0, 0, 1], 0),
      joint("joint2", "revolute", "link1", "link2", [0, 0.15, 0], [-half, 0, 0.3], [0, 0, 1], 1),
      joint("slide", "prismatic", "link2", "link3", [0, -0.05, 0], [half, 0, 0], [0, 0, 1], 2),
      joint("joint4", "revolute", "link3", "link4", [0, 0, 0.2], still, [0, 1, 0], 3),
      joint("finger", "revolute", "link4", "hand", [0, 0, 0.1], still, [1, 0, 0], 3),
    ],
    links: [
      link("base", 0, still), link("link1", 9, [0, 0.1, 0]), link("link2", 6, [0, 0.02, 0]),
      link("link3", 4, [0, 0, 0.05]), link("link4", 1, [0, 0, 0.05]), link("hand", 0.5, [0, 0, 0.05]),
    ],
  };
  Object.assign(model.joints[4]!, { multiplier: -0.5, offset: 0.25 });
  return model;
}

/** Two long links that bend as (x/6)^2; the elbow is at the end of the first one. */
export function flexible(): ModelJson {
  const x = [0, 1.5, 3, 6];
  const beam = (name: string, amplitude: number): LinkJson => ({
    ...link(name, 60, [3, 0, 0], cylinder(0.12, 6, [3, 0, 0], [0, half, 0], [0.9, 0.91, 0.93, 1])),
    flexible: {
      length: 6, modes_y: 1, modes_z: 0,
      shapes: {
        amplitude, x, shortening: [],
        modes: [{ value: x.map((s) => (s / 6) ** 2), slope: x.map((s) => (2 * s) / 36), curvature: x.map(() => 2 / 36) }],
      },
    },
  });
  return {
    name: "canadarm",
    coordinates: ["shoulder", "elbow"],
    units: ["rad", "rad"],
    end_effector: "hand",
    joints: [
      joint("shoulder", "revolute", "base", "upper", still, still, [0, 0, 1], 0),
      joint("elbow", "revolute", "upper", "lower", [6, 0, 0], still, [0, 0, 1], 1),
      joint("grip", "fixed", "lower", "hand", [6, 0, 0], still, [1, 0, 0], -1),
    ],
    links: [link("base", 0, still), beam("upper", 0), beam("lower", 1), link("hand", 0, still)],
  };
}

export interface RunOptions {
  count?: number;
  duration?: number;
  encoding?: "plain" | "f32" | "f64";
  amplitude?: number;
  frequency?: number;
}

export function encode(values: Float64Array, encoding: RunOptions["encoding"]): Column {
  if (encoding === "f32") return { f32: Buffer.from(Float32Array.from(values).buffer).toString("base64") };
  if (encoding === "f64") return { f64: Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString("base64") };
  return Array.from(values, (x) => (Number.isFinite(x) ? x : null)) as number[];
}

/** The coordinate i of the test motion and its derivatives. */
export function motion(i: number, t: number, amplitude = 1, frequency = 1): [number, number, number] {
  const w = frequency * (0.7 + 0.35 * i);
  const a = amplitude * (1.1 - 0.12 * i);
  return [a * Math.sin(w * t) - 0.3 * amplitude * i, a * w * Math.cos(w * t), -a * w * w * Math.sin(w * t)];
}

export function make_run(model: ModelJson, options: RunOptions = {}): RunJson {
  const { count = 1001, duration = 10, encoding = "plain", amplitude = 1, frequency = 1 } = options;
  const t = Float64Array.from({ length: count }, (_, k) => (count > 1 ? (duration * k) / (count - 1) : 0));
  const column = (f: (time: number) => number): Column => encode(t.map(f), encoding);
  const scale = model.units.map((unit) => (unit === "m" ? 0.3 : 1));
  const part = (k: 0 | 1 | 2): Column[] =>
    model.coordinates.map((_, i) => column((time) => scale[i]! * motion(i, time, amplitude, frequency)[k]));
  const torque = (i: number, time: number): number => {
    const [q, qd, qdd] = motion(i, time, amplitude, frequency);
    return (60 / (1 + i * i)) * (0.3 * qdd + Math.cos(q)) + 0.5 * qd;
  };
  const energy = (time: number): number => 40 * amplitude * Math.cos(0.9 * time) ** 2;
  const gravity = model.name === "planar3" ? [0, -9.81, 0] : model.name === "canadarm" ? [0, 0, 0] : [0, 0, -9.81];
  return {
    format: "dynamics-run",
    version: 2,
    settings: {
      robot: model.name, source: `${model.name}.yaml`, scenario: "free-fall", integrator: "dop853", rtol: 1e-9, atol: 1e-9, step: null,
      duration, sample: count > 1 ? duration / (count - 1) : null, gravity, q0: model.coordinates.map(() => 0),
      qd0: model.coordinates.map(() => 0), friction: false, limits: false, command: `dynamics simulate ${model.name} --output run.html`,
    },
    statistics: { steps: 1234, rejected: 7, evaluations: 15012, wall_seconds: 0.0123, energy_drift: 3.2e-11, completed: true },
    model,
    samples: {
      t: encode(t, encoding === "f32" ? "f64" : encoding),
      q: part(0), qd: part(1), qdd: part(2),
      tau: model.coordinates.map((_, i) => column((time) => torque(i, time))),
      kinetic: column(energy),
      potential: column((time) => 25 - energy(time)),
      energy_drift: column((time) => 3e-12 * time * Math.sin(5 * time)),
      power: column((time) => -72 * Math.sin(1.8 * time) * amplitude),
      power_balance: column((time) => 1e-9 * Math.sin(40 * time)),
    },
  };
}

/** Shape of the test's bending: y(x, t) = a (x/L)^2 sin(wt), whose tip slope is 2a/L sin(wt). */
export const bending = { amplitude: 0.35, frequency: 3 };

export function flexible_run(options: RunOptions = {}): RunJson {
  const run = make_run(flexible(), options);
  const { count = 1001, duration = 10, encoding = "plain" } = options;
  const t = Float64Array.from({ length: count }, (_, k) => (duration * k) / (count - 1));
  const tip = encode(t.map((time) => bending.amplitude * Math.sin(bending.frequency * time)), encoding);
  const zero = encode(new Float64Array(count), encoding);
  run.samples.strain = encode(t.map((time) => 3 * Math.sin(bending.frequency * time) ** 2), encoding);
  run.samples.amplitudes = { names: ["upper_y1", "lower_y1"], values: [tip, tip] };
  run.samples.tips = { names: ["upper_y", "upper_z", "lower_y", "lower_z"], values: [tip, zero, tip, zero] };
  return run;
}

/** Effort limit of joint2 in controlled_run; in single precision it is smaller. */
export const effort = 97.6;

/**
 * The PUMA under a controller. The reference has 1.3 times the amplitude of the motion. The effort of joint2 is a sine
 * wave of 5 s and twice its limit, clamped: it is saturated for two thirds of the time. Two pushes act.
 */
export function controlled_run(options: RunOptions = {}): RunJson {
  const run = make_run(puma(), options);
  const { encoding = "plain" } = options;
  const { t, q, qd } = make_run(puma(), { ...options, encoding: "plain", amplitude: 1.3 }).samples;
  const encoded = (columns: number[][]): Column[] => columns.map((column) => encode(Float64Array.from(column), encoding));
  run.samples.desired = { q: encoded(q), qd: encoded(qd) };
  run.model.joints[1].limit.effort = effort;
  const wave = (time: number): number => 2 * effort * Math.sin((2 * Math.PI * time) / 5);
  run.samples.tau[1] = encode(Float64Array.from(t as number[], (time) => Math.min(effort, Math.max(-effort, wave(time)))), encoding);
  run.pushes = [
    { link: "link3", start: 2, end: 2.5, force: [0, 30, 0], point: [0, -0.15, 0] },
    { link: "tool", start: 6, end: null, force: [3, 0, -4], point: [0, 0, 0] },
  ];
  Object.assign(run.settings, {
    scenario: "control", limits: true, controller: "joint-impedance", control_rate: 500, control_delay: 0.002, reference: "cycloid",
    gains: "kp 400; kd 40", inputs: ["link3: 0, 30, 0 N at 2 s for 0.5 s", "tool: 3, 0, -4 N from 6 s"],
  });
  return run;
}

/** The page as written by the program. */
export function fill_page(template: string, run: unknown, compare: unknown = null, meshes: unknown = null): string {
  const text = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value)).replace(/<\//g, "<\\/");
  return template.replace("__DYNAMICS_RUN__", () => text(run)).replace("__DYNAMICS_COMPARE__", () => text(compare))
    .replace("__DYNAMICS_MESHES__", () => text(meshes));
}
