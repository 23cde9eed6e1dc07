// SPDX-License-Identifier: Apache-2.0
// Pages that the program writes: the four robots, against the CSV of the same run.
// DYNAMICS_PROGRAM names the program; DYNAMICS_VIEWER tells it which template to fill.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { launch, no_browser, open_file, screenshot } from "./browser";

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
  test(`${robot}: the page's joints are those of the CSV`, { skip }, async () => {
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
        // the page may carry its columns in single precision
        assert.ok(Math.abs(value - row[column]!) <= 1e-6 * Math.max(1, Math.abs(row[column]!)), `${joint} at ${row[0]} s`);
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

test("canadarm: the bent arm's end is where the CSV has it", { skip }, async () => {
  const page_path = join(directory, "bent.html");
  const csv_path = join(directory, "bent.csv");
  execFileSync(program, ["simulate", "canadarm", "--scenario", "forced", "--duration", "4", "--output", page_path, "--output", csv_path], { stdio: "pipe" });
  const { names, rows } = read_csv(csv_path);
  const { page, complaints, close } = await open_file(browser, page_path);
  const row = rows[Math.floor((3 * rows.length) / 4)]!;
  assert.ok(Math.abs(row[names.indexOf("tip_link1_y")]!) > 0.1, "link 1 bends by more than 0.1 m");
  const seen = await page.evaluate((time) => {
    window.dynamicsViewer.seek(time);
    return window.dynamicsViewer.linkPose("tool0")!.slice(12, 15);
  }, row[0]!);
  // the page has the shape at a few places only: 15 m of arm are right to a centimetre
  const apart = Math.hypot(...["x", "y", "z"].map((axis, i) => seen[i]! - row[names.indexOf(`end_effector_${axis}`)]!));
  assert.ok(apart < 0.01, `${apart} m apart`);
  // magnified, the end is elsewhere
  const slider = page.locator(".deflection input");
  await slider.focus();
  for (let i = 0; i < 20; ++i) await page.keyboard.press("ArrowRight");
  const magnified = await page.evaluate(() => window.dynamicsViewer.linkPose("tool0")!.slice(12, 15));
  assert.ok(Math.hypot(...magnified.map((x, i) => x - seen[i]!)) > 0.1);
  await screenshot(page, "program_canadarm_bent");
  assert.deepEqual(complaints, []);
  await close();
});
