// SPDX-License-Identifier: Apache-2.0
#pragma once

// Simulation with 32 digits: reference solutions, also for unstable open-loop motions.
//
//   SimulationOptions options;
//   options.integrator = "abm";
//   options.rtol = 1e-25;
//   const Recording reference = simulate_double_double(model, options);

#include "dynamics_core/plant.hpp"
#include "dynamics_core/simulate.hpp"
#include "papers/wide/double_double.hpp"

namespace dynamics {

/// Rigid dynamics of the model over DoubleDouble. Throws ArgumentError for models with mimic joints
/// and ModelError if the inertia matrix is singular for every position.
std::unique_ptr<EquationsOfMotion<DoubleDouble>> wide_rigid_equations(
    const Model& model, const RigidPlantOptions& options = {});

/// simulate() over DoubleDouble for rigid robots without mimic joints, ten to twenty times slower.
/// Throws ArgumentError for limits, base motion, a released payload and events.
Recording simulate_double_double(const Model& model, const SimulationOptions& options,
                                 const Progress& progress = {});

}  // namespace dynamics
