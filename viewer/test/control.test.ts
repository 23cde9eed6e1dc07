// SPDX-License-Identifier: Apache-2.0
// Tracking error, saturation and pushes: numbers, and what is listed of them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { is_active } from "../src/data/pushes";
import { read_run } from "../src/data/run";
import type { Run } from "../src/data/run";
import { effort_limits, peak, saturated_intervals, total_duration } from "../src/data/saturation";
import { track, worst_tracking } from "../src/data/tracking";
import { format_duration } from "../src/format";
import { saturation_summary, tracking_summary } from "../src/panels/settings";
import { rows_height, visible_spans } from "../src/plots/marks";
import { run_plots } from "../src/plots/series";
import { controlled_run, effort, make_run, motion, puma, stanford } from "./fixtures";

const near = (is: number, should: number, tolerance: number): void =>
  assert.ok(Math.abs(is - should) <= tolerance, `${is} instead of ${should}`);

test("tracking error is reference minus motion, with RMS and peak", () => {
  const t = Float64Array.of(0, 1, 2, 3);
  const { error, rms, peak: largest, at } = track(t, Float64Array.of(1, 2, 3, 4), Float64Array.of(1, 5, 7, 4));
  assert.deepEqual(error, Float64Array.of(0, -3, -4, 0));
  assert.equal(rms, 2.5);
  assert.equal(largest, 4);
  assert.equal(at, 2);
  // sine of amplitude 0.3: RMS 0.3 / sqrt(2) over complete periods
  const times = Float64Array.from({ length: 1000 }, (_, k) => k / 100);
  const wave = track(times, times.map((x) => 0.3 * Math.sin(2 * Math.PI * x)), times.map(() => 0));
  near(wave.rms, 0.3 / Math.SQRT2, 1e-12);
  near(wave.peak, 0.3, 1e-12);
  near(wave.at, 0.25, 1e-12);
});

test("samples without a reference do not count, a position that is not a number is not hidden", () => {
  const t = Float64Array.of(0, 1, 2, 3);
  const partial = track(t, Float64Array.of(1, NaN, 1, NaN), Float64Array.of(0, NaN, 3, 100));
  assert.equal(partial.rms, Math.sqrt(2.5));
  assert.equal(partial.peak, 2);
  assert.equal(partial.at, 2);
  const broken = track(t, Float64Array.of(1, 1, 1, 1), Float64Array.of(0, NaN, 3, NaN));
  assert.deepEqual([broken.rms, broken.peak, broken.at], [NaN, NaN, 1]);
  const none = track(t, t.map(() => NaN), t);
  assert.deepEqual([none.rms, none.peak, none.at], [NaN, NaN, NaN]);
});

test("the worst joint is found for each unit, NaN first", () => {
  const of = (largest: number, at = 0): ReturnType<typeof track> => ({ error: new Float64Array(1), rms: largest, peak: largest, at });
  const units = ["rad", "m", "rad", "rad"];
  assert.equal(worst_tracking([of(1), of(9), of(2), of(0)], units, "rad"), 2);
  assert.equal(worst_tracking([of(1), of(9), of(2), of(0)], units, "m"), 1);
  assert.equal(worst_tracking([of(1), of(9), of(NaN), of(5)], units, "rad"), 2);
  assert.equal(worst_tracking([of(NaN, NaN), of(NaN, NaN)], ["rad", "rad"], "rad"), -1, "no reference");
});

test("effort limits belong to coordinates: not to mimic joints, not to passive joints", () => {
  const json = make_run(stanford(), { count: 3 });
  json.model.joints[3].limit.effort = 7;
  json.model.joints[4].limit.effort = 3;
  json.model.joints[0].limit.effort = 0;
  json.model.joints[1].limit.effort = null;
  assert.deepEqual(effort_limits(read_run(json).model), [null, null, 150, 7]);
  const flat = make_run(puma(), { count: 3 });
  flat.model.coordinates = ["base/x", "base/y", "base/yaw", "joint4", "joint5", "joint6"];
  flat.model.joints[0] = { ...flat.model.joints[0], name: "base", type: "planar" };
  for (const i of [1, 2]) Object.assign(flat.model.joints[i], { type: "fixed", coordinate: -1 });
  assert.deepEqual(effort_limits(read_run(flat).model), [150, 150, 150, 150, 150, 150]);
});

