// SPDX-License-Identifier: Apache-2.0
// Performance with long runs.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser } from "playwright-core";
import { launch, no_browser, open_run, screenshot } from "./browser";
import { make_run, motion, puma } from "./fixtures";

let browser: Browser;
if (!no_browser) {
  before(async () => { browser = await launch(); });
  after(async () => { await browser.close(); });
}

/** Processor time of the processes of the page in seconds, by process. */
async function processor_times(): Promise<Map<number, number>> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  // without the graphics process, which uses software rendering here
  return new Map(processInfo.filter((process) => process.type === "renderer").map((process) => [process.id, process.cpuTime]));
}

/** Processor time since then; processes that have ended are not counted. */
async function used_since(before_then: Map<number, number>): Promise<number> {
  let sum = 0;
  for (const [id, time] of await processor_times()) sum += time - (before_then.get(id) ?? 0);
  return sum;
}

test("a run of 100,000 samples and six joints is interactive within 3 s", { skip: no_browser }, async (context) => {
  const run = make_run(puma(), { count: 100_000, duration: 1000, encoding: "f32", frequency: 0.5 });
  const measured: { wall: number; processor: number }[] = [];
  for (let attempt = 0; attempt < 4; ++attempt) {
    const start_times = await processor_times();
    const { page, elapsed, complaints, close } = await open_run(browser, run);
    const start = Date.now();
    await page.keyboard.press("End");
    const values = await page.evaluate(() => window.dynamicsViewer.jointValues());
    // processor time, because wall time depends on the load of the machine
    measured.push({ wall: (elapsed + Date.now() - start) / 1000, processor: await used_since(start_times) });
    assert.equal(await page.evaluate(() => window.dynamicsViewer.time()), 1000);
    assert.ok(Math.abs(values.joint2! - motion(1, 1000, 1, 0.5)[0]) < 1e-6);
    assert.deepEqual(complaints, []);
    if (attempt === 0) await screenshot(page, "long_run");
    await close();
  }
  const text = measured.map(({ wall, processor }) => `${wall.toFixed(2)} s (processor ${processor.toFixed(2)} s)`).join(", ");
  context.diagnostic(`ready and answering after ${text}`);
  assert.ok(measured.every(({ processor }) => processor > 0.05), `no processor time was measured: ${text}`);
  assert.ok(Math.min(...measured.map(({ wall, processor }) => Math.min(wall, processor))) < 3, text);
});

test("a peak of one sample is visible in the complete run", { skip: no_browser }, async () => {
  const run = make_run(puma(), { count: 100_000, duration: 1000, frequency: 0.5 });
  run.samples.kinetic[61_234] = 5000;
  const { page, complaints, close } = await open_run(browser, run);
  await page.locator("#plot-energies").scrollIntoViewIfNeeded();
  await page.waitForFunction(() => document.querySelector("#plot-energies canvas") !== null);
  await page.keyboard.press("+");
  await page.keyboard.press("0");
  // the peak reaches the top of the plot
  const seen = await page.locator("#plot-energies").evaluate((section) => {
    const canvas = section.querySelector("canvas")!;
    const { width, height } = canvas;
    const { data } = canvas.getContext("2d")!.getImageData(0, Math.round(0.05 * height), width, Math.round(0.2 * height));
    let colored = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3]! > 100 && Math.max(data[i]!, data[i + 1]!, data[i + 2]!) - Math.min(data[i]!, data[i + 1]!, data[i + 2]!) > 60) ++colored;
    }
    return colored;
  });
  assert.ok(seen > 3, `${seen} colored pixels near the top`);
  assert.deepEqual(complaints, []);
  await close();
});
