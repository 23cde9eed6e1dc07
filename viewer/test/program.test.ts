// SPDX-License-Identifier: Apache-2.0
// Pages written by the program for the four robots, compared with the CSV of the same run.
// DYNAMICS_PROGRAM: path of the program; DYNAMICS_VIEWER: template of the page.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { launch, no_browser, open_file, screenshot } from "./browser";
import { pose_difference } from "./reference";

const program = process.env.DYNAMICS_PROGRAM || process.env.DYNAMICS_PROGRAM_INSTALLED || "";
const skip = no_browser || (program === "" || !existsSync(program) ? "the program is not there (DYNAMICS_PROGRAM names it)" : false);

let browser: Browser;
let directory = "";
if (!skip) {
  before(async () => {
    browser = await launch();
    directory = mkdtempSync(join(tmpdir(), "dynamics_viewer_"));
  });
  after(async () => {
    await browser.close();
    rmSync(directory, { recursive: true });
  });
}

interface Table {
  names: string[];
  rows: number[][];
}

function read_csv(path: string): Table {
  const [head, ...lines] = readFileSync(path, "utf8").trim().split(/\r?\n/);
  return { names: head!.split(","), rows: lines.map((line) => line.split(",").map(Number)) };
}

for (const robot of ["planar3", "stanford", "puma", "canadarm"]) {
  test(`${robot}: joint values match the CSV`, { skip }, async () => {
    const page_path = join(directory, `${robot}.html`);
    const csv_path = join(directory, `${robot}.csv`);
    const scenario = robot === "canadarm" ? ["--scenario", "forced"] : [];
    execFileSync(program, ["simulate", robot, ...scenario, "--duration", "2", "--output", page_path, "--output", csv_path], { stdio: "pipe" });
    const { names, rows } = read_csv(csv_path);
    const { page, shown, complaints, close } = await open_file(browser, page_path);
    assert.equal(shown, true);
    let compared = 0;
    for (const row of [rows[0]!, rows[Math.floor(rows.length / 3)]!, rows[rows.length - 1]!]) {
      const values = await page.evaluate((time) => {
        window.dynamicsViewer.seek(time);
        return window.dynamicsViewer.jointValues();
      }, row[0]!);
      for (const [joint, value] of Object.entries(values)) {
        const column = names.indexOf(`q_${joint}`);
        assert.ok(column > 0, `the CSV has a column q_${joint}`);
        assert.equal(value, row[column]!, `${joint} at ${row[0]} s`);
        ++compared;
      }
    }
    assert.ok(compared >= 6);
    assert.deepEqual(complaints, []);
    await page.evaluate(() => window.dynamicsViewer.seek(0.8));
    await page.waitForTimeout(200);
    await screenshot(page, `program_${robot}`);
    await page.keyboard.press("t");
    await page.keyboard.press("t");
    await page.waitForTimeout(200);
    await screenshot(page, `program_${robot}_dark`);
    await close();
  });
}

test("puma under computed torque with limits: tracking errors and saturation match the CSV", { skip }, async () => {
  const page_path = join(directory, "controlled.html");
  const csv_path = join(directory, "controlled.csv");
  execFileSync(program, ["simulate", "puma", "--scenario", "computed-torque", "--limits", "--output", page_path, "--output", csv_path], { stdio: "pipe" });
  const { names, rows } = read_csv(csv_path);
  const column = (name: string): number[] => rows.map((row) => row[names.indexOf(name)]!);
  const { page, complaints, close } = await open_file(browser, page_path);
  const cells = (plot: string, joint: string): Promise<string[]> => page.locator(`#plot-${plot} tr[data-series="${joint}"] td`).allTextContents();
  const [t, joints] = [column("t"), names.filter((name) => name.startsWith("q_")).map((name) => name.slice(2))];
  let saturated_joints = 0;
  for (const joint of joints) {
    const [q, desired, tau] = [column(`q_${joint}`), column(`desired_${joint}`), column(`tau_${joint}`)];
    const errors = desired.map((x, k) => Math.abs(x - q[k]!));
    const [, rms, peak, at] = await cells("tracking-rad", joint);
    const digits = (text: string): number => Number(text.replace("−", "-").replace("×10", "e").replace(/[⁻⁰¹²³⁴-⁹]/g, (c) => ("⁻⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c) === 0 ? "-" : String("⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(c)))));
    const close_to = (text: string, value: number): void => assert.ok(Math.abs(digits(text) - value) <= 0.005 * value + 5e-5, `${joint}: ${text} instead of ${value}`);
    close_to(rms!, Math.sqrt(errors.reduce((sum, x) => sum + x * x, 0) / errors.length));
    close_to(peak!, Math.max(...errors));
    close_to(at!.replace(" s", ""), t[errors.indexOf(Math.max(...errors))]!);
    const [, limit, , duration] = await cells("torques-rad", joint);
    const samples = t.filter((_, k) => Math.abs(tau[k]!) >= Number(limit!.replace("±", "")) * (1 - 1e-12));
    if (samples.length === 0) {
      assert.equal(duration, "–", joint);
    } else {
      ++saturated_joints;
      // each sample counts 0.01 s, the last one half
      const expected = 0.01 * samples.length - (samples[samples.length - 1] === t[t.length - 1] ? 0.005 : 0);
      assert.ok(Math.abs(Number(duration!.replace(" s", "")) - expected) <= 0.005 * expected, `${joint}: ${duration} instead of ${expected} s`);
    }
  }
  assert.ok(joints.length === 6 && saturated_joints >= 2, `${saturated_joints} joints are saturated`);
  assert.deepEqual(complaints, []);
  await page.evaluate(() => window.dynamicsViewer.seek(6.5));
  await page.waitForTimeout(200);
  await screenshot(page, "program_controlled");
  await close();
});

