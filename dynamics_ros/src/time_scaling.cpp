// SPDX-License-Identifier: Apache-2.0
#include "time_scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <dynamics_core/inverse_dynamics.hpp>
#include <dynamics_core/maximum.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "fault.hpp"
#include "rate_profile.hpp"

namespace dynamics_ros {
namespace {

constexpr std::size_t parts = places_between + 1;  // of a segment
constexpr std::size_t rows = parts + 1;            // places of a segment, both ends included

/// A motion and its efforts at every judged place; row r is place r % rows of segment r / rows.
struct Places {
  std::vector<double> q, v, a;  ///< position, velocity, acceleration
  std::vector<double> gravity;  ///< efforts at rest
  std::vector<double> inertia;  ///< M a + C v, what grows with the square of the speed
};

/// What keeps a motion from being faster.
struct Obstacle {
  std::size_t place = 0, joint = 0;
  bool effort = false;
};

class Scaling {
 public:
  Scaling(const Robot& robot, const TimedPath& path, const ScalingOptions& options)
      : robot_(robot),
        model_(robot.model),
        n_(model_.size()),
        options_(options),
        path_(with_interior_points(path, model_.size(), options.interior_points)),
        loan_(robot.workspace()),
        friction_(n_, 0.0),
        speed_(n_) {
    for (const auto& joint : model_.coordinates()) {
      effort_.push_back(options.effort_share * joint.effort);
      velocity_.push_back(options.velocity_share * joint.velocity);
    }
    places_ = places_of(path_, *motion_of(path_, n_));
  }

  ScaledPath uniform() {
    Obstacle obstacle;
    const double rate = largest_rate(places_, 0, segments() * rows, 1.0, obstacle);
    if (!(rate * options_.largest_factor >= 1.0)) refuse(rate, obstacle);
    double factor = 1.0 / rate;
    // whole nanoseconds and rounding may take a little more
    for (double more = 1e-9; more < 1e-2; more *= 4.0) {
      ScaledPath made = stretched(std::vector<double>(segments() + 1, 1.0 / factor));
      if (judge(made, obstacle)) {
        made.factors = {factor};
        return made;
      }
      factor *= 1.0 + more;
    }
    throw Fault(ResultCode::NOT_CONVERGED,
                fmt::format("at a factor of {:.6g} {} is still above", factor, describe(obstacle)));
  }

  ScaledPath per_segment() {
    std::optional<ScaledPath> whole;
    std::optional<Fault> reason;
    try {
      whole = uniform();
    } catch (const Fault& fault) {
      reason = fault;
    }
    if (whole && whole->factors[0] == 1.0) {
      whole->factors.assign(segments(), 1.0);
      return *whole;
    }
    std::optional<ScaledPath> found = by_segment(reason);
    if (whole && (!found || found->path.times.back() >= whole->path.times.back())) {
      whole->factors.assign(segments(), whole->factors[0]);
      return *whole;
    }
    if (!found) throw Fault(*reason);
    found->path_deviation = deviation(found->path, path_, n_);
    return *found;
  }

 private:
  std::size_t segments() const { return path_.times.size() - 1; }
  double duration(std::size_t segment) const {
    return seconds(path_.times[segment + 1] - path_.times[segment]);
  }

  Places places_of(const TimedPath& path, const dynamics::Trajectory& motion) const {
    Places made;
    const std::size_t size = segments() * rows * n_;
    for (auto* values : {&made.q, &made.v, &made.a, &made.gravity, &made.inertia}) {
      values->resize(size);
    }
    for (std::size_t k = 0; k < segments(); ++k) {
      const double begin = seconds(path.times[k]);
      const double end = seconds(path.times[k + 1]);
      for (std::size_t i = 0; i < rows; ++i) {
        // just before the end: from there on the next segment counts
        const double share = static_cast<double>(i) / static_cast<double>(parts);
        const double t = i == parts && k + 1 < segments() ? std::nextafter(end, begin)
                                                          : begin + share * (end - begin);
        const std::size_t at = (k * rows + i) * n_;
        motion.at(std::min(t, end), {&made.q[at], n_}, {&made.v[at], n_}, {&made.a[at], n_});
      }
    }
    const std::vector<double> zero(size, 0.0);
    robot_.inverse_dynamics(made.q, zero, zero, made.gravity, false, "place");
    robot_.inverse_dynamics(made.q, made.v, made.a, made.inertia, false, "place");
    for (std::size_t i = 0; i < size; ++i) made.inertia[i] -= made.gravity[i];
    return made;
  }

