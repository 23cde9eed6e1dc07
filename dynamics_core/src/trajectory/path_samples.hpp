// SPDX-License-Identifier: Apache-2.0
#pragma once

// Samples of a trajectory and the largest rate that the limits allow at each of them.
//
// At the rate x <= 1 of its own speed, a trajectory needs at a sample the efforts
//
//   tau(x) = g(q) - J^T w + friction(x q') + (M q'' + C q') x^2
//
// Each joint's effort is monotone, convex or concave in x (friction opposes the motion and grows
// ever more slowly), so the largest x that a sample allows is found by bisection.

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "dynamics_core/batch.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/trajectory.hpp"
#include "dynamics_core/workspace.hpp"

namespace dynamics {

/// Samples per segment, both end points included.
inline constexpr std::size_t samples_per_segment = samples_between_points + 2;

/// Position of a sample within its segment, from 0 to 1.
inline double sample_share(std::size_t sample) {
  return static_cast<double>(sample) / static_cast<double>(samples_per_segment - 1);
}

/// State and efforts at all samples of a trajectory: entry s * n + i is coordinate i at sample s,
/// which is sample s % samples_per_segment of segment s / samples_per_segment.
struct PathSamples {
  std::vector<double> q, v, a;  ///< position, velocity, acceleration
  std::vector<double> gravity;  ///< g - J^T w: what does not depend on the rate
  std::vector<double> inertia;  ///< M a + C v, proportional to the square of the rate
};

/// The joint and sample whose limit keeps a trajectory from running faster.
struct Bottleneck {
  std::size_t sample = 0, joint = 0;
  bool effort = false;  ///< of the effort limit, else of the velocity limit
};

/// Largest allowed values, one per coordinate.
struct SampleLimits {
  std::vector<double> effort, velocity;
};

class PathSampler {
 public:
  using SampleName = std::function<std::string(std::size_t)>;  ///< for messages

  PathSampler(const Model& model, BatchWorkspace& workspace, SampleLimits limits, bool friction,
              std::vector<LinkWrench> wrenches, SampleName name);

  const SampleLimits& limits() const { return limits_; }

  /// Throws StateError naming the sample if its dynamics has no solution or overflows.
  PathSamples sample(const TimedPath& path);

  /// M v at every sample.
  std::vector<double> momentum(const PathSamples& samples);

  /// Friction of all joints at a sample that is passed at a rate; valid until the next call.
  const std::vector<double>& friction(const PathSamples& samples, std::size_t sample, double rate);

  /// The largest rate up to `rate` that the samples from `begin` to `end` allow, 0 if there is
  /// none. `bottleneck` is set if that is less than `rate`.
  double largest_rate(const PathSamples& samples, std::size_t begin, std::size_t end, double rate,
                      Bottleneck& bottleneck);

 private:
  /// M qdd + C qd + g - J^T w
  void inverse_dynamics(const std::vector<double>& q, const std::vector<double>& qd,
                        const std::vector<double>& qdd, std::vector<double>& tau);
  double effort(const PathSamples& samples, std::size_t sample, std::size_t joint, double rate);
  std::optional<std::size_t> joint_beyond_limit(const PathSamples& samples, std::size_t sample,
                                                double rate);
  double slower(const PathSamples& samples, std::size_t sample, std::size_t joint, double rate);

  const Model& model_;
  BatchWorkspace& batch_;
  Workspace single_;
  SampleLimits limits_;
  bool has_friction_;
  std::vector<LinkWrench> wrenches_;
  SampleName name_;
  std::vector<double> friction_, speed_;
};

}  // namespace dynamics
