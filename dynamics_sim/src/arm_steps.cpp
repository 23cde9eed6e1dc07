// SPDX-License-Identifier: Apache-2.0
// Integrators of the arm, ideal tracking, and impacts at position limits.
#include <algorithm>
#include <cmath>

#include "dynamics_sim/arm.hpp"

namespace dynamics_sim {
namespace {

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

}  // namespace

/// Computes the cubic from the current state to the commanded state at the end of the period.
void Arm::start_track(std::size_t i, double duration) {
  const Command& command = commands_[i];
  Track& track = tracks_[i];
  if (command.mode == Command::Mode::effort) {
    track = {};
    return;
  }
  const auto& joint = model_.coordinates()[i];
  const double max_velocity = options_.limits ? joint.velocity : HUGE_VAL;
  if (command.mode == Command::Mode::velocity) {
    track.velocity = std::clamp(command.velocity_value, -max_velocity, max_velocity);
    track.position = q_[i] + 0.5 * duration * (qd_[i] + track.velocity);
  } else {
    const double displacement = std::clamp(command.position_value - q_[i], -max_velocity * duration,
                                           max_velocity * duration);
    track.position = q_[i] + displacement;
    // without the round-off of the sum
    if (displacement == command.position_value - q_[i]) track.position = command.position_value;
    track.velocity = command.with_velocity
                         ? std::clamp(command.velocity_value, -max_velocity, max_velocity)
                         : displacement / duration;
  }
  if (options_.limits && (track.position < joint.lower || track.position > joint.upper)) {
    track.position = std::clamp(track.position, joint.lower, joint.upper);
    track.velocity = 0.0;
  }
  const double mean = (track.position - q_[i]) / duration;
  track.first = (6.0 * mean - 4.0 * qd_[i] - 2.0 * track.velocity) / duration;
  track.last = (-6.0 * mean + 2.0 * qd_[i] + 4.0 * track.velocity) / duration;
}

/// Removes the round-off of the integration, which is exact for cubics.
void Arm::finish_tracks() {
  for (std::size_t i = 0; i < joints(); ++i) {
    if (!ideal(i) || commands_[i].mode == Command::Mode::effort) continue;
    q_[i] = tracks_[i].position;
    qd_[i] = tracks_[i].velocity;
  }
}

/// Solves (M + gamma h C + gamma^2 h^2 K) k = M a - gamma h K rate for the coordinates that are not
/// driven; `acceleration` is a on input and k on output. C: friction of the joints and damping of
/// the beams; K: stiffness of the beams; `rate`: derivative of the amplitudes.
void Arm::solve_stage(const Vector& rate, Vector& acceleration) {
  const double gamma_h = gamma_ * options_.step;
  const std::size_t size = free_.size();
  const auto row = [&](std::size_t coordinate) {  // amplitudes are never driven
    return coordinate - (joints() - free_joints_);
  };
  for (std::size_t a = 0; a < size; ++a) {
    const auto i = index(free_[a]);
    right_hand_side_[a] = 0.0;
    for (std::size_t b = 0; b < size; ++b) {
      const double inertia = start_inertia_(i, index(free_[b]));
      matrix_[a * size + b] = inertia;
      right_hand_side_[a] += inertia * acceleration[free_[b]];
    }
    matrix_[a * size + a] += gamma_h * coefficient_[free_[a]];
  }
  for (const auto& entry : damping_) {
    matrix_[row(entry.row) * size + row(entry.column)] += gamma_h * entry.value;
  }
  for (const auto& entry : stiffness_) {
    matrix_[row(entry.row) * size + row(entry.column)] += gamma_h * gamma_h * entry.value;
    right_hand_side_[row(entry.row)] -= gamma_h * entry.value * rate[entry.column];
  }
  solve(size);
  for (std::size_t a = 0; a < size; ++a) acceleration[free_[a]] = right_hand_side_[a];
}

/// Rosenbrock method ROS2: y_1 = y_0 + 3/2 h k_1 + 1/2 h k_2,  (1 - gamma h J) k_1 = f(y_0),
/// (1 - gamma h J) k_2 = f(y_0 + h k_1) - 2 k_1. J is approximate: of the derivatives of positions
/// it has those of the amplitudes, of the accelerations the terms of friction, damping and
/// stiffness.
void Arm::rosenbrock() {
  const double h = options_.step;
  const std::size_t n = size(), count = joints();
  compute_friction_coefficients(qd_);
  compute_inertia(q_);
  start_inertia_ = inertia_;
  accelerate(q_, qd_, 0.0, first_qdd_, nullptr);
  solve_stage(qd_, first_qdd_);
  for (std::size_t i = 0; i < n; ++i) {
    first_q_[i] = qd_[i] + (i < count ? 0.0 : gamma_ * h * first_qdd_[i]);
    stage_q_[i] = q_[i] + h * first_q_[i];
    stage_qd_[i] = qd_[i] + h * first_qdd_[i];
  }
  accelerate(stage_q_, stage_qd_, h, stage_qdd_, nullptr);
  for (std::size_t i = 0; i < n; ++i) {
    stage_qdd_[i] -= 2.0 * first_qdd_[i];
    stage_qd_[i] -= 2.0 * first_q_[i];
  }
  solve_stage(stage_qd_, stage_qdd_);
  for (std::size_t i = 0; i < n; ++i) {
    const double second_q = stage_qd_[i] + (i < count ? 0.0 : gamma_ * h * stage_qdd_[i]);
    q_[i] += h * (1.5 * first_q_[i] + 0.5 * second_q);
    qd_[i] += h * (1.5 * first_qdd_[i] + 0.5 * stage_qdd_[i]);
  }
}

void Arm::runge_kutta(double start, double h) {
  const std::size_t n = size();
  constexpr double weight[] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
  constexpr double next[] = {0.5, 0.5, 1.0, 0.0};
  constexpr double time[] = {0.0, 0.5, 0.5, 1.0};
  stage_q_ = q_;
  stage_qd_ = qd_;
  sum_q_ = q_;
  sum_qd_ = qd_;
  for (int stage = 0; stage < 4; ++stage) {
    accelerate(stage_q_, stage_qd_, start + time[stage] * h, stage_qdd_, nullptr);
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

/// Moves joints beyond a position limit back to it and applies an inelastic impact:
/// M (qd_new - qd) = e_i p with the impulse p for which qd_i = 0. The velocities of joints with
/// ideal tracking do not change.
void Arm::stop_at_limits() {
  const auto tracked = [&](std::size_t i) {
    return i < joints() && ideal(i) && commands_[i].mode != Command::Mode::effort;
  };
  for (int sweep = 0; sweep < 3; ++sweep) {  // an impact may push another joint into its limit
    bool hit = false;
    for (std::size_t i = 0; i < joints(); ++i) {
      const auto& joint = model_.coordinates()[i];
      const bool below = q_[i] < joint.lower || (q_[i] == joint.lower && sweep > 0);
      const bool above = q_[i] > joint.upper || (q_[i] == joint.upper && sweep > 0);
      if ((!below && !above) || tracked(i)) continue;
      q_[i] = below ? joint.lower : joint.upper;
      if (below ? qd_[i] >= 0.0 : qd_[i] <= 0.0) continue;
      hit = true;
      compute_inertia(q_);
      free_.clear();
      for (std::size_t j = 0; j < size(); ++j) {
        if (!tracked(j)) free_.push_back(j);
      }
      for (std::size_t a = 0; a < free_.size(); ++a) {
        right_hand_side_[a] = free_[a] == i ? 1.0 : 0.0;
        for (std::size_t b = 0; b <= a; ++b) {
          matrix_[a * free_.size() + b] = inertia_(index(free_[a]), index(free_[b]));
        }
      }
      solve(free_.size());
      double impulse = 0.0;
      for (std::size_t a = 0; a < free_.size(); ++a) {
        if (free_[a] == i) impulse = -qd_[i] / right_hand_side_[a];
      }
      for (std::size_t a = 0; a < free_.size(); ++a) qd_[free_[a]] += impulse * right_hand_side_[a];
      qd_[i] = 0.0;
    }
    if (!hit) return;
  }
}

}  // namespace dynamics_sim
