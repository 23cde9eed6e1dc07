// SPDX-License-Identifier: Apache-2.0
// Interaction with the page in a browser.

import assert from "node:assert/strict";
import { screenshot } from "./browser";
import { flexible_run, make_run, motion, planar3, puma, stanford } from "./fixtures";
import { colored_pixels, joints, line_time, next_frame, now, page_test, picture, scrubber, shown_value } from "./page_actions";
import { pose_difference, reference_pose } from "./reference";

page_test("joint values and link poses match the data", () => make_run(puma()), async ({ page, shown }) => {
  assert.equal(shown, true);
  await page.evaluate(() => window.dynamicsViewer.seek(4.37));
  const values = await joints(page);
  const model = puma();
  model.coordinates.forEach((name, i) => assert.ok(Math.abs(values[name]! - motion(i, 4.37)[0]) < 1e-12, name));
  const q = model.coordinates.map((name) => values[name]!);
  for (const { name } of model.links) {
    const pose = await page.evaluate((link) => window.dynamicsViewer.linkPose(link), name);
    assert.ok(pose_difference(reference_pose(model, name, q), pose!) < 1e-9, name);
  }
  assert.equal(await page.evaluate(() => window.dynamicsViewer.linkPose("nowhere")), null);
  assert.ok(Math.abs((await shown_value(page, "positions-rad", "joint3")) - values.joint3!) < 1e-4);
  await screenshot(page, "puma_light");
});

page_test("play and pause", () => make_run(puma()), async ({ page }) => {
  const first = await joints(page);
  const before = await picture(page);
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => window.dynamicsViewer.time() > 0.3);
  await page.getByRole("button", { name: "Pause" }).click();
  const then = await joints(page);
  assert.notDeepEqual(then, first);
  await next_frame(page);
  assert.ok(!(await picture(page)).equals(before), "the picture has changed");
  const stopped = await now(page);
  await page.waitForTimeout(200);
  assert.equal(await now(page), stopped);
});

page_test("speed and loop", () => make_run(puma(), { duration: 0.6, count: 61 }), async ({ page }) => {
  await page.getByLabel("Speed").selectOption("10");
  await page.getByRole("button", { name: "Loop" }).click();
  await page.getByRole("button", { name: "Play" }).click();
  await page.waitForFunction(() => !window.dynamicsViewer.playing());
  assert.equal(await now(page), 0.6, "without a loop it stops at the end");
  await page.getByRole("button", { name: "Loop" }).click();
  await page.getByRole("button", { name: "Play" }).click();
  let wrapped = false;
  let last = await now(page);
  for (let i = 0; i < 300 && !wrapped; ++i) {
    await next_frame(page);
    const time = await now(page);
    wrapped = time < last;
    last = time;
  }
  assert.ok(wrapped, "with a loop it starts again");
});

page_test("slider, cursors, values and arm show the same time", () => make_run(puma()), async ({ page }) => {
  const agree = async (): Promise<void> => {
    await next_frame(page);
    const time = await now(page);
    assert.ok(Math.abs((await scrubber(page)) - time) < 1e-9, "scrubber");
    for (const plot of ["positions-rad", "velocities-rad"]) assert.ok(Math.abs((await line_time(page, plot)) - time) < 0.03, plot);
    const values = await joints(page);
    for (const name of ["joint1", "joint6"]) {
      assert.ok(Math.abs((await shown_value(page, "positions-rad", name)) - values[name]!) <= 6e-5, name);
    }
  };
  const track = (await page.locator(".scrubber").boundingBox())!;
  await page.mouse.click(track.x + 0.7 * track.width, track.y + track.height / 2);
  assert.ok(Math.abs((await now(page)) - 7) < 0.3);
  await agree();

  const over = (await page.locator("#plot-positions-rad .u-over").boundingBox())!;
  const rest = await now(page);
  await page.mouse.move(over.x + 0.25 * over.width, over.y + 40);
  assert.ok(Math.abs((await now(page)) - 2.5) < 0.05, "pointing shows that instant");
  await agree();
  await page.mouse.move(20, 400);
  assert.equal(await now(page), rest, "and gives it back");
  await page.mouse.click(over.x + 0.25 * over.width, over.y + 40);
  await page.mouse.move(20, 400);
  assert.ok(Math.abs((await now(page)) - 2.5) < 0.05, "a click stays");
  await agree();
});

