// SPDX-License-Identifier: Apache-2.0
#pragma once

// Forced runs (Saha 2003, section 4): the torques of inverse dynamics as functions of time, without
// feedback, with the paper's integrators, and ours in double and with 32 digits.

#include <string>
#include <vector>

#include "runs.hpp"

namespace dynamics::tools {

/// An integrator with its setting: a step or a tolerance.
struct ForcedMethod {
  std::string title, integrator;
  std::optional<double> step = std::nullopt;  ///< fixed step (s)
  double tolerance = 1e-9;                    ///< without a step
};

/// The paper's Runge-Kutta-Fehlberg program with a fixed step of 0.01 s: the text gives this step
/// for the free fall and nothing for the forced runs.
ForcedMethod paper_rkf();
/// The two routines of NEWMOS, with the tolerance that the text gives.
ForcedMethod paper_abm();
ForcedMethod paper_dverk();

struct ForcedPlan {
  std::vector<ForcedMethod> methods;  ///< of the paper
  double tolerance = 1e-13;           ///< of ours in double
  double wide_tolerance = 1e-25;      ///< of ours with 32 digits
};

struct ForcedRun {
  ForcedMethod method;
  Recording run;
};

struct ForcedRuns {
  std::vector<ForcedRun> paper;
  ForcedRun ours, wide;

  std::vector<const ForcedRun*> all() const;
};

/// Simulates; reports progress from `from` to `to` of the section.
ForcedRuns forced_runs(ValidationReport& report, const PaperRobot& robot, const ForcedPlan& plan,
                       double from, double to);

/// Positions of the joints: desired, with each method, and with 32 digits. Each line ends where the
/// run is 1 rad (m) off its path.
std::vector<Panel> forced_panels(const ForcedRuns& runs);
/// Largest deviation of any joint over time, one line per run.
Panel deviation_panel(const ForcedRuns& runs);
/// Adds a table of the times at which the runs leave their path.
void show_departures(ValidationReport& report, const ForcedRuns& runs);
/// Adds checks: ours stay within departure_threshold at least for `seconds` in double, and for
/// `wide_seconds` with 32 digits.
void check_accuracy(ValidationReport& report, const ForcedRuns& runs, double seconds,
                    double wide_seconds);

}  // namespace dynamics::tools
