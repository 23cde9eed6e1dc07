// SPDX-License-Identifier: Apache-2.0
#include "forced_runs.hpp"

#include <fmt/format.h>

#include <cmath>

#include "dynamics_core/view.hpp"

namespace dynamics::tools {
namespace {

SimulationOptions options_of(const PaperRobot& robot, const ForcedMethod& method) {
  SimulationOptions options = robot.forced();
  options.integrator = method.integrator;
  options.step = method.step;
  options.rtol = method.tolerance;
  options.sample = 0.02;
  return options;
}

/// Largest deviation of any joint from the desired trajectory over time.
Line deviation_of(const ForcedRun& forced) {
  const Recording& run = forced.run;
  Line line{forced.method.title, {}, {}};
  for (std::size_t k = 1; k < run.size(); ++k) {
    double largest = 1e-18;
    for (std::size_t i = 0; i < run.q.size(); ++i)
      largest = max_propagating_nan(largest, std::abs(run.q[i][k] - run.desired[i][k]));
    if (largest > 10.0) break;
    line.x.push_back(run.t[k]);
    line.y.push_back(largest);
  }
  return line;
}

/// The samples before the run is 1 rad (m) off its path.
std::size_t samples_on_path(const Recording& run) {
  const double end = departure(run, 1.0);
  std::size_t count = 0;
  while (count < run.size() && run.t[count] < end) ++count;
  return count;
}

void check_departure(ValidationReport& report, const ForcedRun& forced, double seconds) {
  const double time = departure(forced.run, departure_threshold);
  report.check(fmt::format("{}: on the path for {:g} s.", forced.method.title, seconds),
               fmt::format("{:g} rad (m) off: {}.", departure_threshold, departure_text(time)),
               forced.run.statistics.completed && time > seconds);
}

}  // namespace

ForcedMethod paper_rkf() { return {"RKF, step 0.01 s", "rkf45", 0.01}; }
ForcedMethod paper_abm() { return {"ABM, tolerance 1e-6", "abm", std::nullopt, 1e-6}; }
ForcedMethod paper_dverk() { return {"DVERK, tolerance 1e-6", "dverk", std::nullopt, 1e-6}; }

std::vector<const ForcedRun*> ForcedRuns::all() const {
  std::vector<const ForcedRun*> all;
  for (const ForcedRun& run : paper) all.push_back(&run);
  all.push_back(&ours);
  all.push_back(&wide);
  return all;
}

ForcedRuns forced_runs(ValidationReport& report, const PaperRobot& robot, const ForcedPlan& plan,
                       double from, double to) {
  std::vector<ForcedRun> paper;
  const double step = 0.1 * (to - from);
  double at = from;
  for (const ForcedMethod& method : plan.methods) {
    paper.push_back({method, robot.run_forced(options_of(robot, method), report, at, at + step)});
    at += step;
  }
  const ForcedMethod ours{fmt::format("ours: ABM, double, {:g}", plan.tolerance), "abm",
                          std::nullopt, plan.tolerance};
  const ForcedMethod wide{fmt::format("ours: ABM, 32 digits, {:g}", plan.wide_tolerance), "abm",
                          std::nullopt, plan.wide_tolerance};
  return {std::move(paper),
          {ours, robot.run_forced(options_of(robot, ours), report, at, at + step)},
          {wide, robot.run_double_double(options_of(robot, wide), report, at + step, to)}};
}

std::vector<Panel> forced_panels(const ForcedRuns& runs) {
  const Recording& wide = runs.wide.run;
  auto panels = joint_panels(wide, "position", "rad", "m", wide.desired, "desired");
  for (const ForcedRun* forced : runs.all()) {
    if (forced == &runs.ours) continue;
    const auto count = static_cast<std::ptrdiff_t>(samples_on_path(forced->run));
    const auto first = [count](const Column& column) {
      return Column(column.begin(), column.begin() + count);
    };
    std::vector<Column> columns;
    for (const Column& q : forced->run.q) columns.push_back(first(q));
    add_lines(panels, first(forced->run.t), columns, forced->method.title, forced == &runs.wide);
  }
  return panels;
}

Panel deviation_panel(const ForcedRuns& runs) {
  Panel panel = panel_over_time("Largest deviation of any joint from its path", "rad (m)");
  panel.logarithmic_y = true;
  for (const ForcedRun* forced : runs.all()) panel.lines.push_back(deviation_of(*forced));
  return panel;
}

void show_departures(ValidationReport& report, const ForcedRuns& runs) {
  std::vector<std::vector<std::string>> rows;
  for (const ForcedRun* forced : runs.all()) {
    rows.push_back({forced->method.title,
                    departure_text(departure(forced->run, departure_threshold)),
                    departure_text(departure(forced->run, 1e-3))});
  }
  report.table({"integrator", fmt::format("{:g} rad (m) off at", departure_threshold),
                "0.001 rad (m) off at"},
               rows);
}

void check_accuracy(ValidationReport& report, const ForcedRuns& runs, double seconds,
                    double wide_seconds) {
  check_departure(report, runs.ours, seconds);
  check_departure(report, runs.wide, wide_seconds);
}

}  // namespace dynamics::tools