page_test("drag zooms all plots, double click shows the complete run", () => make_run(puma()), async ({ page }) => {
  const ticks = (): Promise<boolean> => page.getByRole("button", { name: "Complete run" }).isDisabled();
  assert.equal(await ticks(), true);
  const before_zoom = await page.locator("#plot-velocities-rad canvas").screenshot();
  const over = (await page.locator("#plot-positions-rad .u-over").boundingBox())!;
  await page.mouse.move(over.x + 0.4 * over.width, over.y + 60);
  await page.mouse.down();
  await page.mouse.move(over.x + 0.6 * over.width, over.y + 70, { steps: 8 });
  await page.mouse.up();
  await next_frame(page);
  assert.equal(await ticks(), false);
  await page.mouse.move(over.x + 0.5 * over.width, over.y + 60);
  assert.ok(Math.abs((await now(page)) - 5) < 0.05, "the middle stays the middle");
  await page.mouse.move(over.x + 0.999 * over.width, over.y + 60);
  assert.ok(Math.abs((await now(page)) - 6) < 0.1, "the edge is now at 6 s");
  assert.ok(!(await page.locator("#plot-velocities-rad canvas").screenshot()).equals(before_zoom), "the other plots follow");
  await page.mouse.dblclick(over.x + 0.5 * over.width, over.y + 60);
  assert.equal(await ticks(), true);
});

page_test("joints can be hidden and shown", () => make_run(puma()), async ({ page }) => {
  const before_hiding = await colored_pixels(page, "positions-rad", "joint2");
  assert.ok(before_hiding > 100, `joint2 is drawn (${before_hiding} pixels)`);
  const chip = page.getByRole("group", { name: "Joints shown" }).getByRole("button", { name: "joint2" });
  await chip.click();
  await next_frame(page);
  assert.equal(await chip.getAttribute("aria-pressed"), "false");
  assert.ok((await colored_pixels(page, "positions-rad", "joint2")) < 5);
  assert.ok((await colored_pixels(page, "positions-rad", "joint1")) > 100);
  assert.equal(await page.locator('#plot-velocities-rad [data-series="joint2"]').isVisible(), false);
  await chip.click({ modifiers: ["Shift"] });
  await next_frame(page);
  assert.equal(await page.locator("#plot-positions-rad .entry:visible").count(), 1, "Shift shows only that joint");
  await page.getByRole("button", { name: "Show all" }).click();
  await next_frame(page);
  assert.equal(await page.locator("#plot-positions-rad .entry:visible").count(), 6);
  const total = page.locator('#plot-energies [data-series="total"]');
  await total.scrollIntoViewIfNeeded();
  await total.click();
  assert.equal(await total.getAttribute("aria-pressed"), "false");
});

