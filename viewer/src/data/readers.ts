// SPDX-License-Identifier: Apache-2.0
// Reading untyped JSON: every refusal names the place in the file and what would be right.

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
    throw new RunError(`${path} is ${described(value)}; an object is expected.`);
  }
  return value as JsonObject;
}

export function as_array(value: unknown, path: string): unknown[] {
  if (!Array.isArray(value)) throw new RunError(`${path} is ${described(value)}; an array is expected.`);
  return value;
}

export function as_number(value: unknown, path: string): number {
  if (typeof value !== "number") throw new RunError(`${path} is ${described(value)}; a number is expected.`);
  return value;
}

export function as_string(value: unknown, path: string): string {
  if (typeof value !== "string") throw new RunError(`${path} is ${described(value)}; a string is expected.`);
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
    throw new RunError(`${path} is ${described(value)}; three numbers are expected.`);
  }
  return value as Triple;
}
