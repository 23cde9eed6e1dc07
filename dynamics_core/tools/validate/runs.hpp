// SPDX-License-Identifier: Apache-2.0
#pragma once

// The papers' simulations and their presentation in the validation page.

#include <memory>
#include <string>
#include <vector>

#include "dynamics_core/controllers.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "report.hpp"

namespace dynamics::tools {

/// A deviation that is visible in a plot (rad or m): the run has left its path.
inline constexpr double departure_threshold = 0.05;

/// A built-in robot with the papers' start values and desired trajectory.
class PaperRobot {
 public:
  explicit PaperRobot(const std::string& name, PaperChanges changes = {});

  const Model& model() const { return model_; }
  const DhTable& table() const { return table_; }
  const PaperChanges& changes() const { return changes_; }

  SimulationOptions free_fall(double duration) const;
  SimulationOptions forced() const;
  /// Simulates; reports progress from `from` to `to` of the section. A run that ends early fails.
  Recording run(SimulationOptions options, ValidationReport& report, double from, double to) const;
  /// A forced run; ends where a joint is 1 rad (m) off its path.
  Recording run_forced(SimulationOptions options, ValidationReport& report, double from,
                       double to) const;
  /// A forced run whose torques are tabulated every `step` s; likewise.
  Recording run_tabulated(SimulationOptions options, double step,
                          ControllerOptions::Interpolation interpolation, ValidationReport& report,
                          double from, double to) const;
  /// run() with 32 digits; without changes of the scenario.
  Recording run_double_double(const SimulationOptions& options, const ValidationReport& report,
                              double from, double to) const;
  Recording torques() const;

 private:
  PaperChanges changes_;
  DhTable table_;
  Model model_;
};

/// An empty panel over time.
Panel panel_over_time(const std::string& title, const std::string& unit);
/// One panel per joint with the line `line` of the given columns, titled "QUANTITY of JOINT".
std::vector<Panel> joint_panels(const Recording& run, const std::string& quantity,
                                const std::string& angular_unit, const std::string& linear_unit,
                                const std::vector<Column>& columns, const std::string& line);
/// Adds one line to each panel.
void add_lines(std::vector<Panel>& panels, const std::vector<double>& t,
               const std::vector<Column>& columns, const std::string& line, bool dashed = false);

/// First time at which |q - desired| of any joint exceeds `threshold`; infinity if it never does.
double departure(const Recording& run, double threshold);
/// "2.5 s", or "never in 10 s" for infinity.
std::string departure_text(double time);
/// Largest |q - desired|; NaN if the run did not complete.
double largest_deviation(const Recording& run);
/// Largest |a - b|; NaN if an entry is NaN or if the sizes differ.
double largest_difference(const std::vector<Column>& a, const std::vector<Column>& b);
/// Adds a check that fails if the run ended early.
void require_completed(ValidationReport& report, const Recording& run);

/// Adds a table with the start, smallest, largest and end value per joint.
void add_extremes(ValidationReport& report, const Recording& run,
                  const std::vector<Column>& columns, const std::string& angular_unit,
                  const std::string& linear_unit);

}  // namespace dynamics::tools
