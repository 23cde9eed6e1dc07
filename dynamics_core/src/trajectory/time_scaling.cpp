// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "dynamics_core/trajectory_efforts.hpp"
#include "dynamics_core/view.hpp"
#include "trajectory/path_samples.hpp"
#include "trajectory/rate_profile.hpp"

namespace dynamics {
namespace {

using Method = TimeScalingOptions::Method;
using Outcome = ScaledPath::Outcome;

void check_options(const TimeScalingOptions& options) {
  const auto check_share = [](double share, const char* name) {
    if (share > 0.0 && share <= 1.0) return;
    throw ArgumentError(fmt::format("{} is {}; it must be above 0 and at most 1", name, share));
  };
  check_share(options.effort_share, "effort_share");
  check_share(options.velocity_share, "velocity_share");
  if (!(options.largest_factor >= 1.0 && std::isfinite(options.largest_factor))) {
    throw ArgumentError(
        fmt::format("largest_factor is {}; it must be 1 or more", options.largest_factor));
  }
  if (options.latest_time <= 0 || options.latest_time > TimeScalingOptions::latest_time_limit) {
    throw ArgumentError(fmt::format("latest_time is {} ns; it must be above 0 and at most {}",
                                    options.latest_time, TimeScalingOptions::latest_time_limit));
  }
}

/// Thrown where the caller cancels.
struct Canceled {};

/// The path to be scaled: with velocities, and with the interior points.
TimedPath prepared(const TimedPath& path, std::size_t size, std::size_t interior_points) {
  if (path.points() < 2) {
    throw ArgumentError(
        fmt::format("the path has {} points; scaling needs two or more", path.points()));
  }
  if (path.q.size() != path.points() * size) {
    throw ArgumentError(
        fmt::format("q of the path has {} entries; {} are needed, {} for each of "
                    "{} points",
                    path.q.size(), path.points() * size, size, path.points()));
  }
  TimedPath made = path;
  if (made.qd.empty()) made.qd = with_derivatives(path).qd;
  return with_interior_points(made, interior_points);
}

SampleLimits limits_of(const Model& model, const TimeScalingOptions& options) {
  SampleLimits limits;
  for (const Coordinate& coordinate : model.coordinates()) {
    limits.effort.push_back(options.effort_share * coordinate.effort);
    limits.velocity.push_back(options.velocity_share * coordinate.velocity);
  }
  return limits;
}

ScaledPath failure(Outcome outcome, std::string message) {
  ScaledPath made;
  made.outcome = outcome;
  made.message = std::move(message);
  return made;
}

constexpr int most_rounds = 60;

class TimeScaling {
 public:
  TimeScaling(const Model& model, BatchWorkspace& workspace, const TimedPath& path,
              const TimeScalingOptions& options)
      : model_(model),
        n_(model.size()),
        options_(options),
        path_(prepared(path, n_, options.interior_points)),
        sampler_(model, workspace, limits_of(model, options), options.friction, options.wrenches,
                 [this](std::size_t sample) { return where(sample); }),
        samples_(sampler_.sample(path_)) {}

  ScaledPath uniform() {
    Bottleneck bottleneck;
    const double rate =
        sampler_.largest_rate(samples_, 0, segments() * samples_per_segment, 1.0, bottleneck);
    if (!(rate * options_.largest_factor >= 1.0)) {
      return failure(Outcome::limits_not_met, why_too_slow(rate, bottleneck));
    }
    double factor = 1.0 / rate;
    // rounding, also to whole nanoseconds, may require a little more
    for (double more = 1e-9; more < 1e-2; more *= 4.0) {
      auto made = slowed(std::vector<double>(segments() + 1, 1.0 / factor));
      if (!made) return too_late();
      if (within_limits(*made, bottleneck)) {
        made->factors = {factor};
        return std::move(*made);
      }
      factor *= 1.0 + more;
    }
    return failure(Outcome::not_converged, fmt::format("at a factor of {:.6g} {} is still above",
                                                       factor, describe(bottleneck)));
  }

