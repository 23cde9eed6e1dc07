// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/workspace.hpp"
#include "papers/formulations/situation.hpp"

namespace dynamics::formulations {

/// The situation of a model's bodies; sizes, numbers and conditions are checked here.
Situation<double> situation_of(const Model& model, Workspace& workspace, ConstVector q,
                               ConstVector qd, const Conditions& conditions);

}  // namespace dynamics::formulations