page_test("keyboard control", () => make_run(puma()), async ({ page }) => {
  const pressed = async (key: string): Promise<number> => {
    await page.keyboard.press(key);
    return now(page);
  };
  assert.ok(Math.abs((await pressed("ArrowRight")) - 0.01) < 1e-9);
  assert.ok(Math.abs((await pressed("Shift+ArrowRight")) - 0.11) < 1e-9);
  assert.ok(Math.abs((await pressed("ArrowLeft")) - 0.1) < 1e-9);
  assert.equal(await pressed("End"), 10);
  assert.equal(await pressed("Home"), 0);
  await page.keyboard.press("]");
  assert.equal(await page.getByLabel("Speed").inputValue(), "2");
  await page.keyboard.press("Space");
  await page.waitForFunction(() => window.dynamicsViewer.time() > 0.1);
  await page.keyboard.press("Space");
  assert.equal(await page.evaluate(() => window.dynamicsViewer.playing()), false);
  await page.keyboard.press("3");
  assert.equal(await page.getByRole("button", { name: "joint3" }).getAttribute("aria-pressed"), "false");
  await page.keyboard.press("+");
  assert.equal(await page.getByRole("button", { name: "Complete run" }).isDisabled(), false);
  await page.keyboard.press("0");
  assert.equal(await page.getByRole("button", { name: "Complete run" }).isDisabled(), true);
  await page.keyboard.press("t");
  assert.equal(await page.locator("html").getAttribute("data-theme"), "light");
  await page.keyboard.press("t");
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");

  await page.locator(".scrubber").focus();
  await page.keyboard.press("Home");
  assert.ok(Math.abs((await pressed("ArrowRight")) - 0.01) < 1e-9, "on the scrubber, arrows step by samples");

  await page.locator(".view").focus();
  const before = await picture(page);
  const time = await now(page);
  await page.keyboard.press("ArrowLeft");
  await next_frame(page);
  assert.equal(await now(page), time, "on the 3D view, arrows orbit");
  assert.ok(!(await picture(page)).equals(before));

  // every control can be reached with Tab and has a name
  const names: string[] = [];
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  for (let i = 0; i < 60; ++i) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => {
      const x = document.activeElement!;
      return x === document.body ? null : x.getAttribute("aria-label") ?? x.textContent!.trim();
    });
    if (name === null) break;
    names.push(name);
  }
  assert.ok(names.every((name) => name.length > 0), names.join("|"));
  for (const wanted of ["Play", "Time, seconds", "Speed", "View options", "Plots", "joint1", "Zoom in"]) {
    assert.ok(names.some((name) => name.includes(wanted)), `${wanted} among ${names.join(", ")}`);
  }
});

page_test("options of the view change the picture", () => make_run(puma()), async ({ page }) => {
  await page.evaluate(() => window.dynamicsViewer.seek(3));
  await page.getByText("View", { exact: true }).click();
  for (const option of ["Joint axes", "Torques and forces", "End-effector trail", "Centers of mass", "Ground grid"]) {
    await next_frame(page);
    const before = await picture(page);
    await page.getByLabel(option).click();
    await next_frame(page);
    assert.ok(!(await picture(page)).equals(before), option);
  }
  await page.keyboard.press("Escape");
  assert.equal(await page.getByLabel("Joint axes").isVisible(), false);
});

page_test("deflections are shown and magnified by the slider", () => flexible_run(), async ({ page }) => {
  await page.evaluate(() => window.dynamicsViewer.seek(2.6));
  const place = (): Promise<number[]> => page.evaluate(() => window.dynamicsViewer.linkPose("lower")!.slice(12, 14));
  const [x, y] = (await place()) as [number, number];
  const angle = (await joints(page)).shoulder!;
  const across = -Math.sin(angle) * x + Math.cos(angle) * y;
  assert.ok(Math.abs(across - 0.35 * Math.sin(3 * 2.6)) < 1e-9, "the elbow sits beside the straight line by the deflection");
  const before = await picture(page);
  const slider = page.getByLabel("Deflection scale");
  await slider.focus();
  for (let i = 0; i < 8; ++i) await page.keyboard.press("ArrowRight");
  await next_frame(page);
  const scale = Number((await page.locator(".deflection output").textContent())!.replace("×", ""));
  assert.ok(Math.abs(scale - 2.5) < 0.01);
  const [x2, y2] = (await place()) as [number, number];
  assert.ok(Math.abs(-Math.sin(angle) * x2 + Math.cos(angle) * y2 - scale * across) < 1e-9);
  assert.ok(!(await picture(page)).equals(before));
  assert.equal(await page.locator("#plot-tips").count(), 1);
  assert.equal(await page.locator("#plot-amplitudes").count(), 1);
  await screenshot(page, "flexible");
});

