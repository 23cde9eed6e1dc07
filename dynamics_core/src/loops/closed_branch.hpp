// SPDX-License-Identifier: Apache-2.0
#pragma once

// ClosedBranch: the closed state nearest to a given one, also where loops change their mobility.
//
// In such a position, for example a parallelogram with its bars in line, branches of closed
// positions cross and the equations of the loops lose rank. A mechanism that moves passes it on its
// branch: positions, velocities and accelerations are smooth along the branch. Near the position
// they are interpolated between six states on the branch, at distances +-s, +-2s and +-3s along the
// velocity, which are regular; the error is of the order s^6. A mechanism at rest has no branch.

#include <array>
#include <span>
#include <vector>

#include "dynamics_core/closed_loops.hpp"

namespace dynamics {

class ClosedBranch {
 public:
  static constexpr std::size_t nodes = 6;
  /// Of the interpolation at zero from the values at -3s, -2s, -s, s, 2s, 3s.
  static constexpr std::array<double, nodes> weights = {0.05, -0.3, 0.75, 0.75, -0.3, 0.05};

  /// Allocates for this mechanism.
  explicit ClosedBranch(const Mechanism& mechanism);

  /// Moves q and qd to the nearest state that closes the loops. Throws StateError where there is
  /// none, or where the position is singular and the loops are at rest.
  void project(MechanismWorkspace& workspace, std::span<double> q, std::span<double> qd);

  /// Whether the last state was interpolated between the states of the nodes.
  bool interpolated() const { return interpolated_; }
  std::span<const double> q(std::size_t node) const { return {q_.data() + node * size_, size_}; }
  std::span<const double> qd(std::size_t node) const { return {qd_.data() + node * size_, size_}; }

 private:
  bool set_direction(MechanismWorkspace& workspace, std::span<const double> qd);
  bool project_nodes(MechanismWorkspace& workspace, double distance, std::span<const double> q,
                     std::span<const double> qd);

  Mechanism mechanism_;
  std::size_t size_;
  bool interpolated_ = false;
  double distance_ = 0.0;  ///< s
  std::vector<double> closed_q_, closed_qd_, direction_;
  std::vector<double> q_, qd_;  ///< of the nodes
};

}  // namespace dynamics
