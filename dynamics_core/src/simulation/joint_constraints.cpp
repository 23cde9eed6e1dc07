// SPDX-License-Identifier: Apache-2.0
#include "simulation/joint_constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/eigen_index.hpp"

namespace dynamics {
namespace {

[[noreturn]] void throw_singular() {
  throw StateError("", "the inertia matrix is singular: a joint moves no mass in this position");
}

}  // namespace

JointConstraints::JointConstraints(Plant& plant, bool stops, double restitution,
                                   FreeAccelerations free, Drives drives)
    : plant_(&plant),
      restitution_(restitution),
      free_(free),
      drives_(drives.drives),
      net_forces_(drives.net_forces),
      prescribed_motion_(drives.prescribed_motion),
      dry_friction_(plant.joints()),
      lower_(plant.joints(), -infinity),
      upper_(plant.joints(), infinity),
      locked_(plant.joints(), 0),
      held_(plant.joints(), 0),
      tracks_(plant.joints(), 0),
      contact_(plant.joints(), 0),
      sliding_(plant.joints(), 0),
      guess_(plant.joints(), Guess::tracks),
      friction_(plant.joints(), 0.0),
      saturated_(plant.joints(), 0.0),
      applied_(plant.joints(), 0.0),
      hold_lower_(plant.joints(), 0.0),
      hold_upper_(plant.joints(), 0.0),
      has_loops_(plant.mechanism() != nullptr),
      held_at_(plant.joints(), 0.0),
      problem_(plant.size(), has_loops_ ? ComplementarityProblem::Form::responses
                                        : ComplementarityProblem::Form::inertia),
      given_(plant.size(), 0),
      acceleration_(plant.size(), 0.0),
      desired_(plant.joints(), 0.0),
      target_(plant.joints(), 0.0),
      forces_(plant.joints(), 0.0),
      zero_(plant.size(), 0.0) {
  if (has_loops_) {
    responses_.resize(eigen_index(plant.size()), eigen_index(plant.size()));
    forced_.reserve(plant.joints());
  }
  for (std::size_t i = 0; i < plant.joints(); ++i) {
    dry_friction_[i] = plant.dry_friction(i);
    if (!stops) continue;
    lower_[i] = plant.model().coordinates()[i].lower;
    upper_[i] = plant.model().coordinates()[i].upper;
  }
  for (std::size_t i = 0; i < plant.joints(); ++i)
    changes_modes_ = changes_modes_ || dry_friction_[i] > 0.0 || has_stop(i, -1) || has_stop(i, 1);
}

void JointConstraints::slide(std::size_t joint, int direction) {
  held_[joint] = 0;
  contact_[joint] = 0;
  sliding_[joint] = direction;
  friction_[joint] = -direction * dry_friction_[joint];
}

int JointConstraints::reaches(std::size_t i, Input q, Input qd) const {
  if (ideal(i)) return 0;
  if (qd[i] < 0.0 && q[i] <= lower_[i]) return -1;
  if (qd[i] > 0.0 && q[i] >= upper_[i]) return 1;
  return 0;
}

void JointConstraints::prepare(double t, Input q) {
  std::fill(guess_.begin(), guess_.end(), Guess::tracks);
  const Input zero(zero_.data(), held_.size());
  if (has_loops_) {
    plant_->bias_forces(t, q, zero_, forces_);
  } else {
    plant_->computed_torques(t, q, zero_, zero, forces_);
  }
  force_scale_ = 0.0;
  for (std::size_t i = 0; i < held_.size(); ++i)
    force_scale_ = std::max({force_scale_, std::abs(forces_[i]), dry_friction_[i]});
  if (force_scale_ == 0.0) force_scale_ = 1.0;
}

void JointConstraints::check_positions(const char* name, Input q) const {
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const Coordinate& joint = plant_->model().coordinates()[i];
    if (q[i] < lower_[i] || q[i] > upper_[i]) {
      throw ArgumentError(
          fmt::format("{} of joint '{}' is {}; it must lie between its stops at {} and {}", name,
                      joint.name, q[i], joint.lower, joint.upper));
    }
  }
}

void JointConstraints::start(double t, Output q, Output qd) {
  check_positions(t > 0.0 ? "the position" : "q0", q);
  prepare(t, q);
  resume(t, 0.0, q, qd);
}

void JointConstraints::resume(double t, double time, Output q, Output qd) {
  if (changes_modes_) find_contacts(t, time, q, qd);
  choose_modes(t, time, q, qd);
}

/// The joint is at a stop. With closed loops to round-off, since the loops move it.
bool JointConstraints::touches(std::size_t i, int side, Input q) const {
  if (ideal(i) || !has_stop(i, side)) return false;
  const double at = stop(i, side);
  return side * (at - q[i]) <= (has_loops_ ? gap_tolerance * std::max(1.0, std::abs(at)) : 0.0);
}

/// Which joints slide, are at rest or in contact with a stop, with the impacts of those that reach
/// one.
void JointConstraints::find_contacts(double t, double time, Output q, Output qd) {
  bool hits = false;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (has_loops_ && std::abs(qd[i]) <= speed_tolerance &&
        (dry_friction_[i] > 0.0 || touches(i, -1, q) || touches(i, 1, q))) {
      qd[i] = 0.0;
    }
    if (driven(i) && dry_friction_[i] > 0.0 && std::abs(qd[i]) <= speed_tolerance &&
        std::abs(drives_->acceleration(i, q[i], qd[i], time)) <= drive_tolerance && !ideal(i)) {
      qd[i] = 0.0;
    }
    if (locked_[i] != 0) hits = hits || qd[i] != 0.0;
    if (qd[i] != 0.0 && locked_[i] == 0) {
      slide(i, sign(qd[i]));
      hits = hits || reaches(i, q, qd) != 0;
      continue;
    }
    sliding_[i] = 0;
    friction_[i] = 0.0;
    contact_[i] = touches(i, -1, q) ? -1 : touches(i, 1, q) ? 1 : 0;
    held_[i] = can_be_held(i) ? 1 : 0;
  }
  if (hits) collide(t, q, qd);
}

