// SPDX-License-Identifier: Apache-2.0
#pragma once

// MomentumObserver: the joint torques that act on a robot from outside, from measured positions,
// velocities and actuator torques, without accelerations (De Luca and Mattone 2003; De Luca et al.
// 2006).
//
//   dynamics::MomentumObserver observer(model, {.bandwidth = {50.0}});
//   observer.reset(q, qd);                                    // once
//   observer.update(0.001, q, qd, tau);                       // every period; does not allocate
//   use(observer.external_torques());                         // r, one per joint
//   dynamics::Wrench push;
//   if (observer.try_wrench(frame, dynamics::Axes::local_world_aligned, push) == Status::ok) ...
//
// The law, with the generalized momentum p = M qd:
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
//
// SI units; vectors in the order of Model::coordinates(). Only the constructor allocates. Not
// thread-safe: one object per thread.

#include <memory>
#include <span>
#include <vector>

#include "dynamics_core/error.hpp"
#include "dynamics_core/export.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/view.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

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
  struct Memory;
  std::unique_ptr<Memory> memory_;
};

}  // namespace dynamics
