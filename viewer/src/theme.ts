// SPDX-License-Identifier: Apache-2.0
// Light and dark: follows the system until the user selects a theme; colors are CSS custom properties.

export type ThemeChoice = "auto" | "light" | "dark";

const storage_key = "dynamics-viewer-theme";
const choices: readonly ThemeChoice[] = ["auto", "light", "dark"];

/** Colors of series: distinct in hue and lightness, contrast at least 3:1 to the background. */
const series_light = ["#2563c9", "#c2500a", "#0f8069", "#a4269a", "#7d6608", "#6a45d1", "#c2283f", "#0a7590", "#4c7a12", "#5b6470"];
const series_dark = ["#7fb0ff", "#ff9f66", "#4fd0b0", "#f08fe3", "#e2c35a", "#b6a1ff", "#ff8792", "#66d4ec", "#a8d95f", "#c4ccd6"];

export class Theme {
  private choice: ThemeChoice = "auto";
  private readonly system = window.matchMedia("(prefers-color-scheme: dark)");
  private readonly listeners: (() => void)[] = [];

  constructor() {
    try {
      const stored = localStorage.getItem(storage_key);
      if (choices.includes(stored as ThemeChoice)) this.choice = stored as ThemeChoice;
    } catch {
      // no storage for this page: the choice lasts as long as the page
    }
    this.system.addEventListener("change", () => this.apply());
    this.apply();
  }

  get current(): ThemeChoice {
    return this.choice;
  }

  get dark(): boolean {
    return this.choice === "dark" || (this.choice === "auto" && this.system.matches);
  }

  choose(choice: ThemeChoice): void {
    this.choice = choice;
    try {
      localStorage.setItem(storage_key, choice);
    } catch {
      // as above
    }
    this.apply();
  }

  next(): ThemeChoice {
    const choice = choices[(choices.indexOf(this.choice) + 1) % choices.length]!;
    this.choose(choice);
    return choice;
  }

  on_change(listener: () => void): void {
    this.listeners.push(listener);
  }

  color(name: string): string {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  }

  series(i: number): string {
    const palette = this.dark ? series_dark : series_light;
    return palette[i % palette.length]!;
  }

  /** Colors repeat after ten series, with different dashes. */
  dash(i: number): number[] {
    return ([[], [7, 4], [2, 3], [9, 3, 2, 3]] as number[][])[Math.floor(i / series_light.length) % 4]!;
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.dark ? "dark" : "light";
    for (const listener of this.listeners) listener();
  }
}
