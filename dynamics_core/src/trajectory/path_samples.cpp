// SPDX-License-Identifier: Apache-2.0
#include "trajectory/path_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "dynamics_core/error.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "trajectory/batch_efforts.hpp"

namespace dynamics {

PathSampler::PathSampler(const Model& model, BatchWorkspace& workspace, SampleLimits limits,
                         bool friction, std::vector<LinkWrench> wrenches, SampleName name)
    : model_(model),
      batch_(workspace),
      single_(model),
      limits_(std::move(limits)),
      has_friction_(friction),
      wrenches_(std::move(wrenches)),
      name_(std::move(name)),
      friction_(model.size(), 0.0),
      speed_(model.size()) {}

PathSamples PathSampler::sample(const TimedPath& path) {
  const auto motion = interpolate(path);
  const std::size_t n = model_.size(), segments = path.points() - 1;
  PathSamples samples;
  const std::size_t size = segments * samples_per_segment * n;
  for (auto* values : {&samples.q, &samples.v, &samples.a, &samples.gravity, &samples.inertia}) {
    values->resize(size);
  }
  for (std::size_t k = 0; k < segments; ++k) {
    const double begin = to_seconds(path.times[k]), end = to_seconds(path.times[k + 1]);
    for (std::size_t i = 0; i < samples_per_segment; ++i) {
      // just before the end: from there on the next segment counts
      const bool inner_end = i + 1 == samples_per_segment && k + 1 < segments;
      const double t =
          inner_end ? std::nextafter(end, begin) : begin + sample_share(i) * (end - begin);
      const std::size_t at = (k * samples_per_segment + i) * n;
      motion->at(std::min(t, end), {&samples.q[at], n}, {&samples.v[at], n}, {&samples.a[at], n});
    }
  }
  const std::vector<double> zero(size, 0.0);
  inverse_dynamics(samples.q, zero, zero, samples.gravity);
  inverse_dynamics(samples.q, samples.v, samples.a, samples.inertia);
  for (std::size_t i = 0; i < size; ++i) samples.inertia[i] -= samples.gravity[i];
  return samples;
}

std::vector<double> PathSampler::momentum(const PathSamples& samples) {
  std::vector<double> made(samples.q.size());
  const std::vector<double> zero(samples.q.size(), 0.0);
  inverse_dynamics(samples.q, zero, samples.v, made);
  for (std::size_t i = 0; i < made.size(); ++i) made[i] -= samples.gravity[i];
  return made;
}

void PathSampler::inverse_dynamics(const std::vector<double>& q, const std::vector<double>& qd,
                                   const std::vector<double>& qdd, std::vector<double>& tau) {
  frictionless_efforts(model_, batch_, q, qd, qdd, tau, name_);
  if (wrenches_.empty()) return;
  const std::size_t n = model_.size();
  std::vector<double> external(n);
  for (std::size_t k = 0; k * n < q.size(); ++k) {
    wrenches_to_joint_torques(model_, single_, {&q[k * n], n}, wrenches_, external);
    for (std::size_t i = 0; i < n; ++i) tau[k * n + i] -= external[i];
  }
}

const std::vector<double>& PathSampler::friction(const PathSamples& samples, std::size_t sample,
                                                 double rate) {
  if (has_friction_) {
    const double* v = &samples.v[sample * speed_.size()];
    for (std::size_t i = 0; i < speed_.size(); ++i) speed_[i] = rate * v[i];
    friction_forces(model_, single_, speed_, friction_);
  }
  return friction_;
}

double PathSampler::effort(const PathSamples& samples, std::size_t sample, std::size_t joint,
                           double rate) {
  const std::size_t at = sample * model_.size() + joint;
  return samples.gravity[at] + friction(samples, sample, rate)[joint] +
         samples.inertia[at] * rate * rate;
}

std::optional<std::size_t> PathSampler::joint_beyond_limit(const PathSamples& samples,
                                                           std::size_t sample, double rate) {
  const auto& resisting = friction(samples, sample, rate);
  for (std::size_t i = 0; i < resisting.size(); ++i) {
    const std::size_t at = sample * resisting.size() + i;
    const double sum = samples.gravity[at] + resisting[i] + samples.inertia[at] * rate * rate;
    if (std::abs(sum) > limits_.effort[i]) return i;
  }
  return std::nullopt;
}

/// The largest rate below `rate`, which is too fast, that keeps the joint's effort limit; 0 if
/// there is none.
double PathSampler::slower(const PathSamples& samples, std::size_t sample, std::size_t joint,
                           double rate) {
  const double sign = effort(samples, sample, joint, rate) > 0.0 ? 1.0 : -1.0;
  const auto excess = [&](double x) {
    return sign * effort(samples, sample, joint, x) - limits_.effort[joint];
  };
  double low = 0.0, high = rate;
  if (excess(0.0) > 0.0) {
    // beyond the limit at rest too: the minimum of a convex function decides (golden section)
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

double PathSampler::largest_rate(const PathSamples& samples, std::size_t begin, std::size_t end,
                                 double rate, Bottleneck& bottleneck) {
  const std::size_t n = model_.size();
  for (std::size_t sample = begin; sample < end; ++sample) {
    for (std::size_t i = 0; i < n; ++i) {
      const double speed = std::abs(samples.v[sample * n + i]);
      if (!(rate * speed > limits_.velocity[i])) continue;
      rate = limits_.velocity[i] / speed;
      bottleneck = {sample, i, false};
    }
  }
  // a lower rate may be too low for another sample (gravity helped by friction): until all agree
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t sample = begin; sample < end; ++sample) {
      while (const auto joint = joint_beyond_limit(samples, sample, rate)) {
        bottleneck = {sample, *joint, true};
        rate = slower(samples, sample, *joint, rate);
        if (rate == 0.0) return rate;
        changed = true;
      }
    }
  }
  return rate;
}

}  // namespace dynamics
