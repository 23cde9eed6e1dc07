// SPDX-License-Identifier: Apache-2.0
#pragma once

// A robot with flexible links whose accelerations are computed in single precision, for the study
// of numerical stability (Mohan and Saha, section 7.2):
//
//   const auto plant = single_flexible_plant(model, true);   // by Cholesky decomposition
//   const Recording run = simulate(*plant, options);

#include <memory>

#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/plant.hpp"

namespace dynamics {

/// Forward dynamics in single precision, recursive or by Cholesky decomposition of the inertia
/// matrix; without friction. State and integrator, torques, energies and poses are those of
/// flexible_plant(), in double. The accelerations are NaN where the decomposition fails; the
/// run then ends.
std::unique_ptr<Plant> single_flexible_plant(const FlexibleModel& model, bool cholesky);

}  // namespace dynamics
