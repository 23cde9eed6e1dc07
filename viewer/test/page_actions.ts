// SPDX-License-Identifier: Apache-2.0
// Tests of the page in a browser: interaction with its parts, and what they show.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launch, no_browser, open_run } from "./browser";
import type { OpenPage } from "./browser";

let browser: Browser;
if (!no_browser) {
  before(async () => { browser = await launch(); });
  after(async () => { await browser.close(); });
}

/** A browser test: opens a run, interacts with it, and checks that the page reports no errors. */
export function page_test(name: string, run: () => unknown, act: (open: OpenPage) => Promise<void>, extra: { compare?: () => unknown; options?: object } = {}): void {
  test(name, { skip: no_browser }, async () => {
    const open = await open_run(browser, run(), extra.compare?.() ?? null, extra.options);
    try {
      await act(open);
      assert.deepEqual(open.complaints, [], "no console errors, no requests");
    } finally {
      await open.close();
    }
  });
}

export const now = (page: Page): Promise<number> => page.evaluate(() => window.dynamicsViewer.time());
export const joints = (page: Page): Promise<Record<string, number>> => page.evaluate(() => window.dynamicsViewer.jointValues());
export const next_frame = (page: Page): Promise<void> =>
  page.evaluate(() => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))));
export const scrubber = (page: Page): Promise<number> => page.locator(".scrubber").evaluate((x) => Number((x as HTMLInputElement).value));

/** Picture of the 3D view, without the controls and texts over it. */
export const picture = (page: Page): Promise<Buffer> =>
  page.locator(".view canvas").screenshot({ style: ".view-tools, .caption, .deflection { opacity: 0 !important; }" });

/** Time of the cursor of a plot, from its position on the screen. */
export async function line_time(page: Page, plot: string): Promise<number> {
  return page.locator(`#plot-${plot}`).evaluate((section) => {
    const over = section.querySelector(".u-over")!.getBoundingClientRect();
    const line = section.querySelector(".playhead")!.getBoundingClientRect();
    return (10 * (line.left + line.width / 2 - over.left)) / over.width;
  });
}

/** Displayed value of a series. */
export async function shown_value(page: Page, plot: string, series: string): Promise<number> {
  const text = await page.locator(`#plot-${plot} [data-series="${series}"] .value`).first().textContent();
  return Number(text!.replace("−", "-"));
}

/** Approximate number of pixels of a plot with the color of a series. */
export async function colored_pixels(page: Page, plot: string, series: string): Promise<number> {
  return page.locator(`#plot-${plot}`).evaluate((section, name) => {
    const swatch = section.querySelector<HTMLElement>(`[data-series="${name}"] .swatch`)!;
    const probe = document.createElement("canvas").getContext("2d")!;
    probe.fillStyle = swatch.style.getPropertyValue("--series");
    probe.fillRect(0, 0, 1, 1);
    const [r, g, b] = probe.getImageData(0, 0, 1, 1).data;
    const canvas = section.querySelector("canvas")!;
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4) {
      if (Math.abs(data[i]! - r!) + Math.abs(data[i + 1]! - g!) + Math.abs(data[i + 2]! - b!) < 24 && data[i + 3]! > 200) ++count;
    }
    return count;
  }, series);
}
