// SPDX-License-Identifier: Apache-2.0
#pragma once

// TrajectoryFollower: the reference of joints that follow trajectories, one after the other,
// without jumps.
//
//   follower.send(std::make_unique<TrackedTrajectory>(...));   // another thread
//   follower.update(now, period, q, qd);                       // control loop
//   use(follower.q(), follower.qd(), follower.qdd());
//
// A trajectory may start while the reference moves. The difference of position, velocity and
// acceleration at its start decays on a quintic polynomial until the trajectory's next point. A
// trajectory without path brings the reference to rest.
//
// Tolerances are those of joint_trajectory_controller: of the position while the trajectory runs,
// of position and velocity at its end. A violation ends the trajectory: the reference is then at
// rest at the measured position.

#include <atomic>
#include <cstdint>
#include <dynamics_core/trajectory.hpp>
#include <memory>
#include <span>
#include <vector>

#include "dynamics_controllers/exchange.hpp"

namespace dynamics_controllers {

/// A trajectory with its tolerances. Lists have one entry per joint; a tolerance of 0 is none.
struct TrackedTrajectory {
  std::unique_ptr<dynamics::Trajectory> path;  ///< null: come to rest
  std::vector<double> times;                   ///< of its points, increasing (s)
  std::int64_t start = 0;                      ///< time of its zero (ns); 0: when it is received
  std::uint64_t id = 0;                        ///< reported at its end; 0: it is not
  std::vector<double> path_position, goal_position, goal_velocity;
  double goal_time = 0.0;  ///< time after the end to reach the goal (s); 0: any

  double duration() const { return times.empty() ? 0.0 : times.back(); }
};

/// How a trajectory ended.
enum class Outcome : std::uint8_t { none, succeeded, path_tolerance, goal_tolerance };

/// See above.
class TrajectoryFollower {
 public:
  /// `continuous`: joints whose error is taken within half a turn. `stop_time`: in which the
  /// reference comes to rest (s).
  void configure(std::vector<bool> continuous, double stop_time);

  void send(std::unique_ptr<TrackedTrajectory> trajectory) { mailbox_.send(std::move(trajectory)); }
  /// The trajectory that ended last.
  struct Ended {
    std::uint64_t id = 0;
    Outcome outcome = Outcome::none;
  };
  Ended ended() const;

  // of the control loop

  /// At rest at q; what was sent before is dropped. May free memory.
  void start(std::span<const double> q);
  /// Moves the reference on to `now` (ns).
  void update(std::int64_t now, double period, std::span<const double> q,
              std::span<const double> qd) noexcept;
  /// Takes over a reference of others.
  void set(std::span<const double> q, std::span<const double> qd, std::span<const double> qdd);
  std::span<const double> q() const { return q_; }
  std::span<const double> qd() const { return qd_; }
  std::span<const double> qdd() const { return qdd_; }
  /// q_ref - q of joint i, within half a turn for a continuous joint.
  double error(std::size_t i, double q) const noexcept;

 private:
  void begin(double elapsed) noexcept;
  void check(std::span<const double> q, std::span<const double> qd) noexcept;
  void end(Outcome outcome) noexcept;
  void correct(double duration) noexcept;

  Mailbox<TrackedTrajectory> mailbox_;
  std::unique_ptr<TrackedTrajectory> active_, waiting_, retired_;
  std::vector<bool> continuous_;
  double stop_time_ = 0.0;
  double elapsed_ = 0.0;
  bool running_ = false;  // active_ has not ended yet
  bool follows_ = false;  // the path of active_; else at rest
  std::vector<double> q_, qd_, qdd_;
  std::vector<double> rest_;  // where the reference is at rest without path
  std::vector<double> path_q_, path_qd_, path_qdd_;
  std::vector<double> offset_, offset_rate_, offset_acceleration_;  // at the start
  double correction_ = 0.0, corrected_ = 0.0;  // duration and time of the correction
  std::atomic<std::uint64_t> ended_{0};
};

}  // namespace dynamics_controllers
