// SPDX-License-Identifier: Apache-2.0
#pragma once

// Forward dynamics: the motion that joint forces cause (Saha 2003, sections 2.2 and 3). O(n).

#include "dynamics_core/export.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/workspace.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// qdd such that inverse_dynamics(q, qd, qdd) = tau.
/// Throws ArgumentError for bad arguments (see inverse_dynamics.hpp) and StateError where there is
/// no answer: a joint that moves no mass, a floating joint at pitch = +-90 degrees.
void forward_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                      ConstVector tau, MutableVector qdd, const Conditions& conditions = {});

}  // namespace dynamics
