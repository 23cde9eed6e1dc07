// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "dynamics_core/export.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/workspace.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

enum class CoriolisKind {
  denoc,       ///< N^T (M N' + M' N), Saha 1999, Eq. (29)
  christoffel  ///< Christoffel symbols of the first kind: c_ijk symmetric in j and k
};

/// The matrix of convective inertia terms: C qd is the velocity part of the joint forces, and
/// dM/dt - 2C is skew. Both kinds have these properties and agree for planar arms.
void coriolis_matrix(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                     Eigen::Ref<Eigen::MatrixXd> C, CoriolisKind kind = CoriolisKind::denoc);

}  // namespace dynamics
