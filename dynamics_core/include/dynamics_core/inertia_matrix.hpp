// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "dynamics_core/export.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/status.hpp"
#include "dynamics_core/workspace.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// The joint-space inertia matrix M(q), n x n, full and symmetric, rotor inertias included (Saha
/// 1999, Eq. 24). O(n d), d the depth of the tree. Throws ArgumentError for bad arguments.
void inertia_matrix(const Model& model, Workspace& workspace, ConstVector q,
                    Eigen::Ref<Eigen::MatrixXd> M);
Status try_inertia_matrix(const Model& model, Workspace& workspace, ConstVector q,
                          Eigen::Ref<Eigen::MatrixXd> M) noexcept;

}  // namespace dynamics