  /// Friction of all joints at a place that is passed at a share of its speed.
  const std::vector<double>& friction_at(const Places& places, std::size_t place, double rate) {
    if (options_.friction) {
      for (std::size_t i = 0; i < n_; ++i) speed_[i] = rate * places.v[place * n_ + i];
      dynamics::friction_forces(model_, *loan_, speed_, friction_);
    }
    return friction_;
  }

  /// A joint whose effort exceeds its limit there.
  std::optional<std::size_t> too_strong(const Places& places, std::size_t place, double rate) {
    const auto& friction = friction_at(places, place, rate);
    for (std::size_t i = 0; i < n_; ++i) {
      const std::size_t at = place * n_ + i;
      const double effort = places.gravity[at] + friction[i] + places.inertia[at] * rate * rate;
      if (std::abs(effort) > effort_[i]) return i;
    }
    return std::nullopt;
  }

  double effort(const Places& places, std::size_t place, std::size_t joint, double rate) {
    const std::size_t at = place * n_ + joint;
    return places.gravity[at] + friction_at(places, place, rate)[joint] +
           places.inertia[at] * rate * rate;
  }

  /// The largest rate below `rate`, which is too fast, that keeps the joint's effort; 0 for none.
  double slower(const Places& places, std::size_t place, std::size_t joint, double rate) {
    const double sign = effort(places, place, joint, rate) > 0.0 ? 1.0 : -1.0;
    const auto excess = [&](double x) {
      return sign * effort(places, place, joint, x) - effort_[joint];
    };
    double low = 0.0, high = rate;
    if (excess(0.0) > 0.0) {
      // too much at rest too: convex, with an allowed stretch in between, or nothing
      double from = 0.0, to = rate;
      constexpr double golden = 0.6180339887498949;
      for (int i = 0; i < 90; ++i) {
        const double left = to - golden * (to - from), right = from + golden * (to - from);
        if (excess(left) < excess(right)) {
          to = right;
        } else {
          from = left;
        }
      }
      low = 0.5 * (from + to);
      if (excess(low) > 0.0) return 0.0;
    }
    for (int i = 0; i < 200; ++i) {
      const double middle = 0.5 * (low + high);
      if (middle <= low || middle >= high) break;
      (excess(middle) > 0.0 ? high : low) = middle;
    }
    return low;
  }

  /// The largest rate up to `rate` that all places from `begin` to `end` allow; 0 for none.
  double largest_rate(const Places& places, std::size_t begin, std::size_t end, double rate,
                      Obstacle& obstacle) {
    for (std::size_t place = begin; place < end; ++place) {
      for (std::size_t i = 0; i < n_; ++i) {
        const double speed = std::abs(places.v[place * n_ + i]);
        if (!(rate * speed > velocity_[i])) continue;
        rate = velocity_[i] / speed;
        obstacle = {place, i, false};
      }
    }
    // a place passed more slowly may leave what another one allowed: until all agree
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t place = begin; place < end; ++place) {
        while (const auto joint = too_strong(places, place, rate)) {
          obstacle = {place, *joint, true};
          rate = slower(places, place, *joint, rate);
          if (rate == 0.0) return rate;
          changed = true;
        }
      }
    }
    return rate;
  }

  /// The points passed at these rates; factors are those of the segments.
  ScaledPath stretched(const std::vector<double>& rate) const {
    ScaledPath made;
    made.path = path_;
    const std::size_t last = segments();
    const auto turn = [&](std::size_t segment) {  // u'' of a segment
      return 0.5 * (rate[segment + 1] * rate[segment + 1] - rate[segment] * rate[segment]) /
             duration(segment);
    };
    const auto longer = [](std::int64_t time, double factor) {
      const double wanted = std::ceil(static_cast<double>(time) * factor);
      constexpr double most = 2147483647e9;  // a message's time
      if (!(wanted <= most)) {
        throw Fault(ResultCode::LIMITS_NOT_MET,
                    "slowed down far enough, the trajectory takes longer than a message can say "
                    "(2147483647 s)");
      }
      return std::max(time, static_cast<std::int64_t>(wanted));
    };
    for (std::size_t k = 0; k <= last; ++k) {
      double here = 0.0;
      if (k > 0) here += turn(k - 1);
      if (k < last) here += turn(k);
      if (k > 0 && k < last) here *= 0.5;
      for (std::size_t i = 0; i < n_; ++i) {
        const std::size_t at = k * n_ + i;
        made.path.qd[at] *= rate[k];
        if (!path_.qdd.empty()) {
          made.path.qdd[at] = path_.qdd[at] * rate[k] * rate[k] + path_.qd[at] * here;
        }
      }
    }
    for (std::size_t k = 0; k < last; ++k) {
      const double factor = 2.0 / (rate[k] + rate[k + 1]);
      made.factors.push_back(factor);
      if (k == 0) made.path.times[0] = longer(path_.times[0], factor);
      made.path.times[k + 1] =
          made.path.times[k] + longer(path_.times[k + 1] - path_.times[k], factor);
      longer(made.path.times[k + 1], 1.0);
    }
    return made;
  }

