// SPDX-License-Identifier: Apache-2.0
// A plot: lines reduced to a few hundred points, a cursor at the current time, and the values there.

import uPlot from "uplot";
import { value_at, thin } from "../data/sampling";
import type { Instant } from "../data/sampling";
import { element } from "../dom";
import { format_ticks, format_value } from "../format";
import type { Theme } from "../theme";
import type { PlotSpec } from "./series";
import { envelope } from "./envelope";
import { make_legend } from "./legend";
import type { LegendEntry } from "./legend";
import { draw_marks, rows_height } from "./marks";
import type { SeriesMarks } from "./marks";
import type { TimeWindow } from "./window";

export interface PlotActions {
  preview(time: number): void;
  end_preview(): void;
  seek(time: number): void;
}

const height_of_plot = 168;
const line_width = 1.6;
const reference_style = { width: 3.2, alpha: 0.45, dash: [7, 4] };
/** Without the area that uPlot draws for a series with a fill. */
const line: uPlot.Series.PathBuilder = (chart, index, from, to) => {
  const paths = uPlot.paths.linear!()(chart, index, from, to);
  return paths && { ...paths, fill: null };
};

export class Plot {
  readonly root: HTMLElement;
  private readonly body: HTMLElement;
  private readonly height: number;
  private readonly entries: LegendEntry[];
  private readonly dots: HTMLElement[];
  private readonly playhead = element("div", { class: "playhead" });
  private readonly off = new Set<number>();
  private chart: uPlot | null = null;
  private hidden: ReadonlySet<number> = new Set();
  private visible = true;
  private stale = false;
  private dense = false;
  private time = 0;
  private instant: Instant = { index: 0, fraction: 0 };

  constructor(
    readonly spec: PlotSpec, private readonly t: Float64Array, private readonly window: TimeWindow,
    private readonly theme: Theme, private readonly actions: PlotActions,
  ) {
    const legend = make_legend(spec, (i) => this.toggle(i), (time) => actions.seek(time));
    this.entries = legend.entries;
    this.dots = spec.series.map(() => element("div", { class: "dot" }));
    this.height = height_of_plot + rows_height(this.saturated_series().length);
    this.body = element("div", { class: "plot-body", style: `height: ${this.height}px` });
    this.root = element(
      "section", { class: "plot", id: `plot-${spec.id}`, "aria-label": `${spec.title}, ${spec.unit}` },
      element("header", {},
        element("h3", {}, spec.title), element("span", { class: "unit" }, spec.unit),
        spec.note === undefined ? null : element("span", { class: "note" }, spec.note)),
      this.body,
      legend.root,
    );
    new ResizeObserver(() => this.resize()).observe(this.body);
    new IntersectionObserver((seen) => {
      this.visible = seen[seen.length - 1]!.isIntersecting;
      if (!this.visible) return;
      if (!this.chart) this.build();
      else if (this.stale) this.refresh();
      this.place_playhead();
    }, { rootMargin: "150px" }).observe(this.root);
    theme.on_change(() => this.rebuild());
    window.on_change(() => this.invalidate());
  }

  /** Hidden joints are neither drawn nor listed. */
  hide_joints(hidden: ReadonlySet<number>): void {
    this.hidden = hidden;
    this.spec.series.forEach((series, i) => {
      if (series.coordinate === null) return;
      const off = hidden.has(series.coordinate);
      this.entries[i]!.item.hidden = off;
      this.chart?.setSeries(i + 1, { show: !off });
    });
    const joints = this.spec.series.filter((series) => series.coordinate !== null);
    this.root.classList.toggle("nothing", joints.length > 0 && joints.every((series) => hidden.has(series.coordinate!)));
    this.place_playhead();
  }

  show_instant(time: number, instant: Instant): void {
    this.time = time;
    this.instant = instant;
    if (this.visible) this.place_playhead();
  }

  private shown(i: number): boolean {
    const { coordinate } = this.spec.series[i]!;
    return !(coordinate === null ? this.off.has(i) : this.hidden.has(coordinate));
  }

  private toggle(i: number): void {
    if (!this.off.delete(i)) this.off.add(i);
    this.entries[i]!.item.setAttribute("aria-pressed", String(!this.off.has(i)));
    this.chart?.setSeries(i + 1, { show: !this.off.has(i) });
    this.place_playhead();
  }

  /** Indices of the series that reach their limit. */
  private saturated_series(): number[] {
    return this.spec.series.flatMap(({ saturated }, i) => (saturated && saturated.length > 0 ? [i] : []));
  }

  /** Marks of the displayed series; the bars of saturated series are in rows above the plot. */
  private marks(chart: uPlot): SeriesMarks[] {
    const saturated = this.saturated_series();
    const height = rows_height(saturated.length) * devicePixelRatio;
    const row = height / Math.max(1, saturated.length);
    const top = chart.bbox.top - height;
    const shade = 0.12 / Math.sqrt(Math.max(1, saturated.length));
    return this.spec.series.flatMap(({ color, limit = null, saturated: intervals = [] }, i) => {
      if (!this.shown(i) || (limit === null && intervals.length === 0)) return [];
      return [{ color: this.theme.series(color), limit, intervals, shade, bar: { top: top + saturated.indexOf(i) * row, height: 0.65 * row } }];
    });
  }

  private points(): uPlot.AlignedData {
    const buckets = Math.max(200, Math.min(1600, Math.round(this.body.clientWidth)));
    const { dense, x, y } = thin(this.t, this.spec.series.map((series) => series.column), this.window.min, this.window.max, buckets);
    this.dense = dense;
    return [x, ...y];
  }

  private invalidate(): void {
    if (this.visible && this.chart) this.refresh();
    else this.stale = true;
  }

