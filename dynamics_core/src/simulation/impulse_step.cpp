// SPDX-License-Identifier: Apache-2.0
#include "simulation/impulse_step.hpp"

#include <algorithm>
#include <cmath>

#include "base/eigen_index.hpp"
#include "dynamics_core/error.hpp"

namespace dynamics {

void ImpulseStep::set_laws(const JointDrives& drives, const JointConstraints& constraints,
                           double time, double h, std::span<const double> q,
                           std::span<const double> qd) {
  problem_.clear();
  for (std::size_t i = 0; i < drives.size(); ++i) {
    ForceLaw& law = problem_.laws[i];
    const bool ideal = drives.ideal(i);
    const double lower = (std::min(q[i], constraints.stop(i, -1)) - q[i]) / h;
    const double upper = (std::max(q[i], constraints.stop(i, 1)) - q[i]) / h;
    if (drives.driven(i)) {
      const double aim = qd[i] + h * drives.acceleration(i, q[i], qd[i], time);
      law.add_force(ideal ? aim : std::clamp(aim, lower, upper), h * drives.limit(i));
    }
    law.add_force(0.0, h * constraints.dry_friction(i));
    if (!ideal && std::isfinite(lower)) law.add_stop(lower, -1);
    if (!ideal && std::isfinite(upper)) law.add_stop(upper, 1);
    problem_.segments[i] = 2 * law.riser_at(0.0) + 1;
  }
}

void ImpulseStep::advance(Plant& plant, const JointDrives& drives,
                          const JointConstraints& constraints, const ImplicitInertia& implicit,
                          double t, double time, double h, std::span<const double> acceleration,
                          std::span<double> q, std::span<double> qd) {
  const Eigen::Map<const Eigen::VectorXd> a(acceleration.data(), eigen_index(acceleration.size()));
  Eigen::Map<Eigen::VectorXd> velocity(qd.data(), eigen_index(qd.size()));
  plant.inertia_matrix(t, q, problem_.M);
  problem_.h.noalias() = h * (problem_.M * a);
  implicit.subtract_stiffness_impulse(h, qd, problem_.h);
  implicit.add_linear_forces(h, problem_.M);
  problem_.h.noalias() += problem_.M * velocity;
  set_laws(drives, constraints, time, h, q, qd);
  if (!problem_.solve()) throw StateError("", "the inertia matrix is singular");
  velocity = problem_.w;
  for (std::size_t i = 0; i < q.size(); ++i) q[i] += h * qd[i];
  constraints.clamp_to_stops(q);
}

}  // namespace dynamics
