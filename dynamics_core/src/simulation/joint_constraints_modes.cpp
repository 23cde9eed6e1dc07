// SPDX-License-Identifier: Apache-2.0
// Joint constraints: which joints are held and which drives saturate.

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/eigen_index.hpp"
#include "simulation/joint_constraints.hpp"

namespace dynamics {

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

}  // namespace dynamics
