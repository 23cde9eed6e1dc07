// SPDX-License-Identifier: Apache-2.0
// A hypothesis on the forced runs of Saha 2003: the torques were read from a table.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>

#include "forced_runs.hpp"

namespace dynamics::tools {
namespace {

using Interpolation = ControllerOptions::Interpolation;

constexpr std::array table_steps = {0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.2, 0.5};
constexpr double suggested_step = 0.05;

struct TabulatedRun {
  const char* name;
  const char* title;
  double printed;  ///< time of departure in the paper (s); 0: none
};

struct Study {
  const TabulatedRun& subject;
  const PaperRobot& robot;
  ValidationReport& report;
  double from, to;  ///< progress

  double departure_of(double step, Interpolation interpolation, const ForcedMethod& method) const {
    SimulationOptions options = robot.forced();
    options.integrator = method.integrator;
    options.step = method.step;
    options.rtol = method.tolerance;
    return departure(robot.run_tabulated(options, step, interpolation, report, from, to),
                     departure_threshold);
  }
};

/// Departure times by interpolation and step.
struct Departures {
  std::array<double, table_steps.size()> linear{}, constant{}, cubic{};
};

double at_step(const std::array<double, table_steps.size()>& times, double step) {
  const auto at = std::find(table_steps.begin(), table_steps.end(), step);
  return times[static_cast<std::size_t>(at - table_steps.begin())];
}

/// Departure time over the step of the table, for three interpolations.
Panel departure_panel(const Study& study, Departures& departures) {
  Panel panel;
  panel.title = study.subject.title;
  panel.x_label = "step of the table (s)";
  panel.y_label = fmt::format("{:g} rad (m) off at (s)", departure_threshold);
  panel.logarithmic_x = true;
  for (const auto& [name, interpolation, times] :
       {std::tuple{"linear", Interpolation::linear, &departures.linear},
        {"constant", Interpolation::zero, &departures.constant},
        {"cubic", Interpolation::cubic, &departures.cubic}}) {
    Line line{name, {}, {}, false, true};
    for (std::size_t k = 0; k < table_steps.size(); ++k) {
      const double time = study.departure_of(table_steps[k], interpolation, paper_rkf());
      (*times)[k] = time;
      line.x.push_back(table_steps[k]);
      line.y.push_back(std::isfinite(time) ? time : std::nan(""));
    }
    panel.lines.push_back(std::move(line));
  }
  if (study.subject.printed > 0.0) {
    panel.lines.push_back({"the paper",
                           {table_steps.front(), table_steps.back()},
                           {study.subject.printed, study.subject.printed},
                           true,
                           false});
  }
  return panel;
}

}  // namespace

void validate_tabulated_torques(ValidationReport& report, const PaperChanges& changes) {
  report.heading("Why the forced runs leave their paths: a hypothesis (Saha 2003, section 4)");
  report.paragraph(
      "With the torques as functions of time our runs leave the paths later than the paper's, and "
      "RKF at another time than ABM and DVERK, while the paper's three agree with each other. "
      "Hypothesis: the torques were computed first, stored in a table, and interpolated during "
      "the simulation (the paper lists the time history of the torques as an input). Then the "
      "error of the table excites the instability, whatever the integrator "
      "(here RKF with a step of 0.01 s):");
  const std::array subjects = {TabulatedRun{"stanford", "Stanford arm", 2.5},
                               TabulatedRun{"puma", "PUMA", 6.0},
                               TabulatedRun{"planar3", "planar arm", 0.0}};
  std::vector<Panel> panels;
  std::vector<std::vector<std::string>> methods;
  std::array<Departures, 3> departures;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const PaperRobot robot(subjects[i].name, changes);
    const double share = 1.0 / static_cast<double>(subjects.size());
    const Study study{subjects[i], robot, report, share * static_cast<double>(i),
                      share * static_cast<double>(i + 1)};
    panels.push_back(departure_panel(study, departures[i]));
    std::vector<std::string> row = {subjects[i].title};
    for (const ForcedMethod& method : {paper_rkf(), paper_abm(), paper_dverk()}) {
      row.push_back(
          departure_text(study.departure_of(suggested_step, Interpolation::linear, method)));
    }
    row.push_back(subjects[i].printed > 0.0 ? fmt::format("{:g} s", subjects[i].printed)
                                            : "not stated");
    methods.push_back(std::move(row));
  }
  report.figure("tabulated_torques",
                "Forced runs with tabulated torques: time of departure over the step of the table",
                SvgFigure(std::move(panels), 3));
  std::vector<std::string> header = {"table every"};
  for (const TabulatedRun& subject : subjects) {
    for (const char* interpolation : {"linear", "constant", "cubic"})
      header.push_back(fmt::format("{}, {}", subject.title, interpolation));
  }
  std::vector<std::vector<std::string>> rows;
  for (std::size_t k = 0; k < table_steps.size(); ++k) {
    auto& row = rows.emplace_back();
    row.push_back(fmt::format("{:g} s", table_steps[k]));
    for (const Departures& times : departures) {
      for (const double time : {times.linear[k], times.constant[k], times.cubic[k]})
        row.push_back(departure_text(time));
    }
  }
  report.table(header, rows);
  report.paragraph(fmt::format("With a table every {:g} s, linear in between:", suggested_step));
  report.table({"robot", "RKF, 0.01 s", "ABM, 1e-6", "DVERK, 1e-6", "the paper, about"}, methods);
  const Departures &stanford = departures[0], &puma = departures[1];
  report.paragraph(fmt::format(
      "**What it explains.** One table step, {:g} s with linear interpolation, gives {:.1f} s for "
      "the Stanford arm and {:.1f} s for the PUMA, where the paper has about 2.5 s and 6 s. The "
      "integrators then leave the path together, as in the paper: the error of the table is "
      "larger than theirs. For the Stanford arm the kind of interpolation matters little: a table "
      "that is held constant delays the torques by half a step, and a delayed motion from rest is "
      "a motion of the same robot.",
      suggested_step, at_step(stanford.linear, suggested_step),
      at_step(puma.linear, suggested_step)));
  report.paragraph(fmt::format(
      "**What it does not explain.** The text mentions neither a table nor its step; the step is "
      "chosen here to fit two numbers. The PUMA's time is sensitive to it: {:.1f} s at 0.04 s, "
      "{:.1f} s at 0.06 s, and {:.1f} s at {:g} s if the table is held constant, so that its "
      "agreement is weak evidence. An error of another kind and of the same size, for example "
      "torques stored with few digits, excites the same instability. The free fall of the Stanford "
      "arm has no torques: its difference remains.",
      at_step(puma.linear, 0.04), at_step(puma.linear, 0.06),
      at_step(puma.constant, suggested_step), suggested_step));
  report.end_claims();
}

}  // namespace dynamics::tools
