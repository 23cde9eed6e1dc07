// SPDX-License-Identifier: Apache-2.0
// The page of a run: creates its parts and connects them to one clock.

import { Clock } from "./clock";
import type { Run } from "./data/run";
import { PoseSource } from "./data/pose_source";
import { locate } from "./data/sampling";
import { element, icon_button, set_icon } from "./dom";
import { listen_to_keys, listen_to_view_keys } from "./keyboard";
import { ViewCaption } from "./panels/caption";
import { help_panel } from "./panels/help";
import { JointSwitches } from "./panels/joints";
import { notice_list } from "./panels/messages";
import { run_title, settings_panel, summary_strip } from "./panels/settings";
import { tabs } from "./panels/tabs";
import { TransportBar } from "./panels/transport";
import { deflection_slider, view_menu } from "./panels/view_menu";
import type { ViewMenu } from "./panels/view_menu";
import { Plot } from "./plots/plot";
import { difference_plots, run_plots } from "./plots/series";
import type { PlotSpec } from "./plots/series";
import { TimeWindow } from "./plots/window";
import { RobotScene } from "./scene/robot_scene";
import type { Theme } from "./theme";

export class App {
  readonly clock: Clock;
  readonly scene: RobotScene | null;
  readonly window: TimeWindow;
  readonly first_frame: Promise<void>;
  private readonly plots: Plot[] = [];
  private readonly source: PoseSource;
  private menu: ViewMenu | null = null;
  private caption: ViewCaption | null = null;
  private frame = 0;
  private last_tick = 0;
  private drawn: () => void = () => {};

  constructor(readonly run: Run, other: Run | null, private readonly theme: Theme, root: HTMLElement) {
    const { samples } = run;
    this.clock = new Clock(samples.t);
    this.window = new TimeWindow(this.clock.start, this.clock.end);
    this.source = new PoseSource(run);
    this.first_frame = new Promise((resolve) => { this.drawn = resolve; });

    const compared = other ? difference_plots(run, other) : { plots: [], notices: [] };
    const notices = [...run.notices, ...(other?.notices.map((x) => ({ ...x, text: `Compared run: ${x.text}` })) ?? []), ...compared.notices];
    const view = element("div", { class: "view", tabindex: 0, role: "application", "aria-label": `3D view of ${run.model.name}; arrow keys orbit, plus and minus zoom` });
    const joints = new JointSwitches(run.model.coordinates, theme, (hidden) => {
      for (const plot of this.plots) plot.hide_joints(hidden);
      this.scene?.hide_joints(hidden);
      this.invalidate();
    });
    const groups = [
      ...(other ? [this.plot_group("Differences", compared.plots)] : []),
      this.plot_group(other ? "This run" : null, run_plots(run)),
    ];
    const plots = element("div", { class: "plots" }, element("div", { class: "plots-head" }, joints.root, this.zoom_tools()), ...groups);
    root.replaceChildren(
      this.header(),
      notice_list(notices),
      element("main", { class: "page" },
        element("div", { class: "stage" }, view, new TransportBar(this.clock).root),
        tabs("Run", [
          { id: "plots", title: "Plots", content: plots },
          { id: "run", title: "Run", content: settings_panel(run, other) },
          { id: "help", title: "Keys", content: help_panel() },
        ])),
    );
    this.scene = this.make_scene(view, other);
    this.clock.on_change(() => this.invalidate());
    listen_to_keys({
      clock: this.clock,
      toggle_joint: (i) => joints.toggle(i),
      zoom_plots: (factor) => this.window.zoom(factor, this.clock.time),
      reset_plots: () => this.window.reset(),
      reset_view: () => this.scene?.stage.reset_view(),
      toggle_reference: () => this.menu?.toggle("reference"),
      next_theme: () => theme.next(),
    });
    this.invalidate();
  }

  /** Displayed joint values. */
  joint_values(): Record<string, number> {
    this.update();
    const values = this.scene ? this.scene.joint_values : this.source.joint_values(locate(this.run.samples.t, this.clock.time));
    return Object.fromEntries(this.run.model.coordinates.map((name, i) => [name, values[i]!]));
  }

