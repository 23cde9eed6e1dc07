// SPDX-License-Identifier: Apache-2.0
// Caption of the 3D view: cell size of the grid, ghosts, and the pushes that act.

import { is_active } from "../data/pushes";
import type { Run } from "../data/run";
import { element } from "../dom";
import { format_duration, format_setting } from "../format";
import type { RobotScene } from "../scene/robot_scene";

interface Entry {
  item: HTMLElement;
  shown: (time: number) => boolean;
}

export class ViewCaption {
  readonly root: HTMLElement;
  private readonly entries: Entry[];

  constructor(scene: RobotScene, run: Run) {
    const ghosts = ([["reference", "reference"], ["compared", "compared run"]] as const).filter(([kind]) => scene.has(kind));
    this.entries = [
      { item: element("span", {}, `grid ${format_setting(scene.cell)} m`), shown: () => scene.options.ground },
      ...ghosts.map(([kind, text]): Entry => ({ item: element("span", { class: `ghost ${kind}` }, text), shown: () => scene.options[kind] })),
      ...run.pushes.map((push): Entry => ({
        item: element("span", { class: "ghost push" }, `push on ${run.model.links[push.link]!.name}, ${format_duration(Math.hypot(...push.force))} N`),
        shown: (time) => scene.options.pushes && is_active(push, time),
      })),
    ];
    this.root = element("div", { class: "caption" }, ...this.entries.map(({ item }) => item));
  }

  update(time: number): void {
    for (const { item, shown } of this.entries) item.hidden = !shown(time);
  }
}
