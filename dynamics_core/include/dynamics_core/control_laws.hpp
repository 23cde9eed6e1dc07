// SPDX-License-Identifier: Apache-2.0
#pragma once

// Computations of control loops in operational space and without force sensors:
//
//   dynamics::OperationalSpaceLaw law(model, {.frame = "tool0", .stiffness = {800.0, 60.0}});
//   const dynamics::FrameTarget target = {.pose = law.pose(q)};  // once: stay where you are
//   dynamics::MomentumObserver observer(model, {.bandwidth = {50.0}});
//   observer.reset(q, qd);                                       // once
//
//   dynamics::inverse_dynamics(model, workspace, q, qd, a, tau); // every period; none allocates
//   law.add_torques(q, qd, target, a, tau);
//   observer.update(0.001, q, qd, tau);
//   const auto pushed = observer.external_torques();             // one per joint
//
// SI units; vectors in the order of Model::coordinates(). Only the constructors allocate. Not
// thread-safe: one object per thread.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dynamics_core/error.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/pose.hpp"
#include "dynamics_core/view.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

// OperationalSpaceLaw: stiffness and damping of a frame, posture in the null space (Khatib 1987;
// Albu-Schaeffer et al. 2003). The law, with x the pose of the frame, J its Jacobian and
// L = (J M^-1 J^T)^-1 its inertia:
//
//   tau = ID(q, qd, a) + J^T (L (x''_ref - J' qd - J a) + K e_x + D e_x' + F)
//
// `a` are joint accelerations of a posture, for example w^2 (q_0 - q) - 2 w qd: they move the null
// space and leave the frame where it is. ID is inverse_dynamics(), with or without friction. e_x is
// x_ref - x: a rotation vector and a translation. D gives every mode of L and K the damping ratio.
// Under a steady force f the frame deflects by K^-1 f. Directions that the joints cannot move in
// have no inertia and no damping. Six-vectors are angular first.

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
  struct [[gnu::visibility("hidden")]] Memory;
  std::unique_ptr<Memory> memory_;
};

// MomentumObserver: the joint torques that act on a robot from outside, from measured positions,
// velocities and actuator torques, without accelerations (De Luca and Mattone 2003; De Luca et al.
// 2006). The law, with the generalized momentum p = M qd:
//
//   r = K (p(t) - p(0) - int (tau + C^T qd - g - friction + r) dt)
//
// so that r follows the external torque as a first-order system: r' = K (tau_ext - r). After five
// time constants 1 / K the error of a constant torque is 0.7 %. It is computed with the exact
// solution over a period, in which tau is constant and the other terms are linear:
//
//   r <- e^(-K h) r + (1 - e^(-K h)) (dp / h - tau - mean(C^T qd - g - friction))
//
// so it is stable for any K and h. Errors of the model's mass appear in r as if they were external.

/// Options of MomentumObserver.
struct MomentumObserverOptions {
  /// K: one entry for all joints or one per joint (rad/s); 1 / K is the time constant.
  std::vector<double> bandwidth = {50.0};
  bool friction = true;  ///< damping and Coulomb friction of the model are not external
};

/// External joint torques; see above.
class MomentumObserver {
 public:
  /// Throws ArgumentError for a bandwidth with another number of entries, or with one that is not
  /// positive and finite.
  explicit MomentumObserver(const Model& model, const MomentumObserverOptions& options = {});
  ~MomentumObserver();
  MomentumObserver(MomentumObserver&&) noexcept;
  MomentumObserver& operator=(MomentumObserver&&) noexcept;
  MomentumObserver(const MomentumObserver&) = delete;
  MomentumObserver& operator=(const MomentumObserver&) = delete;

  /// Starts in this state with r = 0. Throws ArgumentError for a wrong size or a number that is not
  /// finite.
  void reset(ConstVector q, ConstVector qd);
  Status try_reset(ConstVector q, ConstVector qd) noexcept;

  /// Starts in the last state of an observer of the same robot with another payload, with its r.
  /// Status::wrong_size if it has other joints, Status::not_computed before its reset().
  Status try_continue_from(const MomentumObserver& other) noexcept;

  /// The state after `period` seconds in which the actuators exerted tau (the torques of the period
  /// that ends, in the convention of inverse_dynamics()). Throws ArgumentError for a wrong size, a
  /// number that is not finite or a period that is not positive, StateError before reset().
  void update(double period, ConstVector q, ConstVector qd, ConstVector tau);
  Status try_update(double period, ConstVector q, ConstVector qd, ConstVector tau) noexcept;

  /// r: positive where something pushes the joint in its positive direction (N m or N).
  std::span<const double> external_torques() const;

  /// The wrench on a frame that explains r in the last state, about the frame's origin, in axes
  /// `local` or `local_world_aligned` (else Status::wrong_axes): least squares of J^T w = r. In
  /// directions that the joints cannot move it is zero.
  Status try_wrench(std::size_t frame, Axes axes, Wrench& wrench) noexcept;

 private:
  struct [[gnu::visibility("hidden")]] Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace dynamics
#pragma GCC visibility pop
