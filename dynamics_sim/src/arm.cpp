// SPDX-License-Identifier: Apache-2.0
#include "dynamics_sim/arm.hpp"

#include <algorithm>
#include <cmath>
#include <dynamics_core/rigid/forward_dynamics.hpp>
#include <dynamics_core/rigid/inertia_matrix.hpp>
#include <dynamics_core/rigid/inverse_dynamics.hpp>
#include <dynamics_core/rigid/udut.hpp>
#include <stdexcept>
#include <utility>

namespace dynamics_sim {
namespace {

void require(bool holds, const std::string& message) {
  if (!holds) throw std::invalid_argument(message);
}

bool any_friction(const dynamics::Model& model) {
  return std::any_of(model.tree().begin(), model.tree().end(),
                     [](const auto& body) { return body.damping != 0.0 || body.friction != 0.0; });
}

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

}  // namespace

Arm::Arm(dynamics::Model model, const ArmOptions& options)
    : model_(std::move(model)),
      options_(options),
      workspace_(model_),
      friction_(any_friction(model_)) {
  require(std::isfinite(options_.step) && options_.step > 0.0,
          "step is " + std::to_string(options_.step) + " s; it must be above zero");
  require(std::isfinite(options_.bandwidth) && options_.bandwidth > 0.0,
          "bandwidth is " + std::to_string(options_.bandwidth) + " rad/s; it must be above zero");
  require(options_.bandwidth * options_.step <= 1.0,
          "bandwidth " + std::to_string(options_.bandwidth) + " rad/s times step " +
              std::to_string(options_.step) + " s is above 1: the drives would not be stable");
  if (!model_.singular_reason().empty()) {
    throw dynamics::ModelError("robot '" + model_.name() + "'", model_.singular_reason());
  }
  const std::size_t n = model_.size();
  require(n > 0, "robot '" + model_.name() + "' has no joint that moves");
  commands_.resize(n);
  for (Vector* vector :
       {&q_, &qd_, &qdd_, &tau_, &effort_, &bias_, &old_q_, &old_qd_, &stage_q_, &stage_qd_,
        &stage_qdd_, &first_qdd_, &sum_q_, &sum_qd_, &right_hand_, &coefficient_, &unit_}) {
    vector->assign(n, 0.0);
  }
  matrix_.assign(n * n, 0.0);
  driven_.assign(n, 0);
  free_.reserve(n);
  inertia_.resize(index(n), index(n));
  start_inertia_.resize(index(n), index(n));
}

void Arm::reset(std::span<const double> q, std::span<const double> qd) {
  for (const auto& [name, values] : {std::pair{"q", q}, std::pair{"qd", qd}}) {
    require(values.size() == model_.size(), std::string(name) + " has " +
                                                std::to_string(values.size()) + " entries; " +
                                                std::to_string(model_.size()) + " are needed");
    for (std::size_t i = 0; i < values.size(); ++i) {
      require(std::isfinite(values[i]),
              std::string(name) + " of joint '" + model_.coordinates()[i].name + "' is not finite");
    }
  }
  std::copy(q.begin(), q.end(), q_.begin());
  std::copy(qd.begin(), qd.end(), qd_.begin());
  std::fill(commands_.begin(), commands_.end(), Command());
  fault_.clear();
}

double Arm::wanted_acceleration(std::size_t i, double q, double qd) const {
  const double w = options_.bandwidth;
  const Command& command = commands_[i];
  const auto& joint = model_.coordinates()[i];
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
  // A = L L^T, row by row
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
        throw dynamics::ModelError("joint '" + model_.coordinates()[free_[i]].name + "'",
                                   "moves no mass in this pose");
      }
    }
  }
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t k = 0; k < i; ++k) right_hand_[i] -= A(i, k) * right_hand_[k];
    right_hand_[i] /= A(i, i);
  }
  for (std::size_t i = size; i-- > 0;) {
    for (std::size_t k = i + 1; k < size; ++k) right_hand_[i] -= A(k, i) * right_hand_[k];
    right_hand_[i] /= A(i, i);
  }
}

