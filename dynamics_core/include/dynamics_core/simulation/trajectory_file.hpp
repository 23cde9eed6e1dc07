// SPDX-License-Identifier: Apache-2.0
#pragma once

// Desired motions from files.
//
// CSV: first row: names. A column `t` (s, increasing from 0 or later) and, for every coordinate of
// the robot, `q_NAME`; optionally `qd_NAME` and `qdd_NAME` for all of them; other columns are
// ignored. YAML: the layout of trajectory_msgs/JointTrajectory: joint_names in any order, and
// points with positions, optionally velocities and accelerations, and time_from_start (sec and
// nanosec, or seconds).
//
// Between the points: a quintic where q, qd and qdd are given, a cubic where q and qd are, else the
// cubic spline through q that starts and ends at rest. Before the first and after the last point
// the robot stands.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/model/model.hpp"
#include "dynamics_core/simulation/motion.hpp"

namespace dynamics {

/// Knots of a motion; qd and qdd may be empty. Entries: [knot][coordinate].
struct Knots {
  std::vector<double> t;
  std::vector<std::vector<double>> q, qd, qdd;
};

/// The motion through these knots. Throws ArgumentError naming the knot.
std::unique_ptr<Motion> knot_motion(Knots knots);

/// Throws ModelError naming file, line, column and what would be right.
Knots read_trajectory_csv(std::string_view text, std::string_view file_name, const Model& model);

Knots read_trajectory_yaml(std::string_view text, std::string_view file_name, const Model& model);

}  // namespace dynamics
