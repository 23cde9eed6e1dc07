// SPDX-License-Identifier: Apache-2.0
// Shows and hides joints in the plots and in the 3D view.

import { element } from "../dom";
import { short_names } from "../format";
import type { Theme } from "../theme";

export class JointSwitches {
  readonly root: HTMLElement;
  readonly hidden = new Set<number>();
  private readonly chips: HTMLButtonElement[];
  private readonly everything = element("button", { type: "button", class: "chip all", hidden: true, onclick: () => this.all() }, "Show all");

  constructor(private readonly names: readonly string[], theme: Theme, private readonly changed: (hidden: Set<number>) => void) {
    const labels = short_names(names);
    this.chips = names.map((name, i) =>
      element("button", {
        type: "button", class: "chip", "aria-pressed": "true",
        title: `Show or hide ${name}${i < 9 ? ` (${i + 1})` : ""}; with Shift, show only it`,
        onclick: (event) => ((event as MouseEvent).shiftKey ? this.only(i) : this.toggle(i)),
      }, element("i", { class: "swatch" }), labels[i]!));
    this.root = element(
      "div", { class: "joints", role: "group", "aria-label": "Joints shown" },
      ...this.chips,
      this.everything,
    );
    const paint = (): void => this.chips.forEach((chip, i) => chip.style.setProperty("--series", theme.series(i)));
    theme.on_change(paint);
    paint();
  }

  toggle(i: number): void {
    if (i >= this.names.length) return;
    if (!this.hidden.delete(i)) this.hidden.add(i);
    this.update();
  }

  private only(i: number): void {
    this.names.forEach((_, j) => (j === i ? this.hidden.delete(j) : this.hidden.add(j)));
    this.update();
  }

  private all(): void {
    this.hidden.clear();
    this.update();
  }

  private update(): void {
    this.chips.forEach((chip, i) => chip.setAttribute("aria-pressed", String(!this.hidden.has(i))));
    this.everything.hidden = this.hidden.size === 0;
    this.changed(this.hidden);
  }
}
