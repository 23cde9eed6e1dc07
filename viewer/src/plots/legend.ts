// SPDX-License-Identifier: Apache-2.0
// Legend of a plot: name and value of each series, in columns or as a table with statistics.

import { element } from "../dom";
import type { PlotSpec, Series, Statistic } from "./series";

export interface LegendEntry {
  item: HTMLElement;
  swatch: HTMLElement;
  value: HTMLElement;
}

export interface Legend {
  root: HTMLElement;
  /** By series. */
  entries: LegendEntry[];
}

function parts(series: Series): { swatch: HTMLElement; name: HTMLElement; value: HTMLElement } {
  return {
    swatch: element("i", { class: series.dashed || series.reference ? "swatch dashed" : "swatch" }),
    name: element("span", { class: "name", title: series.name }, series.label ?? series.name),
    value: element("output", { class: "value", "aria-label": `${series.name} at the instant` }, ""),
  };
}

function list_legend(series: readonly Series[], toggle: (i: number) => void): Legend {
  const entries = series.map((one, i): LegendEntry => {
    const { swatch, name, value } = parts(one);
    const item = one.coordinate !== null
      ? element("span", { class: "entry" }, swatch, name, value)
      : element("button", {
        type: "button", class: "entry", "aria-pressed": "true", title: `Show or hide ${one.name}`, onclick: () => toggle(i),
      }, swatch, name, value);
    return { item, swatch, value };
  });
  return { entries, root: element("div", { class: "legend" }, ...entries.map(({ item }) => item)) };
}

function statistic_cell({ text, jump, warns }: Statistic, seek: (time: number) => void): HTMLElement {
  const content = jump === undefined ? text
    : element("button", { type: "button", class: "jump", "aria-label": jump.label, title: jump.label, onclick: () => seek(jump.time) }, text);
  return element("td", { class: warns ? "warns" : "" }, content);
}

/** A row per series, with the value of its reference and its statistics. */
function table_legend(series: readonly Series[], columns: readonly string[], seek: (time: number) => void): Legend {
  const entries = new Map<Series, LegendEntry>();
  const referenced = series.some((one) => one.reference);
  const rows = series.filter((one) => !one.reference).map((one) => {
    const { swatch, name, value } = parts(one);
    const reference = series.find((other) => other.reference && other.coordinate === one.coordinate);
    const cells = [element("td", {}, value), ...(one.statistics ?? []).map((statistic) => statistic_cell(statistic, seek))];
    if (reference) {
      const { swatch: dashes, value: desired } = parts(reference);
      const item = element("td", {}, element("span", { class: "entry" }, dashes, desired));
      entries.set(reference, { item, swatch: dashes, value: desired });
      cells.splice(1, 0, item);
    }
    const item = element("tr", {}, element("th", { scope: "row" }, element("span", { class: "entry" }, swatch, name)), ...cells);
    entries.set(one, { item, swatch, value });
    return item;
  });
  const head = ["now", ...(referenced ? ["reference"] : []), ...columns].map((text) => element("th", { scope: "col" }, text));
  return {
    entries: series.map((one) => entries.get(one)!),
    root: element("div", { class: "legend statistics" },
      element("table", {}, element("thead", {}, element("tr", {}, element("td", {}), ...head)), element("tbody", {}, ...rows))),
  };
}

export function make_legend(spec: PlotSpec, toggle: (i: number) => void, seek: (time: number) => void): Legend {
  const legend = spec.columns || spec.series.some((one) => one.reference) ? table_legend(spec.series, spec.columns ?? [], seek) : list_legend(spec.series, toggle);
  legend.entries.forEach(({ item }, i) => { item.dataset.series = spec.series[i]!.name; });
  return legend;
}
