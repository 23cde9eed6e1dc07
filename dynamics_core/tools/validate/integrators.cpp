// SPDX-License-Identifier: Apache-2.0
// Integrators on the free fall of the PUMA: order, error versus tolerance and cost, long runs.

#include "dynamics_core/integrators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dynamics_core/view.hpp"
#include "runs.hpp"

namespace dynamics::tools {
namespace {

struct Point {
  double setting, error, evaluations;
};

class Convergence {
 public:
  Convergence(const PaperRobot& robot, ValidationReport& report)
      : robot_(robot), report_(report), exact_(1) {
    SimulationOptions options = start();
    options.integrator = "abm";
    options.rtol = 1e-25;
    exact_ = robot.run_double_double(options, report, 0.0, 0.1).q;
  }

  Point point(const ode::IntegratorName& method, double setting) const {
    SimulationOptions options = start();
    options.integrator = std::string(method.name);
    if (method.fixed_step) {
      options.step = setting;
    } else {
      options.rtol = setting;
    }
    const Recording run = robot_.run(options, report_, 0.1, 0.1);
    return {setting, max_propagating_nan(1e-17, largest_difference(run.q, exact_)),
            static_cast<double>(run.statistics.evaluations)};
  }

 private:
  SimulationOptions start() const {
    SimulationOptions options = robot_.free_fall(1.0);
    options.sample = 1.0;
    return options;
  }

  const PaperRobot& robot_;
  ValidationReport& report_;
  std::vector<Column> exact_;
};

void show_convergence(ValidationReport& report, const PaperChanges& changes) {
  const PaperRobot puma("puma", changes);
  const Convergence convergence(puma, report);
  Panel steps, tolerances, cost;
  steps.title = "Fixed step: error versus step";
  steps.x_label = "step (s)";
  tolerances.title = "Adaptive: error versus tolerance";
  tolerances.x_label = "rtol = atol";
  cost.title = "Adaptive: error versus cost";
  cost.x_label = "evaluations of forward dynamics";
  for (Panel* panel : {&steps, &tolerances, &cost}) {
    panel->y_label = "rad";
    panel->logarithmic_x = panel->logarithmic_y = true;
  }
  std::vector<std::vector<std::string>> rows;
  bool orders_hold = true, tolerances_hold = true;
  for (const auto& method : ode::integrator_names()) {
    const std::string name(method.name);
    if (name == "auto") continue;  // dop853: this is not stiff
    Line by_setting{name, {}, {}, false, true}, by_cost = by_setting;
    const std::vector<double> settings = method.fixed_step
                                             ? std::vector<double>{0.02, 0.01, 0.005, 0.0025}
                                             : std::vector<double>{1e-4, 1e-6, 1e-8, 1e-10, 1e-12};
    std::vector<Point> points;
    for (const double setting : settings) {
      points.push_back(convergence.point(method, setting));
      by_setting.x.push_back(setting);
      by_setting.y.push_back(points.back().error);
      by_cost.x.push_back(points.back().evaluations);
      by_cost.y.push_back(points.back().error);
    }
    if (!method.fixed_step) {
      tolerances.lines.push_back(by_setting);
      cost.lines.push_back(by_cost);
      for (const Point& point : points)
        tolerances_hold = tolerances_hold && point.error < 1000.0 * point.setting;
      continue;
    }
    steps.lines.push_back(by_setting);
    // from the last pair of errors above round-off
    double order = 0.0;
    for (std::size_t i = 1; i < points.size(); ++i) {
      if (points[i].error < 1e-13) break;
      order = std::log2(points[i - 1].error / points[i].error);
    }
    const double expected = name == "semi_implicit_euler" ? 1.0
                            : name == "implicit_midpoint" ? 2.0
                            : name == "rosenbrock2"       ? 2.0
                            : name == "gauss6"            ? 6.0
                                                          : 4.0;
    orders_hold = orders_hold && std::abs(order - expected) < 0.4;
    rows.push_back({name, fmt::format("{:g}", expected), fmt::format("{:.2f}", order),
                    fmt::format("{:.1e}", points[1].error)});
  }
  report.paragraph(
      "Error after 1 s of the PUMA's free fall, compared with a reference of 32 digits:");
  report.figure("convergence_fixed", "Fixed-step methods", SvgFigure({steps}, 1));
  report.figure("convergence_adaptive", "Adaptive methods", SvgFigure({tolerances, cost}, 2));
  report.table({"fixed-step method", "order", "observed order", "error at 0.01 s (rad)"}, rows);
  report.check("Fixed-step methods converge with their order.", "See the table above.",
               orders_hold);
  report.check("The error of adaptive methods follows the tolerance.",
               "All errors are below 1000 times the tolerance.", tolerances_hold);
}

void show_long_runs(ValidationReport& report, const PaperChanges& changes) {
  std::vector<Panel> panels;
  std::vector<std::vector<std::string>> rows;
  bool hold = true;
  struct Case {
    const char* robot;
    double step, bound;
  };
  double done = 0.2;
  for (const Case& one : {Case{"puma", 0.01, 1e-9}, Case{"planar3", 0.001, 1e-7}}) {
    const PaperRobot robot(one.robot, changes);
    SimulationOptions options = robot.free_fall(1000.0);
    options.integrator = "gauss6";
    options.step = one.step;
    options.sample = 0.5;
    const Recording run = robot.run(options, report, done, done + 0.4);
    done += 0.4;
    Panel panel;
    panel.title = fmt::format("{}: gauss6, step {:g} s", one.robot, one.step);
    panel.x_label = "time (s)";
    panel.y_label = "energy error / largest kinetic";
    panel.lines.push_back({"energy error", run.t, run.energy_drift});
    panels.push_back(std::move(panel));
    const auto tenth = static_cast<std::ptrdiff_t>(run.size() / 10);
    const auto mean = [&](auto from) {
      return std::accumulate(from, from + tenth, 0.0) / static_cast<double>(tenth);
    };
    const double first = mean(run.energy_drift.begin()),
                 last = mean(run.energy_drift.end() - tenth);
    hold = hold && run.statistics.completed && run.statistics.energy_drift < one.bound &&
           std::abs(last - first) < 0.5 * run.statistics.energy_drift;
    rows.push_back({one.robot, fmt::format("{:g} s", one.step),
                    fmt::format("{:.1e}", run.statistics.energy_drift),
                    fmt::format("{:.1e}", first), fmt::format("{:.1e}", last)});
  }
  report.figure("long_runs",
                "Free fall of 1000 s with a fixed step: the energy error stays bounded",
                SvgFigure(panels, 2));
  report.table(
      {"robot", "step", "largest error", "mean of the first 100 s", "mean of the last 100 s"},
      rows);
  report.check("Over 1000 s with a fixed step the energy error is bounded and does not drift.",
               "See the table above.", hold);
}

}  // namespace

void validate_integrators(ValidationReport& report, const PaperChanges& changes) {
  report.heading("Integrators (our own checks)");
  show_convergence(report, changes);
  show_long_runs(report, changes);
  report.end_claims();
}

}  // namespace dynamics::tools
