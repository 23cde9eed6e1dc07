// SPDX-License-Identifier: Apache-2.0
// Opens a page in headless Chromium and records errors and network requests.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { fill_page } from "./fixtures";

const candidates = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
export const browser_path = candidates.find((path): path is string => path !== undefined && path !== "" && existsSync(path));

/** Reason why the browser tests cannot run on this machine, or false. */
export const no_browser: string | false = browser_path === undefined ? "Chromium is not installed (package chromium)" : false;

export const template_path = process.env.VIEWER_TEMPLATE ?? "build/viewer.html";
export const screenshot_directory = process.env.VIEWER_SCREENSHOTS ?? "build/screenshots";

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: browser_path!,
    args: [
      "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
      "--disable-sync",
      // software rendering for WebGL only, which is faster for the rest of the page
      "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-gpu-compositing", "--disable-gpu-rasterization",
    ],
  });
}

export interface OpenPage {
  page: Page;
  /** Console errors, uncaught exceptions and requests other than for the file. */
  complaints: string[];
  /** True if a run (not a message) is shown. */
  shown: boolean;
  /** Milliseconds from opening the file to being ready. */
  elapsed: number;
  close(): Promise<void>;
}

export interface OpenOptions extends BrowserContextOptions {
  /** Runs in the page before its own scripts. */
  prepare?: () => void;
  /** Meshes embedded in the page. */
  meshes?: unknown;
}

/** Opens a file in the browser. */
export async function open_file(browser: Browser, path: string, { prepare, ...options }: OpenOptions = {}): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce", ...options });
  const page = await context.newPage();
  if (prepare) await page.addInitScript(prepare);
  const complaints: string[] = [];
  const url = `file://${path}`;
  page.on("console", (message) => { if (message.type() === "error" || message.type() === "warning") note(message.text()); });
  page.on("pageerror", (error) => note(String(error)));
  page.on("request", (request) => { if (request.url() !== url && !/^(data|blob):/.test(request.url())) note(`request ${request.url()}`); });
  // ignore messages about the software renderer and about the pixel reads of the tests
  const note = (text: string): void => { if (!/GL Driver Message|GPU stall|swiftshader|willReadFrequently/i.test(text)) complaints.push(text); };
  const start = Date.now();
  await page.goto(url);
  const shown = await page.evaluate(() => window.dynamicsViewer.ready);
  return { page, complaints, shown, elapsed: Date.now() - start, close: () => context.close() };
}

const scratch = mkdtempSync(join(tmpdir(), "dynamics_viewer_"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
let files = 0;

export async function open_run(browser: Browser, run: unknown, compare: unknown = null, { meshes = null, ...options }: OpenOptions = {}): Promise<OpenPage> {
  const path = join(scratch, `run${++files}.html`);
  writeFileSync(path, fill_page(readFileSync(template_path, "utf8"), run, compare, meshes));
  return open_file(browser, path, options);
}

export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(screenshot_directory, { recursive: true });
  await page.screenshot({ path: join(screenshot_directory, `${name}.png`) });
}
