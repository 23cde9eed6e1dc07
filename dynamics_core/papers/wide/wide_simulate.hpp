// SPDX-License-Identifier: Apache-2.0
#pragma once

// Simulation with 32 digits: references for runs whose open-loop motion is unstable.

#include "dynamics_core/plant.hpp"
#include "dynamics_core/simulate.hpp"
#include "papers/wide/double_double.hpp"

namespace dynamics {

/// The model's rigid dynamics over DoubleDouble. Throws ArgumentError for models with mimic joints.
std::unique_ptr<EquationsOfMotion<DoubleDouble>> wide_rigid_equations(
    const Model& model, const RigidPlantOptions& options = {});

/// simulate() in DoubleDouble, ten to twenty times slower: rigid robots without mimic joints.
/// Throws ArgumentError for limits, base motion, a released payload and events.
Recording simulate_double_double(const Model& model, const SimulationOptions& options,
                                 const Progress& progress = {});

}  // namespace dynamics