  /// Whether a motion is within the limits; its ratios either way, and what is worst.
  bool judge(ScaledPath& made, Obstacle& obstacle) {
    judged_ = places_of(made.path, *motion_of(made.path, n_));
    excess_ = 0.0;
    made.largest_effort_ratio = made.largest_velocity_ratio = 0.0;
    const auto note = [&](double value, double allowed, double limit, double& largest,
                          const Obstacle& what) {
      if (value == 0.0) return;
      largest = dynamics::max_propagating_nan(largest, value / limit);
      if (value <= allowed || value / allowed - 1.0 < excess_) return;  // NaN exceeds
      // above zero also where the quotient is rounded to 1
      excess_ = std::max(value / allowed - 1.0, std::numeric_limits<double>::min());
      obstacle = what;
    };
    for (std::size_t place = 0; place < segments() * rows; ++place) {
      const auto& friction = friction_at(judged_, place, 1.0);
      for (std::size_t i = 0; i < n_; ++i) {
        const std::size_t at = place * n_ + i;
        const auto& joint = model_.coordinates()[i];
        note(std::abs(judged_.v[at]), velocity_[i], joint.velocity, made.largest_velocity_ratio,
             {place, i, false});
        note(std::abs(judged_.gravity[at] + friction[i] + judged_.inertia[at]), effort_[i],
             joint.effort, made.largest_effort_ratio, {place, i, true});
      }
    }
    return excess_ == 0.0;
  }

  /// Bounds on the rates from the path's efforts, friction that of the rates given.
  RateProblem problem(const std::vector<double>& inertia_of_speed,
                      const std::vector<double>& largest, const std::vector<double>& y,
                      double margin) {
    RateProblem made;
    made.smallest.assign(segments() + 1, 1.0 / (options_.largest_factor * options_.largest_factor));
    made.largest = largest;
    made.segments.resize(segments());
    for (std::size_t k = 0; k < segments(); ++k) {
      const double turn = 0.5 / duration(k);
      for (std::size_t place = 0; place < rows; ++place) {
        const double share = static_cast<double>(place) / static_cast<double>(parts);
        const double now = (1.0 - share) * y[k] + share * y[k + 1];
        const auto& friction = friction_at(places_, k * rows + place, std::sqrt(now));
        for (std::size_t i = 0; i < n_; ++i) {
          const std::size_t at = (k * rows + place) * n_ + i;
          const double speed = std::abs(places_.v[at]);
          if (speed > (1.0 - margin) * velocity_[i]) {
            const double share_of_speed = (1.0 - margin) * velocity_[i] / speed;
            const double bound = share_of_speed * share_of_speed;
            made.segments[k].push_back({1.0 - share, share, -1.0, bound});
          }
          if (std::isinf(effort_[i])) continue;
          const double standing = places_.gravity[at] + friction[i];
          const double effort = (1.0 - margin) * effort_[i];
          made.segments[k].push_back(
              {places_.inertia[at] * (1.0 - share) - inertia_of_speed[at] * turn,
               places_.inertia[at] * share + inertia_of_speed[at] * turn, -effort - standing,
               effort - standing});
        }
      }
    }
    return made;
  }

