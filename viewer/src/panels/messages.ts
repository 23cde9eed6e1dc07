// SPDX-License-Identifier: Apache-2.0
// Messages about errors and warnings.

import type { Notice } from "../data/run";
import { element, icon_button } from "../dom";

/** A page with a message instead of a run, and a button to open a run. */
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
