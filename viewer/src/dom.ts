// SPDX-License-Identifier: Apache-2.0
// Creates DOM elements.

type Child = Node | string | null;
type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

/** An element with attributes ("on..." are listeners, false omits an attribute) and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name.replace(/^on/, ""), value);
    else if (value !== false) node.setAttribute(name, value === true ? "" : String(value));
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

const icons: Record<string, string> = {
  play: "M8 5.5v13l11-6.5z",
  pause: "M7 5h3.6v14H7zM13.4 5H17v14h-3.6z",
  start: "M6 5h2.4v14H6zM19 5.5v13L9.6 12z",
  end: "M15.6 5H18v14h-2.4zM5 5.5v13l9.4-6.5z",
  back: "M14.5 6v12l-8-6z",
  forward: "M9.5 6v12l8-6z",
  loop: "M7 7h9V4l5 4.5-5 4.5v-3H9v3H7zM17 17H8v3l-5-4.5L8 11v3h7v-3h2z",
  sun: "M12 7a5 5 0 100 10 5 5 0 000-10zM11 1h2v3.5h-2zM11 19.500h2V23h-2zM1 11h3.500v2H1zM19.500 11H23v2h-3.500zM4.200 2.800l2.500 2.500-1.400 1.400-2.500-2.500zM18.700 17.300l2.500 2.500-1.400 1.400-2.500-2.500zM2.800 19.800l2.500-2.500 1.400 1.400-2.500 2.500zM17.300 5.300l2.500-2.500 1.400 1.400-2.500 2.500z",
  moon: "M20 14.500A8.500 8.500 0 019.500 4 8.500 8.500 0 1020 14.500z",
  auto: "M12 3a9 9 0 100 18 9 9 0 000-18zm0 2v14a7 7 0 010-14z",
  plus: "M11 5h2v6h6v2h-6v6h-2v-6H5v-2h6z",
  minus: "M5 11h14v2H5z",
  fit: "M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z",
  close: "M6.400 5L12 10.600 17.600 5 19 6.400 13.400 12l5.600 5.600-1.400 1.400L12 13.400 6.400 19 5 17.600 10.600 12 5 6.400z",
  view: "M12 5C6.500 5 2.700 9.300 1.500 12c1.200 2.700 5 7 10.500 7s9.300-4.300 10.500-7C21.300 9.300 17.500 5 12 5zm0 11.500a4.500 4.500 0 110-9 4.500 4.500 0 010 9zM12 9.700a2.300 2.300 0 100 4.600 2.300 2.300 0 000-4.600z",
};

export function icon(name: string): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", icons[name] ?? "");
  svg.append(path);
  return svg;
}

export function icon_button(name: string, label: string, action: () => void, attributes: Attributes = {}): HTMLButtonElement {
  return element("button", { type: "button", class: "icon", "aria-label": label, title: label, onclick: action, ...attributes }, icon(name));
}

export function set_icon(button: HTMLButtonElement, name: string, label: string): void {
  button.replaceChildren(icon(name));
  button.setAttribute("aria-label", label);
  button.title = label;
}
