// SPDX-License-Identifier: Apache-2.0
// Saha 1999, section 6.2, and Saha 2003, section 4: the Stanford arm and the PUMA.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dynamics_core/maximum.hpp"
#include "papers/formulations/registry.hpp"
#include "runs.hpp"

namespace dynamics::tools {
namespace {

constexpr double departure_threshold = 0.01;  // rad or m, visible in a plot

struct Subject {
  std::string name, title;
};

/// Largest relative difference of the torques along the trajectory from another formulation.
double torque_difference(const PaperRobot& robot, const Recording& torques,
                         const char* formulation) {
  double largest = 0.0, size = 0.0;
  const std::size_t n = torques.q.size();
  std::vector<double> q(n), qd(n), qdd(n);
  for (std::size_t k = 0; k < torques.size(); k += 10) {
    for (std::size_t i = 0; i < n; ++i) {
      q[i] = torques.q[i][k];
      qd[i] = torques.qd[i][k];
      qdd[i] = torques.qdd[i][k];
    }
    const Eigen::VectorXd other =
        formulations::inverse_dynamics(formulations::find(formulation), robot.model(), q, qd, qdd);
    for (std::size_t i = 0; i < n; ++i) {
      const double difference = other[static_cast<Eigen::Index>(i)] - torques.tau[i][k];
      largest = max_propagating_nan(largest, std::abs(difference));
      size = max_propagating_nan(size, std::abs(torques.tau[i][k]));
    }
  }
  return largest / size;
}

void show_torques(ValidationReport& report, const PaperRobot& robot, const Subject& subject,
                  const std::string& figures, const std::string& statement) {
  const Recording torques = robot.torques();
  report.figure(
      subject.name + "_torques",
      fmt::format("Joint torques of the {} along the cycloid ({})", subject.title, figures),
      SvgFigure(joint_panels(torques, "torque", "N m", "N", torques.tau, "tau"), 3));
  add_extremes(report, torques, torques.tau, "N m", "N");
  double largest = 0.0;
  for (const char* other : {"lagrange", "newton-euler", "modified-newton-euler"})
    largest = max_propagating_nan(largest, torque_difference(robot, torques, other));
  report.claim(
      statement,
      fmt::format(
          "The paper prints no numbers. Lagrange, Newton-Euler and the modified Newton-Euler "
          "equations agree to {:.1e} of the largest torque.",
          largest),
      largest < 1e-12);
}

Recording show_free_fall(ValidationReport& report, const PaperRobot& robot, const Subject& subject,
                         const std::string& figures) {
  SimulationOptions options = robot.free_fall(10.0);
  options.rtol = 1e-12;
  options.sample = 0.005;
  Recording fall = robot.run(options, report, 0.0, 0.1);
  report.figure(subject.name + "_free_fall",
                fmt::format("Joint positions of the {} in free fall ({})", subject.title, figures),
                SvgFigure(joint_panels(fall, "position", "rad", "m", fall.q, "q"), 3));
  SimulationOptions wide = robot.free_fall(2.0);
  wide.sample = 0.02;
  SimulationOptions narrow = wide;
  wide.integrator = "abm";
  wide.rtol = 1e-25;
  narrow.rtol = 1e-11;
  const Recording reference = robot.run_double_double(wide, report, 0.1, 0.2);
  const double error = largest_difference(robot.run(narrow, report, 0.2, 0.2).q, reference.q);
  report.claim(
      "(Ours: 2 s of free fall compared with 32 digits.)",
      fmt::format("dop853 with rtol 1e-11 is within {:.1e} rad (m) of the reference.", error),
      error < 1e-7);
  report.claim("(Ours: conservation of energy over 10 s.)",
               fmt::format("Constant to {:.1e} of the largest kinetic energy with rtol 1e-12.",
                           fall.statistics.energy_drift),
               fall.statistics.energy_drift < 1e-10);
  return fall;
}

/// The forced run with the paper's methods, and ours in double and with 32 digits.
struct ForcedRuns {
  std::vector<PaperForced> paper;
  Recording ours, wide;
  double end_of_plots;  ///< where the run with the paper's method has departed by 1 rad

