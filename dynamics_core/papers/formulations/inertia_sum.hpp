// SPDX-License-Identifier: Apache-2.0
#pragma once

// The articulated inertia of a body as the sum over its children and itself. The first term is
// assigned: it costs no additions.

#include "papers/formulations/dynamics_input.hpp"

namespace dynamics::formulations {

template <class S>
class InertiaSum {
 public:
  void add_child(const ArticulatedInertia<S>& child) {
    if (started_) {
      sum_ += child;
    } else {
      sum_ = child;
      started_ = true;
    }
  }
  /// Adds the inertia of the body itself, after its children.
  template <class Number>
  void add_own(const RigidInertia<Number>& own) {
    if (started_) {
      sum_ += own;
    } else {
      sum_ = spatial::articulated_inertia<S>(own);
    }
  }
  const ArticulatedInertia<S>& value() const { return sum_; }

 private:
  ArticulatedInertia<S> sum_;
  bool started_ = false;
};

}  // namespace dynamics::formulations