  /// Nothing where no answer was found; `reason` then says why.
  std::optional<ScaledPath> by_segment(std::optional<Fault>& reason) {
    constexpr int most = 60;                         // rounds
    std::vector<double> momentum(places_.q.size());  // M q'
    const std::vector<double> zero(places_.q.size(), 0.0);
    robot_.inverse_dynamics(places_.q, zero, places_.v, momentum, false, "place");
    for (std::size_t i = 0; i < momentum.size(); ++i) momentum[i] -= places_.gravity[i];

    std::vector<double> largest(segments() + 1, 1.0), y = largest, rate(segments() + 1);
    Obstacle obstacle;
    double margin = 0.0;  // of the bounds
    bool with_margin = true;
    for (int round = 0; round < most; ++round) {
      const RateProfile profile = solve(problem(momentum, largest, y, margin));
      if (profile.stuck && margin > 0.0) {
        margin = 0.0;
        with_margin = false;
        continue;
      }
      if (profile.stuck) {
        if (!reason) reason = stuck(*profile.stuck);
        return std::nullopt;
      }
      y = profile.y;
      std::transform(y.begin(), y.end(), rate.begin(),
                     [](double value) { return std::sqrt(value); });
      ScaledPath made = stretched(rate);
      if (judge(made, obstacle)) return made;
      // what whole nanoseconds make of it changes with every round: leave room for that
      constexpr double little = 1e-3;
      if (with_margin && excess_ < little) margin = std::min(margin + 1.5 * excess_, 10.0 * little);
      for (std::size_t k = 0; k < segments(); ++k) {
        Obstacle here;
        const double allowed = largest_rate(judged_, k * rows, (k + 1) * rows, 1.0, here);
        if (allowed == 1.0) continue;
        if (allowed == 0.0) {
          if (!reason) reason = stuck(k);
          return std::nullopt;
        }
        // whole nanoseconds and rounding may take a little more
        const double share = allowed * allowed * (1.0 - 1e-8);
        largest[k] = std::min(largest[k], share * y[k]);
        largest[k + 1] = std::min(largest[k + 1], share * y[k + 1]);
        const double smallest = 1.0 / (options_.largest_factor * options_.largest_factor);
        if (largest[k] < smallest || largest[k + 1] < smallest) {
          if (!reason) reason = stuck(k);
          return std::nullopt;
        }
      }
    }
    if (!reason) {
      reason = Fault(ResultCode::NOT_CONVERGED,
                     fmt::format("after {} rounds {} is still above", most, describe(obstacle)));
    }
    return std::nullopt;
  }

  /// "trajectory.points[2]", or between two of the request's points
  std::string where(std::size_t place) const {
    const std::size_t segment = place / rows, inside = place % rows;
    const std::size_t pieces = options_.interior_points + 1;
    const std::size_t at = inside == 0 ? segment : segment + 1;
    if ((inside == 0 || inside == parts) && at % pieces == 0) {
      return fmt::format("trajectory.points[{}]", at / pieces);
    }
    return fmt::format("between trajectory.points[{}] and points[{}]", segment / pieces,
                       segment / pieces + 1);
  }

  std::string describe(const Obstacle& what) const {
    return fmt::format("the {} of joint '{}' at {}", what.effort ? "effort" : "velocity",
                       model_.coordinates()[what.joint].name, where(what.place));
  }

  [[noreturn]] void refuse(double rate, const Obstacle& what) const {
    const auto& joint = model_.coordinates()[what.joint];
    if (rate > 0.0) {
      throw Fault(ResultCode::LIMITS_NOT_MET,
                  fmt::format("{} asks for a factor of {:.6g}; largest_factor is {:.6g}",
                              describe(what), 1.0 / rate, options_.largest_factor));
    }
    if (!what.effort) {
      throw Fault(ResultCode::LIMITS_NOT_MET,
                  fmt::format("joint '{}' moves at {}, but its velocity limit is 0", joint.name,
                              where(what.place)));
    }
    throw Fault(ResultCode::LIMITS_NOT_MET, too_heavy(what));
  }

  std::string too_heavy(const Obstacle& what) const {
    const auto& joint = model_.coordinates()[what.joint];
    const char* unit = joint.prismatic ? "N" : "N m";
    return fmt::format(
        "gravity alone asks joint '{}' for {:.6g} {} at {}; {:.6g} {} are allowed, and no "
        "slow-down helps",
        joint.name, std::abs(places_.gravity[what.place * n_ + what.joint]), unit,
        where(what.place), effort_[what.joint], unit);
  }

  /// Why a segment cannot be passed.
  Fault stuck(std::size_t segment) const {
    for (std::size_t place = segment * rows; place < (segment + 1) * rows; ++place) {
      for (std::size_t i = 0; i < n_; ++i) {
        if (std::abs(places_.gravity[place * n_ + i]) > effort_[i]) {
          return {ResultCode::LIMITS_NOT_MET, too_heavy({place, i, true})};
        }
      }
    }
    return {
        ResultCode::LIMITS_NOT_MET,
        fmt::format("the limits are not met {} with a factor of {:.6g}, which is largest_factor",
                    where(segment * rows + 1), options_.largest_factor)};
  }

  const Robot& robot_;
  const dynamics::Model& model_;
  std::size_t n_;
  ScalingOptions options_;
  TimedPath path_;
  Pool<dynamics::Workspace>::Loan loan_;
  std::vector<double> friction_, speed_, effort_, velocity_;
  Places places_;        ///< of the path
  Places judged_;        ///< of the motion judged last
  double excess_ = 0.0;  ///< by which share that one exceeds what is allowed, at most
};

}  // namespace

ScaledPath scale(const Robot& robot, const TimedPath& path, const ScalingOptions& options) {
  Scaling scaling(robot, path, options);
  return options.per_segment ? scaling.per_segment() : scaling.uniform();
}

}  // namespace dynamics_ros
