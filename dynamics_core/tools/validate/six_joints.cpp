// SPDX-License-Identifier: Apache-2.0
// Saha 1999, section 6.2, and Saha 2003, section 4: the Stanford arm and the PUMA.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dynamics_core/formulations.hpp"
#include "dynamics_core/view.hpp"
#include "forced_runs.hpp"
#include "runs.hpp"

namespace dynamics::tools {
namespace {

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
                  const std::string& figures) {
  const Recording torques = robot.torques();
  report.figure(
      subject.name + "_torques",
      fmt::format("Joint torques of the {} along the cycloid ({})", subject.title, figures),
      SvgFigure(joint_panels(torques, "torque", "N m", "N", torques.tau, "tau"), 3));
  add_extremes(report, torques, torques.tau, "N m", "N");
  double largest = 0.0;
  for (const char* other : {"lagrange", "newton-euler", "modified-newton-euler"})
    largest = max_propagating_nan(largest, torque_difference(robot, torques, other));
  report.check("Torques: Lagrange, Newton-Euler and the modified Newton-Euler equations agree.",
               fmt::format("To {:.1e} of the largest torque.", largest), largest < 1e-12);
}

/// 10 s of free fall.
Recording run_free_fall(ValidationReport& report, const PaperRobot& robot) {
  SimulationOptions options = robot.free_fall(10.0);
  options.rtol = 1e-12;
  options.sample = 0.005;
  return robot.run(options, report, 0.0, 0.1);
}

void check_free_fall(ValidationReport& report, const PaperRobot& robot, const Recording& fall) {
  SimulationOptions wide = robot.free_fall(2.0);
  wide.sample = 0.02;
  SimulationOptions narrow = wide;
  wide.integrator = "abm";
  wide.rtol = 1e-25;
  narrow.rtol = 1e-11;
  const Recording reference = robot.run_double_double(wide, report, 0.1, 0.2);
  const double error = largest_difference(robot.run(narrow, report, 0.2, 0.2).q, reference.q);
  report.check("2 s of free fall, compared with 32 digits.",
               fmt::format("dop853 with rtol 1e-11 is within {:.1e} rad (m).", error),
               error < 1e-7);
  report.check("Conservation of energy over 10 s of free fall.",
               fmt::format("Constant to {:.1e} of the largest kinetic energy with rtol 1e-12.",
                           fall.statistics.energy_drift),
               fall.statistics.energy_drift < 1e-10);
}

/// First time at which a column is at or below `value` (or at or above: `rising`); infinity if
/// never.
double first_time(const Recording& run, const Column& column, double value, bool rising) {
  for (std::size_t k = 0; k < column.size(); ++k)
    if (rising ? column[k] >= value : column[k] <= value) return run.t[k];
  return std::numeric_limits<double>::infinity();
}

/// The value at the sample nearest to time t.
double value_at(const Recording& run, const Column& column, double t) {
  std::size_t k = 0;
  while (k + 1 < run.size() && run.t[k] < t) ++k;
  return column[k];
}

/// "A little after 0.5 s" as an interval (s).
bool little_after_half_a_second(double time) { return time > 0.5 && time < 0.7; }

/// Free fall of the Stanford arm as stated, and with joint 3 locked.
void show_stanford_fall(ValidationReport& report, const PaperRobot& robot) {
  const Recording fall = run_free_fall(report, robot);
  SimulationOptions options = robot.free_fall(1.2);
  options.rtol = 1e-12;
  options.sample = 0.005;
  options.locks.push_back({.joint = fall.model.coordinates()[2].name});
  const Recording locked = robot.run(options, report, 0.1, 0.1);
  report.figure("stanford_free_fall",
                "Joint positions of the Stanford arm in free fall (1999, Fig. 9; 2003, Fig. 4(i))",
                SvgFigure(joint_panels(fall, "position", "rad", "m", fall.q, "q"), 3));

  const double zero = first_time(fall, fall.q[1], 0.0, false);
  const double locked_zero = first_time(locked, locked.q[1], 0.0, false);
  Panel angle = panel_over_time("theta_2", "rad");
  for (const auto& [name, run] : {std::pair{"free fall", &fall}, {"joint 3 locked", &locked}}) {
    const auto samples = static_cast<std::ptrdiff_t>(std::min<std::size_t>(500, run->size()));
    angle.lines.push_back({name, Column(run->t.begin(), run->t.begin() + samples),
                           Column(run->q[1].begin(), run->q[1].begin() + samples), run == &locked,
                           false});
  }
  report.figure("stanford_theta_2",
                "Joint 2 of the Stanford arm in free fall, and with joint 3 locked",
                SvgFigure({angle}, 1));
  options = robot.free_fall(3.0);
  options.integrator = "rkf45";
  options.step = 0.01;
  options.sample = 0.01;
  const Recording coarse = robot.run(options, report, 0.1, 0.1);
  const double coarse_zero = first_time(coarse, coarse.q[1], 0.0, false);
  report.table({"free fall", "theta_2 reaches zero at", "b_3 then"},
               {{"all joints free, as stated", fmt::format("{:.2f} s", zero),
                 fmt::format("{:.1f} m", value_at(fall, fall.q[2], zero))},
                {"the same with RKF, step 0.01 s", fmt::format("{:.2f} s", coarse_zero),
                 fmt::format("{:.1f} m", value_at(coarse, coarse.q[2], coarse_zero))},
                {"joint 3 locked", fmt::format("{:.2f} s", locked_zero), "0 m"}});
  report.paragraph(fmt::format(
      "With joint 3 locked joint 2 swings as a pendulum and passes zero at {:.2f} s, as the paper "
      "states. With joint 3 free the arm extends while it swings, joint 2 slows down, and "
      "theta_2 = {:.2f} rad at 0.5 s and {:.2f} rad at 1 s.",
      locked_zero, value_at(fall, fall.q[1], 0.5), value_at(fall, fall.q[1], 1.0)));

  report.claim(
      {.item = "Saha 2003, Fig. 4(i)",
       .paper = "Joint 2 turns 90 degrees and its value becomes zero a little after 0.5 s.",
       .ours = fmt::format("At {:.2f} s, {:.2f} s later than 0.5 s.", zero, zero - 0.5),
       .verdict = judge(little_after_half_a_second(zero)),
       .known_difference = true});
  const double moving = first_time(fall, fall.q[2], 0.5, true);
  report.claim({.item = "Saha 2003, Fig. 4(i)",
                .paper = "The displacement of joint 3 starts picking up a little after 0.5 s.",
                .ours = fmt::format("0.5 m at {:.2f} s, {:.1f} m at 1 s.", moving,
                                    value_at(fall, fall.q[2], 1.0)),
                .verdict = judge(little_after_half_a_second(moving))});
  const double displacement = value_at(fall, fall.q[2], zero);
  const double later = value_at(fall, fall.q[2], zero + 0.5);
  report.claim(
      {.item = "Saha 1999, Fig. 9",
       .paper = "Joint 3 moves sharply once joint 2 has turned more than 90 degrees.",
       .ours = fmt::format("b_3 = {:.1f} m when joint 2 has turned 90 degrees: it moves sharply "
                           "before.",
                           displacement),
       .verdict = judge(displacement < 0.5 && later > displacement + 0.5),
       .known_difference = true});
  check_free_fall(report, robot, fall);
}

void show_puma_fall(ValidationReport& report, const PaperRobot& robot) {
  const Recording fall = run_free_fall(report, robot);
  report.figure("puma_free_fall", "Joint positions of the PUMA in free fall (2003, Fig. 4(ii))",
                SvgFigure(joint_panels(fall, "position", "rad", "m", fall.q, "q"), 3));
  const double early = value_at(fall, fall.q[1], 0.1);
  report.claim({.item = "Saha 2003, Fig. 4(ii)",
                .paper = "Joint 2 rotates in the positive direction first.",
                .ours = fmt::format("theta_2(0.1 s) = {:.4f} rad.", early),
                .verdict = judge(early > 0.0)});
  check_free_fall(report, robot, fall);
}

/// "At 4.3 s, 1.8 s later.", or how far off the run is if it never leaves its path.
std::string departure_beside(const Recording& run, double time, double printed) {
  if (!std::isfinite(time))
    return fmt::format("Never in 10 s; {:.0e} rad off at most.", largest_deviation(run));
  return fmt::format("At {:.1f} s, {:.1f} s {}.", time, std::abs(time - printed),
                     time < printed ? "earlier" : "later");
}

/// Forced runs with the paper's methods and ours, which stay on the path for `seconds` in double.
ForcedRuns show_forced(ValidationReport& report, const PaperRobot& robot, const Subject& subject,
                       const ForcedPlan& plan, const char* item, double printed, double seconds) {
  ForcedRuns runs = forced_runs(report, robot, plan, 0.2, 1.0);
  report.figure(subject.name + "_forced",
                fmt::format("Forced run of the {} ({}): each line ends where the run is 1 rad (m) "
                            "off its path",
                            subject.title, item),
                SvgFigure(forced_panels(runs), 3));
  report.figure(
      subject.name + "_departure",
      fmt::format("Deviation of the forced run of the {} from its path: the open-loop motion is "
                  "unstable, errors grow exponentially",
                  subject.title),
      SvgFigure({deviation_panel(runs)}, 1));
  show_departures(report, runs);
  for (const ForcedRun& forced : runs.paper) {
    const double time = departure(forced.run, departure_threshold);
    report.claim({.item = item,
                  .paper = fmt::format("Deviates from the path after about {:g} s ({}).", printed,
                                       forced.method.integrator == "rkf45"
                                           ? "RKF; the step is not given, 0.01 s assumed"
                                           : forced.method.title),
                  .ours = departure_beside(forced.run, time, printed),
                  .verdict = judge_number(time, printed),
                  .known_difference = true});
  }
  check_accuracy(report, runs, seconds, 10.0);
  return runs;
}

void show_end_effector(ValidationReport& report, const ForcedRuns& runs) {
  std::vector<Panel> path;
  const char* const axes[] = {"X_1", "Y_1", "Z_1"};
  for (std::size_t i = 0; i < 3; ++i) {
    Panel panel = panel_over_time(fmt::format("End effector along {}", axes[i]), "m");
    for (const ForcedRun* forced : runs.all()) {
      if (forced == &runs.ours) continue;
      panel.lines.push_back({forced->method.title, forced->run.t, forced->run.end_effector[i],
                             forced == &runs.wide, false});
    }
    path.push_back(std::move(panel));
  }
  report.figure("stanford_end_effector", "End-effector path of the forced run (2003, Fig. 7)",
                SvgFigure(path, 3));
  report.claim({.item = "Saha 2003, Fig. 7",
                .paper = "The displacement along Y_1 has a trend similar to that of Bae and Haug "
                         "(1987).",
                .ours = "The text prints no number of either.",
                .verdict = Verdict::nothing_to_compare});
}

}  // namespace

