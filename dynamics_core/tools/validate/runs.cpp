// SPDX-License-Identifier: Apache-2.0
#include "runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dynamics_core/dh_table.hpp"
#include "dynamics_core/maximum.hpp"
#include "papers/wide/wide_simulate.hpp"

namespace dynamics::tools {

PaperRobot::PaperRobot(const std::string& name)
    : table_(built_in_robot(name)), model_(model_from_dh(table_)) {}

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

Recording PaperRobot::run(const SimulationOptions& options, ValidationReport& report, double from,
                          double to) const {
  Recording run = simulate(model_, options, [&](double t) {
    report.progress(from + (to - from) * t / options.duration);
    return true;
  });
  require_completed(report, run);
  return run;
}

void require_completed(ValidationReport& report, const Recording& run) {
  if (run.statistics.completed) return;
  report.claim(
      "(Ours: the run completes.)",
      fmt::format("{}, {}, {}: it ended at {:.3g} s of {:g} s: {}.", run.settings.robot,
                  run.settings.scenario, run.settings.integrator,
                  run.t.empty() ? 0.0 : run.t.back(), run.settings.duration, run.statistics.ending),
      Verdict::fails);
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
  return run.t.back();
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

std::vector<PaperForced> forced_as_in_the_paper(const PaperRobot& robot, ValidationReport& report,
                                                double to) {
  std::vector<PaperForced> runs;
  const std::pair<const char*, const char*> methods[] = {
      {"RKF 4(5), 1e-6", "rkf45"}, {"ABM, 1e-6", "abm"}, {"DVERK, 1e-6", "dverk"}};
  for (const auto& [name, integrator] : methods) {
    SimulationOptions options = robot.forced();
    options.integrator = integrator;
    options.rtol = 1e-6;
    options.sample = 0.02;
    const double share = to / 3.0, from = share * static_cast<double>(runs.size());
    runs.push_back({name, integrator, robot.run(options, report, from, from + share)});
  }
  return runs;
}

}  // namespace dynamics::tools
