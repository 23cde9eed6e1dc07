// SPDX-License-Identifier: Apache-2.0
#pragma once

// LoopAssembly: closes loops from any position, when a Mechanism is built. It allocates.

#include <Eigen/Core>
#include <vector>

#include "loops/loop_equations.hpp"

namespace dynamics {

class LoopAssembly {
 public:
  explicit LoopAssembly(const Mechanism::Data& data);

  /// Joint positions of all bodies.
  std::vector<double>& positions() { return q_; }

  /// The largest error of a cluster, and the errors of all its equations.
  double error(const LoopCluster& cluster, Eigen::VectorXd& phi);
  /// G of a cluster.
  Eigen::MatrixXd jacobian(const LoopCluster& cluster);
  /// Levenberg-Marquardt method on the joints of a cluster; false where it does not close.
  bool close(const LoopCluster& cluster, int iterations);
  /// Moves along the loops as near to the goal as possible.
  void approach(const LoopCluster& cluster, const std::vector<double>& goal);
  /// Distance to the goal in rad, or in units of the length.
  double distance(const LoopCluster& cluster, const std::vector<double>& goal) const;

 private:
  const Mechanism::Data& data_;
  Kinematics::Memory motion_;
  std::vector<double> q_;
};

}  // namespace dynamics
