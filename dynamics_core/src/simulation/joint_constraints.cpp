// SPDX-License-Identifier: Apache-2.0
#include "simulation/joint_constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/eigen_index.hpp"

namespace dynamics {
namespace {

constexpr double drive_tolerance = 1e-7;      // of drives that come to rest (rad/s^2 or m/s^2)
constexpr double gap_tolerance = 1e-12;       // relative to the position of the stop
constexpr double relative_tolerance = 1e-10;  // of forces

int sign(double x) { return x > 0.0 ? 1 : -1; }

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

double JointConstraints::sliding_margin(Input qd) const {
  double least = 1.0;
  for (std::size_t i = 0; i < sliding_.size(); ++i) {
    if (sliding_[i] != 0 && dry_friction_[i] > 0.0 && tracks_[i] == 0)
      least = std::min(least, sliding_[i] * qd[i] + speed_tolerance);
  }
  return least;
}

bool JointConstraints::has_stop(std::size_t joint, int side) const {
  return std::isfinite(stop(joint, side));
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

void JointConstraints::set_law(std::size_t i) {
  ForceLaw& law = problem_.laws[i];
  const bool at_rest = held_[i] != 0;
  if (driven(i)) law.add_force(desired_[i], drives_->limit(i));
  if (at_rest) law.add_force(0.0, locked_[i] != 0 ? infinity : dry_friction_[i]);
  if (at_rest && contact_[i] != 0) {
    law.add_stop(0.0, contact_[i]);
    if (lower_[i] == upper_[i]) law.add_stop(0.0, -contact_[i]);
  }
  std::size_t& segment = problem_.segments[i];
  segment = 2 * law.riser_at(desired_[i]) + 1;
  if (!driven(i) || drives_->limit(i) == infinity) return;
  if (at_rest && guess_[i] == Guess::held) segment = 2 * law.riser_at(0.0) + 1;
  if (!at_rest && guess_[i] == Guess::saturated_up) --segment;
  if (!at_rest && guess_[i] == Guess::saturated_down) ++segment;
}

void JointConstraints::set_mode(std::size_t i) {
  const bool at_rest = held_[i] != 0, has_drive = driven(i);
  const ForceLaw& law = problem_.laws[i];
  const std::size_t k = problem_.segments[i] / 2;
  if (problem_.on_riser(i)) {
    const ForceLaw::Riser& riser = law.riser(k);
    if (at_rest && riser.at == 0.0) {  // held, by the drive too if it has one
      hold_lower_[i] = riser.lower;
      hold_upper_[i] = riser.upper;
      guess_[i] = Guess::held;
      return;
    }
    tracks_[i] = 1;
    guess_[i] = Guess::tracks;
    if (at_rest) {
      slide(i, sign(riser.at));
      problem_.lambda[eigen_index(i)] -= friction_[i];  // the force of the drive alone
    }
  } else {
    if (at_rest) slide(i, k > law.riser_at(0.0) ? 1 : -1);
    if (has_drive) {
      const bool up = k <= law.riser_at(desired_[i]);
      saturated_[i] = up ? drives_->limit(i) : -drives_->limit(i);
      guess_[i] = up ? Guess::saturated_up : Guess::saturated_down;
    }
  }
  applied_[i] = friction_[i] + saturated_[i];
}

/// Tries the risers that the joints start from, where all have laws. Returns false if a force is
/// outside of its interval.
bool JointConstraints::choose_by_hybrid_dynamics(double t, Input q, Input qd) {
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (!problem_.on_riser(i)) return false;
    target_[i] = problem_.riser(i).at;
  }
  solve_by_hybrid_dynamics(t, q, qd, acceleration_);
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const double force = problem_.lambda[eigen_index(i)];
    if (!(force >= problem_.riser(i).lower && force <= problem_.riser(i).upper)) return false;
  }
  return true;
}

/// Tries the accelerations of the drives, where all joints have drives and none is at rest. Returns
/// false if a drive cannot exert the force that this takes.
bool JointConstraints::follow_drives(double t, double time, Input q, Input qd) {
  if (!has_drives() || has_loops_ || !drives_->all_driven()) return false;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (held_[i] != 0 || guess_[i] == Guess::saturated_up || guess_[i] == Guess::saturated_down)
      return false;
    applied_[i] = friction_[i];
    tracks_[i] = 1;
  }
  drives_->accelerations(q, qd, time, target_);
  if (drives_->any_limited() || acceleration_.size() > held_.size()) {
    solve_by_hybrid_dynamics(t, q, qd, acceleration_);
    for (std::size_t i = 0; i < held_.size(); ++i) {
      if (!(std::abs(problem_.lambda[eigen_index(i)]) <= drives_->limit(i))) return false;
    }
  } else {
    std::copy(target_.begin(), target_.end(), acceleration_.begin());
  }
  prescribed_count_ = held_.size();
  follows_drives_ = has_initial_ = true;
  return true;
}

void JointConstraints::choose_modes(double t, double time, Input q, Input qd) {
  has_forces_ = has_initial_ = has_inertia_ = false;
  const bool constrained = changes_modes_ || (has_drives() && drives_->any_driven());
  if (!std::exchange(was_constrained_, constrained) && !constrained) return;
  if (follow_drives(t, time, q, qd)) return;
  follows_drives_ = has_forces_ = false;
  prescribed_count_ = 0;
  problem_.clear();
  forced_.clear();
  std::size_t count = 0;
  bool at_rest = false;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    tracks_[i] = 0;
    saturated_[i] = 0.0;
    if (held_[i] != 0) {
      friction_[i] = 0.0;
      sliding_[i] = 0;
      at_rest = true;
    }
    applied_[i] = friction_[i];
    if (held_[i] == 0 && !driven(i)) continue;
    desired_[i] = driven(i) ? drives_->acceleration(i, q[i], qd[i], time) : 0.0;
    // a drive does not push against a stop
    if (held_[i] != 0 && (contact_[i] * desired_[i] > 0.0 ||
                          std::abs(desired_[i]) <= drive_tolerance || locked_[i] != 0))
      desired_[i] = 0.0;
    set_law(i);
    ++count;
    if (has_loops_) forced_.push_back(i);
  }
  if (count == 0) return;
  // follow_drives() has tried the case without joints at rest
  const bool try_risers = has_drives() && !has_loops_ && count == held_.size() && at_rest;
  if (!try_risers || !choose_by_hybrid_dynamics(t, q, qd)) {
    fill_problem(t, q, qd);
    solve_problem();
    copy_accelerations(acceleration_);
    has_forces_ = true;
    has_inertia_ = !has_loops_;
  }
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (problem_.laws[i].count() == 0) continue;
    set_mode(i);
    if (prescribed(i)) ++prescribed_count_;
    held_at_[i] = std::clamp(q[i], lower_[i], upper_[i]);
  }
  has_initial_ = true;
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
