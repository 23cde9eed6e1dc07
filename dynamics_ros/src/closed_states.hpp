// SPDX-License-Identifier: Apache-2.0
#pragma once

// States of mechanisms with closed loops. A request has values of the independent joints, and the
// others follow, or of all joints, which must close the loops.

#include <cstddef>
#include <dynamics_core/closed_loops.hpp>
#include <string>
#include <vector>

#include "robot.hpp"

namespace dynamics_ros {

/// Whether the joints that a request names, a flag by coordinate, include one that is not
/// independent. Then all joints must be named: throws Fault naming `field` and the missing ones.
bool names_all_joints(const dynamics::Mechanism& mechanism, const std::vector<bool>& seen,
                      const std::string& field);

/// The names of the independent joints: "'crank', 'drive'".
std::string independent_joints(const dynamics::Mechanism& mechanism);

/// Completes states, state after state in arrays with one entry per joint. Call positions() first.
/// Throws Fault naming `field`[k], or positions and so on if `field` is empty: one state.
class ClosedStates {
 public:
  /// `all`: the values of all joints are given; otherwise those of the independent joints.
  ClosedStates(const dynamics::Mechanism& mechanism, bool all, const char* field)
      : mechanism_(mechanism), workspace_(mechanism), all_(all), field_(field) {}

  /// From the independent joints: on the branch of the state before, the first on that of the
  /// mechanism's start. All joints must close the loops to 1e-6, and are moved onto them.
  void positions(std::vector<double>& q);
  /// In positions that close the loops. Those of all joints must keep them closed to 1e-6.
  void velocities(const std::vector<double>& q, std::vector<double>& qd);
  void accelerations(const std::vector<double>& q, const std::vector<double>& qd,
                     std::vector<double>& qdd);

 private:
  std::string name_of(std::size_t k, const char* member) const;
  template <class Change>
  void at_states(std::vector<double>& values, const char* member, const Change& change);

  const dynamics::Mechanism& mechanism_;
  dynamics::MechanismWorkspace workspace_;
  bool all_;
  const char* field_;
};

/// Completes states in which a request names these joints in `joint_names`; nothing without closed
/// loops. `qd` may be null.
void close_states(const Robot& robot, const std::vector<std::size_t>& coordinates,
                  const char* field, std::vector<double>& q, std::vector<double>* qd);

}  // namespace dynamics_ros
