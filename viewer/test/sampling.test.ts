// SPDX-License-Identifier: Apache-2.0
// Interpolation, reduction of samples, comparison, clock and formats.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Clock } from "../src/clock";
import { differences, resample } from "../src/data/compare";
import { rate, read_run } from "../src/data/run";
import { locate, spread, thin, value_at } from "../src/data/sampling";
import { format_setting, format_ticks, format_value, short_names } from "../src/format";
import { TimeWindow } from "../src/plots/window";
import { make_run, planar3, puma } from "./fixtures";

const t = Float64Array.of(0, 1, 2, 4);

test("locates a time between samples", () => {
  assert.deepEqual(locate(t, -1), { index: 0, fraction: 0 });
  assert.deepEqual(locate(t, 1), { index: 1, fraction: 0 });
  assert.deepEqual(locate(t, 3), { index: 2, fraction: 0.5 });
  assert.deepEqual(locate(t, 9), { index: 2, fraction: 1 });
  assert.deepEqual(locate(Float64Array.of(5), 7), { index: 0, fraction: 0 });
  const column = Float64Array.of(10, 20, NaN, 40);
  assert.equal(value_at(column, locate(t, 0.25)), 12.5);
  assert.equal(value_at(column, locate(t, 1)), 20, "a gap beside a sample does not spoil it");
  assert.equal(value_at(column, locate(t, 4)), 40);
});

test("thinning keeps peaks and ends", () => {
  const times = Float64Array.from({ length: 100_000 }, (_, i) => i / 1000);
  const wave = times.map((x) => Math.sin(x));
  wave[54_321] = 7;
  wave[77_777] = -9;
  const { x, y } = thin(times, [wave], 0, 100, 500);
  assert.equal(x.length, 1000);
  assert.equal(Math.max(...(y[0] as number[])), 7);
  assert.equal(Math.min(...(y[0] as number[])), -9);
  assert.equal(x[0], 0);
  assert.equal(x[999], times[99_999]);
  assert.ok(x.every((value, i) => i === 0 || value >= x[i - 1]!));
  const close = thin(times, [wave], 10, 10.1, 500);
  assert.ok(close.x.length < 110 && close.x[0]! <= 10 && close.x[close.x.length - 1]! >= 10.1);
  assert.deepEqual(close.y[0], Array.from(wave.subarray(10_000, 10_000 + close.x.length)));
});

test("thinning keeps gaps", () => {
  const times = Float64Array.from({ length: 1000 }, (_, i) => i);
  const column = times.map((x) => (x >= 400 && x < 600 ? NaN : 1));
  const { x, y } = thin(times, [column], 0, 999, 100);
  y[0]!.forEach((value, i) => assert.equal(value, x[i]! >= 400 && x[i]! < 600 ? null : 1));
});

test("indices are equally spaced from first to last", () => {
  assert.deepEqual(spread(3, 10), [0, 1, 2]);
  const many = spread(1001, 11);
  assert.deepEqual(many, [0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]);
});

test("another run is interpolated at the times of this run", () => {
  const other = resample(Float64Array.of(-1, 0.5, 3, 5), t, Float64Array.of(0, 10, 20, 40));
  assert.deepEqual(other, Float64Array.of(NaN, 5, 30, NaN));
});

test("differences are matched by joint name", () => {
  const mine = make_run(puma(), { count: 101 });
  const theirs = make_run(puma(), { count: 201 });
  theirs.model.coordinates = [...theirs.model.coordinates].reverse();
  theirs.samples.q.reverse();
  const { q, tau, notices } = differences(read_run(mine), read_run(theirs));
  assert.ok(q.every((column) => column!.every((x) => Math.abs(x) < 1e-12)), "the same motion, joints in another order");
  assert.ok(tau[0]!.some((x) => Math.abs(x) > 1), "the torques were left in their order, so they differ");
  assert.deepEqual(notices, []);
  const small = differences(read_run(mine), read_run(make_run(planar3(), { count: 101 })));
  assert.equal(small.q[5], null);
  assert.match(small.notices[0]!.text, /no joint named joint4, joint5, joint6/);
});

