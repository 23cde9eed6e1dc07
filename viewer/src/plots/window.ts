// SPDX-License-Identifier: Apache-2.0
// The time range displayed by all plots.

export class TimeWindow {
  private from: number;
  private to: number;
  private readonly listeners: (() => void)[] = [];

  constructor(readonly start: number, readonly end: number) {
    this.from = start;
    this.to = end;
  }

  get min(): number { return this.from; }
  get max(): number { return this.to; }
  get is_complete(): boolean { return this.from <= this.start && this.to >= this.end; }

  on_change(listener: () => void): void {
    this.listeners.push(listener);
  }

  set(from: number, to: number): void {
    const span = this.end - this.start;
    const shortest = Math.max(span * 1e-5, Number.EPSILON * Math.abs(this.end) * 16);
    let width = Math.min(span, Math.max(shortest, to - from));
    if (!(width > 0)) width = span;
    const left = Math.min(this.end - width, Math.max(this.start, from));
    if (left === this.from && left + width === this.to) return;
    this.from = left;
    this.to = Math.min(this.end, left + width);
    for (const listener of this.listeners) listener();
  }

  reset(): void {
    this.set(this.start, this.end);
  }

  /** factor < 1 zooms in; `about` keeps its position in the window. */
  zoom(factor: number, about: number): void {
    const center = Math.min(this.to, Math.max(this.from, about));
    this.set(center - (center - this.from) * factor, center + (this.to - center) * factor);
  }

  /** Scrolls to a time without changing the zoom. */
  follow(time: number): void {
    if (time >= this.from && time <= this.to) return;
    const width = this.to - this.from;
    this.set(time - 0.1 * width, time + 0.9 * width);
  }
}
