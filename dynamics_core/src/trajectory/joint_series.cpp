// SPDX-License-Identifier: Apache-2.0
#include "trajectory/joint_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "dynamics_core/error.hpp"

namespace dynamics {
namespace {

using Samples = std::vector<JointSample>;
using Field = double JointSample::*;

bool given_in_all(const std::vector<Samples>& joints, Field field) {
  return std::all_of(joints.begin(), joints.end(), [&](const Samples& samples) {
    return std::all_of(samples.begin(), samples.end(),
                       [&](const JointSample& sample) { return std::isfinite(sample.*field); });
  });
}

std::string names_of(const JointSeries& series) {
  constexpr std::size_t shown = 20;
  std::vector<std::string_view> names;
  for (const auto& [name, samples] : series) {
    if (names.size() == shown) {
      names.emplace_back("...");
      break;
    }
    names.emplace_back(name);
  }
  return names.empty() ? "no joint" : fmt::format("{}", fmt::join(names, ", "));
}

/// Takes one time per sample, sorts, and leaves one sample per time.
class SeriesCleaner {
 public:
  SeriesCleaner(bool use_log_time, Field required)
      : use_log_time_(use_log_time), required_(required) {}

  void clean(Samples& samples) {
    const std::size_t before = samples.size();
    std::erase_if(samples,
                  [&](const JointSample& sample) { return !std::isfinite(sample.*required_); });
    not_given_ += before - samples.size();
    if (use_log_time_) {
      for (JointSample& sample : samples) sample.stamp = sample.log_time;
    }
    const auto earlier = [](const JointSample& a, const JointSample& b) {
      return a.stamp < b.stamp;
    };
    if (!std::is_sorted(samples.begin(), samples.end(), earlier)) {
      sorted_ = true;
      std::stable_sort(samples.begin(), samples.end(), earlier);
    }
    // of equal times the last one counts
    const auto same = [](const JointSample& a, const JointSample& b) { return a.stamp == b.stamp; };
    const auto kept = std::unique(samples.rbegin(), samples.rend(), same).base();
    repeated_ += static_cast<std::size_t>(kept - samples.begin());
    samples.erase(samples.begin(), kept);
  }

  void report(const std::string& where, const char* quantity,
              std::vector<std::string>& notes) const {
    if (not_given_ > 0)
      notes.push_back(
          fmt::format("{}: {} samples without {} are left out", where, not_given_, quantity));
    if (sorted_) notes.push_back(fmt::format("{}: samples out of order are sorted", where));
    if (repeated_ > 0)
      notes.push_back(fmt::format("{}: {} samples have the time of a later one and are left out",
                                  where, repeated_));
  }

 private:
  bool use_log_time_;
  Field required_;
  std::size_t not_given_ = 0, repeated_ = 0;
  bool sorted_ = false;
};

double seconds_since(std::int64_t time, std::int64_t start) { return to_seconds(time - start); }

/// Interpolates the samples of one joint: q by the trajectory through them, tau linearly.
class SeriesInterpolation {
 public:
  SeriesInterpolation(const Samples& samples, std::int64_t start, bool q, bool qd, bool qdd)
      : samples_(samples), start_(start) {
    if (!q) return;
    Knots knots;
    for (const JointSample& sample : samples) {
      knots.t.push_back(seconds_since(sample.stamp, start));
      knots.q.push_back({sample.q});
      if (qd) knots.qd.push_back({sample.qd});
      if (qd && qdd) knots.qdd.push_back({sample.qdd});
    }
    motion_ = knot_trajectory(std::move(knots));
  }

  /// `time` must not decrease from call to call, and must be within the samples.
  JointSample at(std::int64_t time) {
    while (next_ + 1 < samples_.size() && samples_[next_ + 1].stamp <= time) ++next_;
    const JointSample& before = samples_[next_];
    if (before.stamp == time || next_ + 1 == samples_.size()) return before;
    const JointSample& after = samples_[next_ + 1];
    const double share =
        static_cast<double>(time - before.stamp) / static_cast<double>(after.stamp - before.stamp);
    JointSample sample = before;
    sample.stamp = time;
    sample.tau = (1.0 - share) * before.tau + share * after.tau;
    if (motion_) {
      motion_->at(seconds_since(time, start_), {&sample.q, 1}, {&sample.qd, 1}, {&sample.qdd, 1});
    }
    return sample;
  }

