// SPDX-License-Identifier: Apache-2.0
// SimulatedRobot in the control loop: requests, time and steps. The caller holds the lock.
#include <algorithm>
#include <cmath>
#include <exception>
#include <rclcpp/logging.hpp>
#include <tuple>

#include "dynamics_sim/simulated_robot.hpp"

namespace dynamics_sim {

void SimulatedRobot::release(std::size_t coordinate) {
  hold_[coordinate] = simulation_->positions()[coordinate];
  dynamics::JointCommand& command = simulation_->commands()[coordinate];
  switch (parameters_.unclaimed[coordinate]) {
    case Unclaimed::free: command = dynamics::JointCommand::effort(0.0); break;
    case Unclaimed::brake: command = dynamics::JointCommand::velocity(0.0); break;
    case Unclaimed::hold: command = dynamics::JointCommand::position(hold_[coordinate]); break;
  }
}

/// Applies a payload, a reset and wrenches received since the last call.
void SimulatedRobot::apply_requests() noexcept {
  if (auto next = link_->payload.take()) {
    if (next->continue_from(*simulation_)) simulation_.swap(next);
    link_->payload.give_back(std::move(next));
    link_->payloads.fetch_add(1, std::memory_order_release);
  }
  if (link_->reset.has_pending()) apply_reset();
  wrenches_.take(link_->wrenches, *simulation_);
}

/// Gives back the state before the reset, so that the sender can return to it.
void SimulatedRobot::apply_reset() noexcept {
  auto state = link_->reset.take();
  if (!state) return;
  std::copy_n(simulation_->positions().begin(), before_.q.size(), before_.q.begin());
  std::copy_n(simulation_->velocities().begin(), before_.qd.size(), before_.qd.begin());
  try {
    simulation_->reset(state->q, state->qd);  // was checked by the sender
    std::swap(*state, before_);
    remainder_ = 0;
    late_ = unsolved_ = 0;
    wrenches_.clear(link_->wrenches);
    ++restarts_;
    link_->time = clock_->time.load();
    for (std::size_t i = 0; i < hold_.size(); ++i) release(i);
    link_->reset_refused = false;
  } catch (const std::exception& error) {
    RCLCPP_ERROR(rclcpp::get_logger("dynamics_sim"), "%s is not reset: %s", link_->name().c_str(),
                 error.what());
    link_->reset_refused = true;
  }
  link_->reset.give_back(std::move(state));
  link_->resets.fetch_add(1, std::memory_order_release);
}

/// Applies requests at a time at which the hardware is not read.
void SimulatedRobot::serve() noexcept {
  const Lock guard = try_lock();
  if (!guard.owns_lock() || faulted_) return;
  apply_requests();
  if (!evaluate()) return;
  for (const Member& one : members_) {
    if (one.serve) one.serve();
  }
}

/// Time to simulate in this cycle (ns): the period, or as given by the owner of the clock, a pause
/// or single steps.
std::int64_t SimulatedRobot::time_to_simulate(std::int64_t period) noexcept {
  if (SystemRegistry::instance().clock_is_owned()) {
    const std::int64_t now = clock_->time;
    const std::int64_t passed = now - link_->time.exchange(now, std::memory_order_acq_rel);
    return link_->active ? std::max<std::int64_t>(passed, 0) : 0;
  }
  if (!link_->active) return 0;
  if (link_->paused) {
    std::uint64_t left = link_->steps.load();
    const bool one = left > 0 && link_->steps.compare_exchange_strong(left, left - 1);
    return one ? period_ : 0;
  }
  // after a delay do not catch up, which would delay the loop further
  const std::int64_t longest = std::llround(parameters_.largest_period * 1e9);
  if (period > longest) late_ += static_cast<std::uint64_t>((period - longest) / step_);
  return std::clamp<std::int64_t>(period, 0, longest);
}

bool SimulatedRobot::advance(std::int64_t nanoseconds) noexcept {
  remainder_ += nanoseconds;
  bool ok = true;
  if (remainder_ >= step_) simulation_->begin(static_cast<std::size_t>(remainder_ / step_));
  for (; ok && remainder_ >= step_; remainder_ -= step_) {
    ok = simulation_->step();
    wrenches_.count_step(*simulation_);
  }
  return ok && evaluate();
}

bool SimulatedRobot::evaluate() noexcept {
  if (!simulation_->evaluate()) return false;
  std::ignore = simulation_->measure();
  energy_ = simulation_->energy();
  return true;
}

/// Whether this reading is the first one of a control period. The controller manager reads the
/// blocks in the order in which they were loaded; it reads those with a lower rate less often.
bool SimulatedRobot::starts_period(Member& member) const noexcept {
  if (SystemRegistry::instance().clock_is_owned() && clock_->time != link_->time) return true;
  const bool is_slow = std::any_of(members_.begin(), members_.end(), [&](const Member& one) {
    return one.configured && one.rate > member.rate;
  });
  if (is_slow) return false;
  return member.was_read || !has_stepper_ || member.number < stepper_;
}

bool SimulatedRobot::read(const BlockLink& block, bool changed, std::int64_t period) noexcept {
  if (faulted_) return false;
  const auto own = std::find_if(members_.begin(), members_.end(),
                                [&](const Member& one) { return one.link.get() == &block; });
  if (starts_period(*own)) {
    for (Member& one : members_) one.was_read = false;
    stepper_ = own->number;
    has_stepper_ = true;
    apply_requests();
    faulted_ = !advance(time_to_simulate(period));
  } else if (changed) {
    faulted_ = !evaluate();
  }
  own->was_read = true;
  return !faulted_;
}

bool SimulatedRobot::take_unsolved() noexcept {
  const std::uint64_t now = simulation_->statistics().unsolved;
  const bool more = now > unsolved_;
  unsolved_ = now;
  return more;
}

}  // namespace dynamics_sim
