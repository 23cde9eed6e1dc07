// SPDX-License-Identifier: Apache-2.0
// Settings and results of the run: a summary, and a table of all values.

import type { JsonObject } from "../data/readers";
import type { Run } from "../data/run";
import { total_duration } from "../data/saturation";
import { worst_tracking } from "../data/tracking";
import { element } from "../dom";
import { format_duration, format_setting, format_value, power_of_ten, short_names } from "../format";

const names: Record<string, string> = {
  robot: "Robot", source: "Source", scenario: "Scenario", controller: "Controller", gains: "Gains", control_rate: "Control rate",
  control_delay: "Control delay", reference: "Reference", pushes: "Pushes", inputs: "Inputs", integrator: "Integrator", rtol: "Relative tolerance",
  atol: "Absolute tolerance", step: "Step", duration: "Duration", sample: "Sample interval", gravity: "Gravity",
  q0: "Start positions", qd0: "Start velocities", friction: "Friction", limits: "Joint limits", steps: "Steps",
  rejected: "Rejected steps", evaluations: "Evaluations", wall_seconds: "Wall time", energy_drift: "Energy drift",
  tracking: "Largest tracking error", saturated: "Saturated", completed: "Completed",
};

const units: Record<string, string> = { control_rate: "Hz", control_delay: "s", step: "s", duration: "s", sample: "s", wall_seconds: "s", gravity: "m/s²" };

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
  if (key === "control_rate" && value === 0) return "continuous";
  // one line each
  if ((key === "pushes" || key === "inputs") && Array.isArray(value)) return value.length > 0 ? value.join("\n") : "–";
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

function is_controlled({ controller }: JsonObject): boolean {
  return typeof controller === "string" && controller !== "" && controller !== "none";
}

/** Settings; a controller without a rate is continuous. */
function settings_of({ settings }: Run): JsonObject {
  return is_controlled(settings) ? { ...settings, control_rate: settings.control_rate ?? 0 } : settings;
}

/** The scenario, or the controller of a run without one. */
export function run_title({ settings }: Run): unknown {
  return is_controlled(settings) && (settings.scenario ?? "control") === "control" ? settings.controller : settings.scenario;
}

/** "0.0123 rad (joint2)", one per unit; null without a reference. `names`: of the coordinates. */
export function tracking_summary({ tracking, model: { units: all } }: Run, names: readonly string[]): string | null {
  if (!tracking) return null;
  const texts = [...new Set(all)].flatMap((unit) => {
    const worst = worst_tracking(tracking, all, unit);
    return worst < 0 ? [] : [`${format_value(tracking[worst]!.peak)} ${unit} (${names[worst]})`];
  });
  return texts.length > 0 ? texts.join(", ") : null;
}

/** "joint2 for 0.35 s", longest first, at most a number of joints; null if the limits did not act. */
export function saturation_summary({ saturated }: Run, names: readonly string[], most = Infinity): string | null {
  if (!saturated) return null;
  const times = saturated.map((intervals, i) => ({ name: names[i]!, time: total_duration(intervals), reached: intervals.length > 0 }))
    .filter(({ reached }) => reached).sort((a, b) => b.time - a.time);
  if (times.length === 0) return "never";
  const listed = times.slice(0, most).map(({ name, time }) => `${name} for ${format_duration(time)} s`);
  return [...listed, ...(times.length > most ? [`${times.length - most} more`] : [])].join(", ");
}

/** Statistics, and results computed from the samples. */
function results_of(run: Run): JsonObject {
  const { count, t } = run.samples;
  const { coordinates } = run.model;
  const [tracking, saturated] = [tracking_summary(run, coordinates), saturation_summary(run, coordinates)];
  return {
    ...run.statistics,
    ...(tracking === null ? {} : { tracking }),
    ...(saturated === null ? {} : { saturated }),
    samples: count, from: t[0], to: t[count - 1],
  };
}

/** Summary for the header of the page. */
export function summary_strip(run: Run): HTMLElement {
  const entries: [string, string][] = [];
  const add = (source: JsonObject, key: string): void => {
    if (source[key] !== undefined && source[key] !== null) entries.push([label(key), shown(key, source[key])]);
  };
  const { scenario, controller } = run.settings;
  if (run_title(run) === scenario) add(run.settings, "scenario");
  if (is_controlled(run.settings) && controller !== scenario) add(run.settings, "controller");
  add(run.settings, "integrator");
  if (typeof run.settings.rtol === "number") entries.push(["Tolerance", shown("rtol", run.settings.rtol)]);
  add(run.statistics, "steps");
  add(run.statistics, "wall_seconds");
  add(run.statistics, "energy_drift");
  const joints = short_names(run.model.coordinates);
  const tracking = tracking_summary(run, joints);
  if (tracking !== null) entries.push(["Tracking error", tracking]);
  const saturated = saturation_summary(run, joints, 3);
  if (saturated !== null && saturated !== "never") entries.push(["Saturated", saturated]);
  return element("dl", { class: "summary" },
    ...entries.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", { class: name === "Saturated" ? "warns" : "" }, value))));
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
  return element("div", { class: "settings" },
    table("Settings", settings_of(run), other ? settings_of(other) : null),
    table("Results", results_of(run), other ? results_of(other) : null),
    command_block("Command", run.settings),
    other ? command_block("Command of the compared run", other.settings) : null,
    model_table(run));
}