  /// The column without the values after the end of the plots.
  Column clipped(const Recording& run, Column column) const {
    for (std::size_t k = 0; k < column.size(); ++k)
      if (run.t[k] > end_of_plots) column[k] = std::nan("");
    return column;
  }
};

ForcedRuns forced_runs(ValidationReport& report, const PaperRobot& robot, double tolerance) {
  auto paper = forced_as_in_the_paper(robot, report, 0.4);
  const double end = std::min(10.0, departure(paper[0].run, 1.0) + 0.2);
  SimulationOptions options = robot.forced();
  options.integrator = "abm";
  options.rtol = tolerance;
  options.sample = 0.02;
  Recording ours = robot.run(options, report, 0.4, 0.5);
  options.rtol = 1e-25;
  options.sample = 0.1;
  Recording wide = robot.run_double_double(options, report, 0.5, 0.95);
  return {std::move(paper), std::move(ours), std::move(wide), end};
}

void show_forced_positions(ValidationReport& report, const ForcedRuns& runs,
                           const Subject& subject) {
  auto panels = joint_panels(runs.ours, "position", "rad", "m", runs.ours.desired, "desired");
  for (std::size_t method = 0; method < 2; ++method) {
    const Recording& run = runs.paper[method].run;
    std::vector<Column> columns;
    for (const Column& q : run.q) columns.push_back(runs.clipped(run, q));
    add_lines(panels, run.t, columns, runs.paper[method].name);
  }
  add_lines(panels, runs.wide.t, runs.wide.q, "ours, 32 digits", true);
  report.figure(
      subject.name + "_forced",
      fmt::format("Forced run of the {} (2003, Fig. 6): the paper's methods with its tolerance "
                  "depart from the trajectory, ours do not",
                  subject.title),
      SvgFigure(panels, 3));
}

/// Largest deviation of any joint from the desired trajectory over time.
Line deviation_of(const std::string& title, const Recording& run) {
  Line line{title, {}, {}};
  for (std::size_t k = 1; k < run.size(); ++k) {
    double largest = 1e-18;
    for (std::size_t i = 0; i < run.q.size(); ++i)
      largest = max_propagating_nan(largest, std::abs(run.q[i][k] - run.desired[i][k]));
    line.x.push_back(run.t[k]);
    line.y.push_back(largest);
  }
  return line;
}

void show_deviations(ValidationReport& report, const ForcedRuns& runs, const Subject& subject) {
  Panel deviation =
      panel_over_time("Largest deviation of any joint from the desired trajectory", "rad (m)");
  deviation.logarithmic_y = true;
  for (const auto& [title, integrator, run] : runs.paper)
    deviation.lines.push_back(deviation_of(title, run));
  deviation.lines.push_back(deviation_of("ABM, double", runs.ours));
  deviation.lines.push_back(deviation_of("ABM, 32 digits", runs.wide));
  report.figure(
      subject.name + "_departure",
      fmt::format("Deviation of the forced run of the {} from its trajectory: the open-loop "
                  "motion is unstable, errors grow exponentially",
                  subject.title),
      SvgFigure({deviation}, 1));
}

void show_departures(ValidationReport& report, const ForcedRuns& runs, double tolerance) {
  std::vector<std::vector<std::string>> rows;
  const auto add_row = [&](const std::string& title, const Recording& run) {
    const double time = departure(run, departure_threshold);
    rows.push_back({title, time < 10.0 ? fmt::format("{:.1f} s", time) : "never in 10 s",
                    fmt::format("{:.1e}", largest_deviation(run)),
                    std::to_string(run.statistics.evaluations)});
  };
  for (const auto& [title, integrator, run] : runs.paper) add_row(title, run);
  add_row(fmt::format("ABM, double, {:g}", tolerance), runs.ours);
  add_row("ABM, 32 digits, 1e-25", runs.wide);
  report.table({"integrator", fmt::format("deviates by {:g} rad (m) at", departure_threshold),
                "largest deviation in 10 s", "evaluations"},
               rows);
}

void claim_departure(ValidationReport& report, const ForcedRuns& runs, double paper_departure) {
  const double time = departure(runs.paper[0].run, departure_threshold);
  report.claim(
      fmt::format("Deviates from the desired trajectory after about {:g} s (RKF, tolerance 1e-6); "
                  "the same for ABM and DVERK.",
                  paper_departure),
      fmt::format(
          "RKF 4(5) with 1e-6 deviates at {:.1f} s, ABM at {:.1f} s, DVERK at {:.1f} s. The time "
          "depends on round-off and error control; the deviation itself does not.",
          time, departure(runs.paper[1].run, departure_threshold),
          departure(runs.paper[2].run, departure_threshold)),
      std::abs(time - paper_departure) < 0.3 * paper_departure ? Verdict::holds
      : time < 10.0                                            ? Verdict::in_trend
                                                               : Verdict::fails);
}

/// Ours stay within `bound` until `until` in double.
void claim_accuracy(ValidationReport& report, const ForcedRuns& runs, double bound, double until) {
  const Recording& ours = runs.ours;
  double worst = ours.t.back() >= until ? 0.0 : std::nan("");
  for (std::size_t i = 0; i < ours.q.size(); ++i) {
    for (std::size_t k = 0; k < ours.size() && ours.t[k] <= until; ++k)
      worst = max_propagating_nan(worst, std::abs(ours.q[i][k] - ours.desired[i][k]));
  }
  report.claim(fmt::format("(Ours: within {:g} for {:g} s in double.)", bound, until),
               fmt::format("Within {:.1e} rad (m) for {:g} s.", worst, until), worst < bound);
  report.claim("(Ours: within 1e-3 for 10 s with 32 digits.)",
               fmt::format("Within {:.1e} rad (m).", largest_deviation(runs.wide)),
               largest_deviation(runs.wide) < 1e-3);
}

void show_end_effector(ValidationReport& report, const ForcedRuns& runs) {
  std::vector<Panel> path;
  const char* const axes[] = {"X_1", "Y_1", "Z_1"};
  const auto& [name, integrator, run] = runs.paper[0];
  for (std::size_t i = 0; i < 3; ++i) {
    Panel panel = panel_over_time(fmt::format("End effector along {}", axes[i]), "m");
    panel.lines.push_back({name, run.t, runs.clipped(run, run.end_effector[i])});
    panel.lines.push_back({"ours, 32 digits", runs.wide.t, runs.wide.end_effector[i], true});
    path.push_back(std::move(panel));
  }
  report.figure("stanford_end_effector", "End-effector path of the forced run (2003, Fig. 7)",
                SvgFigure(path, 3));
}

/// Forced runs with the paper's methods, and ours with `tolerance`, which stay within `bound` until
/// `until` in double.
void show_forced(ValidationReport& report, const PaperRobot& robot, const Subject& subject,
                 double paper_departure, double tolerance, double bound, double until) {
  const ForcedRuns runs = forced_runs(report, robot, tolerance);
  show_forced_positions(report, runs, subject);
  show_deviations(report, runs, subject);
  show_departures(report, runs, tolerance);
  claim_departure(report, runs, paper_departure);
  claim_accuracy(report, runs, bound, until);
  if (subject.name == "stanford") show_end_effector(report, runs);
}

}  // namespace

void validate_stanford(ValidationReport& report) {
  const PaperRobot robot("stanford");
  const Subject subject{"stanford", "Stanford arm"};
  report.heading("Stanford arm (Saha 1999, section 6.2, Figs. 8 and 9; Saha 2003, Figs. 4 to 7)");
  show_torques(report, robot, subject, "1999, Fig. 8; 2003, Fig. 5",
               "The torques exactly match those of Cyril (1988).");
  const Recording fall = show_free_fall(report, robot, subject, "1999, Fig. 9; 2003, Fig. 4");
  const std::size_t half = 100, one = 200;  // samples at 0.5 and 1 s
  double zero = fall.t.back();
  for (std::size_t k = fall.size(); k-- > 0;)
    if (fall.q[1][k] <= 0.0) zero = fall.t[k];
  const bool swings = fall.q[1][one] < 0.1 * fall.q[1][0];
  report.claim(
      "Joint 2 turns from 1.5708 rad and its value becomes zero a little after 0.5 s.",
      fmt::format(
          "{:.2f} rad at 0.5 s, {:.2f} rad at 1 s: {:.0f} % of the way, which looks like zero "
          "in a plot of 10 s. It passes zero at {:.2f} s: as joint 3 extends the arm, joint 2 "
          "rotates more and more slowly.",
          fall.q[1][half], fall.q[1][one], 100.0 * (1.0 - fall.q[1][one] / fall.q[1][0]), zero),
      zero < 0.7 ? Verdict::holds
      : swings   ? Verdict::in_trend
                 : Verdict::fails);
  report.claim("Then the displacement of joint 3 starts picking up.",
               fmt::format("{:.2f} m at 0.5 s, {:.1f} m at 1 s, {:.0f} m at 2 s.", fall.q[2][half],
                           fall.q[2][one], fall.q[2][2 * one]),
               fall.q[2][half] < 0.5 && fall.q[2][one] > 2.0);
  show_forced(report, robot, subject, 2.5, 3e-15, 1e-3, 6.0);
  report.end_claims();
}

void validate_puma(ValidationReport& report) {
  const PaperRobot robot("puma");
  const Subject subject{"puma", "PUMA"};
  report.heading("PUMA (Saha 2003, section 4, Figs. 4 to 6)");
  show_torques(report, robot, subject, "Fig. 5",
               "Torques of Fig. 5(ii), without further statement.");
  const Recording fall = show_free_fall(report, robot, subject, "Fig. 4");
  report.claim("Joint 2 rotates in the positive direction first.",
               fmt::format("theta_2(0.1 s) = {:.4f} rad.", fall.q[1][20]), fall.q[1][20] > 0.0);
  show_forced(report, robot, subject, 6.0, 1e-13, 1e-6, 10.0);
  report.end_claims();
}

}  // namespace dynamics::tools
