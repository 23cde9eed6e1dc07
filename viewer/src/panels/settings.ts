// SPDX-License-Identifier: Apache-2.0
// Settings and results of the run: a summary, and a table of all values.

import type { JsonObject } from "../data/readers";
import type { Run } from "../data/run";
import { element } from "../dom";
import { format_setting, power_of_ten } from "../format";

const names: Record<string, string> = {
  robot: "Robot", source: "Source", scenario: "Scenario", integrator: "Integrator", rtol: "Relative tolerance",
  atol: "Absolute tolerance", step: "Step", duration: "Duration", sample: "Sample interval", gravity: "Gravity",
  q0: "Start positions", qd0: "Start velocities", friction: "Friction", limits: "Joint limits", steps: "Steps",
  rejected: "Rejected steps", evaluations: "Evaluations", wall_seconds: "Wall time", energy_drift: "Energy drift", completed: "Completed",
};

const units: Record<string, string> = { step: "s", duration: "s", sample: "s", wall_seconds: "s", gravity: "m/s²" };

function label(key: string): string {
  return names[key] ?? (key.charAt(0).toUpperCase() + key.slice(1)).replace(/_/g, " ");
}

function seconds(value: number): string {
  if (value < 1e-3) return `${format_setting(Number((value * 1e6).toPrecision(3)))} µs`;
  return value < 1 ? `${format_setting(Number((value * 1e3).toPrecision(3)))} ms` : `${format_setting(Number(value.toPrecision(4)))} s`;
}

function shown(key: string, value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (key === "wall_seconds" && typeof value === "number") return seconds(value);
  if (key === "energy_drift" && typeof value === "number") return value === 0 ? "0" : power_of_ten(value, 1);
  if (typeof value === "number") {
    const text = Number.isInteger(value) && Math.abs(value) >= 1000 && Math.abs(value) < 1e12
      ? value.toLocaleString("en").replace(/,/g, "\u202f") : format_setting(value);
    return units[key] === undefined ? text : `${text} ${units[key]}`;
  }
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) {
    const text = value.map((x) => (typeof x === "number" ? format_setting(x) : String(x))).join(", ");
    return units[key] === undefined ? text : `${text} ${units[key]}`;
  }
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Summary for the header of the page. */
export function summary_strip(run: Run): HTMLElement {
  const entries: [string, string][] = [];
  const add = (source: JsonObject, key: string): void => {
    if (source[key] !== undefined && source[key] !== null) entries.push([label(key), shown(key, source[key])]);
  };
  add(run.settings, "scenario");
  add(run.settings, "integrator");
  if (typeof run.settings.rtol === "number") entries.push(["Tolerance", shown("rtol", run.settings.rtol)]);
  add(run.statistics, "steps");
  add(run.statistics, "wall_seconds");
  add(run.statistics, "energy_drift");
  return element("dl", { class: "summary" },
    ...entries.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value))));
}

function table(title: string, mine: JsonObject, other: JsonObject | null): HTMLElement | null {
  const order = Object.keys(names);
  const keys = [...new Set([...Object.keys(mine), ...Object.keys(other ?? {})])]
    .filter((key) => key !== "command")
    .sort((a, b) => (order.indexOf(a) + 1 || 99) - (order.indexOf(b) + 1 || 99));
  if (keys.length === 0) return null;
  const rows = keys.map((key) => {
    const a = shown(key, mine[key]);
    if (!other) return element("tr", {}, element("th", { scope: "row" }, label(key)), element("td", {}, a));
    const b = shown(key, other[key]);
    return element("tr", { class: a === b ? "" : "differs" },
      element("th", { scope: "row" }, label(key)), element("td", {}, a), element("td", {}, b));
  });
  return element("table", {}, element("caption", {}, title),
    other ? element("thead", {}, element("tr", {}, element("td", {}), element("th", { scope: "col" }, "This run"), element("th", { scope: "col" }, "Compared run"))) : null,
    element("tbody", {}, ...rows));
}

function command_block(title: string, settings: JsonObject): HTMLElement | null {
  const { command } = settings;
  if (typeof command !== "string" || command === "") return null;
  const code = element("code", { tabindex: 0 }, command);
  const button = element("button", {
    type: "button",
    onclick: () => {
      const done = (): void => { button.textContent = "Copied"; };
      const select = (): void => window.getSelection()?.selectAllChildren(code);
      if (navigator.clipboard) navigator.clipboard.writeText(command).then(done, select);
      else select();
    },
  }, "Copy");
  return element("div", { class: "command" }, element("h3", {}, title), element("pre", {}, code), button);
}

function model_table(run: Run): HTMLElement {
  const { joints, links, coordinates } = run.model;
  const bound = (x: number | null): string => (x === null ? "–" : format_setting(x));
  const rows = joints.filter((joint) => joint.type !== "fixed").map((joint) =>
    element("tr", {},
      element("th", { scope: "row" }, joint.name),
      element("td", {}, joint.type),
      element("td", {}, `${links[joint.parent]!.name} → ${links[joint.child]!.name}`),
      element("td", {}, joint.limit ? `${bound(joint.limit.lower)} … ${bound(joint.limit.upper)}` : "–"),
      element("td", {}, joint.limit?.effort ? bound(joint.limit.effort) : "–")));
  const mass = links.reduce((sum, link) => sum + link.mass, 0);
  return element("table", { class: "model" },
    element("caption", {}, `Model: ${links.length} links, ${coordinates.length} coordinates, ${format_setting(mass)} kg`),
    element("thead", {}, element("tr", {}, ...["Joint", "Type", "Links", "Range", "Effort"].map((x) => element("th", { scope: "col" }, x)))),
    element("tbody", {}, ...rows));
}

export function settings_panel(run: Run, other: Run | null): HTMLElement {
  const samples: JsonObject = { samples: run.samples.count, from: run.samples.t[0], to: run.samples.t[run.samples.count - 1] };
  const other_samples = other && { samples: other.samples.count, from: other.samples.t[0], to: other.samples.t[other.samples.count - 1] };
  return element("div", { class: "settings" },
    table("Settings", run.settings, other ? other.settings : null),
    table("Results", { ...run.statistics, ...samples }, other ? { ...other.statistics, ...other_samples } : null),
    command_block("Command", run.settings),
    other ? command_block("Command of the compared run", other.settings) : null,
    model_table(run));
}
