// SPDX-License-Identifier: Apache-2.0
#include "simulation/run_inputs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace dynamics {
namespace {

void check_time(const char* what, double t, double duration) {
  if (t >= 0.0 && t < duration) return;
  throw ArgumentError(
      fmt::format("{} at {} s must lie within the {} s of the simulation", what, t, duration));
}

}  // namespace

RunInputs::RunInputs(Plant*& plant, const SimulationOptions& options, StateLayout layout,
                     JointConstraints* constraints, RunEvents& events, Recording& run)
    : plant_(plant), layout_(layout), constraints_(constraints), events_(events) {
  for (const LinkWrenchHistory& history : options.wrenches)
    add_wrench(history, options.duration, run);
  for (const PayloadChange& change : options.payload_changes)
    add_payload_change(change, options.duration);
  for (const JointLock& lock : options.locks) add_lock(lock, options.duration);
}

void RunInputs::add_wrench(const LinkWrenchHistory& history, double duration, Recording& run) {
  const Model& model = plant_->model();
  if (!history.wrench)
    throw ArgumentError(fmt::format("the wrench on link '{}' has no function", history.link));
  const std::size_t frame = model.frame(history.link);
  if (model.frames()[frame].body < 0) {
    throw ArgumentError(fmt::format(
        "a wrench on link '{}' has no effect: the link is fixed to the base", history.link));
  }
  wrenches_.push_back({&history, frame});
  for (const double t : history.breakpoints) schedule_.add(t, duration);
  if (!history.pulse) return;
  check_time("a push", history.pulse->start, duration);
  run.pushes.push_back({history.link, history.pulse->start, std::min(history.pulse->end, duration),
                        history.pulse->force, plant_->mass_center(frame)});
}

void RunInputs::add_wrenches(double t, std::span<const double> q, std::span<double> forces) {
  const double time = before(schedule_.next(), t);
  for (const Wrenched& on : wrenches_) {
    const Wrench wrench = on.history->wrench(time);
    if (wrench.force.isZero(0.0) && wrench.moment.isZero(0.0)) continue;
    plant_->add_wrench_at_mass_center(t, q, on.frame, wrench, forces);
  }
}

void RunInputs::add_payload_change(const PayloadChange& change, double duration) {
  check_time("a change of the payload", change.time, duration);
  const Plant& before_change = plants_.empty() ? *plant_ : *plants_.back();
  if (!change.payload && !before_change.model().payload()) {
    throw ArgumentError(fmt::format(
        "the payload is dropped at {} s but the model has no payload: give it one", change.time));
  }
  plants_.push_back(before_change.with_payload(change.payload));
  Plant* const next = plants_.back().get();
  std::string what = change.payload ? fmt::format("the payload is now {:.6g} kg on {}",
                                                  change.payload->mass, change.payload->frame)
                                    : "the payload is dropped";
  schedule_.add(change.time, duration,
                [this, next, what = std::move(what)](double t, std::span<double> y) {
                  const auto replace = [&] {
                    plant_ = next;
                    if (constraints_ != nullptr) constraints_->replace_plant(*plant_);
                  };
                  events_.change_and_add_work(t, y, replace);
                  events_.log(t, what);
                });
}

void RunInputs::add_lock(const JointLock& lock, double duration) {
  const std::size_t joint = plant_->model().coordinate(lock.joint);
  check_time("a lock", lock.start, duration);
  if (!(lock.end > lock.start)) {
    throw ArgumentError(
        fmt::format("joint '{}' is locked from {} s until {} s: the end must be "
                    "after the start",
                    lock.joint, lock.start, lock.end));
  }
  const auto change = [this, joint](bool locked) {
    return [this, joint, locked](double t, std::span<double> y) {
      const auto apply = [&] { constraints_->lock(t, joint, locked, layout_.q(y), layout_.qd(y)); };
      events_.change_and_add_work(t, y, apply);
      events_.log(t, fmt::format("{} is {}", plant_->model().coordinates()[joint].name,
                                 locked ? "locked" : "unlocked"));
    };
  };
  if (lock.start == 0.0) {
    constraints_->lock_at_start(joint);
  } else {
    schedule_.add(lock.start, duration, change(true));
  }
  schedule_.add(lock.end, duration, change(false));
}

}  // namespace dynamics
