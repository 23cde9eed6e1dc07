// SPDX-License-Identifier: Apache-2.0
// Reader of runs: columns, errors and notices.

import assert from "node:assert/strict";
import { test } from "node:test";
import { decode_column, hold_last_finite } from "../src/data/columns";
import { parse_run, read_run, total_energy } from "../src/data/run";
import { encode, flexible_run, make_run, planar3, puma } from "./fixtures";

test("column encodings are equivalent", () => {
  const values = Float64Array.of(0, -1.5, 3.25, 1e-3, NaN);
  assert.deepEqual(decode_column(encode(values, "plain"), "x"), values);
  assert.deepEqual(decode_column(encode(values, "f64"), "x"), values);
  assert.deepEqual(decode_column(encode(values, "f32"), "x"), values.map(Math.fround));
});

test("an invalid column is reported with its path", () => {
  assert.throws(() => decode_column([1, "two"], "samples.q[0]"), /samples\.q\[0\]\[1\] is "two"/);
  assert.throws(() => decode_column({ f32: "AAA=" }, "samples.t"), /not a multiple of 4/);
  assert.throws(() => decode_column({ f64: "***" }, "samples.t"), /not valid base64/);
  assert.throws(() => decode_column(7, "samples.t"), /not a column/);
});

test("gaps are filled with the last finite value, leading gaps with the first", () => {
  assert.deepEqual(hold_last_finite(Float64Array.of(NaN, 2, NaN, NaN, 5)), Float64Array.of(2, 2, 2, 2, 5));
  assert.deepEqual(hold_last_finite(Float64Array.of(NaN, NaN)), Float64Array.of(0, 0));
});

test("reads a complete run", () => {
  const run = read_run(make_run(puma(), { encoding: "f64" }));
  assert.equal(run.samples.count, 1001);
  assert.equal(run.model.joints.length, 7);
  assert.equal(run.model.links[run.model.end_effector]!.name, "tool");
  assert.deepEqual(run.notices, []);
  const total = total_energy(run.samples)!;
  assert.ok(total.every((x) => Math.abs(x - 25) < 1e-12));
  const bent = read_run(flexible_run());
  assert.equal(bent.model.links.filter((link) => link.flexible?.shapes).length, 2);
  assert.equal(bent.samples.amplitudes!.names.length, 2);
  assert.equal(bent.samples.tips!.names.length, 4);
  assert.deepEqual(bent.notices, []);
});

test("optional parts may be missing", () => {
  const json = make_run(puma());
  for (const key of ["qd", "qdd", "tau", "kinetic", "potential", "energy_drift", "power", "power_balance"]) delete json.samples[key];
  delete json.statistics;
  json.settings = null;
  const run = read_run(json);
  assert.equal(run.samples.tau, null);
  assert.equal(total_energy(run.samples), null);
  assert.deepEqual(run.gravity, [0, 0, -9.81]);
});

test("an empty page contains no run", () => {
  assert.equal(parse_run("null"), null);
  assert.equal(parse_run("  "), null);
  assert.equal(parse_run(["", "DYNAMICS_RUN", ""].join("__")), null);
});

test("malformed files are reported with the reason", () => {
  const broken = (change: (json: ReturnType<typeof make_run>) => void): string => {
    const json = make_run(puma(), { count: 11 });
    change(json);
    return JSON.stringify(json);
  };
  assert.throws(() => parse_run("{oops"), /JSON of the run is malformed/);
  assert.throws(() => parse_run("[]"), /expected an object/);
  assert.throws(() => parse_run('{"format": "other"}'), /not a run/);
  assert.throws(() => parse_run(broken((j) => { delete j.model; })), /model is missing/);
  assert.throws(() => parse_run(broken((j) => { j.samples.q.pop(); })), /samples\.q has 5 columns; expected 6/);
  assert.throws(() => parse_run(broken((j) => { j.samples.tau[2].pop(); })), /samples\.tau\[2\] \(joint3\) has 10 values/);
  assert.throws(() => parse_run(broken((j) => { j.samples.t = []; })), /no samples/);
  assert.throws(() => parse_run(broken((j) => { j.samples.t[4] = 0; })), /Time does not increase: samples\.t\[4\]/);
  assert.throws(() => parse_run(broken((j) => { j.model.joints[1].parent = "nowhere"; })), /parent link 'nowhere'/);
  assert.throws(() => parse_run(broken((j) => { j.model.joints[1].type = "ball"; })), /unknown type 'ball'/);
  assert.throws(() => parse_run(broken((j) => { j.model.joints.reverse(); })), /parents must come first/);
  assert.throws(() => parse_run(broken((j) => { j.model.joints[5].coordinate = 6; })), /'joint6' uses coordinate 6; the model has 6/);
});

test("notices are shown", () => {
  const texts = (json: unknown): string => read_run(json).notices.map((notice) => notice.text).join("\n");
  const nan = make_run(puma());
  nan.samples.q[1][502] = null;
  nan.samples.tau[3][600] = null;
  assert.match(texts(nan), /not numbers: position of joint2 and 1 more column, first at t = 5\.02 s \(sample 503 of 1001\)/);
  assert.match(texts(make_run(puma(), { count: 1 })), /single sample/);
  assert.match(texts(make_run(puma(), { amplitude: 0 })), /No joint moves/);
  const stopped = make_run(puma());
  stopped.statistics.completed = false;
  assert.match(texts(stopped), /did not reach its end/);
  const later = make_run(puma());
  later.version = 3;
  assert.match(texts(later), /format version 3/);
});

test("NaN is read as a gap", () => {
  const text = JSON.stringify(make_run(planar3(), { count: 3 })).replace(/"kinetic":\[[^,]*/, '"kinetic":[NaN');
  assert.ok(Number.isNaN(parse_run(text)!.samples.kinetic![0]));
});
