// SPDX-License-Identifier: Apache-2.0
// What the page says when something is wrong: never an empty screen.

import type { Notice } from "../data/run";
import { element, icon_button } from "../dom";

/** A whole page that says why there is no run to see, and offers to open one. */
export function message_page(title: string, text: string, open: ((file: File) => void) | null): HTMLElement {
  const picker = element("input", {
    type: "file", accept: ".json,application/json", class: "visually-hidden", id: "open-run",
    onchange: () => { if (picker.files?.[0]) open?.(picker.files[0]); },
  });
  return element("main", { class: "message", role: "alert" },
    element("div", { class: "card" },
      element("h1", {}, title),
      element("p", {}, text),
      element("p", { class: "hint" }, "A run is written by ", element("code", {}, "dynamics simulate ROBOT --output run.html"), "."),
      open ? element("p", {}, picker, element("label", { for: "open-run", class: "button" }, "Open a run (JSON)")) : null));
}

export function notice_list(notices: readonly Notice[]): HTMLElement {
  const list = element("div", { class: "notices", role: "status" });
  for (const { kind, text } of notices) {
    const notice = element("p", { class: `notice ${kind}` }, element("span", {}, text));
    notice.append(icon_button("close", "Dismiss", () => notice.remove()));
    list.append(notice);
  }
  return list;
}
