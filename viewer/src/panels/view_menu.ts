// SPDX-License-Identifier: Apache-2.0
// Options of the 3D view, and magnification of deflections.

import { element, icon, icon_button } from "../dom";
import type { RobotScene, ViewOptions } from "../scene/robot_scene";

type Switch = Exclude<keyof ViewOptions, "deflection_scale">;

const labels: Record<Switch, string> = {
  axes: "Joint axes",
  torques: "Torques and forces",
  trail: "End-effector trail",
  masses: "Centers of mass",
  ground: "Ground grid",
  reference: "Robot at the reference",
  pushes: "Pushes",
  compared: "Compared run",
};

export interface ViewMenu {
  root: HTMLElement;
  toggle(name: Switch): void;
}

export function view_menu(scene: RobotScene, invalidate: () => void): ViewMenu {
  const names = (Object.keys(labels) as Switch[]).filter((name) => scene.has(name));
  const boxes = new Map<Switch, HTMLInputElement>();
  const switches = names.map((name) => {
    const box = element("input", {
      type: "checkbox", name, checked: scene.options[name],
      onchange: () => {
        scene.options[name] = box.checked;
        invalidate();
      },
    });
    boxes.set(name, box);
    return element("label", { class: `option ${name}` }, box, labels[name]);
  });
  const menu = element("details", { class: "view-menu" },
    element("summary", { "aria-label": "View options", title: "View options" }, icon("view"), element("span", {}, "View")),
    element("div", { class: "menu" }, ...switches));
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target as Node)) menu.open = false;
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    menu.open = false;
    menu.querySelector("summary")!.focus();
  });
  const root = element("div", { class: "view-tools" },
    icon_button("fit", "Reset the view (R)", () => scene.stage.reset_view()),
    menu);
  return { root, toggle: (name) => boxes.get(name)?.click() };
}

/** Magnification from 1 to 100 on a logarithmic scale. */
export function deflection_slider(scene: RobotScene, invalidate: () => void): HTMLElement | null {
  if (!scene.bends) return null;
  const output = element("output", {}, "1×");
  const slider = element("input", {
    type: "range", min: 0, max: 2, step: 0.05, value: 0, "aria-label": "Deflection scale", "aria-valuetext": "1 times",
    oninput: () => {
      const scale = Number((10 ** Number(slider.value)).toPrecision(2));
      scene.options.deflection_scale = scale;
      output.textContent = `${scale}×`;
      slider.setAttribute("aria-valuetext", `${scale} times`);
      invalidate();
    },
  });
  return element("label", { class: "deflection" }, "Deflection", slider, output);
}
