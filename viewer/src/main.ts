// SPDX-License-Identifier: Apache-2.0
// Opens the run embedded in the page, or shows why it cannot be displayed.

import "./styles/theme.css";
import "./styles/page.css";
import "./styles/parts.css";
import "uplot/dist/uPlot.min.css";
import { App } from "./app";
import { RunError } from "./data/columns";
import { attach_meshes, missing_meshes_text } from "./data/mesh";
import { parse_run } from "./data/run";
import type { Notice, Run } from "./data/run";
import { load_meshes, parse_meshes } from "./meshes/load_meshes";
import type { LoadedMeshes } from "./meshes/load_meshes";
import { message_page } from "./panels/messages";
import { Theme } from "./theme";

/** Interface of the page for tests. */
export interface ViewerInterface {
  /** Resolves when the page is ready; false if it shows a message instead of a run. */
  ready: Promise<boolean>;
  seek(time: number): void;
  time(): number;
  playing(): boolean;
  jointValues(): Record<string, number>;
  linkPose(name: string): number[] | null;
  linkBounds(name: string): number[] | null;
}

declare global {
  interface Window {
    dynamicsViewer: ViewerInterface;
  }
}

const theme = new Theme();
const root = document.getElementById("app")!;
let app: App | null = null;
let settle: (shown: boolean) => void = () => {};
let settled = false;

window.dynamicsViewer = {
  ready: new Promise((resolve) => {
    settle = (shown) => {
      settled = true;
      resolve(shown);
    };
  }),
  seek: (time) => app?.clock.seek(time),
  time: () => app?.clock.time ?? NaN,
  playing: () => app?.clock.playing ?? false,
  jointValues: () => app?.joint_values() ?? {},
  linkPose: (name) => app?.link_pose(name) ?? null,
  linkBounds: (name) => app?.link_bounds(name) ?? null,
};

function show_message(title: string, text: string): void {
  root.replaceChildren(message_page(title, text, open_file));
  settle(false);
}

function show_error(error: unknown): void {
  if (error instanceof RunError) show_message("This run cannot be displayed", error.message);
  else show_message("Error in this page", error instanceof Error ? error.message : String(error));
}

function open_file(file: File): void {
  file.text().then((text) => {
    const run = parse_run(text);
    if (run) show_run(run, null);
    else show_message("This file contains no run", `${file.name} is empty.`);
  }).catch(show_error);
}

function show_run(run: Run, other: Run | null, meshes: LoadedMeshes | null = null): void {
  for (const each of other ? [run, other] : [run]) {
    attach_meshes(each.model, meshes?.shapes ?? new Map());
    const text = missing_meshes_text(each.model, meshes !== null);
    if (text !== null) each.notices.push({ kind: meshes ? "warning" : "info", text });
  }
  run.notices.push(...mesh_problems(meshes?.problems ?? []));
  app = new App(run, other, theme, root);
  app.first_frame.then(() => settle(true), show_error);
}

/** One notice for the first problems, so that the page remains visible. */
function mesh_problems(problems: readonly string[]): Notice[] {
  const most = 4;
  if (problems.length === 0) return [];
  const rest = problems.length > most ? [`and ${problems.length - most} more (the program prints all)`] : [];
  return [{ kind: "warning", text: [...problems.slice(0, most), ...rest].join("; ") }];
}

/** Text of a script element. The element is removed to free the memory of a long run. */
function embedded_text(id: string): string {
  const script = document.getElementById(id);
  script?.remove();
  return script?.textContent ?? "";
}

async function start(): Promise<void> {
  try {
    const run = parse_run(embedded_text("run"));
    if (!run) {
      show_message("This page contains no run", "It is the empty template. Open a run in JSON format, or write the page with the program.");
      return;
    }
    let other: Run | null = null;
    try {
      other = parse_run(embedded_text("compare"));
    } catch (error) {
      run.notices.push({ kind: "warning", text: `The compared run cannot be displayed. ${error instanceof Error ? error.message : String(error)}` });
    }
    const meshes = parse_meshes(embedded_text("meshes"));
    show_run(run, other, meshes && await load_meshes(meshes));
  } catch (error) {
    show_error(error);
  }
}

// show errors that occur before the first frame
window.addEventListener("error", (event) => { if (!settled) show_error(event.error ?? event.message); });
void start();
