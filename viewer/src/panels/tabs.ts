// SPDX-License-Identifier: Apache-2.0
// Tabs with arrow keys, following the ARIA pattern.

import { element } from "../dom";

export function tabs(label: string, panels: { id: string; title: string; content: HTMLElement }[]): HTMLElement {
  const buttons = panels.map(({ id, title }, i) =>
    element("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": `panel-${id}`, onclick: () => select(i) }, title));
  const bodies = panels.map(({ id, content }) =>
    element("div", { role: "tabpanel", id: `panel-${id}`, "aria-labelledby": `tab-${id}` }, content));
  const select = (chosen: number): void => {
    buttons.forEach((button, i) => {
      button.setAttribute("aria-selected", String(i === chosen));
      button.tabIndex = i === chosen ? 0 : -1;
      bodies[i]!.hidden = i !== chosen;
    });
  };
  const bar = element("div", { class: "tabs", role: "tablist", "aria-label": label }, ...buttons);
  bar.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const now = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const next = (now + step + buttons.length) % buttons.length;
    select(next);
    buttons[next]!.focus();
  });
  select(0);
  return element("div", { class: "side" }, bar, ...bodies);
}
