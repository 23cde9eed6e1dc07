// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "dynamics_core/export.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/status.hpp"
#include "dynamics_core/workspace.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

enum class CoriolisKind {
  denoc,       ///< N^T (M N' + M' N), Saha 1999, Eq. (29)
  christoffel  ///< Christoffel symbols of the first kind: c_ijk symmetric in j and k
};

/// The Coriolis matrix C(q, qd), n x n: C qd is the velocity part of the joint torques, and
/// dM/dt - 2C is skew-symmetric. Both kinds have these properties and agree for planar arms. O(n
/// d), d the depth of the tree. Throws ArgumentError for bad arguments.
void coriolis_matrix(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                     Eigen::Ref<Eigen::MatrixXd> C, CoriolisKind kind = CoriolisKind::denoc);
Status try_coriolis_matrix(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                           Eigen::Ref<Eigen::MatrixXd> C,
                           CoriolisKind kind = CoriolisKind::denoc) noexcept;

}  // namespace dynamics
