// SPDX-License-Identifier: Apache-2.0
// A column of a run: an array of numbers (null: NaN) or little-endian floats in base64.

export class RunError extends Error {
  override name = "RunError";
}

/** Uses the native base64 decoder if available. */
const engine = Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };

export function bytes_of_base64(text: string, path: string): Uint8Array<ArrayBuffer> {
  let binary: string;
  try {
    if (engine.fromBase64) return engine.fromBase64(text);
    binary = atob(text);
  } catch {
    throw new RunError(`${path} is not valid base64.`);
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

function decode_floats(text: unknown, width: 4 | 8, path: string): Float64Array {
  if (typeof text !== "string") throw new RunError(`${path} must be a base64 string.`);
  const bytes = bytes_of_base64(text, path);
  if (bytes.length % width !== 0) {
    throw new RunError(`${path} has ${bytes.length} bytes, which is not a multiple of ${width}.`);
  }
  return width === 8 ? new Float64Array(bytes.buffer) : new Float64Array(new Float32Array(bytes.buffer));
}

export function decode_column(value: unknown, path: string): Float64Array {
  if (Array.isArray(value)) {
    const column = new Float64Array(value.length);
    for (let i = 0; i < value.length; ++i) {
      const x: unknown = value[i];
      if (typeof x === "number") column[i] = x;
      else if (x === null) column[i] = NaN;
      else throw new RunError(`${path}[${i}] is ${JSON.stringify(x)}; expected a number or null.`);
    }
    return column;
  }
  if (typeof value === "object" && value !== null) {
    if ("f64" in value) return decode_floats(value.f64, 8, `${path}.f64`);
    if ("f32" in value) return decode_floats(value.f32, 4, `${path}.f32`);
  }
  throw new RunError(`${path} is not a column: expected an array of numbers, {"f32": ..} or {"f64": ..}.`);
}

/** Index of the first value that is not a finite number, or -1. */
export function first_not_finite(column: Float64Array): number {
  for (let i = 0; i < column.length; ++i) if (!Number.isFinite(column[i])) return i;
  return -1;
}

/** The column with each gap filled by the last finite value before it (or the first after it). */
export function hold_last_finite(column: Float64Array): Float64Array {
  if (first_not_finite(column) < 0) return column;
  const held = new Float64Array(column);
  let last = column.find((x) => Number.isFinite(x)) ?? 0;
  for (let i = 0; i < held.length; ++i) {
    const x = held[i]!;
    if (Number.isFinite(x)) last = x;
    else held[i] = last;
  }
  return held;
}

/** Smallest and largest finite value; [0, 0] if there is none. */
export function extent(column: Float64Array): [number, number] {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < column.length; ++i) {
    const x = column[i]!;
    if (!Number.isFinite(x)) continue;
    if (x < low) low = x;
    if (x > high) high = x;
  }
  return low <= high ? [low, high] : [0, 0];
}
