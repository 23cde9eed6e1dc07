// SPDX-License-Identifier: Apache-2.0
#include "simulation/impulse_step.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/eigen_index.hpp"
#include "dynamics_core/error.hpp"

namespace dynamics {
namespace {

/// The riser at rest, otherwise the tread there. A law without limit has one riser.
std::size_t first_segment(const ForceLaw& law) {
  if (law.is_rigid()) return 1;
  std::size_t k = 0;
  while (k < law.count() && law.riser(k).at < 0.0) ++k;
  return k < law.count() && law.riser(k).at == 0.0 ? 2 * k + 1 : 2 * k;
}

}  // namespace

ImpulseStep::ImpulseStep(const Plant& plant)
    : has_loops_(plant.mechanism() != nullptr),
      problem_(plant.size(), has_loops_ ? ComplementarityProblem::Form::responses
                                        : ComplementarityProblem::Form::inertia),
      joints_(plant.joints()) {
  std::iota(joints_.begin(), joints_.end(), std::size_t{0});
}

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
    // without loops a riser without height is a first guess: most joints come to rest
    if (!has_loops_ || constraints.dry_friction(i) > 0.0)
      law.add_force(0.0, h * constraints.dry_friction(i));
    if (!ideal && std::isfinite(lower)) law.add_stop(lower, -1);
    if (!ideal && std::isfinite(upper)) law.add_stop(upper, 1);
    problem_.segments[i] = first_segment(law);
  }
}

void ImpulseStep::fill_problem(Plant& plant, const ImplicitInertia& implicit, double t, double h,
                               std::span<const double> acceleration, std::span<const double> q,
                               std::span<const double> qd) {
  const Eigen::Map<const Eigen::VectorXd> a(acceleration.data(), eigen_index(acceleration.size()));
  const Eigen::Map<const Eigen::VectorXd> velocity(qd.data(), eigen_index(qd.size()));
  if (has_loops_) {
    plant.impulse_responses(t, q, joints_, problem_.M);
    problem_.h = velocity + h * a;
    return;
  }
  plant.inertia_matrix(t, q, problem_.M);
  problem_.h.noalias() = h * (problem_.M * a);
  implicit.subtract_stiffness_impulse(h, qd, problem_.h);
  implicit.add_linear_forces(h, problem_.M);
  problem_.h.noalias() += problem_.M * velocity;
}

void ImpulseStep::advance(Plant& plant, const JointDrives& drives,
                          const JointConstraints& constraints, const ImplicitInertia& implicit,
                          double t, double time, double h, std::span<const double> acceleration,
                          std::span<double> q, std::span<double> qd) {
  fill_problem(plant, implicit, t, h, acceleration, q, qd);
  set_laws(drives, constraints, time, h, q, qd);
  if (!problem_.solve()) throw StateError("", "the inertia matrix is singular");
  if (!problem_.converged()) ++unsolved_;
  std::copy(problem_.w.begin(), problem_.w.end(), qd.begin());
  for (std::size_t i = 0; i < q.size(); ++i) q[i] += h * qd[i];
  constraints.clamp_to_stops(q);
}

}  // namespace dynamics
