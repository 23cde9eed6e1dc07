// SPDX-License-Identifier: Apache-2.0
// Marks behind the lines of a plot: effort limits, intervals at the limit, and pushes.

import type uPlot from "uplot";
import type { Interval } from "../data/saturation";

/** Height of the rows of bars above a plot in which a number of series saturates, in CSS pixels. */
export function rows_height(count: number): number {
  return Math.min(5 * count, 40);
}

export interface SeriesMarks {
  color: string;
  /** Drawn as thin lines at both signs if inside the range of the plot. */
  limit: number | null;
  /** Shaded, and drawn as bars in a row above the plot. */
  intervals: readonly Interval[];
  /** Opacity of the shading. */
  shade: number;
  /** Top and height of the bars, in canvas pixels. */
  bar: { top: number; height: number };
}

/** Rectangles of the intervals in canvas pixels; those closer than a pixel are merged. */
export function visible_spans(intervals: readonly Interval[], to_pixel: (time: number) => number, left: number, right: number): [number, number][] {
  const spans: [number, number][] = [];
  for (const { from, to } of intervals) {
    const a = Math.max(left, to_pixel(from));
    const b = Math.min(right, Math.max(to_pixel(to), to_pixel(from) + 1));
    if (b <= a) continue;
    const last = spans[spans.length - 1];
    if (last && a - last[1] < 1) last[1] = Math.max(last[1], b);
    else spans.push([a, b]);
  }
  return spans;
}

function draw_intervals(chart: uPlot, { color, intervals, shade, bar }: SeriesMarks): void {
  const { ctx, bbox: { left, top, width, height } } = chart;
  ctx.fillStyle = color;
  for (const [a, b] of visible_spans(intervals, (time) => chart.valToPos(time, "x", true), left, left + width)) {
    ctx.globalAlpha = shade;
    ctx.fillRect(a, top, b - a, height);
    ctx.globalAlpha = 1;
    ctx.fillRect(a, bar.top, Math.max(b - a, 1.5 * devicePixelRatio), bar.height);
  }
}

/** Lines at both signs of a limit. Series with the same limit share a line with alternating dashes. */
function draw_limits(chart: uPlot, marks: readonly SeriesMarks[]): void {
  const { ctx, bbox: { left, top, width, height } } = chart;
  const dash = 6 * devicePixelRatio;
  ctx.lineWidth = Math.max(1, 0.8 * devicePixelRatio);
  ctx.globalAlpha = 0.6;
  for (const { color, limit } of marks) {
    if (limit === null) continue;
    const sharing = marks.filter((other) => other.limit === limit);
    ctx.strokeStyle = color;
    ctx.setLineDash(sharing.length > 1 ? [dash, (sharing.length - 1) * dash] : []);
    ctx.lineDashOffset = -dash * sharing.findIndex((other) => other.color === color);
    for (const value of [limit, -limit]) {
      const y = chart.valToPos(value, "y", true);
      if (!(y >= top && y <= top + height)) continue;
      ctx.beginPath();
      ctx.moveTo(left, y);
      ctx.lineTo(left + width, y);
      ctx.stroke();
    }
  }
}

export function draw_marks(chart: uPlot, marks: readonly SeriesMarks[], pushes: readonly Interval[], push_color: string): void {
  const { ctx, bbox: { top, height } } = chart;
  const thickness = 3 * devicePixelRatio;
  ctx.save();
  for (const one of marks) draw_intervals(chart, one);
  // shading of two kinds is hard to read
  const shade = marks.some(({ intervals }) => intervals.length > 0) ? 0 : 0.08;
  draw_intervals(chart, { color: push_color, limit: null, intervals: pushes, shade, bar: { top: top + height - thickness, height: thickness } });
  draw_limits(chart, marks);
  ctx.restore();
}
