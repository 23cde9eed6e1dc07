// SPDX-License-Identifier: Apache-2.0
#pragma once

// ImpulseStep: a step of any length with friction, stops and drives as impulses (Moreau's time
// stepping), linearly implicit in the plant's linear forces:
//
//   (M + h D + h^2 K) (qd+ - qd) = h M a - h^2 K qd + p,      q+ = q + h qd+
//
// with a the accelerations without these forces. Each joint's impulse p and its velocity qd+
// satisfy the law of its friction (at qd+ = 0), its drive (at the velocity that it aims at) and its
// stops (at the velocity with which the joint reaches them at the end of the step). Order 1. No
// mode changes are located: the step does not depend on how many there are.
//
// Closed loops: qd+ = qd + h a + R p with the responses R of the loops to unit impulses, explicit
// in the linear forces.
//
// Nothing allocates after construction.

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dynamics_core/plant.hpp"
#include "simulation/complementarity.hpp"
#include "simulation/implicit_inertia.hpp"
#include "simulation/joint_constraints.hpp"
#include "simulation/joint_drives.hpp"

namespace dynamics {

class ImpulseStep {
 public:
  explicit ImpulseStep(const Plant& plant);

  /// Advances q and qd by h. `acceleration`: without friction, stops and drives. `time`: since the
  /// start of the drives' step. Throws StateError if the inertia matrix is singular.
  void advance(Plant& plant, const JointDrives& drives, const JointConstraints& constraints,
               const ImplicitInertia& implicit, double t, double time, double h,
               std::span<const double> acceleration, std::span<double> q, std::span<double> qd);

  /// As JointConstraints::take_unsolved().
  std::uint64_t take_unsolved() { return std::exchange(unsolved_, 0); }

 private:
  void set_laws(const JointDrives& drives, const JointConstraints& constraints, double time,
                double h, std::span<const double> q, std::span<const double> qd);

  /// The problem without the laws.
  void fill_problem(Plant& plant, const ImplicitInertia& implicit, double t, double h,
                    std::span<const double> acceleration, std::span<const double> q,
                    std::span<const double> qd);

  bool has_loops_;
  ComplementarityProblem problem_;
  std::vector<std::size_t> joints_;
  std::uint64_t unsolved_ = 0;
};

}  // namespace dynamics
