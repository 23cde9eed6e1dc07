// SPDX-License-Identifier: Apache-2.0
#pragma once

// A robot ready for requests: its model and the scratch memory that requests take turns with.

#include <cstddef>
#include <dynamics_core/batch.hpp>
#include <dynamics_core/flexible_dynamics.hpp>
#include <dynamics_core/flexible_model.hpp>
#include <dynamics_core/model.hpp>
#include <dynamics_core/view.hpp>
#include <dynamics_core/workspace.hpp>
#include <optional>

#include "pool.hpp"

namespace dynamics_ros {

class Robot {
 public:
  /// Throws ModelError where its flexible links cannot be.
  Robot(dynamics::Model made, std::size_t batch_threads);

  const dynamics::Model model;                            ///< with stiff links
  const std::optional<dynamics::FlexibleModel> flexible;  ///< where links bend

  /// States after state, in model order (see batch/batch.hpp): the kernel for one state where there
  /// are few, SIMD lanes and threads where there are many. Throw Fault naming `field`[k].
  void inverse_dynamics(dynamics::ConstVector q, dynamics::ConstVector qd,
                        dynamics::ConstVector qdd, dynamics::MutableVector tau, bool friction,
                        const char* field) const;
  void forward_dynamics(dynamics::ConstVector q, dynamics::ConstVector qd,
                        dynamics::ConstVector tau, dynamics::MutableVector qdd, bool friction,
                        const char* field) const;

  /// The same with links that bend: joints, then amplitudes (see FlexibleModel).
  void flexible_forward_dynamics(dynamics::ConstVector q, dynamics::ConstVector qd,
                                 dynamics::ConstVector tau, dynamics::MutableVector qdd,
                                 bool friction, const char* field) const;

  /// Scratch memory for one thread, for as long as it is held.
  Pool<dynamics::Workspace>::Loan workspace() const { return workspaces_.take(); }
  Pool<dynamics::BatchWorkspace>::Loan batch_workspace() const { return batches_.take(); }

 private:
  /// `one` and `all` are the same kernel, for one state and for many; `what` is what it gives.
  template <class One, class All>
  void at_states(dynamics::ConstVector q, dynamics::ConstVector qd, dynamics::ConstVector input,
                 dynamics::MutableVector output, bool friction, const char* what, const char* field,
                 const One& one, const All& all) const;

  mutable Pool<dynamics::Workspace> workspaces_;
  mutable Pool<dynamics::BatchWorkspace> batches_;
  mutable Pool<dynamics::FlexibleWorkspace> flexibles_;
};

}  // namespace dynamics_ros
