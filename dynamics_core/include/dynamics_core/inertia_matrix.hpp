// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "dynamics_core/export.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/workspace.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// The generalized inertia matrix M(q), full and symmetric, rotor inertias included
/// (Saha 1999, Eq. 24).
void inertia_matrix(const Model& model, Workspace& workspace, ConstVector q,
                    Eigen::Ref<Eigen::MatrixXd> M);

}  // namespace dynamics
