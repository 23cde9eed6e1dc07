// SPDX-License-Identifier: Apache-2.0
// Invalid and unusual runs: the page shows a message or a notice.

import assert from "node:assert/strict";
import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { launch, no_browser, open_run, screenshot } from "./browser";
import { make_run, motion, planar3, puma } from "./fixtures";
import type { RunJson } from "./fixtures";

let browser: Browser;
if (!no_browser) {
  before(async () => { browser = await launch(); });
  after(async () => { await browser.close(); });
}

function message_test(name: string, run: () => unknown, text: RegExp): void {
  test(`${name}: shows a message`, { skip: no_browser }, async () => {
    const { page, shown, complaints, close } = await open_run(browser, run());
    assert.equal(shown, false);
    assert.match((await page.getByRole("alert").textContent())!, text);
    assert.ok(await page.getByRole("alert").isVisible());
    assert.deepEqual(complaints, []);
    await screenshot(page, `message_${name.replace(/\W+/g, "_")}`);
    await close();
  });
}

function changed(change: (run: RunJson) => void): () => RunJson {
  return () => {
    const run = make_run(puma(), { count: 101 });
    change(run);
    return run;
  };
}

message_test("malformed JSON", () => '{"format": "dynamics-run", "samples": ', /JSON of the run is malformed/);
message_test("cut off", () => JSON.stringify(make_run(puma())).slice(0, 5000), /JSON of the run is malformed/);
message_test("the empty template", () => null, /contains no run/);
message_test("another file", () => ({ hello: "world" }), /not a run/);
message_test("no samples", changed((run) => { run.samples.t = []; }), /no samples/);
message_test("columns of unequal length", changed((run) => { run.samples.q[2].pop(); }), /samples\.q\[2\] \(joint3\) has 100 values, but samples\.t has 101/);
message_test("a joint without its link", changed((run) => { run.model.joints[2].child = "gone"; }), /child link 'gone'/);

function notice_test(name: string, run: () => RunJson, text: RegExp | null, compare: unknown = null): void {
  test(`${name}: shows the run and a notice`, { skip: no_browser }, async () => {
    const json = run();
    const { page, shown, complaints, close } = await open_run(browser, json, compare);
    assert.equal(shown, true);
    const said = await page.locator(".notices").textContent();
    if (text) assert.match(said!, text);
    else assert.equal(said, "");
    assert.ok(await page.locator(".view canvas").isVisible());
    const values = Object.values(await page.evaluate(() => window.dynamicsViewer.jointValues()));
    assert.equal(values.length, json.model.coordinates.length);
    assert.ok(values.every(Number.isFinite));
    await page.keyboard.press("Space");
    await page.keyboard.press("End");
    assert.deepEqual(complaints, []);
    await screenshot(page, `notice_${name.replace(/\W+/g, "_")}`);
    await close();
  });
}

notice_test("values that are not numbers", changed((run) => { run.samples.q[1].fill(null, 60); run.samples.tau[0][70] = null; }), /not numbers: position of joint2/);
notice_test("only values that are not numbers", changed((run) => { for (const column of run.samples.q) column.fill(null); }), /not numbers/);
notice_test("one sample", () => make_run(puma(), { count: 1 }), /single sample/);
notice_test("nothing moves", () => make_run(puma(), { amplitude: 0 }), /No joint moves/);
notice_test("no joints", () => {
  const model = planar3();
  for (const joint of model.joints) Object.assign(joint, { type: "fixed", coordinate: -1 });
  return make_run({ ...model, coordinates: [], units: [] });
}, /no moving joints/);
notice_test("meshes", changed((run) => { for (const link of run.model.links) link.visuals = [{ geometry: { type: "mesh", filename: "a.stl" } }]; }), /drawn as bones/);
notice_test("only positions", changed((run) => { run.samples = { t: run.samples.t, q: run.samples.q }; }), null);
notice_test("a compared run that is broken", changed(() => {}), /compared run cannot be displayed.*malformed/i, "{oops");
notice_test("a name that looks like markup", changed((run) => { run.settings.robot = "</script><script>alert(1)</script>"; }), null);

test("an empty page opens a run from a file", { skip: no_browser }, async () => {
  const directory = mkdtempSync(join(tmpdir(), "dynamics_viewer_"));
  const path = join(directory, "run.json");
  writeFileSync(path, JSON.stringify(make_run(puma(), { count: 101 })));
  const { page, complaints, close } = await open_run(browser, null);
  await page.locator("#open-run").setInputFiles(path);
  await page.locator(".view canvas").waitFor();
  await page.evaluate(() => window.dynamicsViewer.seek(5));
  assert.ok(Math.abs((await page.evaluate(() => window.dynamicsViewer.jointValues())).joint1! - motion(0, 5)[0]) < 1e-12);
  assert.deepEqual(complaints, []);
  await close();
  rmSync(directory, { recursive: true });
});

function no_webgl(): void {
  const original = HTMLCanvasElement.prototype.getContext as (this: HTMLCanvasElement, kind: string, ...rest: unknown[]) => RenderingContext | null;
  HTMLCanvasElement.prototype.getContext = function (this: HTMLCanvasElement, kind: string, ...rest: unknown[]) {
    return kind.startsWith("webgl") ? null : original.call(this, kind, ...rest);
  } as typeof HTMLCanvasElement.prototype.getContext;
}

test("without WebGL the plots are shown", { skip: no_browser }, async () => {
  const { page, shown, close } = await open_run(browser, make_run(puma(), { count: 101 }), null, { prepare: no_webgl });
  assert.equal(shown, true);
  assert.match((await page.locator(".view").textContent())!, /requires WebGL/);
  assert.equal(await page.locator("#plot-positions-rad canvas").count(), 1);
  await page.keyboard.press("End");
  assert.ok(Math.abs((await page.evaluate(() => window.dynamicsViewer.jointValues())).joint1! - motion(0, 10)[0]) < 1e-12);
  await close();
});
