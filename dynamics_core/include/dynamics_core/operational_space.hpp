// SPDX-License-Identifier: Apache-2.0
#pragma once

// OperationalSpaceLaw: stiffness and damping of a frame, posture in the null space (Khatib 1987;
// Albu-Schaeffer et al. 2003), for control loops.
//
//   dynamics::OperationalSpaceLaw law(model, {.frame = "tool0", .stiffness = {800.0, 60.0}});
//   dynamics::FrameTarget target = {.pose = law.pose(q)};             // once: stay where you are
//   dynamics::inverse_dynamics(model, workspace, q, qd, a, tau);      // every cycle
//   law.add_torques(q, qd, target, a, tau);
//
// The law, with x the pose of the frame, J its Jacobian and L = (J M^-1 J^T)^-1 its inertia:
//
//   tau = ID(q, qd, a) + J^T (L (x''_ref - J' qd - J a) + K e_x + D e_x' + F)
//
// `a` are joint accelerations of a posture, for example w^2 (q_0 - q) - 2 w qd: they move the null
// space, the frame does not feel them. ID is inverse_dynamics(), with or without friction. e_x is
// x_ref - x: a rotation vector and a translation. D gives every mode of L and K the damping ratio.
// Under a steady force f the frame deflects by K^-1 f. Directions that the joints cannot move in
// have no inertia and no damping. Six-vectors are angular first.
//
// SI units. Only the constructor allocates. Not thread-safe: one object per thread.

#include <memory>
#include <string>
#include <vector>

#include "dynamics_core/error.hpp"
#include "dynamics_core/export.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/pose.hpp"
#include "dynamics_core/view.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// Options of OperationalSpaceLaw.
struct OperationalSpaceOptions {
  std::string frame = {};  ///< name; empty: the end effector
  /// {translational} (N/m; the orientation is then part of the null space), {translational,
  /// rotational} (N/m, N m/rad), or six numbers, angular first.
  std::vector<double> stiffness = {};
  double damping = 1.0;  ///< damping ratio of every mode
  /// The axes of the stiffness: those of the world (local_world_aligned) or of the frame (local).
  Axes axes = Axes::local_world_aligned;
};

/// The reference of a frame, in the world's axes.
struct FrameTarget {
  Pose pose;           ///< in the world
  Twist velocity;      ///< of the frame's origin (rad/s, m/s)
  Twist acceleration;  ///< of the frame's origin (rad/s^2, m/s^2)
  Wrench wrench;       ///< exerted in addition, about the frame's origin (N m, N)
};

/// The impedance of a frame; see above.
class OperationalSpaceLaw {
 public:
  /// Throws ArgumentError for an unknown frame, a stiffness that has not 1, 2 or 6 entries above
  /// zero, a negative damping ratio, and Axes::world.
  OperationalSpaceLaw(const Model& model, const OperationalSpaceOptions& options);
  ~OperationalSpaceLaw();
  OperationalSpaceLaw(OperationalSpaceLaw&&) noexcept;
  OperationalSpaceLaw& operator=(OperationalSpaceLaw&&) noexcept;
  OperationalSpaceLaw(const OperationalSpaceLaw&) = delete;
  OperationalSpaceLaw& operator=(const OperationalSpaceLaw&) = delete;

  std::size_t frame() const;  ///< index in Model::frames()

  /// The pose of the frame in the world.
  Pose pose(ConstVector q);
  Status try_pose(ConstVector q, Pose& pose) noexcept;

  /// Pose, velocity and acceleration of the frame where the joints have these.
  FrameTarget target(ConstVector q, ConstVector qd, ConstVector qdd);
  Status try_target(ConstVector q, ConstVector qd, ConstVector qdd, FrameTarget& target) noexcept;

  /// Adds J^T (...) to tau, which has the inverse dynamics of the joint accelerations `posture`.
  /// Throws ArgumentError for a wrong size or numbers that are not finite, StateError for a
  /// singular inertia matrix.
  void add_torques(ConstVector q, ConstVector qd, const FrameTarget& target, ConstVector posture,
                   MutableVector tau);
  Status try_add_torques(ConstVector q, ConstVector qd, const FrameTarget& target,
                         ConstVector posture, MutableVector tau) noexcept;

 private:
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace dynamics