 private:
  const Samples& samples_;
  std::int64_t start_;
  std::unique_ptr<Trajectory> motion_;
  std::size_t next_ = 0;
};

/// Samples at the times of the joint with the most samples, within the interval of all joints.
void resample(std::vector<Samples>& joints, const Model& model, const std::string& where, bool q,
              bool qd, bool qdd, std::vector<std::string>& notes) {
  std::int64_t first = std::numeric_limits<std::int64_t>::min();
  std::int64_t last = std::numeric_limits<std::int64_t>::max();
  std::size_t densest = 0;
  for (std::size_t i = 0; i < joints.size(); ++i) {
    first = std::max(first, joints[i].front().stamp);
    last = std::min(last, joints[i].back().stamp);
    if (joints[i].size() > joints[densest].size()) densest = i;
  }
  if (first > last) {
    throw ParseError(where,
                     "no time has samples of all joints: one joint ends before another one "
                     "starts");
  }
  std::vector<std::int64_t> times;
  for (const JointSample& sample : joints[densest]) {
    if (sample.stamp >= first && sample.stamp <= last) times.push_back(sample.stamp);
  }
  if (times.empty()) times.push_back(first);
  std::vector<Samples> resampled(joints.size());
  for (std::size_t i = 0; i < joints.size(); ++i) {
    SeriesInterpolation interpolation(joints[i], first, q, qd, qdd);
    for (const std::int64_t time : times) resampled[i].push_back(interpolation.at(time));
  }
  joints = std::move(resampled);
  notes.push_back(
      fmt::format("{}: the joints have different times; they are interpolated at the {} times of "
                  "joint '{}' that all joints cover",
                  where, times.size(), model.coordinates()[densest].name));
}

/// Longer logs have stamps of different clocks; besides, seconds in a double tell nanoseconds
/// apart.
void check_duration(const std::vector<Samples>& joints, const std::string& where) {
  constexpr std::int64_t longest = std::int64_t{40} * 24 * 3600 * 1'000'000'000;
  std::int64_t first = joints[0].front().stamp, last = first;
  for (const Samples& samples : joints) {
    first = std::min(first, samples.front().stamp);
    last = std::max(last, samples.back().stamp);
  }
  if (last - first <= longest) return;
  throw ParseError(where, fmt::format("the samples cover {:.6g} days, from {} ns to {} ns; at most "
                                      "40 days are supported: do all stamps come from one clock?",
                                      static_cast<double>(last - first) / 86400e9, first, last));
}

void report_gaps(const JointLog& log, const std::string& where, std::vector<std::string>& notes) {
  constexpr double factor = 10.0;
  constexpr std::size_t shown = 3;
  if (log.t.size() < 3) return;
  std::vector<double> steps;
  for (std::size_t k = 1; k < log.t.size(); ++k) steps.push_back(log.t[k] - log.t[k - 1]);
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  const double longest = factor * *middle;
  std::size_t gaps = 0;
  for (std::size_t k = 1; k < log.t.size(); ++k) {
    const double step = log.t[k] - log.t[k - 1];
    if (step <= longest || ++gaps > shown) continue;
    notes.push_back(
        fmt::format("{}: no samples for {:.6g} s from t = {:.6g} s on; the values between are "
                    "interpolated",
                    where, step, log.t[k - 1]));
  }
  if (gaps > shown) notes.push_back(fmt::format("{}: {} more gaps", where, gaps - shown));
}

}  // namespace

void combine(JointSeries series, const Model& model, JointLogOptions::Required required,
             const std::string& where, JointLog& log) {
  const bool positions = required == JointLogOptions::Required::positions;
  const char* const quantity = positions ? "position" : "effort";
  bool stamped = false;
  std::vector<std::string_view> unknown;
  for (const auto& entry : series) {
    const std::string& name = entry.first;
    const Samples& samples = entry.second;
    stamped = stamped || std::any_of(samples.begin(), samples.end(),
                                     [](const JointSample& sample) { return sample.stamp != 0; });
    const auto& joints = model.description().joints;
    const bool known = model.find_coordinate(name).has_value() ||
                       std::any_of(joints.begin(), joints.end(),
                                   [&](const JointDescription& each) { return each.name == name; });
    if (!known) unknown.emplace_back(name);
  }
  if (!unknown.empty()) {
    log.notes.push_back(fmt::format("{}: '{}' has no joint {}; ignored", where, model.name(),
                                    fmt::join(unknown, ", ")));
  }
  SeriesCleaner cleaner(!stamped, positions ? &JointSample::q : &JointSample::tau);
  std::vector<Samples> joints;
  for (const Coordinate& coordinate : model.coordinates()) {
    const auto found = series.find(coordinate.name);
    if (found != series.end()) {
      joints.push_back(std::move(found->second));
      cleaner.clean(joints.back());
    }
    if (found == series.end() || joints.back().empty()) {
      throw ParseError(where,
                       fmt::format("there is no {} of joint '{}' of '{}'; the messages have "
                                   "{}",
                                   quantity, coordinate.name, model.name(), names_of(series)));
    }
  }
  cleaner.report(where, quantity, log.notes);
  if (joints.empty()) throw ParseError(where, fmt::format("'{}' has no joints", model.name()));

  check_duration(joints, where);
  const bool q = given_in_all(joints, &JointSample::q), qd = given_in_all(joints, &JointSample::qd),
             qdd = given_in_all(joints, &JointSample::qdd),
             tau = given_in_all(joints, &JointSample::tau);
  const auto same_times = [&](const Samples& samples) {
    return std::equal(
        samples.begin(), samples.end(), joints[0].begin(), joints[0].end(),
        [](const JointSample& a, const JointSample& b) { return a.stamp == b.stamp; });
  };
  if (!std::all_of(joints.begin(), joints.end(), same_times)) {
    try {
      resample(joints, model, where, q, qd, qdd, log.notes);
    } catch (const ArgumentError& error) {
      throw ParseError(where, fmt::format("cannot be interpolated: {}", error.what()));
    }
  }

  log.start = joints[0].front().stamp;
  const std::size_t count = joints[0].size();
  const auto rows = [&](bool given, Field field) {
    std::vector<std::vector<double>> result;
    if (!given) return result;
    result.assign(count, std::vector<double>(joints.size()));
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < joints.size(); ++i) result[k][i] = joints[i][k].*field;
    }
    return result;
  };
  for (const JointSample& sample : joints[0])
    log.t.push_back(seconds_since(sample.stamp, log.start));
  log.q = rows(q, &JointSample::q);
  log.qd = rows(q && qd, &JointSample::qd);
  log.qdd = rows(q && qd && qdd, &JointSample::qdd);
  log.tau = rows(tau, &JointSample::tau);
  report_gaps(log, where, log.notes);
}

}  // namespace dynamics
