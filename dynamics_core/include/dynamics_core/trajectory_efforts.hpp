// SPDX-License-Identifier: Apache-2.0
#pragma once

// Efforts (torques and forces) along a trajectory: whether they stay within the joint limits, and
// the terms they consist of.
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
#include <optional>
#include <span>
#include <vector>

#include "dynamics_core/batch.hpp"
#include "dynamics_core/export.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/view.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

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

}  // namespace dynamics
