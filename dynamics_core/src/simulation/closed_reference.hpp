// SPDX-License-Identifier: Apache-2.0
#pragma once

// ClosedReference: a trajectory of all joints of a mechanism from one of its independent joints.

#include <memory>
#include <span>
#include <vector>

#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/trajectory.hpp"

namespace dynamics {

/// The dependent joints follow from the loops, on the branch of the start. Not thread-safe.
class ClosedReference final : public Trajectory {
 public:
  /// `given` describes the independent joints, or all joints; `start` closes the loops.
  ClosedReference(const Mechanism& mechanism, std::shared_ptr<const Trajectory> given,
                  std::span<const double> start);

  std::size_t size() const override { return mechanism_.tree().size(); }
  /// Throws StateError where the independent joints cannot have the given positions.
  void at(double t, std::span<double> q, std::span<double> qd,
          std::span<double> qdd) const override;
  std::vector<double> breakpoints() const override { return given_->breakpoints(); }

 private:
  Mechanism mechanism_;
  std::shared_ptr<const Trajectory> given_;
  mutable MechanismWorkspace workspace_;
  mutable std::vector<double> last_;  ///< the last position, from which the loops are followed
  mutable std::vector<double> q_, qd_, qdd_;  ///< of `given_`
  mutable std::vector<double> z_;             ///< of the independent joints
};

}  // namespace dynamics
