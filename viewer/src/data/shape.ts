// SPDX-License-Identifier: Apache-2.0
// The deflected shape of a flexible link at one instant: a smooth curve through the given points.

/** Slopes of the parabolas through three neighbouring points (the ends use their nearest three). */
export function slopes(x: readonly number[], y: readonly number[]): number[] {
  const n = x.length;
  if (n < 2) return x.map(() => 0);
  if (n === 2) return [0, 1].map(() => (y[1]! - y[0]!) / (x[1]! - x[0]!));
  return x.map((at, i) => {
    const j = Math.min(Math.max(i, 1), n - 2);
    const [x0, x1, x2] = [x[j - 1]!, x[j]!, x[j + 1]!];
    const d01 = (y[j]! - y[j - 1]!) / (x1 - x0);
    const d12 = (y[j + 1]! - y[j]!) / (x2 - x1);
    return d01 + ((d12 - d01) / (x2 - x0)) * (2 * at - x0 - x1);
  });
}

export class Curve {
  private readonly slope: number[];

  constructor(private readonly x: readonly number[], private readonly y: readonly number[]) {
    this.slope = slopes(x, y);
  }

  /** Value and slope at a fraction of the length: cubic Hermite inside, straight lines beyond the ends. */
  at(fraction: number): { value: number; slope: number } {
    const { x, y, slope } = this;
    const last = x.length - 1;
    if (last < 0) return { value: 0, slope: 0 };
    if (fraction <= x[0]! || last === 0) return { value: y[0]! + slope[0]! * (fraction - x[0]!), slope: slope[0]! };
    if (fraction >= x[last]!) return { value: y[last]! + slope[last]! * (fraction - x[last]!), slope: slope[last]! };
    let i = 0;
    while (x[i + 1]! < fraction) ++i;
    const h = x[i + 1]! - x[i]!;
    const s = (fraction - x[i]!) / h;
    const [a, b] = [y[i]!, y[i + 1]!];
    const [da, db] = [slope[i]! * h, slope[i + 1]! * h];
    const c2 = 3 * (b - a) - 2 * da - db;
    const c3 = 2 * (a - b) + da + db;
    return { value: a + s * (da + s * (c2 + s * c3)), slope: (da + s * (2 * c2 + 3 * s * c3)) / h };
  }
}

/** A link's deflection in its own frame: the beam lies along x. */
export class Bend {
  constructor(readonly length: number, private readonly y: Curve, private readonly z: Curve) {}

  /** Deflections (m) and slopes (m/m) at x along the link. */
  at(x: number): { y: number; z: number; slope_y: number; slope_z: number } {
    const fraction = x / this.length;
    const y = this.y.at(fraction);
    const z = this.z.at(fraction);
    return { y: y.value, z: z.value, slope_y: y.slope / this.length, slope_z: z.slope / this.length };
  }
}