  ScaledPath per_segment() {
    ScaledPath one_rate = uniform();
    const bool solved = one_rate.outcome == Outcome::success;
    if (solved && one_rate.factors[0] == 1.0) {
      one_rate.factors.assign(segments(), 1.0);
      return one_rate;
    }
    ScaledPath found = by_segment();
    if (solved && (found.outcome != Outcome::success ||
                   found.path.times.back() >= one_rate.path.times.back())) {
      one_rate.factors.assign(segments(), one_rate.factors[0]);
      return one_rate;
    }
    if (found.outcome != Outcome::success) return one_rate;  // its message names a joint
    found.path_deviation = path_deviation(found.path, path_);
    return found;
  }

 private:
  /// Each check counts as one part of those that may be needed: of the uniform rate, and of
  /// most_rounds rounds by segment.
  void report_progress() {
    constexpr double parts = most_rounds + 2.0;
    const double share = std::min(1.0, static_cast<double>(checks_++) / parts);
    if (options_.progress && !options_.progress(share)) throw Canceled();
  }

  std::size_t segments() const { return path_.points() - 1; }
  double duration(std::size_t segment) const {
    return to_seconds(path_.times[segment + 1] - path_.times[segment]);
  }

  /// A time or duration multiplied by a factor, rounded up and never shortened; nothing if that is
  /// beyond latest_time.
  std::optional<std::int64_t> longer(std::int64_t time, double factor) const {
    const double wanted = std::ceil(static_cast<double>(time) * factor);
    if (!(wanted <= static_cast<double>(options_.latest_time))) return std::nullopt;
    return std::max(time, static_cast<std::int64_t>(wanted));
  }

  /// The points passed at these rates, with the factors of the segments; nothing if they end after
  /// latest_time.
  std::optional<ScaledPath> slowed(const std::vector<double>& rate) const {
    ScaledPath made;
    made.path = path_;
    const std::size_t last = segments();
    const auto rate_change = [&](std::size_t segment) {  // u'' of a segment
      return 0.5 * (rate[segment + 1] * rate[segment + 1] - rate[segment] * rate[segment]) /
             duration(segment);
    };
    for (std::size_t k = 0; k <= last; ++k) {
      double change = 0.0;  // mean of the adjacent segments
      if (k > 0) change += rate_change(k - 1);
      if (k < last) change += rate_change(k);
      if (k > 0 && k < last) change *= 0.5;
      for (std::size_t i = 0; i < n_; ++i) {
        const std::size_t at = k * n_ + i;
        made.path.qd[at] *= rate[k];
        if (path_.qdd.empty()) continue;
        made.path.qdd[at] = path_.qdd[at] * rate[k] * rate[k] + path_.qd[at] * change;
      }
    }
    for (std::size_t k = 0; k < last; ++k) {
      const double factor = 2.0 / (rate[k] + rate[k + 1]);
      made.factors.push_back(factor);
      if (k == 0) {
        const auto start = longer(path_.times[0], factor);
        if (!start) return std::nullopt;
        made.path.times[0] = *start;
      }
      const auto length = longer(path_.times[k + 1] - path_.times[k], factor);
      if (!length || !longer(made.path.times[k] + *length, 1.0)) return std::nullopt;
      made.path.times[k + 1] = made.path.times[k] + *length;
    }
    return made;
  }

  /// Checks a slowed trajectory at its own samples: sets its ratios, checked_ and excess_, and the
  /// worst violation as the bottleneck.
  bool within_limits(ScaledPath& made, Bottleneck& bottleneck) {
    report_progress();
    checked_ = sampler_.sample(made.path);
    excess_ = 0.0;
    made.largest_effort_ratio = made.largest_velocity_ratio = 0.0;
    const auto check = [&](double value, double allowed, double limit, double& largest,
                           const Bottleneck& here) {
      if (value == 0.0) return;
      largest = max_propagating_nan(largest, value / limit);
      if (value <= allowed || value / allowed - 1.0 < excess_) return;  // NaN exceeds
      // positive also if the quotient is rounded to 1
      excess_ = std::max(value / allowed - 1.0, std::numeric_limits<double>::min());
      bottleneck = here;
    };
    const SampleLimits& limits = sampler_.limits();
    for (std::size_t sample = 0; sample < segments() * samples_per_segment; ++sample) {
      const auto& friction = sampler_.friction(checked_, sample, 1.0);
      for (std::size_t i = 0; i < n_; ++i) {
        const std::size_t at = sample * n_ + i;
        const auto& joint = model_.coordinates()[i];
        check(std::abs(checked_.v[at]), limits.velocity[i], joint.velocity,
              made.largest_velocity_ratio, {sample, i, false});
        check(std::abs(checked_.gravity[at] + friction[i] + checked_.inertia[at]), limits.effort[i],
              joint.effort, made.largest_effort_ratio, {sample, i, true});
      }
    }
    return excess_ == 0.0;
  }