/// Accelerations of all, and where asked for what the actuators exert.
void Arm::accelerate(const Vector& q, const Vector& qd, Vector& qdd, Vector* tau) {
  const std::size_t n = model_.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (driven_[i] != 0) qdd[i] = wanted_acceleration(i, q[i], qd[i]);
  }
  if (free_.size() == n) {
    dynamics::forward_dynamics(model_, workspace_, q, qd, effort_, qdd);
    if (tau != nullptr) *tau = effort_;
    return;
  }
  if (!free_.empty()) {
    dynamics::bias_forces(model_, workspace_, q, qd, bias_);
    dynamics::inertia_matrix(model_, workspace_, q, inertia_);
    const std::size_t size = free_.size();
    for (std::size_t a = 0; a < size; ++a) {
      const std::size_t i = free_[a];
      right_hand_[a] = effort_[i] - bias_[i];
      for (std::size_t j = 0; j < n; ++j) {
        if (driven_[j] != 0) right_hand_[a] -= inertia_(index(i), index(j)) * qdd[j];
      }
      for (std::size_t b = 0; b <= a; ++b) {
        matrix_[a * size + b] = inertia_(index(i), index(free_[b]));
      }
    }
    solve(size);
    for (std::size_t a = 0; a < size; ++a) qdd[free_[a]] = right_hand_[a];
  }
  if (tau == nullptr) return;
  dynamics::inverse_dynamics(model_, workspace_, q, qd, qdd, *tau);
  for (const std::size_t i : free_) (*tau)[i] = effort_[i];
}

/// Which coordinates are driven in this step. A drive that would exceed its limit exerts the limit,
/// as long as its joint then stays behind what the drive wants. Efforts and accelerations within
/// these bounds are unique, M being positive definite; changing the first joint that breaks them,
/// one at a time, finds them (Murty's rule).
void Arm::choose_driven() {
  const std::size_t n = model_.size();
  const auto collect = [&] {
    free_.clear();
    for (std::size_t i = 0; i < n; ++i) {
      if (driven_[i] == 0) free_.push_back(i);
    }
  };
  for (std::size_t i = 0; i < n; ++i) {
    const Command& command = commands_[i];
    driven_[i] = command.mode == Command::Mode::effort ? 0 : 1;
    const double limit = options_.limits ? model_.coordinates()[i].effort : HUGE_VAL;
    effort_[i] = std::clamp(command.effort_value, -limit, limit);
  }
  collect();
  if (!options_.limits || free_.size() == n) return;
  for (std::size_t change = 0; change < 4 * n + 4; ++change) {  // seldom more than one a joint
    accelerate(q_, qd_, stage_qdd_, &tau_);
    std::size_t i = 0;
    for (; i < n; ++i) {
      if (commands_[i].mode == Command::Mode::effort) continue;
      const double limit = model_.coordinates()[i].effort;
      if (driven_[i] != 0) {
        if (std::abs(tau_[i]) <= limit) continue;
        driven_[i] = 0;
        effort_[i] = std::copysign(limit, tau_[i]);
        break;
      }
      if (effort_[i] * (wanted_acceleration(i, q_[i], qd_[i]) - stage_qdd_[i]) >= 0.0) continue;
      driven_[i] = 1;
      break;
    }
    if (i == n) return;
    collect();
  }
}

/// Friction per speed, of each coordinate; at or above its derivative, so that what is implicit in
/// it never turns a joint around.
void Arm::find_friction_coefficients() {
  std::fill(coefficient_.begin(), coefficient_.end(), 0.0);
  for (std::size_t b = 0; b < model_.tree().size(); ++b) {
    const auto& joint = model_.tree()[b];
    const auto& body = model_.bodies()[b];
    const double rate = body.multiplier * qd_[body.coordinate];
    coefficient_[body.coordinate] +=
        body.multiplier * body.multiplier *
        (joint.damping + joint.friction / std::hypot(rate, model_.friction_velocity()));
  }
}

/// (M + gamma h c) k = M a, in place, for the coordinates under effort; others keep theirs.
void Arm::damp(Vector& acceleration) {
  const double gamma_h = (1.0 + std::sqrt(0.5)) * options_.step;
  const std::size_t size = free_.size();
  for (std::size_t a = 0; a < size; ++a) {
    const auto i = index(free_[a]);
    right_hand_[a] = 0.0;
    for (std::size_t b = 0; b < size; ++b) {
      const double inertia = start_inertia_(i, index(free_[b]));
      matrix_[a * size + b] = inertia;
      right_hand_[a] += inertia * acceleration[free_[b]];
    }
    matrix_[a * size + a] += gamma_h * coefficient_[free_[a]];
  }
  solve(size);
  for (std::size_t a = 0; a < size; ++a) acceleration[free_[a]] = right_hand_[a];
}

