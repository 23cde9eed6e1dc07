// SPDX-License-Identifier: Apache-2.0
#pragma once

// Time scaling: slows a trajectory down along its path until efforts and velocities stay within the
// limits of the model.
//
//   dynamics::BatchWorkspace workspace(model);
//   const dynamics::ScaledPath scaled = dynamics::scale_time(model, workspace, path);
//   if (scaled.outcome == dynamics::ScaledPath::Outcome::success) execute(scaled.path);
//   else std::cerr << scaled.message << '\n';  // names joint and point
//
// Method uniform runs the whole trajectory at one rate x <= 1. At rate x the efforts are
// g(q) + friction(x q') + (M q'' + C q') x^2; the largest x that every sample allows is found by
// bisection. The path stays exactly the same. Method per_segment gives every segment a factor of
// its own, slow only where the limits require it (Bobrow, Dubowsky and Gibson 1985; Pham and Pham
// 2018); the trajectory through the slowed points is then checked itself and slowed further where
// it exceeds a limit. It is never slower than uniform scaling.
//
// Limits are checked at the points, on both sides of each, and at samples_between_points samples
// between two points. A trajectory is never made faster. Velocities at start and end are slowed
// down like all others.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dynamics_core/batch.hpp"
#include "dynamics_core/export.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/timed_path.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// Options of scale_time().
struct TimeScalingOptions {
  /// One rate for the trajectory, or one per segment.
  enum class Method { uniform, per_segment };
  Method method = Method::uniform;
  bool friction = true;            ///< damping and Coulomb friction of the joints
  double effort_share = 1.0;       ///< share of the effort limits to use, above 0 and at most 1
  double velocity_share = 1.0;     ///< share of the velocity limits to use, above 0 and at most 1
  double largest_factor = 1000.0;  ///< largest slow-down to try, 1 or more
  /// Points to add on the path between two points, evenly in time. With per_segment the trajectory
  /// passes all points exactly; more points keep it closer to the path between them.
  std::size_t interior_points = 0;
  static constexpr std::int64_t latest_time_limit = 4'000'000'000'000'000'000;
  std::int64_t latest_time = latest_time_limit;  ///< of the last scaled point (ns)
  std::string points_name = "points";            ///< in messages: "points[3]"
};

/// The result of scale_time().
struct ScaledPath {
  /// Whether the limits are met.
  enum class Outcome {
    success,
    limits_not_met,  ///< gravity alone exceeds a limit, or largest_factor or latest_time is too low
    not_converged    ///< the iteration ended before the limits were met
  };
  Outcome outcome = Outcome::success;
  std::string message;  ///< empty on success, else names joint and point

  // Of a success:

  /// The slowed points: with qd, and with qdd if the given path has qdd. Times are rounded up to
  /// whole nanoseconds.
  TimedPath path;
  /// Duration of each segment of `path` relative to the given one, 1 or more; one entry for
  /// uniform.
  std::vector<double> factors;
  /// Largest effort and velocity of any joint relative to its full limit, at all samples.
  double largest_effort_ratio = 0.0, largest_velocity_ratio = 0.0;
  double path_deviation = 0.0;  ///< see path_deviation(); 0 for uniform (rad or m)
};

/// Throws ArgumentError for a path of fewer than two points, of another number of coordinates than
/// the model has, or that is not valid (see timed_path.hpp), and for options out of range; throws
/// StateError naming the point if its dynamics has no solution or overflows. Allocates. Different
/// threads may share the model, each with its own workspace.
ScaledPath scale_time(const Model& model, BatchWorkspace& workspace, const TimedPath& path,
                      const TimeScalingOptions& options = {});

}  // namespace dynamics
