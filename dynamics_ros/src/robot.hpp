// SPDX-License-Identifier: Apache-2.0
#pragma once

// A robot ready for requests: its model and the scratch memory that requests take turns with.

#include <cstddef>
#include <dynamics_core/batch.hpp>
#include <dynamics_core/closed_loops.hpp>
#include <dynamics_core/external_inputs.hpp>
#include <dynamics_core/flexible_links.hpp>
#include <dynamics_core/model.hpp>
#include <dynamics_core/view.hpp>
#include <dynamics_core/workspace.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "pool.hpp"

namespace dynamics_ros {

/// What acts on the robot in all states of a request, besides its efforts and its weight.
struct Loads {
  bool friction = true;                        ///< damping and Coulomb friction of the joints
  std::vector<dynamics::LinkWrench> wrenches;  ///< from outside
};

class Robot {
 public:
  /// Throws ModelError where its flexible links cannot be.
  Robot(dynamics::Model made, std::size_t batch_threads);
  Robot(dynamics::Mechanism made, std::size_t batch_threads);
  /// A copy with another payload, or without any.
  std::shared_ptr<const Robot> with_payload(const std::optional<dynamics::Payload>& payload) const;

  const std::optional<dynamics::Mechanism> mechanism;     ///< where joints close loops
  const dynamics::Model model;                            ///< with stiff links and open loops
  const std::optional<dynamics::FlexibleModel> flexible;  ///< where links bend

  std::size_t batch_threads() const { return batch_threads_; }

  /// Throws Fault where it has closed loops, which `what` does not take.
  void require_tree(const char* what) const;

  /// States after state, in model order (see batch/batch.hpp): the kernel for one state where there
  /// are few, SIMD lanes and threads where there are many. Throw Fault naming `field`[k]. States of
  /// mechanisms close the loops; efforts are those of its actuators, with redundant ones of least
  /// norm, or those of its independent joints, and 0 for all others.
  enum class EffortsOf { actuators, independent_joints };
  void inverse_dynamics(dynamics::ConstVector q, dynamics::ConstVector qd,
                        dynamics::ConstVector qdd, dynamics::MutableVector tau, const Loads& loads,
                        const char* field, EffortsOf efforts = EffortsOf::actuators) const;
  void forward_dynamics(dynamics::ConstVector q, dynamics::ConstVector qd,
                        dynamics::ConstVector tau, dynamics::MutableVector qdd, const Loads& loads,
                        const char* field) const;

  /// The same with links that bend: joints, then amplitudes (see FlexibleModel).
  void flexible_forward_dynamics(dynamics::ConstVector q, dynamics::ConstVector qd,
                                 dynamics::ConstVector tau, dynamics::MutableVector qdd,
                                 const Loads& loads, const char* field) const;

  /// J^T w of the wrenches in each state of the tree.
  std::vector<double> wrench_torques(dynamics::ConstVector q,
                                     const std::vector<dynamics::LinkWrench>& wrenches) const;

  /// Scratch memory for one thread, for as long as it is held.
  Pool<dynamics::Workspace>::Loan workspace() const { return workspaces_.take(); }
  Pool<dynamics::MechanismWorkspace>::Loan mechanism_workspace() const { return loops_.take(); }
  Pool<dynamics::BatchWorkspace>::Loan batch_workspace() const { return batches_.take(); }

 private:
  Robot(std::optional<dynamics::Mechanism> loops, dynamics::Model made, std::size_t batch_threads);

  /// `one` and `all` are the same kernel, for one state and for many; `what` is what it gives.
  template <class One, class All>
  void at_states(dynamics::ConstVector q, dynamics::ConstVector qd, dynamics::ConstVector input,
                 dynamics::MutableVector output, bool friction, const char* what, const char* field,
                 const One& one, const All& all) const;

  /// one(k) for each state of a mechanism, faults with its number.
  template <class One>
  void at_closed_states(std::size_t count, const char* field, const One& one) const;

  std::size_t batch_threads_;
  mutable Pool<dynamics::Workspace> workspaces_;
  mutable Pool<dynamics::MechanismWorkspace> loops_;
  mutable Pool<dynamics::BatchWorkspace> batches_;
  mutable Pool<dynamics::FlexibleWorkspace> flexibles_;
};

}  // namespace dynamics_ros