void JointConstraints::solve_problem() {
  if (!problem_.solve()) throw_singular();
  if (!problem_.converged()) ++unsolved_;
}

void JointConstraints::fill_problem(double t, Input q, Input qd) {
  has_inertia_ = false;
  Eigen::VectorXd& h = problem_.h;
  if (has_loops_) {
    free_(t, q, qd, applied_, Output(h.data(), q.size()));
    fill_responses(t, q);
    return;
  }
  plant_->inertia_matrix(t, q, problem_.M);
  if (net_forces_) {
    net_forces_(t, q, qd, applied_, Output(h.data(), q.size()));
  } else {
    free_(t, q, qd, applied_, acceleration_);
    h.noalias() = problem_.M * Eigen::Map<const Eigen::VectorXd>(acceleration_.data(), h.size());
  }
}

void JointConstraints::copy_accelerations(Output qdd) const {
  std::copy_n(problem_.w.data(), qdd.size(), qdd.begin());
}

/// Accelerations and constraint forces where the accelerations target_ of all joints are given.
void JointConstraints::solve_by_hybrid_dynamics(double t, Input q, Input qd, Output qdd) {
  prescribed_motion_(t, q, qd, target_, qdd, forces_);
  for (std::size_t i = 0; i < held_.size(); ++i)
    problem_.lambda[eigen_index(i)] = forces_[i] - applied_[i];
  has_forces_ = true;
}

void JointConstraints::accelerations(double t, double time, Input q, Input qd, Output qdd) {
  has_forces_ = false;
  if (prescribed_count_ == 0) {
    free_(t, q, qd, applied_, qdd);
    return;
  }
  if (follows_drives_) {
    if (qdd.size() == held_.size()) {
      drives_->accelerations(q, qd, time, qdd);
    } else {
      drives_->accelerations(q, qd, time, target_);
      prescribed_motion_(t, q, qd, target_, qdd, forces_);
    }
    return;
  }
  bool needs_forces = qdd.size() > held_.size();
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (tracks_[i] != 0) {
      target_[i] = drives_->acceleration(i, q[i], qd[i], time);
    } else if (held_[i] != 0) {
      target_[i] = 0.0;
      needs_forces = needs_forces || !driven(i);
    }
  }
  if (has_drives() && !has_loops_ && prescribed_count_ == held_.size()) {
    if (needs_forces) {
      solve_by_hybrid_dynamics(t, q, qd, qdd);
    } else {
      std::copy(target_.begin(), target_.end(), qdd.begin());
    }
    return;
  }
  forced_.clear();
  problem_.lambda.setZero();
  for (std::size_t i = 0; i < held_.size(); ++i) {
    given_[i] = prescribed(i) ? 1 : 0;
    if (given_[i] == 0) continue;
    problem_.w[eigen_index(i)] = target_[i];
    if (!has_loops_) continue;
    forced_.push_back(i);
    if (held_[i] != 0)
      problem_.lambda[eigen_index(i)] = std::clamp(0.0, hold_lower_[i], hold_upper_[i]);
  }
  fill_problem(t, q, qd);
  if (!problem_.solve_linear(given_)) throw_singular();
  copy_accelerations(qdd);
  has_forces_ = true;
}

bool JointConstraints::has_stop(std::size_t joint, int side) const {
  return std::isfinite(stop(joint, side));
}

void JointConstraints::stop_sliding(Output qd) const {
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (sliding_[i] != 0 && dry_friction_[i] > 0.0 && tracks_[i] == 0 && sliding_[i] * qd[i] <= 0.0)
      qd[i] = 0.0;
  }
}

void JointConstraints::clamp_to_stops(Output q) const {
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (!ideal(i)) q[i] = std::clamp(q[i], lower_[i], upper_[i]);
  }
}

void JointConstraints::update(double t, Output q, Output qd) {
  stop_sliding(qd);
  if (has_loops_) settle(t, q, qd);
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (dry_friction_[i] > 0.0 && qd[i] == 0.0) held_[i] = 1;
  }
  choose_modes(t, 0.0, q, qd);
}

void JointConstraints::lock(double t, std::size_t joint, bool locked, Output q, Output qd) {
  locked_[joint] = locked ? 1 : 0;
  changes_modes_ = true;
  if (!locked) {
    held_[joint] = can_be_held(joint) ? 1 : 0;
    choose_modes(t, 0.0, q, qd);
    return;
  }
  held_[joint] = 1;
  impact(t, q, qd);
}

void JointConstraints::drive_efforts(double t, Input q, Input qd, Output efforts) {
  std::fill(efforts.begin(), efforts.end(), 0.0);
  if (prescribed_count_ == 0 && !has_initial_) return;
  // drives without limits
  if (!has_forces_) solve_by_hybrid_dynamics(t, q, qd, acceleration_);
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (!drives_->driven(i)) continue;
    const double limit = drives_->limit(i), force = problem_.lambda[eigen_index(i)];
    if (tracks_[i] != 0) {
      efforts[i] = force;
    } else if (held_[i] == 0) {
      efforts[i] = saturated_[i];
    } else {
      // a drive that holds its joint takes as much of the force as it can
      efforts[i] =
          desired_[i] == 0.0 ? std::clamp(force, -limit, limit) : std::copysign(limit, desired_[i]);
    }
  }
}

}  // namespace dynamics