const whip = `<robot name="whip">
  <link name="base"/><link name="boom">
    <inertial><origin xyz="1 0 0"/><mass value="4"/><inertia ixx="0" iyy="1.333333333" izz="1.333333333" ixy="0" ixz="0" iyz="0"/></inertial>
    <flexible length="2" mass_per_length="2" rigidity_y="60" rigidity_z="40" modes_y="2" modes_z="2" stiffening="true"/></link>
  <link name="hand"><inertial><origin xyz="0.2 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="wrist" type="continuous"><parent link="boom"/><child link="hand"/><origin xyz="2.1 0.1 -0.1" rpy="0.3 0.2 0.1"/><axis xyz="0 1 0"/></joint>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="boom"/><origin rpy="0.4 0 0"/><axis xyz="0 0 1"/></joint>
</robot>`;

interface BentRun {
  name: string;
  tip: string;
  options: string[];
  /** Minimum deflection in the run (m). */
  bends: Record<string, number>;
}

const bent_runs: BentRun[] = [
  { name: "canadarm", tip: "tool0", options: ["--scenario", "forced", "--duration", "4"], bends: { tip_link1_y: 0.1 } },
  { name: "whip.urdf", tip: "hand", options: ["--duration", "1"], bends: { tip_boom_y: 0.1, tip_boom_z: 0.1 } },
];

for (const { name, tip, options, bends } of bent_runs) {
  test(`${name}: the deflected tip matches the CSV to 1e-6 of the reach`, { skip }, async () => {
    const page_path = join(directory, "bent.html");
    const csv_path = join(directory, "bent.csv");
    let robot = name;
    if (name.endsWith(".urdf")) {
      robot = join(directory, name);
      writeFileSync(robot, whip);
    }
    execFileSync(program, ["simulate", robot, ...options, "--output", page_path, "--output", csv_path], { stdio: "pipe" });
    const { names, rows } = read_csv(csv_path);
    const value = (row: number[], column: string): number => {
      assert.ok(names.includes(column), `the CSV has a column ${column}`);
      return row[names.indexOf(column)]!;
    };
    for (const [column, least] of Object.entries(bends)) {
      const largest = Math.max(...rows.map((row) => Math.abs(value(row, column))));
      assert.ok(largest > least, `${column} bends by ${largest} m, ${least} m are wanted`);
    }
    const reach = Math.max(...rows.map((row) => Math.hypot(...["x", "y", "z"].map((axis) => value(row, `end_effector_${axis}`)))));
    const { page, complaints, close } = await open_file(browser, page_path);
    const seen = await page.evaluate(([times, link]) => times.map((time) => {
      window.dynamicsViewer.seek(time);
      return window.dynamicsViewer.linkPose(link)!;
    }), [rows.map((row) => row[0]!), tip] as const);
    assert.equal(seen.length, rows.length);
    const apart = rows.map((row, i) => {
      const [x, y, z, w] = ["qx", "qy", "qz", "qw"].map((part) => value(row, `end_effector_${part}`)) as [number, number, number, number];
      const rotation: [number, number, number][] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
      ];
      const position = ["x", "y", "z"].map((axis) => value(row, `end_effector_${axis}`)) as [number, number, number];
      return pose_difference({ position, rotation }, seen[i]!, reach);
    });
    const worst = Math.max(...apart);
    assert.ok(worst <= 1e-6 * reach, `drawn up to ${worst} m from where the CSV has it; the arm reaches ${reach} m`);
    // magnification moves the tip
    await page.evaluate((time) => window.dynamicsViewer.seek(time), rows[Math.floor((3 * rows.length) / 4)]![0]!);
    const place = (): Promise<number[]> => page.evaluate((link) => window.dynamicsViewer.linkPose(link)!.slice(12, 15), tip);
    const exact = await place();
    const slider = page.locator(".deflection input");
    await slider.focus();
    for (let i = 0; i < 20; ++i) await page.keyboard.press("ArrowRight");
    const magnified = await place();
    assert.ok(Math.hypot(...magnified.map((x, i) => x - exact[i]!)) > 0.1);
    await screenshot(page, `program_${name.replace(".", "_")}_bent`);
    assert.deepEqual(complaints, []);
    await close();
  });
}