  private refresh(): void {
    if (!this.chart) return;
    this.stale = false;
    this.chart.batch(() => {
      this.chart!.setData(this.points(), false);
      this.chart!.setScale("x", this.x_range());
    });
    this.place_playhead();
  }

  private rebuild(): void {
    if (!this.chart) return;
    this.chart.destroy();
    this.chart = null;
    this.build();
  }

  private resize(): void {
    const width = this.body.clientWidth;
    if (!this.chart || width === 0 || width === this.chart.width) return;
    this.chart.setSize({ width, height: this.height });
    this.place_playhead();
  }

  private x_range(): { min: number; max: number } {
    const { min, max } = this.window;
    return max > min ? { min, max } : { min: min - 0.5, max: max + 0.5 };
  }

  private build(): void {
    const { theme, spec } = this;
    const ink = theme.color("ink-soft");
    const axis: uPlot.Axis = {
      stroke: ink, font: "11px system-ui, sans-serif", labelFont: "11px system-ui, sans-serif",
      grid: { stroke: theme.color("plot-grid"), width: 1 }, ticks: { show: false },
    };
    const few = this.t.length <= 2;
    const options: uPlot.Options = {
      width: Math.max(120, this.body.clientWidth),
      height: this.height,
      legend: { show: false },
      padding: [8 + this.height - height_of_plot, 20, 0, 0],
      cursor: {
        x: false, y: false, points: { show: false }, lock: false,
        drag: { x: true, y: false, setScale: false, dist: 6 },
      },
      scales: {
        x: { time: false, range: () => { const { min, max } = this.x_range(); return [min, max]; } },
        y: { range: (_, low, high) => y_range(low, high) },
      },
      axes: [
        { ...axis, size: 26, gap: 4, space: 76, values: (_, ticks) => format_ticks(ticks).map((x) => `${x} s`) },
        { ...axis, size: 66, gap: 4, space: 30, label: spec.unit, labelSize: 15, labelGap: -3, values: (_, ticks) => format_ticks(ticks) },
      ],
      series: [
        {},
        ...spec.series.map((series, i): uPlot.Series => ({
          label: series.name, stroke: theme.series(series.color), width: line_width, spanGaps: false,
          dash: series.dashed ? [4, 4] : theme.dash(series.color),
          ...(series.reference ? reference_style : {}),
          paths: (chart, index, from, to) => (this.dense ? envelope : line)(chart, index, from, to),
          fill: () => (this.dense ? theme.series(series.color) : "transparent"),
          show: this.shown(i), points: { show: few, size: 6 },
        })),
      ],
      hooks: {
        setSelect: [(chart) => {
          if (chart.select.width < 6) return;
          const from = chart.posToVal(chart.select.left, "x");
          const to = chart.posToVal(chart.select.left + chart.select.width, "x");
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          this.window.set(from, to);
        }],
        setSize: [() => this.place_playhead()],
        drawAxes: [(chart) => draw_marks(chart, this.marks(chart), spec.pushes ?? [], theme.color("push"))],
      },
    };
    this.stale = false;
    this.chart = new uPlot(options, this.points(), this.body);
    spec.series.forEach((series, i) => {
      const color = theme.series(series.color);
      this.entries[i]!.swatch.style.setProperty("--series", color);
      this.dots[i]!.style.background = color;
    });
    this.chart.over.append(this.playhead, ...this.dots);
    this.listen(this.chart.over);
    this.place_playhead();
  }

  /** Pointer: previews a time; click: sets it; drag: zooms (touch: moves the time). */
  private listen(over: HTMLElement): void {
    const time_of = (event: MouseEvent): number => this.chart!.posToVal(event.clientX - over.getBoundingClientRect().left, "x");
    let pressed_at: number | null = null;
    over.addEventListener("pointerdown", (event) => { pressed_at = event.clientX; });
    over.addEventListener("pointermove", (event) => {
      if (event.pointerType === "touch") this.actions.seek(time_of(event));
      else if (event.buttons === 0) this.actions.preview(time_of(event));
    });
    over.addEventListener("pointerleave", () => this.actions.end_preview());
    over.addEventListener("click", (event) => {
      if (pressed_at === null || Math.abs(event.clientX - pressed_at) < 6) this.actions.seek(time_of(event));
    });
    over.addEventListener("dblclick", () => this.window.reset());
    over.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;
      event.preventDefault();
      this.window.zoom(Math.exp(0.0015 * (event.deltaY || event.deltaX)), time_of(event));
    }, { passive: false });
  }

  private place_playhead(): void {
    this.spec.series.forEach((series, i) => {
      if (this.shown(i)) this.entries[i]!.value.textContent = format_value(value_at(series.column, this.instant));
    });
    if (!this.chart) return;
    const { chart } = this;
    const { min, max } = this.x_range();
    const inside = this.time >= min && this.time <= max;
    this.playhead.hidden = !inside;
    const x = chart.valToPos(this.time, "x");
    this.playhead.style.transform = `translateX(${x}px)`;
    this.spec.series.forEach((series, i) => {
      const dot = this.dots[i]!;
      const value = value_at(series.column, this.instant);
      dot.hidden = !inside || !this.shown(i) || !Number.isFinite(value);
      if (!dot.hidden) dot.style.transform = `translate(${x}px, ${chart.valToPos(value, "y")}px)`;
    });
  }
}

function y_range(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [-1, 1];
  const span = high - low;
  const size = Math.max(Math.abs(low), Math.abs(high));
  // constant values: use a minimum range
  if (span <= 1e-12 * size || span === 0) return size === 0 ? [-1, 1] : [low - 0.1 * size, high + 0.1 * size];
  return [low - 0.07 * span, high + 0.07 * span];
}
