// SPDX-License-Identifier: Apache-2.0
#pragma once

// RunInputs: what acts on the robot besides its actuators, over time: wrenches on links, changes of
// the payload, locked joints.

#include <memory>
#include <span>
#include <vector>

#include "dynamics_core/simulate.hpp"
#include "simulation/joint_constraints.hpp"
#include "simulation/run_events.hpp"
#include "simulation/schedule.hpp"

namespace dynamics {

class RunInputs {
 public:
  /// `plant` refers to the simulation's current plant, which a change of the payload replaces.
  /// Throws ArgumentError naming the link, joint or time that does not fit.
  RunInputs(Plant*& plant, const SimulationOptions& options, StateLayout layout,
            JointConstraints* constraints, RunEvents& events, Recording& run);

  /// The times at which an input jumps, with what happens there.
  Schedule& schedule() { return schedule_; }

  bool has_wrenches() const { return !wrenches_.empty(); }
  /// Adds J^T w of the wrenches at time t to `forces`, one entry per coordinate.
  void add_wrenches(double t, std::span<const double> q, std::span<double> forces);

 private:
  struct Wrenched {
    const LinkWrenchHistory* history;
    std::size_t frame;
  };

  void add_wrench(const LinkWrenchHistory& history, double duration, Recording& run);
  void add_payload_change(const PayloadChange& change, double duration);
  void add_lock(const JointLock& lock, double duration);

  Plant*& plant_;
  StateLayout layout_;
  JointConstraints* constraints_;
  RunEvents& events_;
  Schedule schedule_;
  std::vector<Wrenched> wrenches_;
  std::vector<std::unique_ptr<Plant>> plants_;  ///< with changed payloads
};

}  // namespace dynamics
