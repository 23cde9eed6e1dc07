// SPDX-License-Identifier: Apache-2.0
#include "simulation/joint_drives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dynamics_core/error.hpp"
#include "simulation/complementarity.hpp"

namespace dynamics {

JointDrives::JointDrives(const Plant& plant, const RealTimeOptions& options)
    : options_(options),
      commands_(plant.joints()),
      drives_(plant.joints()),
      efforts_(plant.joints(), 0.0),
      tracks_(plant.joints()) {
  const Model& model = plant.model();
  const auto require_positive = [](const char* name, double value, const char* unit) {
    if (!std::isfinite(value) || !(value > 0.0))
      throw ArgumentError(fmt::format("{} is {} {}: must be greater than zero", name, value, unit));
  };
  require_positive("step", options.step, "s");
  require_positive("bandwidth", options.bandwidth, "rad/s");
  if (options.bandwidth * options.step > 1.0) {
    throw ArgumentError(
        fmt::format("bandwidth {} rad/s times step {} s is greater than 1: the drives would be "
                    "unstable",
                    options.bandwidth, options.step));
  }
  if (!options.ideal.empty() && options.ideal.size() != model.size()) {
    throw ArgumentError(fmt::format("ideal has {} entries: {} or 0 are required",
                                    options.ideal.size(), model.size()));
  }
  read_.reserve(model.size());
  for (const Coordinate& joint : model.coordinates()) {
    actuated_.push_back(plant.actuated(names_.size()));
    names_.push_back(joint.name);
    limits_.push_back(options.limits
                          ? Limits{joint.lower, joint.upper, joint.velocity, joint.effort}
                          : Limits{-infinity, infinity, infinity, infinity});
  }
}

bool JointDrives::read_commands() {
  if (commands_ == read_) return false;
  read_.clear();
  any_fed_ = false;
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    const JointCommand& command = commands_[i];
    if (!std::isfinite(command.effort_value) || !std::isfinite(command.velocity_value) ||
        !std::isfinite(command.position_value) || !std::isfinite(command.acceleration_value))
      throw StateError("joint '" + names_[i] + "'", "its command is not finite");
    if (!actuated_[i] && command != JointCommand()) {
      throw StateError("joint '" + names_[i] + "'",
                       "has a command, but no actuator: it follows from the closed loops");
    }
    Drive& drive = drives_[i];
    const Limits& limits = limits_[i];
    drive.driven = command.mode != JointCommand::Mode::effort;
    const bool accelerated = command.mode == JointCommand::Mode::acceleration;
    drive.ideal = drive.driven && !accelerated && !options_.ideal.empty() && options_.ideal[i];
    drive.fed = drive.driven && !drive.ideal && !accelerated && command.with_effort;
    drive.feedforward = accelerated ? command.acceleration_value : 0.0;
    drive.limit = drive.ideal ? infinity : limits.effort;
    any_fed_ = any_fed_ || drive.fed;
    efforts_[i] =
        drive.driven ? 0.0 : std::clamp(command.effort_value, -limits.effort, limits.effort);
    const bool position = command.mode == JointCommand::Mode::position;
    drive.gain = position ? 2.0 * options_.bandwidth : accelerated ? 0.0 : options_.bandwidth;
    drive.stiffness = position ? 0.5 * options_.bandwidth : 0.0;
    drive.position = std::clamp(command.position_value, limits.lower, limits.upper);
    drive.velocity = command.velocity_value;
    drive.max_velocity = limits.velocity;
  }
  summarize();
  read_ = commands_;
  return true;
}

void JointDrives::summarize() {
  any_driven_ = any_ideal_ = any_limited_ = false;
  all_driven_ = true;
  for (const Drive& drive : drives_) {
    any_driven_ = any_driven_ || drive.driven;
    all_driven_ = all_driven_ && drive.driven;
    any_ideal_ = any_ideal_ || drive.ideal;
    any_limited_ = any_limited_ || (drive.driven && drive.limit < infinity);
  }
}

void JointDrives::release_fed() {
  read_.clear();  // should there be no feed(): all commands are read again
  for (std::size_t i = 0; i < drives_.size(); ++i) {
    if (!drives_[i].fed) continue;
    drives_[i].driven = false;
    efforts_[i] = std::clamp(commands_[i].effort_value, -limits_[i].effort, limits_[i].effort);
  }
  summarize();
}

void JointDrives::feed(std::span<const double> accelerations) {
  read_ = commands_;
  for (std::size_t i = 0; i < drives_.size(); ++i) {
    if (!drives_[i].fed) continue;
    drives_[i].driven = true;
    drives_[i].feedforward = accelerations[i];
    efforts_[i] = 0.0;
  }
  summarize();
}

double JointDrives::tracked_acceleration(std::size_t i, double time) const {
  const Track& track = tracks_[i];
  if (done_ >= period_) return track.last;
  const double fraction =
      (static_cast<double>(done_) + time / options_.step) / static_cast<double>(period_);
  return track.first + fraction * (track.last - track.first);
}

/// Computes the cubic from the current state to the commanded state at the end of the period.
void JointDrives::start_track(std::size_t i, double q, double qd, double duration) {
  const JointCommand& command = commands_[i];
  const Limits& limits = limits_[i];
  Track& track = tracks_[i];
  if (command.mode == JointCommand::Mode::velocity) {
    track.velocity = std::clamp(command.velocity_value, -limits.velocity, limits.velocity);
    track.position = q + 0.5 * duration * (qd + track.velocity);
  } else {
    const double distance = command.position_value - q;
    const double displacement =
        std::clamp(distance, -limits.velocity * duration, limits.velocity * duration);
    track.position = q + displacement;
    // without the round-off of the sum
    if (displacement == distance) track.position = command.position_value;
    track.velocity = command.with_velocity
                         ? std::clamp(command.velocity_value, -limits.velocity, limits.velocity)
                         : displacement / duration;
  }
  if (track.position < limits.lower || track.position > limits.upper) {
    track.position = std::clamp(track.position, limits.lower, limits.upper);
    track.velocity = 0.0;
  }
  const double mean = (track.position - q) / duration;
  track.first = (6.0 * mean - 4.0 * qd - 2.0 * track.velocity) / duration;
  track.last = (-6.0 * mean + 2.0 * qd + 4.0 * track.velocity) / duration;
}

void JointDrives::begin_step(std::span<const double> q, std::span<const double> qd) {
  if (done_ >= period_) begin(1);
  if (done_ > 0 || options_.ideal.empty()) return;
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    tracks_[i] = {};
    if (ideal(i)) start_track(i, q[i], qd[i], static_cast<double>(period_) * options_.step);
  }
}

void JointDrives::end_step(std::span<double> q, std::span<double> qd) {
  ++done_;
  if (done_ != period_ || options_.ideal.empty()) return;
  // without the round-off of the integration, which is exact for cubics
  for (std::size_t i = 0; i < commands_.size(); ++i) {
    if (!ideal(i)) continue;
    q[i] = tracks_[i].position;
    qd[i] = tracks_[i].velocity;
  }
}

void JointDrives::reset() {
  std::fill(commands_.begin(), commands_.end(), JointCommand());
  std::fill(tracks_.begin(), tracks_.end(), Track());
  period_ = done_ = 0;
}

void JointDrives::copy_from(const JointDrives& other) {
  commands_ = other.commands_;
  tracks_ = other.tracks_;
  period_ = other.period_;
  done_ = other.done_;
}

}  // namespace dynamics