test("rates are differences of adjacent samples", () => {
  assert.deepEqual(rate(t, Float64Array.of(0, 2, 4, 8)), Float64Array.of(2, 2, 2, 2));
  assert.deepEqual(rate(Float64Array.of(1), Float64Array.of(5)), Float64Array.of(NaN));
});

test("the clock plays, loops, stops and steps", () => {
  const clock = new Clock(t);
  clock.play();
  clock.advance(1.5);
  assert.equal(clock.time, 1.5);
  clock.set_speed(2);
  clock.advance(1.5);
  assert.equal(clock.time, 0.5, "looped");
  clock.set_loop(false);
  clock.advance(10);
  assert.equal(clock.time, 4);
  assert.equal(clock.playing, false);
  clock.step(-1);
  assert.equal(clock.time, 2);
  clock.seek(2.5);
  clock.step(-1);
  assert.equal(clock.time, 2, "back to the sample before");
  clock.step(1);
  assert.equal(clock.time, 4);
  clock.set_speed(1000);
  assert.equal(clock.speed, 10);
  clock.set_speed(0);
  assert.equal(clock.speed, 0.1);
  clock.seek(NaN);
  assert.equal(clock.time, 0);
});

test("a preview returns to the previous time, a click stays", () => {
  const clock = new Clock(t);
  clock.seek(1);
  clock.preview(3);
  clock.preview(2);
  assert.equal(clock.time, 2);
  clock.end_preview();
  assert.equal(clock.time, 1);
  clock.preview(3);
  clock.seek(3);
  clock.end_preview();
  assert.equal(clock.time, 3);
  clock.play();
  clock.preview(0);
  assert.equal(clock.time, 3, "while it plays, pointing changes nothing");
});

test("a run of one sample does not play", () => {
  const clock = new Clock(Float64Array.of(2));
  clock.play();
  assert.equal(clock.playing, false);
  clock.step(1);
  assert.equal(clock.time, 2);
});

test("the window zooms about the current time and stays inside the run", () => {
  const window = new TimeWindow(0, 10);
  window.zoom(0.5, 8);
  assert.deepEqual([window.min, window.max], [4, 9]);
  window.set(-5, 3);
  assert.deepEqual([window.min, window.max], [0, 8]);
  window.set(6, 7);
  window.follow(9.5);
  assert.ok(window.min <= 9.5 && window.max >= 9.5 && Math.abs(window.max - window.min - 1) < 1e-12);
  window.zoom(1000, 5);
  assert.ok(window.is_complete);
});

test("numbers are short and exact", () => {
  assert.equal(format_value(-0.61136), "−0.6114");
  assert.equal(format_value(3.2e-11), "3.20×10⁻¹¹");
  assert.equal(format_value(NaN), "NaN");
  assert.equal(format_setting(1e-9), "10⁻⁹");
  assert.equal(format_setting(-9.81), "−9.81");
  assert.deepEqual(format_ticks([-0.025, 0, 0.025]), ["−0.025", "0", "0.025"]);
  assert.deepEqual(format_ticks([0, 20, 40]), ["0", "20", "40"]);
  assert.deepEqual(format_ticks([-2e-11, 0, 2e-11]), ["−2×10⁻¹¹", "0", "2×10⁻¹¹"]);
});

test("common prefixes of names are removed", () => {
  assert.deepEqual(short_names(["panda_joint1", "panda_finger_joint1"]), ["joint1", "finger_joint1"]);
  assert.deepEqual(short_names(["arm_joint_1", "arm_joint_2"]), ["joint_1", "joint_2"]);
  assert.deepEqual(short_names(["joint1", "joint2"]), ["joint1", "joint2"]);
  assert.deepEqual(short_names(["base/x", "base/y", "base/yaw"]), ["x", "y", "yaw"]);
  assert.deepEqual(short_names(["only_one"]), ["only_one"]);
});