  /// Bounds on y, the squares of the rates: friction is that of the given y, and the limits are
  /// reduced by a margin.
  RateProblem rate_problem(const std::vector<double>& momentum, const std::vector<double>& largest,
                           const std::vector<double>& y, double margin) {
    RateProblem problem;
    problem.smallest.assign(segments() + 1, smallest_y());
    problem.largest = largest;
    problem.segments.resize(segments());
    const SampleLimits& limits = sampler_.limits();
    for (std::size_t k = 0; k < segments(); ++k) {
      const double per_change = 0.5 / duration(k);
      for (std::size_t i = 0; i < samples_per_segment; ++i) {
        const std::size_t sample = k * samples_per_segment + i;
        const double share = sample_share(i);
        const double now = (1.0 - share) * y[k] + share * y[k + 1];
        const auto& friction = sampler_.friction(samples_, sample, std::sqrt(now));
        for (std::size_t j = 0; j < n_; ++j) {
          const std::size_t at = sample * n_ + j;
          const double speed = std::abs(samples_.v[at]);
          const double allowed_speed = (1.0 - margin) * limits.velocity[j];
          if (speed > allowed_speed) {
            const double rate = allowed_speed / speed;
            problem.segments[k].push_back({1.0 - share, share, -1.0, rate * rate});
          }
          if (std::isinf(limits.effort[j])) continue;
          const double at_rest = samples_.gravity[at] + friction[j];
          const double effort = (1.0 - margin) * limits.effort[j];
          problem.segments[k].push_back(
              {samples_.inertia[at] * (1.0 - share) - momentum[at] * per_change,
               samples_.inertia[at] * share + momentum[at] * per_change, -effort - at_rest,
               effort - at_rest});
        }
      }
    }
    return problem;
  }

  double smallest_y() const { return 1.0 / (options_.largest_factor * options_.largest_factor); }

  ScaledPath by_segment() {
    const std::vector<double> momentum = sampler_.momentum(samples_);
    std::vector<double> largest(segments() + 1, 1.0), y = largest, rate(segments() + 1);
    Bottleneck bottleneck;
    double margin = 0.0;
    bool with_margin = true;
    for (int round = 0; round < most_rounds; ++round) {
      const RateProfile profile = largest_rates(rate_problem(momentum, largest, y, margin));
      if (profile.infeasible_segment && margin > 0.0) {
        margin = 0.0;
        with_margin = false;
        continue;
      }
      if (profile.infeasible_segment) return infeasible(*profile.infeasible_segment);
      y = profile.y;
      std::transform(y.begin(), y.end(), rate.begin(),
                     [](double value) { return std::sqrt(value); });
      auto made = slowed(rate);
      if (!made) return too_late();
      if (within_limits(*made, bottleneck)) return std::move(*made);
      // rounding to whole nanoseconds differs from round to round: leave a margin for that
      constexpr double small = 1e-3;
      if (with_margin && excess_ < small) margin = std::min(margin + 1.5 * excess_, 10.0 * small);
      if (const auto segment = lower_rates(y, largest)) return infeasible(*segment);
    }
    return failure(Outcome::not_converged, fmt::format("after {} rounds {} is still above",
                                                       most_rounds, describe(bottleneck)));
  }

