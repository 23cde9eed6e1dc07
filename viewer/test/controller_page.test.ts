// SPDX-License-Identifier: Apache-2.0
// The page of a run with a controller: reference, tracking error, saturation, pushes, settings.

import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { screenshot } from "./browser";
import { controlled_run, make_run, motion, puma } from "./fixtures";
import { next_frame, now, page_test, picture, shown_value } from "./page_actions";

const seek = async (page: Page, time: number): Promise<void> => {
  await page.evaluate((t) => window.dynamicsViewer.seek(t), time);
  await next_frame(page);
};

/** Scrolls to a plot and waits until it is drawn. */
async function bring(page: Page, plot: string): Promise<void> {
  await page.locator(`#plot-${plot}`).scrollIntoViewIfNeeded();
  await page.waitForFunction((id) => document.querySelector(`#plot-${id} canvas`) !== null, plot);
  await next_frame(page);
}

/** Texts of a row of the table below a plot. */
function row(page: Page, plot: string, joint: string): Promise<string[]> {
  return page.locator(`#plot-${plot} tr[data-series="${joint}"] td`).allTextContents();
}

/** Color of a plot at a time, `above` pixels above (or, if negative, below) the upper edge of the drawing area. */
function color_at(page: Page, plot: string, time: number, above: number): Promise<number[]> {
  return page.locator(`#plot-${plot}`).evaluate((section, [t, up]) => {
    const canvas = section.querySelector("canvas")!;
    const [frame, over] = [canvas.getBoundingClientRect(), section.querySelector(".u-over")!.getBoundingClientRect()];
    const scale = canvas.width / frame.width;
    const x = (over.left - frame.left + (over.width * t) / 10) * scale;
    const y = (over.top - frame.top - up) * scale;
    return Array.from(canvas.getContext("2d")!.getImageData(Math.round(x), Math.round(y), 1, 1).data);
  }, [time, above] as const);
}

page_test("reference is shown beside the motion", () => controlled_run(), async ({ page }) => {
  await seek(page, 3);
  assert.ok(Math.abs((await shown_value(page, "positions-rad", "joint1 reference")) - motion(0, 3, 1.3)[0]) < 1e-4);
  assert.ok(Math.abs((await shown_value(page, "positions-rad", "joint1")) - motion(0, 3)[0]) < 1e-4);
  await bring(page, "velocities-rad");
  assert.ok(Math.abs((await shown_value(page, "velocities-rad", "joint3 reference")) - motion(2, 3, 1.3)[1]) < 1e-4);
  await page.keyboard.press("1");
  assert.equal(await page.locator('#plot-positions-rad [data-series="joint1"]').isVisible(), false, "a hidden joint hides its reference");
  assert.equal(await page.locator('#plot-positions-rad [data-series="joint1 reference"]').isVisible(), false);
  assert.equal(await page.locator('#plot-positions-rad [data-series="joint2 reference"]').isVisible(), true);
});

page_test("a reference that agrees with the motion is visible", () => {
  const run = make_run(puma());
  run.samples.desired = { q: run.samples.q };
  return run;
}, async ({ page }) => {
  // wide dashes below the line; the line alone has no translucent pixels of this color
  const soft = (): Promise<number> => page.locator("#plot-positions-rad").evaluate((section) => {
    const canvas = section.querySelector("canvas")!;
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) if (Math.abs(data[i + 3]! - 0.45 * 255) < 6) ++count;
    return count;
  });
  assert.ok((await soft()) > 300, `${await soft()} pixels of dashes`);
});

page_test("tracking errors have a plot, RMS and peak; the time of the peak is a button", () => controlled_run(), async ({ page }) => {
  const t = Array.from({ length: 1001 }, (_, k) => k / 100);
  const errors = t.map((time) => motion(0, time, 1.3)[0] - motion(0, time)[0]);
  const rms = Math.sqrt(errors.reduce((sum, x) => sum + x * x, 0) / errors.length);
  const peak = Math.max(...errors.map(Math.abs));
  const at = t[errors.findIndex((x) => Math.abs(x) === peak)]!;
  await bring(page, "tracking-rad");
  await seek(page, 3);
  const [value, ...statistics] = await row(page, "tracking-rad", "joint1");
  assert.ok(Math.abs(Number(value!.replace("−", "-")) - errors[300]!) < 1e-4, `${value} instead of ${errors[300]}`);
  assert.deepEqual(statistics, [rms.toFixed(4), peak.toFixed(4), `${at} s`]);
  const button = page.getByRole("button", { name: `Show joint1 at its largest error, ${at} s` });
  await button.focus();
  await page.keyboard.press("Enter");
  assert.ok(Math.abs((await now(page)) - at) < 1e-9, "shows the time of the peak");
  assert.match((await page.locator("header.head").textContent())!, /Tracking error\d\.\d{4} rad \(joint\d\)/);
});

