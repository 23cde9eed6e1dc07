// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics_core/formulations/situation.hpp"
#include "dynamics_core/model/model.hpp"
#include "dynamics_core/rigid/conditions.hpp"
#include "dynamics_core/rigid/workspace.hpp"

namespace dynamics::formulations {

/// The situation of a model's bodies; sizes, numbers and conditions are checked here.
Situation<double> situation_of(const Model& model, Workspace& workspace, ConstVector q,
                               ConstVector qd, const Conditions& conditions);

}  // namespace dynamics::formulations
