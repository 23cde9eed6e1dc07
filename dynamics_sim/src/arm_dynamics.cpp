// SPDX-License-Identifier: Apache-2.0
// Accelerations of the arm for its commands.
#include <algorithm>
#include <cmath>
#include <dynamics_core/forward_dynamics.hpp>
#include <dynamics_core/inertia_matrix.hpp>
#include <dynamics_core/inverse_dynamics.hpp>

#include "dynamics_sim/arm.hpp"

namespace dynamics_sim {
namespace {

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

}  // namespace

void Arm::compute_inertia(const Vector& q) {
  if (flexible_) {
    dynamics::inertia_matrix(*flexible_, *flexible_workspace_, q, inertia_);
  } else {
    dynamics::inertia_matrix(model_, workspace_, q, inertia_);
  }
}

/// Friction force divided by velocity, by joint. It is not less than the derivative of friction, so
/// that an implicit step never reverses a joint's velocity.
void Arm::compute_friction_coefficients(const Vector& qd) {
  std::fill(coefficient_.begin(), coefficient_.end(), 0.0);
  for (const dynamics::Body& body : model_.bodies()) {
    const double rate = body.multiplier * qd[body.coordinate];
    coefficient_[body.coordinate] +=
        body.multiplier * body.multiplier *
        (body.damping + body.friction / std::hypot(rate, model_.friction_velocity()));
  }
}

double Arm::desired_acceleration(std::size_t i, double q, double qd, double time) const {
  const double w = options_.bandwidth;
  const Command& command = commands_[i];
  const auto& joint = model_.coordinates()[i];
  if (ideal(i)) {
    const Track& track = tracks_[i];
    if (done_ >= period_) return track.last;
    const double fraction =
        (static_cast<double>(done_) + time / options_.step) / static_cast<double>(period_);
    return track.first + fraction * (track.last - track.first);
  }
  double rate = command.velocity_value, gain = w;
  if (command.mode == Command::Mode::position) {
    const double target = options_.limits
                              ? std::clamp(command.position_value, joint.lower, joint.upper)
                              : command.position_value;
    rate += 0.5 * w * (target - q);
    gain = 2.0 * w;
  }
  if (options_.limits) rate = std::clamp(rate, -joint.velocity, joint.velocity);
  return gain * (rate - qd);
}

void Arm::solve(std::size_t size) {
  // Cholesky decomposition A = L L^T by rows
  const auto A = [&](std::size_t i, std::size_t j) -> double& { return matrix_[i * size + j]; };
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = A(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= A(i, k) * A(j, k);
      if (i != j) {
        A(i, j) = sum / A(j, j);
      } else if (sum > 0.0) {
        A(i, i) = std::sqrt(sum);
      } else {
        throw dynamics::StateError("robot '" + model_.name() + "'",
                                   "a joint moves no mass at this position");
      }
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < i; ++k) right_hand_side_[i] -= A(i, k) * right_hand_side_[k];
    right_hand_side_[i] /= A(i, i);
  }
  for (std::size_t i = size; i-- > 0;) {
    for (std::size_t k = i + 1; k < size; ++k) right_hand_side_[i] -= A(k, i) * right_hand_side_[k];
    right_hand_side_[i] /= A(i, i);
  }
}