for (const encoding of ["plain", "f32"] as const) {
  page_test(`saturated intervals are marked and listed (${encoding})`, () => controlled_run({ encoding }), async ({ page }) => {
    assert.match((await page.locator("header.head").textContent())!, /Saturatedjoint2 for 6\.68 s/);
    await bring(page, "torques-rad");
    assert.deepEqual((await row(page, "torques-rad", "joint2")).slice(1), ["±97.6", "97.600", "6.68 s"]);
    assert.deepEqual((await row(page, "torques-rad", "joint1")).slice(3), ["–"]);
    // saturated from 0.42 s to 2.08 s, then free until 2.92 s: bars above, shading inside the plot
    for (const [time, saturated] of [[0.2, false], [0.5, true], [1.9, true], [2.5, false], [3, true], [9.8, false]] as const) {
      const bar = (await color_at(page, "torques-rad", time, 3))[3]!;
      assert.equal(bar > 200, saturated, `bar at ${time} s: opacity ${bar}`);
      const shade = (await color_at(page, "torques-rad", time, -3))[3]!;
      assert.equal(shade > 20 && shade < 60, saturated, `shading at ${time} s: opacity ${shade}`);
    }
    await page.getByRole("button", { name: "Show where joint2 first reaches its limit" }).click();
    assert.ok(Math.abs((await now(page)) - 0.415) < 1e-9);
    await page.keyboard.press("2");
    await next_frame(page);
    assert.equal((await color_at(page, "torques-rad", 0.5, 3))[3], 0, "hidden with its joint");
    await page.getByRole("tab", { name: "Run" }).click();
    assert.match((await page.locator("#panel-run tr", { hasText: "Saturated" }).textContent())!, /joint2 for 6\.68 s/);
  });
}

page_test("effort limits are thin lines", () => {
  const run = controlled_run();
  run.settings.limits = false;
  run.model.joints[0].limit.effort = 30;
  return run;
}, async ({ page }) => {
  await bring(page, "torques-rad");
  assert.match((await page.locator("#plot-torques-rad .note").textContent())!, /effort limits, which did not act/);
  assert.equal(await page.locator("#plot-torques-rad table").count(), 0, "limits that do not act have no statistics");
  assert.doesNotMatch((await page.locator("header.head").textContent())!, /Saturated/);
  /** Rows of the plot that are mostly translucent pixels of the color of joint1. */
  const lines = (): Promise<number[]> => page.locator("#plot-torques-rad").evaluate((section) => {
    const probe = document.createElement("canvas").getContext("2d")!;
    probe.fillStyle = section.querySelector<HTMLElement>('[data-series="joint1"] .swatch')!.style.getPropertyValue("--series");
    probe.fillRect(0, 0, 1, 1);
    const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
    const canvas = section.querySelector("canvas")!;
    const { width, height } = canvas;
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, width, height);
    return Array.from({ length: height }, (_, y) => y).filter((y) => {
      let count = 0;
      for (let i = 4 * y * width; i < 4 * (y + 1) * width; i += 4) {
        if (data[i + 3]! > 20 && data[i + 3]! < 220 && Math.abs(data[i]! - r!) + Math.abs(data[i + 1]! - g!) + Math.abs(data[i + 2]! - b!) < 60) ++count;
      }
      return count > width / 2;
    });
  });
  const rows = await lines();
  assert.ok(rows.length >= 2 && rows.length <= 4, `lines at 30 and -30 N m, one or two pixels thick: rows ${rows.join(", ")}`);
  await page.keyboard.press("1");
  await next_frame(page);
  assert.deepEqual(await lines(), [], "hidden with its joint");
});

page_test("the robot at the reference can be hidden, with the mouse and with a key", () => controlled_run(), async ({ page }) => {
  await seek(page, 3);
  const caption = page.locator(".view .caption .reference");
  const both = await picture(page);
  assert.equal(await caption.isVisible(), true);
  await page.keyboard.press("g");
  await next_frame(page);
  const alone = await picture(page);
  assert.ok(!alone.equals(both), "the ghost is gone");
  assert.equal(await caption.isVisible(), false);
  await page.getByText("View", { exact: true }).click();
  const box = page.getByLabel("Robot at the reference");
  assert.equal(await box.isChecked(), false);
  await box.press("Space");
  await next_frame(page);
  assert.equal(await box.isChecked(), true);
  assert.equal(await caption.isVisible(), true);
});

