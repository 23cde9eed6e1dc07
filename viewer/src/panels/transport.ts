// SPDX-License-Identifier: Apache-2.0
// Playback controls: play, pause, time slider.

import type { Clock } from "../clock";
import { element, icon_button, set_icon } from "../dom";
import { format_time } from "../format";

export const speeds = [0.1, 0.2, 0.5, 1, 2, 5, 10];

export class TransportBar {
  readonly root: HTMLElement;
  private readonly play: HTMLButtonElement;
  private readonly loop: HTMLButtonElement;
  private readonly scrubber: HTMLInputElement;
  private readonly speed: HTMLSelectElement;
  private readonly readout = element("output", { class: "time", "aria-label": "Time" });

  constructor(private readonly clock: Clock) {
    const still = clock.span <= 0;
    this.play = icon_button("play", "Play (Space)", () => clock.toggle(), { class: "icon play", disabled: still });
    this.loop = icon_button("loop", "Loop (L)", () => clock.set_loop(!clock.loop), { disabled: still });
    this.scrubber = element("input", {
      type: "range", class: "scrubber", min: clock.start, max: still ? clock.start + 1 : clock.end, step: "any",
      "aria-label": "Time, seconds", disabled: still,
      oninput: () => clock.seek(Number(this.scrubber.value)),
    });
    this.speed = element(
      "select", { class: "speed", "aria-label": "Speed", title: "Speed ([ and ])", disabled: still, onchange: () => clock.set_speed(Number(this.speed.value)) },
      ...speeds.map((x) => element("option", { value: x, selected: x === 1 }, `${x}×`)),
    );
    this.root = element(
      "div", { class: "transport", role: "group", "aria-label": "Time" },
      element("div", { class: "buttons" },
        icon_button("start", "To the start (Home)", () => clock.seek(clock.start), { disabled: still }),
        icon_button("back", "One sample back (←)", () => clock.step(-1), { class: "icon step", disabled: still }),
        this.play,
        icon_button("forward", "One sample on (→)", () => clock.step(1), { class: "icon step", disabled: still }),
        icon_button("end", "To the end (End)", () => clock.seek(clock.end), { disabled: still })),
      this.scrubber,
      element("div", { class: "readout" }, this.readout),
      element("div", { class: "buttons" }, this.speed, this.loop),
    );
    clock.on_change(() => this.update());
    this.update();
  }

  private update(): void {
    const { clock } = this;
    const now = format_time(clock.time, clock.span);
    this.scrubber.value = String(clock.time);
    this.scrubber.setAttribute("aria-valuetext", `${now} of ${format_time(clock.end, clock.span)} seconds`);
    const done = clock.span > 0 ? (clock.time - clock.start) / clock.span : 0;
    this.scrubber.style.setProperty("--done", `${100 * done}%`);
    this.readout.replaceChildren(element("b", {}, now), element("span", { class: "end" }, ` / ${format_time(clock.end, clock.span)}`), " s");
    const state = clock.playing ? "pause" : "play";
    if (this.play.dataset.state !== state) {
      this.play.dataset.state = state;
      set_icon(this.play, state, clock.playing ? "Pause (Space)" : "Play (Space)");
    }
    this.loop.setAttribute("aria-pressed", String(clock.loop));
    this.speed.value = String(clock.speed);
  }
}

/** The next higher or lower playback speed. */
export function change_speed(clock: Clock, direction: 1 | -1): void {
  const nearest = speeds.reduce((best, x, i) => (Math.abs(Math.log(x / clock.speed)) < Math.abs(Math.log(speeds[best]! / clock.speed)) ? i : best), 0);
  clock.set_speed(speeds[Math.min(speeds.length - 1, Math.max(0, nearest + direction))]!);
}
