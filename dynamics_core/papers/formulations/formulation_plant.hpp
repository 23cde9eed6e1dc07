// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plants whose accelerations come from any algorithm (Turney 1980, section 7), for
// formulation_plant() and for studies of other algorithms.

#include <functional>
#include <memory>

#include "dynamics_core/formulations.hpp"
#include "dynamics_core/plant.hpp"

namespace dynamics::formulations {

/// qdd for q, qd and the joint torques, without friction.
using ForwardDynamics = std::function<Eigen::VectorXd(
    const Model& model, ConstVector q, ConstVector qd, ConstVector tau, const ExternalInputs&)>;

/// The rigid plant with accelerations by `forward_dynamics`. Responses to impulses follow from its
/// accelerations too. Every call may allocate.
std::unique_ptr<Plant> plant_with(ForwardDynamics forward_dynamics, const Model& model,
                                  const RigidPlantOptions& options = {});

}  // namespace dynamics::formulations
