// SPDX-License-Identifier: Apache-2.0
#pragma once

// Efforts (torques and forces) along a trajectory: whether they stay within the joint limits, the
// terms they consist of, and time scaling, which slows a trajectory down until they do.
//
//   dynamics::BatchWorkspace workspace(model);
//   std::vector<double> tau(q.size());
//   dynamics::batch::inverse_dynamics(model, workspace, q, qd, qdd, tau);
//   const auto verdict = dynamics::check_effort_limits(model, tau);
//   if (verdict.violation) {
//     const std::string& joint = model.coordinates()[verdict.violation->coordinate].name;
//     std::cout << joint << " exceeds its limit at point " << verdict.violation->point << '\n';
//   }
//
// Arrays hold state after state, in the order of Model::coordinates(): entry k * n + i is
// coordinate i at point k. Efforts and limits are in N m, or N for prismatic joints.
//
// A wrong size, an unknown coordinate or a number that is not finite throws ArgumentError naming
// the argument. The functions allocate; different threads may share the model.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dynamics_core/batch.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/trajectory.hpp"
#include "dynamics_core/view.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// The largest effort of one coordinate along a trajectory.
struct EffortPeak {
  std::size_t coordinate = 0;
  double peak = 0.0;      ///< largest |tau|
  std::size_t point = 0;  ///< where it occurs, the first of several
  double limit = 0.0;     ///< infinity if the joint has none
  double ratio = 0.0;     ///< peak / limit; 0 if the peak is 0
};

/// The result of check_effort_limits().
struct EffortVerdict {
  /// A point at which a limit is exceeded.
  struct Violation {
    std::size_t point = 0;
    std::size_t coordinate = 0;  ///< with the largest ratio of effort to limit at that point
  };

  std::vector<EffortPeak> peaks;       ///< one per coordinate that was checked
  std::optional<Violation> violation;  ///< at the first point where a limit is exceeded
  /// True if no limit is exceeded.
  bool within_limits() const { return !violation; }
};

/// Compares efforts with the limits of Coordinate::effort. Effort equal to its limit is allowed; a
/// limit of 0 allows only an effort of 0.
EffortVerdict check_effort_limits(const Model& model, ConstVector tau);
/// The same for some of the coordinates, in the order given. `tau` has those of all coordinates.
EffortVerdict check_effort_limits(const Model& model, ConstVector tau,
                                  std::span<const std::size_t> coordinates);

/// Terms that add up to the effort at each point.
struct EffortParts {
  std::vector<double> gravity;   ///< g(q)
  std::vector<double> velocity;  ///< C(q, qd) qd
  std::vector<double> inertia;   ///< M(q) qdd
  std::vector<double> friction;  ///< damping and Coulomb friction; 0 if left out
};

/// Cost: three batches of inverse dynamics. Throws StateError naming the point if its dynamics has
/// no solution or overflows.
EffortParts effort_parts(const Model& model, BatchWorkspace& workspace, ConstVector q,
                         ConstVector qd, ConstVector qdd, bool friction = true);

// Time scaling: slows a trajectory down along its path until efforts and velocities stay within the
// limits of the model.
//
//   dynamics::BatchWorkspace workspace(model);
//   const dynamics::ScaledPath scaled = dynamics::scale_time(model, workspace, path);
//   if (scaled.outcome == dynamics::ScaledPath::Outcome::success) execute(scaled.path);
//   else std::cerr << scaled.message << '\n';  // names joint and point
//
// Method uniform runs the whole trajectory at one rate x <= 1. At rate x the efforts are
// g(q) - J^T w + friction(x q') + (M q'' + C q') x^2 with wrenches w; the largest x that every
// sample allows is found by bisection. The path stays exactly the same. Method per_segment gives
// every segment a factor of its own, slow only where the limits require it (Bobrow, Dubowsky and
// Gibson 1985; Pham and Pham 2018); the trajectory through the slowed points is then checked itself
// and slowed further where it exceeds a limit. It is never slower than uniform scaling.
//
// Limits are checked at the points, on both sides of each, and at samples_between_points samples
// between two points. A trajectory is never made faster. Velocities at start and end are slowed
// down like all others.

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
  /// Wrenches that act on links from outside all along the path.
  std::vector<LinkWrench> wrenches;
  /// Called before each check of the path with the share of the work that is done, 0 to 1 and never
  /// decreasing. Returning false ends the call with Outcome::canceled.
  std::function<bool(double)> progress;
};

/// The result of scale_time().
struct ScaledPath {
  /// Whether the limits are met.
  enum class Outcome {
    success,
    limits_not_met,  ///< gravity alone exceeds a limit, or largest_factor or latest_time is too low
    not_converged,   ///< the iteration ended before the limits were met
    canceled         ///< by TimeScalingOptions::progress
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
/// the model has, or that is not valid (see TimedPath), and for options out of range; throws
/// StateError naming the point if its dynamics has no solution or overflows. Allocates. Different
/// threads may share the model, each with its own workspace.
ScaledPath scale_time(const Model& model, BatchWorkspace& workspace, const TimedPath& path,
                      const TimeScalingOptions& options = {});

}  // namespace dynamics
#pragma GCC visibility pop