page_test("prismatic joints, mimic joints and bones", () => make_run(stanford()), async ({ page }) => {
  await page.evaluate(() => window.dynamicsViewer.seek(6.1));
  const model = stanford();
  const values = await joints(page);
  const pose = await page.evaluate(() => window.dynamicsViewer.linkPose("hand"));
  assert.ok(pose_difference(reference_pose(model, "hand", model.coordinates.map((name) => values[name]!)), pose!) < 1e-9);
  const units = await page.locator(".plot .unit").allTextContents();
  for (const unit of ["rad", "m", "rad/s", "m/s", "N·m", "N", "J", "W"]) assert.ok(units.includes(unit), unit);
});

page_test("two runs are compared", () => make_run(puma()), async ({ page }) => {
  await page.evaluate(() => window.dynamicsViewer.seek(2));
  await next_frame(page);
  const difference = motion(1, 2)[0] - motion(1, 2, 0.9)[0];
  assert.ok(Math.abs((await shown_value(page, "difference-positions-rad", "joint2")) - difference) < 1e-4);
  await page.getByText("View", { exact: true }).click();
  const before = await picture(page);
  await page.getByLabel("Compared run").click();
  await next_frame(page);
  assert.ok(!(await picture(page)).equals(before), "the other arm was there");
  await page.getByRole("tab", { name: "Run" }).click();
  assert.ok((await page.locator("tr.differs", { hasText: "Relative tolerance" }).count()) === 1);
}, {
  compare: () => {
    const other = make_run(puma(), { amplitude: 0.9, count: 501 });
    other.settings.rtol = 1e-6;
    return other;
  },
});

page_test("settings and results are listed", () => make_run(puma()), async ({ page }) => {
  const head = (await page.locator("header.head").textContent())!;
  for (const text of ["puma", "free-fall", "dop853", "10⁻⁹", "1\u202f234", "12.3 ms", "3.2×10⁻¹¹"]) assert.ok(head.includes(text), `${text} in ${head}`);
  await page.getByRole("tab", { name: "Run" }).click();
  const table = (await page.locator("#panel-run").textContent())!;
  for (const text of ["Gravity", "0, 0, −9.81 m/s²", "dynamics simulate puma", "joint4"]) assert.ok(table.includes(text), text);
});

page_test("the caption gives the cell size of the grid", () => make_run(planar3()), async ({ page }) => {
  assert.match((await page.locator(".view .caption").textContent())!, /^grid \d.*m\b/);
  await screenshot(page, "planar3_light");
});

page_test("dark theme", () => make_run(puma()), async ({ page }) => {
  await page.evaluate(() => window.dynamicsViewer.seek(3.3));
  assert.equal(await page.locator("html").getAttribute("data-theme"), "dark");
  await next_frame(page);
  await screenshot(page, "puma_dark");
}, { options: { colorScheme: "dark" } });

page_test("small screen", () => make_run(puma()), async ({ page }) => {
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  assert.ok(width <= 390, `nothing sticks out sideways (${width} px)`);
  assert.ok(await page.getByRole("button", { name: "Play" }).isVisible());
  await page.locator("#plot-torques-rad").scrollIntoViewIfNeeded();
  const view = (await page.locator(".view").boundingBox())!;
  assert.ok(view.y >= -1 && view.height > 120, "the arm stays in sight above the plots");
  const over = (await page.locator("#plot-torques-rad .u-over").boundingBox())!;
  await page.touchscreen.tap(over.x + over.width / 2, over.y + over.height / 2);
  assert.ok(Math.abs((await now(page)) - 5) < 0.1, "a tap shows that instant");
  await screenshot(page, "puma_phone");
}, { options: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true } });