  /// Lowers the largest y at both ends of each segment of checked_ that exceeds a limit. Returns a
  /// segment that would have to be slower than largest_factor allows.
  std::optional<std::size_t> lower_rates(const std::vector<double>& y,
                                         std::vector<double>& largest) {
    for (std::size_t k = 0; k < segments(); ++k) {
      Bottleneck here;
      const double allowed = sampler_.largest_rate(checked_, k * samples_per_segment,
                                                   (k + 1) * samples_per_segment, 1.0, here);
      if (allowed == 1.0) continue;
      const double share = allowed * allowed * (1.0 - 1e-8);  // of y, less what rounding needs
      largest[k] = std::min(largest[k], share * y[k]);
      largest[k + 1] = std::min(largest[k + 1], share * y[k + 1]);
      if (largest[k] < smallest_y() || largest[k + 1] < smallest_y()) return k;
    }
    return std::nullopt;
  }

  // ---- messages

  /// "points[2]", or between two points of the given path
  std::string where(std::size_t sample) const {
    const std::size_t segment = sample / samples_per_segment, inside = sample % samples_per_segment;
    const std::size_t pieces = options_.interior_points + 1;
    const std::size_t point = inside == 0 ? segment : segment + 1;
    const std::string& name = options_.points_name;
    if ((inside == 0 || inside + 1 == samples_per_segment) && point % pieces == 0) {
      return fmt::format("{}[{}]", name, point / pieces);
    }
    return fmt::format("between {}[{}] and {}[{}]", name, segment / pieces, name,
                       segment / pieces + 1);
  }

  std::string describe(const Bottleneck& what) const {
    return fmt::format("the {} of joint '{}' at {}", what.effort ? "effort" : "velocity",
                       model_.coordinates()[what.joint].name, where(what.sample));
  }

  std::string why_too_slow(double rate, const Bottleneck& what) const {
    if (rate > 0.0) {
      return fmt::format("{} requires a factor of {:.6g}; largest_factor is {:.6g}", describe(what),
                         1.0 / rate, options_.largest_factor);
    }
    if (what.effort) return too_heavy(what);
    return fmt::format("joint '{}' moves at {}, but its velocity limit is 0",
                       model_.coordinates()[what.joint].name, where(what.sample));
  }

  std::string too_heavy(const Bottleneck& what) const {
    const auto& joint = model_.coordinates()[what.joint];
    const char* unit = joint.prismatic ? "N" : "N m";
    return fmt::format(
        "{} {:.6g} {} of joint '{}' at {}; {:.6g} {} are allowed, and no slow-down helps",
        options_.wrenches.empty() ? "gravity alone requires" : "gravity and the wrenches require",
        std::abs(samples_.gravity[what.sample * n_ + what.joint]), unit, joint.name,
        where(what.sample), sampler_.limits().effort[what.joint], unit);
  }

  ScaledPath too_late() const {
    return failure(Outcome::limits_not_met,
                   fmt::format("the limits require a trajectory that ends after {:.10g} s, the "
                               "latest time allowed",
                               to_seconds(options_.latest_time)));
  }

  ScaledPath infeasible(std::size_t segment) const {
    const std::size_t first = segment * samples_per_segment;
    for (std::size_t sample = first; sample < first + samples_per_segment; ++sample) {
      for (std::size_t i = 0; i < n_; ++i) {
        if (std::abs(samples_.gravity[sample * n_ + i]) > sampler_.limits().effort[i]) {
          return failure(Outcome::limits_not_met, too_heavy({sample, i, true}));
        }
      }
    }
    return failure(
        Outcome::limits_not_met,
        fmt::format("the limits are not met {} with a factor of {:.6g}, which is largest_factor",
                    where(first + 1), options_.largest_factor));
  }

  const Model& model_;
  std::size_t n_;
  TimeScalingOptions options_;
  TimedPath path_;
  PathSampler sampler_;
  PathSamples samples_;  ///< of the given path
  PathSamples checked_;  ///< of the slowed trajectory checked last
  std::size_t checks_ = 0;
  double excess_ = 0.0;  ///< by which share that one exceeds what is allowed, at most
};

}  // namespace

ScaledPath scale_time(const Model& model, BatchWorkspace& workspace, const TimedPath& path,
                      const TimeScalingOptions& options) {
  check_options(options);
  try {
    TimeScaling scaling(model, workspace, path, options);
    return options.method == Method::per_segment ? scaling.per_segment() : scaling.uniform();
  } catch (const Canceled&) {
    return failure(Outcome::canceled, "canceled");
  }
}

}  // namespace dynamics
