// SPDX-License-Identifier: Apache-2.0
// Draws a line with more samples than pixels as vertical bars, from the smallest to the largest value of an interval.
// Stroking the same line takes ten times as long in a browser without graphics hardware.

import type uPlot from "uplot";

/** Points are pairs, the two extremes of an interval (see thin()). */
export const envelope: uPlot.Series.PathBuilder = (chart, index) => {
  const x = chart.data[0];
  const y = chart.data[index]!;
  const fill = new Path2D();
  const thickness = Math.max(1, 0.9 * chart.series[index]!.width! * devicePixelRatio);
  const { left, width } = chart.bbox;
  let before: [number, number] | null = null;
  for (let i = 0; i + 1 < x.length; i += 2) {
    const a = y[i];
    const b = y[i + 1];
    if (a == null || b == null) {
      before = null;
      continue;
    }
    const start = Math.floor(chart.valToPos(x[i]!, "x", true));
    const next = i + 2 < x.length ? Math.floor(chart.valToPos(x[i + 2]!, "x", true)) : start + 1;
    let top = chart.valToPos(Math.max(a, b), "y", true);
    let bottom = chart.valToPos(Math.min(a, b), "y", true);
    const own: [number, number] = [top, bottom];
    // connect to the previous bar
    if (before) {
      top = Math.min(top, before[1]);
      bottom = Math.max(bottom, before[0]);
    }
    before = own;
    if (next < left || start > left + width) continue;
    const missing = Math.max(0, thickness - (bottom - top));
    fill.rect(start, top - missing / 2, Math.max(next - start, thickness), bottom - top + missing);
  }
  return { stroke: null, fill, clip: null };
};