  /** Displayed frame of a link in the world: 4x4 matrix in column-major order. */
  link_pose(name: string): number[] | null {
    this.update();
    if (this.scene) return this.scene.link_matrix(name)?.toArray() ?? null;
    const index = this.run.model.links.findIndex((link) => link.name === name);
    return index < 0 ? null : Array.from(this.source.pose_at(this.clock.time).poses.links[index]!);
  }

  /** Bounding box of the shapes of a link in its frame: lowest and highest x, y, z. */
  link_bounds(name: string): number[] | null {
    return this.scene?.link_bounds(name) ?? null;
  }

  private make_scene(view: HTMLElement, other: Run | null): RobotScene | null {
    try {
      const scene = new RobotScene(view, this.run, other, this.theme, () => this.invalidate());
      const slider = deflection_slider(scene, () => this.invalidate());
      this.menu = view_menu(scene, () => this.invalidate());
      this.caption = new ViewCaption(scene, this.run);
      view.append(this.menu.root, this.caption.root);
      if (slider) view.append(slider);
      listen_to_view_keys(view, (a, e) => scene.stage.orbit(a, e), (f) => scene.stage.zoom(f));
      return scene;
    } catch (error) {
      // without WebGL show only the plots and the numbers
      view.replaceChildren(element("p", { class: "no-view", role: "alert" },
        "The 3D view requires WebGL, which this browser does not support. Plots and numbers are still available.",
        element("small", {}, error instanceof Error ? error.message : String(error))));
      return null;
    }
  }

  private header(): HTMLElement {
    const { theme, run } = this;
    const look = { auto: ["auto", "Theme: system (T)"], light: ["sun", "Theme: light (T)"], dark: ["moon", "Theme: dark (T)"] } as const;
    const button = icon_button("auto", "Theme", () => theme.next(), { class: "icon theme" });
    const paint = (): void => set_icon(button, ...(look[theme.current] as unknown as [string, string]));
    theme.on_change(paint);
    paint();
    // file name only; the path is in the settings
    const robot = (typeof run.settings.robot === "string" && run.settings.robot.split(/[/\\]/).pop()) || run.model.name;
    document.title = [robot, run_title(run)].filter((x) => typeof x === "string").join(" · ");
    return element("header", { class: "head" },
      element("h1", {}, robot),
      summary_strip(run),
      button);
  }

  private plot_group(title: string | null, specs: PlotSpec[]): HTMLElement {
    const { clock } = this;
    const actions = {
      preview: (time: number) => clock.preview(time),
      end_preview: () => clock.end_preview(),
      seek: (time: number) => clock.seek(time),
    };
    const plots = specs.map((spec) => new Plot(spec, this.run.samples.t, this.window, this.theme, actions));
    this.plots.push(...plots);
    return element("div", { class: "group" }, title === null ? null : element("h2", {}, title), ...plots.map((plot) => plot.root));
  }

  private zoom_tools(): HTMLElement {
    const { window } = this;
    const fit = icon_button("fit", "Complete run (0)", () => window.reset(), { disabled: true });
    window.on_change(() => { fit.disabled = window.is_complete; });
    return element("div", { class: "buttons", role: "group", "aria-label": "Zoom in time" },
      icon_button("minus", "Zoom out (−)", () => window.zoom(1 / 0.6, this.clock.time)),
      icon_button("plus", "Zoom in (+)", () => window.zoom(0.6, this.clock.time)),
      fit);
  }

  private invalidate(): void {
    if (this.frame === 0) this.frame = requestAnimationFrame((now) => this.tick(now));
  }

  private tick(now: number): void {
    this.frame = 0;
    if (this.clock.playing) {
      // do not jump after the tab was inactive
      const passed = this.last_tick > 0 ? Math.min(0.25, (now - this.last_tick) / 1000) : 0;
      this.last_tick = now;
      this.clock.advance(passed);
      this.window.follow(this.clock.time);
    }
    if (!this.clock.playing) this.last_tick = 0;
    this.update();
    const gliding = this.scene?.stage.render() ?? false;
    this.drawn();
    if (this.clock.playing || gliding) this.invalidate();
  }

  /** Updates all parts to the time of the clock. */
  private update(): void {
    const { time } = this.clock;
    const instant = locate(this.run.samples.t, time);
    for (const plot of this.plots) plot.show_instant(time, instant);
    this.scene?.show(time);
    this.caption?.update(time);
  }
}
