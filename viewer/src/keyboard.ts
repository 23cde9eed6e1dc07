// SPDX-License-Identifier: Apache-2.0
// Keyboard control.

import type { Clock } from "./clock";
import { change_speed } from "./panels/transport";

export interface KeyTargets {
  clock: Clock;
  toggle_joint(i: number): void;
  zoom_plots(factor: number): void;
  reset_plots(): void;
  reset_view(): void;
  toggle_reference(): void;
  next_theme(): void;
}

function typing(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "range" || !target.classList.contains("scrubber");
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

/** True if Space or Enter activates the focused element. */
function pressable(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest("button, summary, label, a") !== null;
}

export function listen_to_keys({ clock, ...page }: KeyTargets): void {
  const hundredth = (direction: number): void => {
    clock.pause();
    clock.seek(clock.time + (direction * clock.span) / 100);
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || typing(event.target)) return;
    const actions: Record<string, () => void> = {
      "ArrowLeft": () => (event.shiftKey ? hundredth(-1) : clock.step(-1)),
      "ArrowRight": () => (event.shiftKey ? hundredth(1) : clock.step(1)),
      "Home": () => clock.seek(clock.start),
      "End": () => clock.seek(clock.end),
      "[": () => change_speed(clock, -1),
      "]": () => change_speed(clock, 1),
      "l": () => clock.set_loop(!clock.loop),
      "+": () => page.zoom_plots(0.6),
      "=": () => page.zoom_plots(0.6),
      "-": () => page.zoom_plots(1 / 0.6),
      "0": page.reset_plots,
      "r": page.reset_view,
      "g": page.toggle_reference,
      "t": page.next_theme,
      " ": () => clock.toggle(),
    };
    if (event.key === " " && pressable(event.target)) return;
    const digit = /^[1-9]$/.test(event.key) ? Number(event.key) : 0;
    const action = digit > 0 ? () => page.toggle_joint(digit - 1) : actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

/** Arrow keys on the 3D view orbit it. */
export function listen_to_view_keys(view: HTMLElement, orbit: (azimuth: number, elevation: number) => void, zoom: (factor: number) => void): void {
  view.addEventListener("keydown", (event) => {
    if (event.target !== view) return;
    const actions: Record<string, () => void> = {
      ArrowLeft: () => orbit(-0.12, 0), ArrowRight: () => orbit(0.12, 0),
      ArrowUp: () => orbit(0, 0.1), ArrowDown: () => orbit(0, -0.1),
      "+": () => zoom(0.88), "=": () => zoom(0.88), "-": () => zoom(1 / 0.88),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  });
}
