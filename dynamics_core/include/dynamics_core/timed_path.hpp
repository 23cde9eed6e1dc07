// SPDX-License-Identifier: Apache-2.0
#pragma once

// A trajectory as points with time stamps, and the interpolation between them.
//
//   dynamics::TimedPath path;
//   path.times = {0, 500'000'000, 1'000'000'000};       // ns
//   path.q = {0.0, 0.0, 0.4, -0.1, 1.0, -0.3};          // two coordinates at three points
//   std::vector<double> q(2), qd(2), qdd(2);
//   dynamics::interpolate(path)->at(0.25, q, qd, qdd);  // s
//
// Between two points the trajectory is a quintic if qdd is given, a cubic if qd is given, else the
// cubic spline through q that starts and ends at rest. Before the first and after the last point
// the robot stands still.
//
// All functions here throw ArgumentError, naming the array and the point, if an array does not have
// one row of coordinates per point, if a number is not finite, or if the times are negative or do
// not increase. They allocate, and may be called from several threads at once.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "dynamics_core/export.hpp"
#include "dynamics_core/trajectory.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// Positions at points in time, and optionally velocities and accelerations. Entry k * size() + i
/// is coordinate i at point k; units are rad or m, and s.
struct TimedPath {
  std::vector<std::int64_t> times;  ///< one per point (ns)
  std::vector<double> q;
  std::vector<double> qd, qdd;  ///< may be empty

  /// Number of points.
  std::size_t points() const { return times.size(); }
  /// Coordinates of the robot.
  std::size_t size() const { return times.empty() ? 0 : q.size() / times.size(); }
};

/// Nanoseconds as seconds, rounded as the trajectory files are: sec + 1e-9 nanosec.
inline double to_seconds(std::int64_t nanoseconds) {
  constexpr std::int64_t second = 1'000'000'000;
  const std::int64_t whole = nanoseconds / second, rest = nanoseconds % second;
  return static_cast<double>(whole) + 1e-9 * static_cast<double>(rest);
}

/// The trajectory through the points.
std::unique_ptr<Trajectory> interpolate(const TimedPath& path);

/// The same points with qd and qdd of the interpolation where the path has none. At an inner point
/// qdd is that of the segment that starts there.
TimedPath with_derivatives(const TimedPath& path);

/// The same trajectory with `interior` more points between any two, evenly spaced in time. The path
/// must have qd. Throws ArgumentError if two points are less than `interior` + 1 ns apart.
TimedPath with_interior_points(const TimedPath& path, std::size_t interior);

/// Largest distance of a coordinate of `made` from the nearest state of `path`, sampled between the
/// points. `made` passes the points of `path` at times of its own: both have the same points().
double path_deviation(const TimedPath& made, const TimedPath& path);

/// Samples of a segment between its two points: of path_deviation() and of time scaling.
inline constexpr std::size_t samples_between_points = 7;

}  // namespace dynamics