/// Accelerations of all coordinates, and if `tau` is given the efforts of the actuators.
void Arm::accelerate(const Vector& q, const Vector& qd, double time, Vector& qdd, Vector* tau) {
  ++statistics_.evaluations;
  const std::size_t n = size(), count = joints();
  for (std::size_t i = 0; i < count; ++i) {
    if (driven_[i] != 0) qdd[i] = desired_acceleration(i, q[i], qd[i], time);
  }
  if (free_joints_ == count) {
    if (flexible_) {
      dynamics::forward_dynamics(*flexible_, *flexible_workspace_, q, qd, effort_, qdd);
    } else {
      dynamics::forward_dynamics(model_, workspace_, q, qd, effort_, qdd);
    }
    if (tau != nullptr) std::copy_n(effort_.begin(), count, tau->begin());
    return;
  }
  if (free_joints_ == 0 && flexible_) {
    const dynamics::ConstVector joint_qdd(qdd.data(), count);
    const dynamics::MutableVector amplitude_qdd(qdd.data() + count, n - count);
    dynamics::joint_torques(*flexible_, *flexible_workspace_, q, qd, joint_qdd,
                            dynamics::MutableVector(all_tau_.data(), count), amplitude_qdd);
    if (tau != nullptr) std::copy_n(all_tau_.begin(), count, tau->begin());
    return;
  }
  if (!free_.empty()) {
    if (flexible_) {
      dynamics::bias_forces(*flexible_, *flexible_workspace_, q, qd, bias_);
    } else {
      dynamics::bias_forces(model_, workspace_, q, qd, bias_);
    }
    compute_inertia(q);
    const std::size_t size = free_.size();
    for (std::size_t a = 0; a < size; ++a) {
      const std::size_t i = free_[a];
      right_hand_side_[a] = effort_[i] - bias_[i];
      for (std::size_t j = 0; j < count; ++j) {
        if (driven_[j] != 0) right_hand_side_[a] -= inertia_(index(i), index(j)) * qdd[j];
      }
      for (std::size_t b = 0; b <= a; ++b) {
        matrix_[a * size + b] = inertia_(index(i), index(free_[b]));
      }
    }
    solve(size);
    for (std::size_t a = 0; a < size; ++a) qdd[free_[a]] = right_hand_side_[a];
  }
  if (tau == nullptr) return;
  if (flexible_) {
    dynamics::inverse_dynamics(*flexible_, *flexible_workspace_, q, qd, qdd, all_tau_);
  } else {
    dynamics::inverse_dynamics(model_, workspace_, q, qd, qdd, all_tau_);
  }
  for (std::size_t i = 0; i < count; ++i) (*tau)[i] = driven_[i] != 0 ? all_tau_[i] : effort_[i];
}

/// Selects the joints that are driven in this step. A drive whose effort would exceed its limit
/// exerts the limit, as long as its acceleration then is less than desired. The solution is unique
/// because M is positive definite; it is found by changing the first joint that violates its
/// condition, one at a time (Murty's rule for linear complementarity problems).
void Arm::select_driven_joints() {
  const std::size_t n = size(), count = joints();
  const auto collect = [&] {
    free_.clear();
    for (std::size_t i = 0; i < n; ++i) {
      if (driven_[i] == 0) free_.push_back(i);
    }
    free_joints_ = free_.size() - (n - count);
  };
  bool limited = false;  // some drive has an effort limit
  for (std::size_t i = 0; i < count; ++i) {
    const Command& command = commands_[i];
    driven_[i] = command.mode == Command::Mode::effort ? 0 : 1;
    const double limit = options_.limits ? model_.coordinates()[i].effort : HUGE_VAL;
    effort_[i] = std::clamp(command.effort_value, -limit, limit);
    limited = limited || (driven_[i] != 0 && !ideal(i) && std::isfinite(limit));
  }
  collect();
  if (!limited) return;
  for (std::size_t change = 0; change < 4 * count + 4;
       ++change) {  // rarely more than one change per joint
    accelerate(q_, qd_, 0.0, stage_qdd_, &tau_);
    std::size_t i = 0;
    for (; i < count; ++i) {
      if (commands_[i].mode == Command::Mode::effort || ideal(i)) continue;
      const double limit = model_.coordinates()[i].effort;
      if (driven_[i] != 0) {
        if (std::abs(tau_[i]) <= limit) continue;
        driven_[i] = 0;
        effort_[i] = std::copysign(limit, tau_[i]);
        break;
      }
      if (effort_[i] * (desired_acceleration(i, q_[i], qd_[i], 0.0) - stage_qdd_[i]) >= 0.0) {
        continue;
      }
      driven_[i] = 1;
      break;
    }
    if (i == count) return;
    collect();
  }
}

}  // namespace dynamics_sim