test("saturated intervals extend halfway to the neighboring samples", () => {
  const t = Float64Array.of(0, 1, 2, 3, 4, 6);
  assert.deepEqual(saturated_intervals(t, Float64Array.of(0, 5, -5, 0, 0, 5), 5), [{ from: 0.5, to: 2.5 }, { from: 5, to: 6 }]);
  assert.deepEqual(saturated_intervals(t, Float64Array.of(9, 0, NaN, 5, NaN, 0), 5), [{ from: 0, to: 0.5 }, { from: 2.5, to: 3.5 }]);
  assert.equal(total_duration(saturated_intervals(t, t.map(() => -5), 5)), 6);
  assert.equal(total_duration(saturated_intervals(t, t.map(() => 5 * (1 - 1e-6)), 5)), 0);
  assert.equal(total_duration(saturated_intervals(t, t.map(() => 5 * (1 - 1e-13)), 5)), 6);
  // 35 samples of 0.01 s are 0.35 s
  const fine = Float64Array.from({ length: 101 }, (_, k) => k / 100);
  near(total_duration(saturated_intervals(fine, fine.map((_, k) => (k >= 20 && k < 55 ? 5 : 4)), 5)), 0.35, 1e-12);
  assert.deepEqual(saturated_intervals(Float64Array.of(2), Float64Array.of(5), 5), [{ from: 2, to: 2 }]);
});

test("saturation is found in all encodings", () => {
  assert.ok(Math.fround(effort) < effort * (1 - 1e-12), "the limit is not a single-precision number");
  for (const encoding of ["plain", "f64", "f32"] as const) {
    const { saturated } = read_run(controlled_run({ encoding }));
    assert.deepEqual(saturated!.map((intervals) => intervals.length), [0, 4, 0, 0, 0, 0], encoding);
    near(total_duration(saturated![1]!), 20 / 3, 4 * 0.01);
    near(saturated![1]![0]!.from, 5 / 12, 0.01);
  }
});

test("without limits nothing saturates", () => {
  for (const limits of [false, null, undefined]) {
    const json = controlled_run();
    json.settings.limits = limits;
    assert.equal(read_run(json).saturated, null);
  }
  const json = controlled_run();
  delete json.samples.tau;
  assert.equal(read_run(json).saturated, null);
});

test("peaks propagate NaN", () => {
  assert.equal(peak(Float64Array.of(1, -3, 2)), 3);
  assert.equal(peak(Float64Array.of(1, NaN, 2)), NaN);
});

test("a push acts from its start until before its end", () => {
  const { pushes, model } = read_run(controlled_run());
  assert.deepEqual(pushes.map(({ link }) => model.links[link]!.name), ["link3", "tool"]);
  const active = (time: number): boolean[] => pushes.map((push) => is_active(push, time));
  assert.deepEqual(active(1.99), [false, false]);
  assert.deepEqual(active(2), [true, false]);
  assert.deepEqual(active(2.499), [true, false]);
  assert.deepEqual(active(2.5), [false, false]);
  assert.deepEqual(active(10), [false, true], "without an end, to the end of the run");
});

test("malformed pushes and references are reported", () => {
  const broken = (change: (json: ReturnType<typeof controlled_run>) => void): (() => Run) => () => {
    const json = controlled_run({ count: 11 });
    change(json);
    return read_run(json);
  };
  assert.throws(broken((j) => { j.pushes[1].link = "arm"; }), /pushes\[1\] acts on the link 'arm', which does not exist/);
  assert.throws(broken((j) => { j.pushes[0].force = [1, 2]; }), /pushes\[0\]\.force is an array; expected three numbers/);
  assert.throws(broken((j) => { j.pushes[0].end = 1; }), /pushes\[0\] ends at 1 s, before it starts at 2 s/);
  assert.throws(broken((j) => { delete j.pushes[0].start; }), /pushes\[0\]\.start is missing; expected a number/);
  assert.throws(broken((j) => { j.samples.desired.qd.pop(); }), /samples\.desired\.qd has 5 columns; expected 6/);
  assert.throws(broken((j) => { j.samples.desired.q[1].pop(); }), /samples\.desired\.q\[1\] \(joint2\) has 10 values/);
  const still = broken((j) => { j.samples.desired.qd = []; })();
  assert.equal(still.samples.desired_qd, null, "a reference without velocities");
  assert.equal(still.samples.desired_q!.length, 6);
});

