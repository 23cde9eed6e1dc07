// SPDX-License-Identifier: Apache-2.0
#include "runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/view.hpp"
#include "papers/wide/wide_simulate.hpp"

namespace dynamics::tools {

namespace {

DhTable changed(DhTable table, const PaperChanges& changes) {
  if (changes.robot) changes.robot(table);
  return table;
}

/// Ends a run where a joint is 1 rad (m) off the trajectory: what follows depends on round-off.
SimulationEvent stop_off_path(const std::shared_ptr<const Trajectory>& trajectory) {
  SimulationEvent event;
  event.name = "off the path";
  event.stop = true;
  const std::size_t n = trajectory->size();
  event.function = [trajectory, buffer = std::vector<double>(3 * n), n](double t, ConstVector q,
                                                                        ConstVector) mutable {
    const std::span<double> all(buffer);
    trajectory->at(t, all.first(n), all.subspan(n, n), all.last(n));
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i)
      largest = max_propagating_nan(largest, std::abs(q[i] - all[i]));
    return 1.0 - largest;
  };
  return event;
}

}  // namespace

PaperRobot::PaperRobot(const std::string& name, PaperChanges changes)
    : changes_(std::move(changes)),
      table_(changed(built_in_robot(name), changes_)),
      model_(model_from_dh(table_)) {}

SimulationOptions PaperRobot::free_fall(double duration) const {
  SimulationOptions options;
  options.q0 = table_.q0;
  options.qd0 = table_.qd0;
  options.duration = duration;
  return options;
}

SimulationOptions PaperRobot::forced() const {
  SimulationOptions options = free_fall(10.0);
  options.scenario = Scenario::forced;
  options.trajectory = forced_trajectory(*table_.forced, options.q0);
  return options;
}

Recording PaperRobot::run(SimulationOptions options, ValidationReport& report, double from,
                          double to) const {
  if (changes_.run) changes_.run(options);
  Recording run = simulate(model_, options, [&](double t) {
    report.progress(from + (to - from) * t / options.duration);
    return true;
  });
  require_completed(report, run);
  return run;
}

Recording PaperRobot::run_forced(SimulationOptions options, ValidationReport& report, double from,
                                 double to) const {
  if (changes_.torque_table) {
    return run_tabulated(std::move(options), *changes_.torque_table,
                         ControllerOptions::Interpolation::linear, report, from, to);
  }
  options.events.push_back(stop_off_path(options.trajectory));
  return run(std::move(options), report, from, to);
}

Recording PaperRobot::run_tabulated(SimulationOptions options, double step,
                                    ControllerOptions::Interpolation interpolation,
                                    ValidationReport& report, double from, double to) const {
  const Recording table = torques_along(model_, *options.trajectory, options.duration, step);
  ControllerOptions history;
  history.interpolation = interpolation;
  history.torques.t = table.t;
  for (std::size_t k = 0; k < table.size(); ++k) {
    auto& knot = history.torques.q.emplace_back();
    for (const Column& tau : table.tau) knot.push_back(tau[k]);
  }
  const auto controller = make_controller("torques", history);
  const auto trajectory = options.trajectory;
  options.scenario = Scenario::free_fall;
  options.trajectory.reset();
  options.events.push_back(stop_off_path(trajectory));
  if (changes_.run) changes_.run(options);
  Recording run = simulate(model_, *controller, options, [&](double t) {
    report.progress(from + (to - from) * t / options.duration);
    return true;
  });
  require_completed(report, run);
  run.desired.assign(run.q.size(), {});
  std::vector<double> buffer(3 * run.q.size());
  const std::span<double> all(buffer);
  for (const double t : run.t) {
    trajectory->at(t, all.first(run.q.size()), all.subspan(run.q.size(), run.q.size()),
                   all.last(run.q.size()));
    for (std::size_t i = 0; i < run.q.size(); ++i) run.desired[i].push_back(all[i]);
  }
  return run;
}

void require_completed(ValidationReport& report, const Recording& run) {
  if (run.statistics.completed) return;
  report.check(
      "The run completes.",
      fmt::format("{}, {}, {}: it ended at {:.3g} s of {:g} s: {}.", run.settings.robot,
                  run.settings.scenario, run.settings.integrator,
                  run.t.empty() ? 0.0 : run.t.back(), run.settings.duration, run.statistics.ending),
      false);
}

Recording PaperRobot::run_double_double(const SimulationOptions& options,
                                        const ValidationReport& report, double from,
                                        double to) const {
  return simulate_double_double(model_, options, [&](double t) {
    report.progress(from + (to - from) * t / options.duration);
    return true;
  });
}

Recording PaperRobot::torques() const {
  const auto motion = forced_trajectory(*table_.forced, table_.q0);
  return torques_along(model_, *motion, 10.0, 0.05);
}

Panel panel_over_time(const std::string& title, const std::string& unit) {
  Panel panel;
  panel.title = title;
  panel.x_label = "time (s)";
  panel.y_label = unit;
  return panel;
}

std::vector<Panel> joint_panels(const Recording& run, const std::string& quantity,
                                const std::string& angular_unit, const std::string& linear_unit,
                                const std::vector<Column>& columns, const std::string& line) {
  std::vector<Panel> panels;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Coordinate& joint = run.model.coordinates()[i];
    panels.push_back(panel_over_time(fmt::format("{} of {}", quantity, joint.name),
                                     joint.prismatic ? linear_unit : angular_unit));
  }
  add_lines(panels, run.t, columns, line);
  return panels;
}

void add_lines(std::vector<Panel>& panels, const std::vector<double>& t,
               const std::vector<Column>& columns, const std::string& line, bool dashed) {
  for (std::size_t i = 0; i < panels.size(); ++i)
    panels[i].lines.push_back({line, t, columns[i], dashed, false});
}

double departure(const Recording& run, double threshold) {
  for (std::size_t k = 0; k < run.size(); ++k) {
    for (std::size_t i = 0; i < run.q.size(); ++i) {
      if (!(std::abs(run.q[i][k] - run.desired[i][k]) <= threshold)) return run.t[k];
    }
  }
  return std::numeric_limits<double>::infinity();
}

std::string departure_text(double time) {
  return std::isfinite(time) ? fmt::format("{:.1f} s", time) : "never in 10 s";
}

double largest_difference(const std::vector<Column>& a, const std::vector<Column>& b) {
  if (a.size() != b.size()) return std::nan("");
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = max_propagating_nan(largest, max_abs_difference(a[i], b[i]));
  return largest;
}

double largest_deviation(const Recording& run) {
  return run.statistics.completed ? largest_difference(run.q, run.desired) : std::nan("");
}

void add_extremes(ValidationReport& report, const Recording& run,
                  const std::vector<Column>& columns, const std::string& angular_unit,
                  const std::string& linear_unit) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Coordinate& joint = run.model.coordinates()[i];
    const auto [low, high] = std::minmax_element(columns[i].begin(), columns[i].end());
    const auto number = [](double x) {
      return fmt::format("{:.5g}", std::abs(x) < 1e-12 ? 0.0 : x);
    };
    rows.push_back({joint.name, number(columns[i].front()), number(*low), number(*high),
                    number(columns[i].back()), joint.prismatic ? linear_unit : angular_unit});
  }
  report.table({"joint", "start", "smallest", "largest", "end", "unit"}, rows);
}

}  // namespace dynamics::tools
