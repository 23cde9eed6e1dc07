// SPDX-License-Identifier: Apache-2.0
#pragma once

// Inverse kinematics: joint positions within the limits at which a frame has a given pose.
//
//   dynamics::Workspace workspace(model);                            // once; allocates
//   const std::size_t tool = model.frame("tool0");
//   const dynamics::Pose target = {dynamics::rotation_from_rpy({0.0, 3.14, 0.0}), {0.4, 0.1, 0.3}};
//   std::vector<double> q(model.size());
//   const auto found = dynamics::inverse_kinematics(model, workspace, tool, target, q0, q);
//   if (!found.reached) std::printf("%g m away\n", found.position_error);
//
// For any tree: redundant arms, arms of fewer than six joints, prismatic and mimic joints. Joints
// that do not move the frame keep their position.

#include <cstddef>
#include <cstdint>

#include "dynamics_core/error.hpp"
#include "dynamics_core/export.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/pose.hpp"
#include "dynamics_core/workspace.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// Options of inverse_kinematics().
struct InverseKinematicsOptions {
  bool orientation = true;       ///< false: the position alone; target.rotation is not used
  double tolerance = 1e-10;      ///< of the position (m) and of the angle (rad); above zero
  std::size_t starts = 500;      ///< search from at most this many positions; at least 1
  std::size_t iterations = 200;  ///< per start; at least 1
  std::uint64_t seed = 0;        ///< of the random starts; the same seed gives the same result
};

/// The result of inverse_kinematics().
struct InverseKinematicsResult {
  bool reached = false;            ///< both errors are within the tolerance
  Pose pose;                       ///< of the frame at the result
  double position_error = 0.0;     ///< distance from the target (m)
  double orientation_error = 0.0;  ///< angle to the target (rad); 0 without orientation
  std::size_t starts = 0;          ///< positions that the search started from
  std::size_t iterations = 0;      ///< of all starts
};

/// Writes to `q` joint positions within the limits of Model::coordinates() at which `frame` has the
/// pose `target` in the world (the frame of the base link). The first search starts at `q0`, moved
/// into the limits; the following ones start at random positions, at growing distances from `q0`.
/// The first solution is returned, with angles of less than half a turn from `q0` where the limits
/// allow it. Without a solution `q` is the best position found: it minimizes
/// position_error^2 + (length orientation_error)^2, `length` being half of that of the chain of
/// joints from the base to the frame.
///
/// Levenberg-Marquardt method with active limits; O(n) per iteration. `q` may be `q0`. Nothing is
/// allocated. Throws ArgumentError for bad arguments; that the pose is out of reach is a result.
InverseKinematicsResult inverse_kinematics(const Model& model, Workspace& workspace,
                                           std::size_t frame, const Pose& target, ConstVector q0,
                                           MutableVector q,
                                           const InverseKinematicsOptions& options = {});
Status try_inverse_kinematics(const Model& model, Workspace& workspace, std::size_t frame,
                              const Pose& target, ConstVector q0, MutableVector q,
                              InverseKinematicsResult& result,
                              const InverseKinematicsOptions& options = {}) noexcept;

}  // namespace dynamics
