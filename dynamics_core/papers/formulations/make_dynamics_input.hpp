// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/workspace.hpp"
#include "papers/formulations/dynamics_input.hpp"

namespace dynamics::formulations {

/// Input for the bodies of the model in the state (q, qd), which are in the order of
/// Model::coordinates(). Throws ArgumentError for wrong sizes, values that are not finite, or bad
/// conditions.
DynamicsInput<double> make_dynamics_input(const Model& model, Workspace& workspace, ConstVector q,
                                          ConstVector qd, const ExternalInputs& external);

}  // namespace dynamics::formulations
