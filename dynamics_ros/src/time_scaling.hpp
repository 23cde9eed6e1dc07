// SPDX-License-Identifier: Apache-2.0
#pragma once

// Slowing a motion down along its path until efforts and velocities stay within their limits.
//
// Run at the share x <= 1 of its speed, a motion q(u) asks at every place for the efforts
//
//   tau(x) = g(q) + friction(x q') + (M q'' + C q') x^2
//
// Each joint's is monotone, convex or concave in x (friction opposes the motion, and grows ever
// more slowly), so the largest x that a place allows is found exactly; the smallest of these that
// all places allow is the uniform answer. Factors of segments come from rate_profile.hpp; the
// motion through the slowed points is then judged itself, and slowed further where it exceeds.

#include <cstddef>
#include <vector>

#include "robot.hpp"
#include "timed_path.hpp"

namespace dynamics_ros {

struct ScalingOptions {
  bool per_segment = false;
  bool friction = true;
  double effort_share = 1.0, velocity_share = 1.0;  ///< of the limits
  double largest_factor = 1000.0;
  std::size_t interior_points = 0;  ///< put between two points
};

struct ScaledPath {
  TimedPath path;
  std::vector<double> factors;  ///< of the segments, one for the uniform way
  double largest_effort_ratio = 0.0, largest_velocity_ratio = 0.0;
  double path_deviation = 0.0;
};

/// Throws Fault with LIMITS_NOT_MET or NOT_CONVERGED, naming joint and point.
ScaledPath scale(const Robot& robot, const TimedPath& path, const ScalingOptions& options);

}  // namespace dynamics_ros
