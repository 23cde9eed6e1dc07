// SPDX-License-Identifier: Apache-2.0
// Help: keys and gestures of the page.

import { element } from "../dom";

const keys: [string[], string][] = [
  [["Space"], "play, pause"],
  [["←", "→"], "one sample back, forward (with Shift: 1 % of the run)"],
  [["Home", "End"], "to the start, to the end"],
  [["[", "]"], "slower, faster"],
  [["L"], "loop"],
  [["1", "…", "9"], "show or hide a joint"],
  [["+", "−", "0"], "zoom the plots in and out, show the complete run"],
  [["R"], "reset the 3D view"],
  [["G"], "show or hide the robot at the reference"],
  [["T"], "theme: system, light, dark"],
];

const pointing: [string, string][] = [
  ["Point at a plot", "the arm shows this time; click to stay"],
  ["Drag in a plot", "zoom in time; double-click for the complete run"],
  ["Ctrl or Shift + wheel", "zoom in time about the pointer"],
  ["Shift + click on a joint", "show only that joint"],
  ["Drag in the 3D view", "orbit; wheel to zoom; right button or two fingers to move"],
  ["3D view with focus", "arrow keys orbit, + and − zoom"],
];

export function help_panel(): HTMLElement {
  return element("div", { class: "help" },
    element("table", {}, element("caption", {}, "Keys"),
      element("tbody", {}, ...keys.map(([names, what]) =>
        element("tr", {}, element("th", { scope: "row" }, ...names.flatMap((x) => (x === "…" ? [" … "] : [element("kbd", {}, x), " "]))), element("td", {}, what))))),
    element("table", {}, element("caption", {}, "Pointing"),
      element("tbody", {}, ...pointing.map(([gesture, what]) =>
        element("tr", {}, element("th", { scope: "row" }, gesture), element("td", {}, what))))));
}
