// SPDX-License-Identifier: Apache-2.0
#pragma once

// Forward dynamics: the joint accelerations for given joint torques (Saha 2003, sections 2.2 and
// 3).
//
//   dynamics::Workspace workspace(model);                            // once; allocates
//   dynamics::forward_dynamics(model, workspace, q, qd, tau, qdd);

#include "dynamics_core/error.hpp"
#include "dynamics_core/export.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/workspace.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// qdd = M^-1 (tau - C qd - g - friction + J^T w), such that inverse_dynamics(q, qd, qdd) = tau.
/// O(n); with k mimic joints O(n k + k^3). Arguments and errors as in inverse_dynamics.hpp, and
/// StateError where there is no answer: a joint that moves no mass, a floating joint at pitch =
/// +-90 degrees.
void forward_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                      ConstVector tau, MutableVector qdd, const ExternalInputs& external = {});
Status try_forward_dynamics(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                            ConstVector tau, MutableVector qdd,
                            const ExternalInputs& external = {}) noexcept;

}  // namespace dynamics
