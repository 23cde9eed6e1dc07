// SPDX-License-Identifier: Apache-2.0
// The time of the page. All parts display this time.

export class Clock {
  readonly start: number;
  readonly end: number;
  private now: number;
  /** Time to return to when a preview (pointer over a plot) ends. */
  private resting: number | null = null;
  private running = false;
  private rate = 1;
  private looping = true;
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly t: Float64Array) {
    this.start = t[0]!;
    this.end = t[t.length - 1]!;
    this.now = this.start;
  }

  get time(): number { return this.now; }
  get playing(): boolean { return this.running; }
  get speed(): number { return this.rate; }
  get loop(): boolean { return this.looping; }
  get span(): number { return this.end - this.start; }
  get previewing(): boolean { return this.resting !== null; }

  on_change(listener: () => void): void {
    this.listeners.push(listener);
  }

  seek(time: number): void {
    this.resting = null;
    this.move(time);
  }

  /** Shows a time while the pointer is over it. */
  preview(time: number): void {
    if (this.running) return;
    this.resting ??= this.now;
    this.move(time);
  }

  end_preview(): void {
    if (this.resting === null) return;
    const back = this.resting;
    this.resting = null;
    this.move(back);
  }

  play(): void {
    if (this.span <= 0) return;
    this.resting = null;
    if (this.now >= this.end) this.now = this.start;
    this.running = true;
    this.changed();
  }

  pause(): void {
    this.running = false;
    this.changed();
  }

  toggle(): void {
    if (this.running) this.pause();
    else this.play();
  }

  set_speed(rate: number): void {
    this.rate = Math.min(10, Math.max(0.1, rate));
    this.changed();
  }

  set_loop(looping: boolean): void {
    this.looping = looping;
    this.changed();
  }

  /** Moves by a number of samples, to the time of a sample. */
  step(samples: number): void {
    const { t } = this;
    let low = 0;
    let high = t.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (t[middle]! <= this.now + 1e-12 * this.span) low = middle;
      else high = middle - 1;
    }
    const between = this.now - t[low]! > 1e-9 * this.span;
    const target = low + samples + (between && samples < 0 ? 1 : 0);
    this.running = false;
    this.seek(t[Math.min(t.length - 1, Math.max(0, target))]!);
  }

  /** Advances by wall-clock seconds. */
  advance(seconds: number): void {
    if (!this.running) return;
    let next = this.now + seconds * this.rate;
    if (next >= this.end) {
      if (this.looping) next = this.start + ((next - this.start) % this.span);
      else {
        next = this.end;
        this.running = false;
      }
    }
    this.move(next);
  }

  private move(time: number): void {
    this.now = Number.isFinite(time) ? Math.min(this.end, Math.max(this.start, time)) : this.start;
    this.changed();
  }

  private changed(): void {
    for (const listener of this.listeners) listener();
  }
}
