// SPDX-License-Identifier: Apache-2.0
#pragma once

// A trajectory in model order, and the motion that its own spline makes of it.

#include <cstddef>
#include <cstdint>
#include <dynamics_core/trajectory.hpp>
#include <memory>
#include <vector>

namespace dynamics_ros {

/// Points of a motion of the whole robot: entry k * size + i is coordinate i at point k. Between
/// them a quintic where qdd is given, a cubic where qd is, else the spline through q.
struct TimedPath {
  std::vector<std::int64_t> times;  ///< (ns)
  std::vector<double> q, qd, qdd;   ///< the last ones may be empty
};

/// As the core reads them from files: sec + 1e-9 nanosec.
inline double seconds(std::int64_t nanoseconds) {
  constexpr std::int64_t second = 1'000'000'000;
  const std::int64_t whole = nanoseconds / second, rest = nanoseconds % second;
  return static_cast<double>(whole) + 1e-9 * static_cast<double>(rest);
}

/// `size`: coordinates of the robot.
std::unique_ptr<dynamics::Trajectory> motion_of(const TimedPath& path, std::size_t size);

/// The same motion with so many points more between any two. Needs qd. Throws Fault where two are
/// too close for that.
TimedPath with_interior_points(const TimedPath& path, std::size_t size, std::size_t interior);

/// How far a motion departs from another one's path, whose points it passes: the largest distance
/// of any joint, at places between the points.
double deviation(const TimedPath& made, const TimedPath& path, std::size_t size);

/// Places between two points that are looked at.
inline constexpr std::size_t places_between = 7;

}  // namespace dynamics_ros
