// SPDX-License-Identifier: Apache-2.0
#pragma once

// Pinocchio's constraintDynamics() on a mechanism of this library, for comparison.

#include <Eigen/Core>
#include <memory>
#include <string>
#include <vector>

#include "dynamics_core/closed_loops.hpp"

namespace dynamics::benchmark {

class PinocchioLoops {
 public:
  /// A mechanism of revolute, continuous, prismatic and floating joints with constraints that
  /// leave the rotation free, or that are planar. Floating joints become free-flyers.
  explicit PinocchioLoops(const Mechanism& mechanism);
  ~PinocchioLoops();
  PinocchioLoops(const PinocchioLoops&) = delete;
  PinocchioLoops& operator=(const PinocchioLoops&) = delete;

  /// Sets the state and the torques, of all joints of Mechanism::tree().
  void set(const Mechanism& mechanism, const std::vector<double>& q, const std::vector<double>& qd,
           const std::vector<double>& tau);
  /// Forward dynamics in this state.
  void forward();
  /// The accelerations of the joints with one coordinate, by name in `joints`.
  double acceleration(const std::string& joint) const;
  int iterations() const;  ///< of the proximal algorithm

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

/// The version, empty without Pinocchio.
std::string pinocchio_loops_version();

}  // namespace dynamics::benchmark
