// SPDX-License-Identifier: Apache-2.0
// Reads untyped JSON; errors give the path in the file and the expected type.

import { RunError } from "./columns";

export type Triple = [number, number, number];
export type JsonObject = Record<string, unknown>;

function described(value: unknown): string {
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "an array";
  if (value === null) return "null";
  return typeof value === "object" ? "an object" : JSON.stringify(value);
}

export function as_object(value: unknown, path: string): JsonObject {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new RunError(`${path} is ${described(value)}; expected an object.`);
  }
  return value as JsonObject;
}

export function as_array(value: unknown, path: string): unknown[] {
  if (!Array.isArray(value)) throw new RunError(`${path} is ${described(value)}; expected an array.`);
  return value;
}

export function as_number(value: unknown, path: string): number {
  if (typeof value !== "number") throw new RunError(`${path} is ${described(value)}; expected a number.`);
  return value;
}

export function as_string(value: unknown, path: string): string {
  if (typeof value !== "string") throw new RunError(`${path} is ${described(value)}; expected a string.`);
  return value;
}

export function optional_number(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

export function optional_string(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

export function vector3(value: unknown, path: string, absent?: Triple): Triple {
  if ((value === undefined || value === null) && absent) return [...absent];
  if (!Array.isArray(value) || value.length !== 3 || !value.every((x) => typeof x === "number")) {
    throw new RunError(`${path} is ${described(value)}; expected three numbers.`);
  }
  return value as Triple;
}