test("the plots have reference, error, limits and pushes", () => {
  const run = read_run(controlled_run());
  const plots = new Map(run_plots(run).map((plot) => [plot.id, plot]));
  for (const [id, order] of [["positions-rad", 0], ["velocities-rad", 1]] as const) {
    const reference = plots.get(id)!.series.filter((series) => series.reference);
    assert.deepEqual(reference.map(({ name }) => name), run.model.coordinates.map((name) => `${name} reference`));
    near(reference[2]!.column[300]!, motion(2, 3, 1.3)[order], 1e-12);
    assert.equal(plots.get(id)!.series.length, 12);
  }
  const tracking = plots.get("tracking-rad")!;
  near(tracking.series[1]!.column[300]!, motion(1, 3, 1.3)[0] - motion(1, 3)[0], 1e-12);
  assert.deepEqual(tracking.columns, ["RMS", "peak", "at"]);
  const torques = plots.get("torques-rad")!;
  assert.deepEqual(torques.series.map(({ limit }) => limit), [150, effort, 150, 150, 150, 150]);
  assert.deepEqual(torques.series[1]!.statistics!.map(({ text }) => text), ["±97.6", "97.600", "6.68 s"]);
  near(torques.series[1]!.statistics![2]!.jump!.time, 5 / 12, 0.01);
  assert.deepEqual(torques.pushes, [{ from: 2, to: 2.5 }, { from: 6, to: Infinity }]);
  const slides = run_plots(read_run({ ...make_run(stanford()), samples: { ...make_run(stanford()).samples, desired: { q: make_run(stanford()).samples.q } } }));
  assert.deepEqual(slides.filter(({ id }) => id.startsWith("tracking")).map(({ unit }) => unit), ["rad", "m"], "one plot per unit");
});

test("a run without a controller has the plots that it had", () => {
  const plots = run_plots(read_run(make_run(puma())));
  assert.ok(!plots.some(({ id }) => id.startsWith("tracking")));
  assert.ok(plots.every(({ series, columns, note = "" }) => columns === undefined && !/limit/.test(note) && series.every(({ reference }) => !reference)));
});

test("the largest error and the saturated joints are summarized", () => {
  const run = read_run(controlled_run());
  const names = run.model.coordinates;
  assert.equal(saturation_summary(run, names), "joint2 for 6.68 s");
  const worst = run.tracking!.reduce((a, b) => (b.peak > a.peak ? b : a));
  assert.equal(tracking_summary(run, names), `${worst.peak.toFixed(4)} rad (joint${run.tracking!.indexOf(worst) + 1})`);
  const all: Run = { ...run, saturated: [0.1, 0, 0.35, 0.2, 0.05, 0].map((to) => (to > 0 ? [{ from: 0, to }] : [])) };
  assert.equal(saturation_summary(all, names, 2), "joint3 for 0.35 s, joint4 for 0.2 s, 2 more");
  assert.equal(saturation_summary({ ...run, saturated: names.map(() => []) }, names), "never");
  assert.equal(saturation_summary({ ...run, saturated: null }, names), null);
  assert.equal(tracking_summary({ ...run, tracking: null }, names), null);
  assert.equal(format_duration(0.350000001), "0.35");
});

test("intervals closer than a pixel are drawn as one", () => {
  const intervals = [{ from: 0, to: 1 }, { from: 1.5, to: 2 }, { from: 5, to: 5 }, { from: 8, to: Infinity }];
  const spans = (scale: number, left: number, right: number): [number, number][] => visible_spans(intervals, (time) => scale * time, left, right);
  assert.deepEqual(spans(10, 0, 100), [[0, 10], [15, 20], [50, 51], [80, 100]]);
  assert.deepEqual(spans(1, 0, 9), [[0, 2.5], [5, 6], [8, 9]]);
  assert.deepEqual(spans(10, 18, 60), [[18, 20], [50, 51]]);
  assert.equal(rows_height(2), 10);
  assert.equal(rows_height(40), 40, "many joints share a fixed height");
});
