// SPDX-License-Identifier: Apache-2.0
#pragma once

// JointDrives: the commands of the joints, and the accelerations that their drives aim at (the laws
// are in real_time_simulation.hpp).
//
//   drives.read_commands();                            // after every change of the commands
//   drives.begin_step(q, qd);                          // starts ideal tracking at each new period
//   if (drives.driven(i)) qdd[i] = drives.acceleration(i, q[i], qd[i], time_in_step);
//   drives.end_step(q, qd);                            // exact targets at the end of a period

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "dynamics_core/real_time_simulation.hpp"

namespace dynamics {

class JointDrives {
 public:
  /// Throws ArgumentError for invalid options.
  JointDrives(const Plant& plant, const RealTimeOptions& options);

  std::span<JointCommand> commands() { return commands_; }
  /// Prepares the queries below. Returns whether a command has changed since the last call. Throws
  /// StateError naming a joint whose command is not finite, or that has no actuator.
  bool read_commands();

  /// A drive has a feed-forward effort.
  bool any_fed() const { return any_fed_; }
  /// Replaces the drives with feed-forward effort by this effort, until feed().
  void release_fed();
  /// Returns to these drives; they add the accelerations of their efforts, by coordinate.
  void feed(std::span<const double> accelerations);

  std::size_t size() const { return commands_.size(); }  ///< number of joints
  /// The joint has a position or velocity command.
  bool driven(std::size_t i) const { return drives_[i].driven; }
  /// It is driven with ideal tracking.
  bool ideal(std::size_t i) const { return drives_[i].ideal; }
  /// Largest effort of the drive.
  double limit(std::size_t i) const { return drives_[i].limit; }
  /// Effort commands within the limits, by joint; zero for driven joints.
  std::span<const double> efforts() const { return efforts_; }
  bool any_driven() const { return any_driven_; }
  bool any_ideal() const { return any_ideal_; }
  bool all_driven() const { return all_driven_; }
  /// A drive has a limit of its effort.
  bool any_limited() const { return any_limited_; }
  /// Acceleration that the drive aims at, `time` since the start of the step.
  double acceleration(std::size_t i, double q, double qd, double time) const {
    const Drive& drive = drives_[i];
    if (drive.ideal) return tracked_acceleration(i, time);
    const double rate = drive.velocity + drive.stiffness * (drive.position - q);
    return drive.feedforward +
           drive.gain * (std::clamp(rate, -drive.max_velocity, drive.max_velocity) - qd);
  }

  /// The same of all joints.
  void accelerations(std::span<const double> q, std::span<const double> qd, double time,
                     std::span<double> qdd) const {
    for (std::size_t i = 0; i < drives_.size(); ++i) qdd[i] = acceleration(i, q[i], qd[i], time);
  }

  /// Starts a period of this number of steps.
  void begin(std::size_t steps) {
    period_ = steps;
    done_ = 0;
  }
  void begin_step(std::span<const double> q, std::span<const double> qd);
  void end_step(std::span<double> q, std::span<double> qd);

  /// Effort commands of zero.
  void reset();
  void copy_from(const JointDrives& other);

 private:
  struct Track {                            // motion of an ideally tracked joint in the period
    double position = 0.0, velocity = 0.0;  // at its end
    double first = 0.0, last = 0.0;         // acceleration at both ends, linear in between
  };
  struct Limits {
    double lower, upper, velocity, effort;
  };
  struct Drive {
    bool driven = false, ideal = false, fed = false;
    double limit = 0.0;
    // qdd = feedforward + gain (velocity + stiffness (position - q) - qd)
    double gain = 0.0, stiffness = 0.0, position = 0.0, velocity = 0.0, max_velocity = 0.0;
    double feedforward = 0.0;
  };

  void summarize();
  double tracked_acceleration(std::size_t i, double time) const;
  void start_track(std::size_t i, double q, double qd, double duration);

  RealTimeOptions options_;
  std::vector<Limits> limits_;  // infinite if they do not apply
  std::vector<std::string> names_;
  std::vector<bool> actuated_;
  std::vector<JointCommand> commands_, read_;
  std::vector<Drive> drives_;
  std::vector<double> efforts_;
  std::vector<Track> tracks_;
  std::size_t period_ = 0, done_ = 0;  // steps
  bool any_driven_ = false, all_driven_ = false, any_ideal_ = false, any_limited_ = false;
  bool any_fed_ = false;
};

}  // namespace dynamics
