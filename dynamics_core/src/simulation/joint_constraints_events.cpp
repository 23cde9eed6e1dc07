// SPDX-License-Identifier: Apache-2.0
// Joint constraints: the events that end a mode, and impacts.

#include <algorithm>
#include <cmath>

#include "base/eigen_index.hpp"
#include "simulation/joint_constraints.hpp"

namespace dynamics {
namespace {

constexpr double relative_tolerance = 1e-10;  // of forces

/// Zero of the cubic with these values and derivatives at 0 and `length`, where it becomes
/// negative; `length` if it is not negative there.
double falling_zero(double length, double v0, double d0, double v1, double d1) {
  if (!(v1 < 0.0)) return length;
  if (!(v0 > 0.0)) return 0.0;
  // v(x) = v0 + x (c1 + x (c2 + x c3)), x from 0 to 1
  const double c1 = length * d0, c2 = 3.0 * (v1 - v0) - length * (2.0 * d0 + d1);
  const double c3 = 2.0 * (v0 - v1) + length * (d0 + d1);
  double below = 0.0, above = 1.0, x = v0 / (v0 - v1);
  for (int i = 0; i < 50; ++i) {
    const double value = v0 + x * (c1 + x * (c2 + x * c3));
    (value > 0.0 ? below : above) = x;
    const double slope = c1 + x * (2.0 * c2 + 3.0 * c3 * x);
    double next = slope < 0.0 ? x - value / slope : below;
    if (!(next > below && next < above)) next = 0.5 * (below + above);
    if (std::abs(next - x) < 1e-15) break;
    x = next;
  }
  return length * x;
}

}  // namespace

double JointConstraints::sliding_margin(Input qd) const {
  double least = 1.0;
  for (std::size_t i = 0; i < sliding_.size(); ++i) {
    if (sliding_[i] != 0 && dry_friction_[i] > 0.0 && tracks_[i] == 0)
      least = std::min(least, sliding_[i] * qd[i] + speed_tolerance);
  }
  return least;
}

double JointConstraints::gap_margin(std::size_t joint, int side, Input q) const {
  if (contact_[joint] != 0 || ideal(joint)) return 1.0;
  const double at = stop(joint, side);
  return side * (at - q[joint]) + gap_tolerance * std::max(1.0, std::abs(at));
}

double JointConstraints::last_holding_margin() const {
  double least = 1.0;
  if (!has_forces_) return least;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (held_[i] == 0) continue;
    const double force = problem_.lambda[eigen_index(i)];
    const double margin = std::min(force - hold_lower_[i], hold_upper_[i] - force);
    least = std::min(least, margin / force_scale_ + relative_tolerance);
  }
  return least;
}

double JointConstraints::holding_margin(double t, Input q, Input qd) {
  accelerations(t, 0.0, q, qd, acceleration_);
  return last_holding_margin();
}

double JointConstraints::margin(const StepEnd& at) const {
  double least = std::min(sliding_margin(at.qd), at.holding_margin);
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (has_stop(i, -1)) least = std::min(least, gap_margin(i, -1, at.q));
    if (has_stop(i, 1)) least = std::min(least, gap_margin(i, 1, at.q));
  }
  return least;
}

double JointConstraints::estimate_change(double length, const StepEnd& before,
                                         const StepEnd& after) const {
  // slightly beyond the zero of the margin, so that it is negative there
  constexpr double beyond = 1.5;
  double first = length;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const int s = sliding_[i];
    if (s != 0 && dry_friction_[i] > 0.0 && tracks_[i] == 0) {
      const double shift = beyond * speed_tolerance;
      first = std::min(first, falling_zero(length, s * before.qd[i] + shift, s * before.qdd[i],
                                           s * after.qd[i] + shift, s * after.qdd[i]));
    }
    for (const int side : {-1, 1}) {
      if (!has_stop(i, side) || gap_margin(i, side, after.q) > 0.0) continue;
      const double at = stop(i, side);
      const double shift = beyond * gap_tolerance * std::max(1.0, std::abs(at));
      first = std::min(first,
                       falling_zero(length, side * (at - before.q[i]) + shift, -side * before.qd[i],
                                    side * (at - after.q[i]) + shift, -side * after.qd[i]));
    }
  }
  if (after.holding_margin <= 0.0) {
    const double shift = 0.5 * relative_tolerance;
    first = std::min(first, length * (before.holding_margin + shift) /
                                (before.holding_margin - after.holding_margin));
  }
  return first;
}

void JointConstraints::impact(double t, Output q, Output qd) {
  collide(t, q, qd);
  choose_modes(t, 0.0, q, qd);
}

void JointConstraints::collide(double t, Output q, Output qd) {
  problem_.clear();
  double fastest = 0.0;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (ideal(i)) {  // keeps its velocity
      problem_.laws[i].add_force(qd[i], infinity);
      problem_.segments[i] = 1;
      continue;
    }
    const int side = reaches(i, q, qd);
    // beyond the stop by the error of the step, also where the joint already moves away
    q[i] = std::clamp(q[i], lower_[i], upper_[i]);
    target_[i] = 0.0;
    if (side != 0) {
      contact_[i] = side;
      if (restitution_ * std::abs(qd[i]) >= resting_speed) target_[i] = -restitution_ * qd[i];
    }
    if (contact_[i] != 0 || locked_[i] != 0)
      fastest = std::max(fastest, std::abs(qd[i] - target_[i]));
  }
  if (fastest == 0.0) return;
  const bool gentle = fastest < gentle_speed;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (ideal(i)) continue;
    if (locked_[i] != 0 || (gentle && (contact_[i] != 0 || held_[i] != 0))) {
      problem_.segments[i] = 1;
      problem_.laws[i].add_force(target_[i], infinity);
    } else if (contact_[i] != 0) {
      problem_.segments[i] = 1;
      problem_.laws[i].add_stop(target_[i], contact_[i]);
    }
  }
  // M (qd+ - qd) = p
  Eigen::Map<Eigen::VectorXd> velocity(qd.data(), eigen_index(qd.size()));
  if (has_loops_) {
    forced_.clear();
    for (std::size_t i = 0; i < held_.size(); ++i) {
      if (problem_.laws[i].count() > 0) forced_.push_back(i);
    }
    fill_responses(t, q);
    problem_.h = velocity;
  } else {
    plant_->inertia_matrix(t, q, problem_.M);
    problem_.h.noalias() = problem_.M * velocity;
  }
  solve_problem();
  velocity = problem_.w;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (std::abs(qd[i]) > speed_tolerance) {
      slide(i, sign(qd[i]));
    } else if (can_be_held(i)) {
      qd[i] = 0.0;
      held_[i] = 1;
    }
  }
}

}  // namespace dynamics
