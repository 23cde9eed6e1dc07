// SPDX-License-Identifier: Apache-2.0
#include "simulation/closed_reference.hpp"

#include <algorithm>
#include <utility>

namespace dynamics {

ClosedReference::ClosedReference(const Mechanism& mechanism,
                                 std::shared_ptr<const Trajectory> given,
                                 std::span<const double> start)
    : mechanism_(mechanism),
      given_(std::move(given)),
      workspace_(mechanism),
      last_(start.begin(), start.end()),
      q_(given_->size()),
      qd_(q_.size()),
      qdd_(q_.size()),
      z_(mechanism.size()) {}

void ClosedReference::at(double t, std::span<double> q, std::span<double> qd,
                         std::span<double> qdd) const {
  given_->at(t, q_, qd_, qdd_);
  std::fill(qd.begin(), qd.end(), 0.0);
  std::fill(qdd.begin(), qdd.end(), 0.0);
  const bool all = given_->size() == size();
  for (std::size_t k = 0; k < z_.size(); ++k) {
    const std::size_t joint = mechanism_.independent()[k], from = all ? joint : k;
    z_[k] = q_[from];
    qd[joint] = qd_[from];
    qdd[joint] = qdd_[from];
  }
  close_loops(mechanism_, workspace_, last_, z_, q);
  close_velocities(mechanism_, workspace_, q, qd);
  close_accelerations(mechanism_, workspace_, q, qd, qdd);
  std::copy(q.begin(), q.end(), last_.begin());
}

}  // namespace dynamics