/// y_1 = y_0 + 3/2 h k_1 + 1/2 h k_2,  (1 - gamma h J) k_1 = f(y_0),
/// (1 - gamma h J) k_2 = f(y_0 + h k_1) - 2 k_1, with friction alone in J.
void Arm::rosenbrock() {
  const double h = options_.step;
  const std::size_t n = q_.size();
  find_friction_coefficients();
  dynamics::inertia_matrix(model_, workspace_, q_, start_inertia_);
  accelerate(q_, qd_, first_qdd_, nullptr);
  damp(first_qdd_);
  for (std::size_t i = 0; i < n; ++i) {
    stage_q_[i] = q_[i] + h * qd_[i];
    stage_qd_[i] = qd_[i] + h * first_qdd_[i];
  }
  accelerate(stage_q_, stage_qd_, stage_qdd_, nullptr);
  for (std::size_t i = 0; i < n; ++i) stage_qdd_[i] -= 2.0 * first_qdd_[i];
  damp(stage_qdd_);
  for (std::size_t i = 0; i < n; ++i) {
    q_[i] += 0.5 * h * (qd_[i] + stage_qd_[i]);
    qd_[i] += h * (1.5 * first_qdd_[i] + 0.5 * stage_qdd_[i]);
  }
}

/// Joints beyond a stop go back to it, and an impact takes the speed into it from the whole robot:
/// M (qd_new - qd) = e_i times the impulse that leaves qd_i = 0.
void Arm::stop_at_limits() {
  for (int sweep = 0; sweep < 3; ++sweep) {  // one stop's impact may push another joint
    bool hit = false;
    for (std::size_t i = 0; i < q_.size(); ++i) {
      const auto& joint = model_.coordinates()[i];
      const bool below = q_[i] < joint.lower || (q_[i] == joint.lower && sweep > 0);
      const bool above = q_[i] > joint.upper || (q_[i] == joint.upper && sweep > 0);
      if (!below && !above) continue;
      q_[i] = below ? joint.lower : joint.upper;
      if (below ? qd_[i] >= 0.0 : qd_[i] <= 0.0) continue;
      hit = true;
      std::fill(unit_.begin(), unit_.end(), 0.0);
      unit_[i] = 1.0;
      dynamics::solve_inertia(model_, workspace_, q_, unit_, right_hand_);
      const double impulse = -qd_[i] / right_hand_[i];
      for (std::size_t j = 0; j < q_.size(); ++j) qd_[j] += impulse * right_hand_[j];
      qd_[i] = 0.0;
    }
    if (!hit) return;
  }
}

void Arm::runge_kutta() {
  const double h = options_.step;
  const std::size_t n = q_.size();
  constexpr double weight[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
  constexpr double next[] = {0.5, 0.5, 1.0, 0.0};
  stage_q_ = q_;
  stage_qd_ = qd_;
  sum_q_ = q_;
  sum_qd_ = qd_;
  for (int stage = 0; stage < 4; ++stage) {
    accelerate(stage_q_, stage_qd_, stage_qdd_, nullptr);
    for (std::size_t i = 0; i < n; ++i) {
      sum_q_[i] += h * weight[stage] * stage_qd_[i];
      sum_qd_[i] += h * weight[stage] * stage_qdd_[i];
      stage_q_[i] = q_[i] + h * next[stage] * stage_qd_[i];
      stage_qd_[i] = qd_[i] + h * next[stage] * stage_qdd_[i];
    }
  }
  q_ = sum_q_;
  qd_ = sum_qd_;
}

bool Arm::step() noexcept {
  old_q_ = q_;
  old_qd_ = qd_;
  try {
    choose_driven();
    if (friction_) {
      rosenbrock();
    } else {
      runge_kutta();
    }
    if (options_.limits) stop_at_limits();
    for (std::size_t i = 0; i < q_.size(); ++i) {
      if (!std::isfinite(q_[i]) || !std::isfinite(qd_[i])) {
        throw std::runtime_error("the motion of joint '" + model_.coordinates()[i].name +
                                 "' is not finite any more: a smaller step, or smaller commands");
      }
    }
    return true;
  } catch (const std::exception& error) {
    fault_ = error.what();
    q_ = old_q_;
    qd_ = old_qd_;
    return false;
  }
}

bool Arm::evaluate() noexcept {
  try {
    choose_driven();
    accelerate(q_, qd_, qdd_, &tau_);
    return true;
  } catch (const std::exception& error) {
    fault_ = error.what();
    return false;
  }
}

}  // namespace dynamics_sim
