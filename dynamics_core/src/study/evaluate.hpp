// SPDX-License-Identifier: Apache-2.0
#pragma once

// Evaluates one case: the robot with its parameters, and the samples of its task.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dynamics_core/closed_loops.hpp"
#include "study/plan.hpp"

namespace dynamics::study {

/// The robot and task of one case.
struct CaseSetup {
  std::optional<Model> model;  ///< null: the nominal one
  std::optional<Mechanism> mechanism;
  SimulationOptions options;
  Gains gains;
};

/// Applies the values of all variations. Throws ArgumentError and ModelError for values that no
/// robot has.
CaseSetup apply_variations(const Plan& plan, const Nominal& nominal,
                           std::span<const double> values);

/// Samples of a case. The recording is empty where the task has one state only.
struct CaseSamples {
  std::optional<Recording> recording;
  std::vector<std::string> names;  ///< of a state's numbers
  std::vector<Column> state;       ///< one number each
};

/// Throws what the library throws; StateError for a run that ends early. `short_run`: ends a
/// simulation after its first step, for the names of its columns.
CaseSamples evaluate(const Plan& plan, const Nominal& nominal, const CaseSetup& setup,
                     bool short_run = false);

/// The columns of samples: those of named_columns() and energy_drift, or the numbers of a state.
std::vector<NamedColumn> columns_of(const CaseSamples& samples);

}  // namespace dynamics::study