void validate_stanford(ValidationReport& report, const PaperChanges& changes) {
  const PaperRobot robot("stanford", changes);
  const Subject subject{"stanford", "Stanford arm"};
  report.heading("Stanford arm (Saha 1999, section 6.2, Figs. 8 and 9; Saha 2003, Figs. 4 to 7)");
  show_torques(report, robot, subject, "1999, Fig. 8; 2003, Fig. 5(i)");
  report.claim({.item = "Saha 1999, Fig. 8",
                .paper = "The torques exactly match those of Cyril (1988).",
                .ours = "The text prints no number.",
                .verdict = Verdict::nothing_to_compare});
  report.claim({.item = "Saha 2003, Fig. 5(i)",
                .paper = "Joint torques of the forced run, without further statement.",
                .ours = "The text prints no number.",
                .verdict = Verdict::nothing_to_compare});
  show_stanford_fall(report, robot);
  const ForcedRuns runs =
      show_forced(report, robot, subject,
                  {.methods = {paper_rkf(), paper_abm(), paper_dverk()}, .tolerance = 3e-15},
                  "Saha 2003, Fig. 6(i)", 2.5, 7.0);
  show_end_effector(report, runs);
  report.end_claims();
}

void validate_puma(ValidationReport& report, const PaperChanges& changes) {
  const PaperRobot robot("puma", changes);
  const Subject subject{"puma", "PUMA"};
  report.heading("PUMA (Saha 2003, section 4, Figs. 4 to 6)");
  report.paragraph(
      "The PUMA was run with the RKF program only. Table II(ii) is used with positive inertias: "
      "with the printed minus signs none of the links is a physical body.");
  show_torques(report, robot, subject, "2003, Fig. 5(ii)");
  report.claim({.item = "Saha 2003, Fig. 5(ii)",
                .paper = "Joint torques of the forced run, without further statement.",
                .ours = "The text prints no number.",
                .verdict = Verdict::nothing_to_compare});
  show_puma_fall(report, robot);
  show_forced(report, robot, subject, {.methods = {paper_rkf()}, .tolerance = 1e-13},
              "Saha 2003, Fig. 6(ii)", 6.0, 10.0);
  report.end_claims();
}

}  // namespace dynamics::tools
