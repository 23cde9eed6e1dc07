// SPDX-License-Identifier: Apache-2.0
// Formats numbers for display: few digits, a minus sign, powers of ten if needed.

const superscripts: Record<string, string> = {
  "-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹",
};

function minus(text: string): string {
  return text.replace("-", "−");
}

export function power_of_ten(value: number, digits: number): string {
  const [mantissa, exponent] = value.toExponential(digits).split("e") as [string, string];
  const raised = Array.from(exponent.replace("+", ""), (c) => superscripts[c] ?? "").join("");
  return `${minus(mantissa)}×10${raised}`;
}

/** Fixed number of decimals if sufficient, otherwise a power of ten. */
export function format_value(value: number): string {
  if (!Number.isFinite(value)) return "NaN";
  const size = Math.abs(value);
  if (size === 0) return "0";
  if (size < 1e-3 || size >= 1e6) return power_of_ten(value, 2);
  return minus(value.toFixed(size < 10 ? 4 : size < 100 ? 3 : size < 1000 ? 2 : 1));
}

/** Shortest exact form of a setting. */
export function format_setting(value: number): string {
  if (!Number.isFinite(value)) return "NaN";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e7)) {
    return power_of_ten(value, Number.isInteger(Math.log10(size)) ? 0 : 2).replace(/^1×/, "");
  }
  return minus(String(Number(value.toPrecision(6))));
}

export function format_time(value: number, span: number): string {
  return minus(value.toFixed(span >= 100 ? 2 : 3));
}

/** Seconds with three digits. */
export function format_duration(seconds: number): string {
  return format_setting(Number(seconds.toPrecision(3)));
}

/** Number of decimals required by the distance of ticks: 3 for 0.025. */
function decimals_of(step: number): number {
  let decimals = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  while (decimals < 12 && Math.abs(step * 10 ** decimals - Math.round(step * 10 ** decimals)) > 1e-6 * step * 10 ** decimals) ++decimals;
  return decimals;
}

/** Tick labels with the number of decimals required by their distance. */
export function format_ticks(ticks: readonly number[]): string[] {
  if (ticks.length === 0) return [];
  const largest = Math.max(...ticks.map(Math.abs));
  const step = ticks.length > 1 ? Math.abs(ticks[1]! - ticks[0]!) : largest;
  const zero = (x: number): boolean => Math.abs(x) < step * 1e-6;
  if (largest !== 0 && (largest < 1e-3 || largest >= 1e5)) {
    return ticks.map((x) => {
      if (zero(x)) return "0";
      const power = 10 ** Math.floor(Math.log10(Math.abs(x)) + 1e-9);
      return power_of_ten(x, Math.min(3, decimals_of(step / power)));
    });
  }
  const decimals = decimals_of(step || 1);
  return ticks.map((x) => (zero(x) ? "0" : minus(x.toFixed(decimals))));
}

/** Names without their common prefix: "panda_joint1" becomes "joint1". */
export function short_names(names: readonly string[]): string[] {
  if (names.length < 2) return [...names];
  const words = names.map((name): string[] => name.match(/[^_/.-]*[_/.-]|[^_/.-]+$/g) ?? [name]);
  let common = 0;
  while (words.every((word) => word.length > common + 1 && word[common] === words[0]![common])) ++common;
  // a number alone is not a name
  if (common > 0 && words.some((word) => /^\d+$/.test(word.slice(common).join("")))) --common;
  return words.map((word) => word.slice(common).join(""));
}
