// SPDX-License-Identifier: Apache-2.0
#pragma once

// The papers' runs, and how the sections show them.

#include <string>
#include <vector>

#include "dynamics_core/dh_table.hpp"
#include "dynamics_core/simulate.hpp"
#include "report.hpp"

namespace dynamics::tools {

/// A built-in robot with the papers' start and desired motion.
class PaperRobot {
 public:
  explicit PaperRobot(const std::string& name);

  const Model& model() const { return model_; }
  const DhTable& table() const { return table_; }

  SimulationOptions free_fall(double duration) const;
  SimulationOptions forced() const;
  /// Progress of this run is the part from `from` to `to` of the section's. A run that ends early
  /// is a verdict that does not hold.
  Recording run(const SimulationOptions& options, ValidationReport& report, double from,
                double to) const;
  /// The same with 32 digits.
  Recording run_double_double(const SimulationOptions& options, const ValidationReport& report,
                              double from, double to) const;
  Recording torques() const;

 private:
  DhTable table_;
  Model model_;
};

/// A panel for each joint, angles in radians; `what` is "q", "tau" or "q and desired".
std::vector<Panel> joint_panels(const Recording& run, const std::string& quantity,
                                const std::string& unit_turning, const std::string& unit_sliding,
                                const std::vector<Column>& columns, const std::string& line);
/// Adds another line to each panel.
void add_lines(std::vector<Panel>& panels, const std::vector<double>& t,
               const std::vector<Column>& columns, const std::string& line, bool dashed = false);

/// The first time at which |a - b| of any joint is above `far`; the end where it never is.
double departure(const Recording& run, double far);
/// Of q from the desired motion; NaN if the run did not complete.
double largest_deviation(const Recording& run);
/// Largest |a - b|; NaN if an entry is NaN or if the sizes differ.
double largest_difference(const std::vector<Column>& a, const std::vector<Column>& b);
/// Adds a verdict that does not hold if the run ended early.
void require_completed(ValidationReport& report, const Recording& run);

/// A table of peaks: joint, at the start, smallest, largest, at the end.
void add_extremes(ValidationReport& report, const Recording& run,
                  const std::vector<Column>& columns, const std::string& turning,
                  const std::string& sliding);

/// The paper's integrators at its tolerance of 1e-6, and how long each stays within `far`.
struct PaperForced {
  std::string name, integrator;
  Recording run;
};
std::vector<PaperForced> forced_as_in_the_paper(const PaperRobot& robot, ValidationReport& report,
                                                double to);

}  // namespace dynamics::tools