page_test("a push is drawn while it acts", () => controlled_run(), async ({ page }) => {
  const caption = page.locator(".view .caption");
  await page.getByText("View", { exact: true }).click();
  for (const [time, text] of [[1.9, null], [2.25, "push on link3, 30 N"], [2.6, null], [9, "push on tool, 5 N"]] as const) {
    await seek(page, time);
    const shown = await caption.locator(".push:visible").allTextContents();
    assert.deepEqual(shown, text === null ? [] : [text], `at ${time} s`);
    const before = await picture(page);
    await page.getByLabel("Pushes").click();
    await next_frame(page);
    assert.equal((await picture(page)).equals(before), text === null, `arrow at ${time} s`);
    await page.getByLabel("Pushes").click();
  }
  // a bar at the lower edge of the plots
  const lower = -((await page.locator("#plot-positions-rad .u-over").boundingBox())!.height - 2);
  for (const [time, acts] of [[1.9, false], [2.25, true], [5.9, false], [9, true]] as const) {
    const [red, , blue, alpha] = await color_at(page, "positions-rad", time, lower);
    assert.equal(alpha! > 200 && red! > blue! + 80, acts, `bar at ${time} s`);
  }
});

page_test("controller, gains, rate, reference and pushes are listed", () => controlled_run(), async ({ page }) => {
  const head = (await page.locator("header.head").textContent())!;
  assert.match(head, /Controllerjoint-impedance/);
  assert.doesNotMatch(head, /Scenario/, "the controller replaces the scenario");
  assert.equal(await page.title(), "puma · joint-impedance");
  await page.getByRole("tab", { name: "Run" }).click();
  const cell = (name: string): Promise<string | null> =>
    page.locator("#panel-run table").first().locator("tr", { has: page.getByRole("rowheader", { name, exact: true }) }).locator("td").textContent();
  assert.equal(await cell("Controller"), "joint-impedance");
  assert.equal(await cell("Gains"), "kp 400; kd 40");
  assert.equal(await cell("Control rate"), "500 Hz");
  assert.equal(await cell("Reference"), "cycloid");
  assert.equal(await cell("Control delay"), "0.002 s");
  assert.equal(await cell("Inputs"), "link3: 0, 30, 0 N at 2 s for 0.5 s\ntool: 3, 0, -4 N from 6 s");
});

page_test("a controller without a rate is continuous", () => {
  const run = controlled_run();
  delete run.settings.control_rate;
  run.settings.scenario = "hold";
  run.settings.inputs = [];
  return run;
}, async ({ page }) => {
  await page.getByRole("tab", { name: "Run" }).click();
  const table = (await page.locator("#panel-run table").first().textContent())!;
  assert.match(table, /Control ratecontinuous/);
  assert.match(table, /Inputs–/);
  assert.match((await page.locator("header.head").textContent())!, /Scenariohold.*Controllerjoint-impedance/);
});

page_test("values that are not numbers", () => {
  const run = controlled_run();
  run.samples.q[0].fill(null, 400);
  run.samples.desired.q[1].fill(null, 700);
  run.samples.desired.q[2].fill(null);
  run.samples.desired.qd[0].fill(null, 100, 200);
  run.samples.tau[1].fill(null, 50, 100);
  return run;
}, async ({ page }) => {
  await seek(page, 8);
  await bring(page, "tracking-rad");
  assert.deepEqual((await row(page, "tracking-rad", "joint1")), ["NaN", "NaN", "NaN", "4 s"]);
  assert.match((await row(page, "tracking-rad", "joint2"))[2]!, /^\d\.\d{4}$/, "samples without a reference do not count");
  assert.deepEqual((await row(page, "tracking-rad", "joint3")), ["NaN", "–", "–", "–"]);
  await bring(page, "torques-rad");
  const [, , peak, saturated] = await row(page, "torques-rad", "joint2");
  assert.deepEqual([peak, saturated], ["NaN", "6.18 s"], "0.5 s less, and gaps do not saturate");
  assert.match((await page.locator("header.head").textContent())!, /Tracking errorNaN rad \(joint1\)/);
  await screenshot(page, "controller_not_numbers");
});

for (const [width, height, scheme] of [[1280, 800, "light"], [1280, 800, "dark"], [800, 600, "light"], [390, 844, "light"]] as const) {
  page_test(`nothing sticks out at ${width}x${height} (${scheme})`, () => controlled_run(), async ({ page }) => {
    await seek(page, 2.25);
    assert.ok((await page.evaluate(() => document.documentElement.scrollWidth)) <= width);
    await screenshot(page, `controller_${width}_${scheme}`);
    for (const plot of ["tracking-rad", "torques-rad"]) {
      await bring(page, plot);
      const [table, card] = await Promise.all([`#plot-${plot} table`, `#plot-${plot}`].map((x) => page.locator(x).boundingBox()));
      assert.ok(table!.x >= card!.x && table!.x + table!.width <= card!.x + card!.width, `table of ${plot}`);
      await screenshot(page, `controller_${width}_${scheme}_${plot}`);
    }
  }, { options: { viewport: { width, height }, colorScheme: scheme } });
}
