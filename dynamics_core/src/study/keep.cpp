// SPDX-License-Identifier: Apache-2.0
#include "study/keep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dynamics_core/view.hpp"

namespace dynamics::study {
namespace {

/// The largest distance of each joint from its reference.
void append_tracking_errors(const Recording& run, std::vector<double>& values) {
  for (std::size_t i = 0; i < run.model.size(); ++i)
    values.push_back(max_abs_difference(run.q[i], run.desired[i]));
}

/// The time after which each joint stays within the tolerance of the last reference; infinite if
/// it is outside at the end.
void append_settling_times(const Recording& run, double tolerance, std::vector<double>& values) {
  for (std::size_t i = 0; i < run.model.size(); ++i) {
    const double goal = run.desired[i].back();
    double settled = run.t.front();
    for (std::size_t k = 0; k < run.size(); ++k) {
      if (std::abs(run.q[i][k] - goal) <= tolerance) continue;
      settled = k + 1 < run.size() ? run.t[k + 1] : std::numeric_limits<double>::infinity();
    }
    values.push_back(settled);
  }
}

/// The number of samples at which position, velocity or effort of each joint exceed its limits.
void append_violations(const Recording& run, std::vector<double>& values) {
  for (std::size_t i = 0; i < run.model.size(); ++i) {
    const Coordinate& joint = run.model.coordinates()[i];
    double count = 0.0;
    for (std::size_t k = 0; k < run.size(); ++k) {
      const double q = run.q[i][k];
      const bool within = q >= joint.lower && q <= joint.upper &&
                          std::abs(run.qd[i][k]) <= joint.velocity &&
                          std::abs(run.tau[i][k]) <= joint.effort;
      if (!within) count += 1.0;
    }
    values.push_back(count);
  }
}

}  // namespace

Results::Results(const Plan& plan, const Nominal& nominal, const CaseSamples& samples) {
  const auto columns = columns_of(samples);
  std::string all;
  for (const NamedColumn& column : columns) all += (all.empty() ? "" : ", ") + column.name;
  // a derived result has one number per joint
  const auto derive = [&](const Kept& kept, const std::string& prefix) {
    derived_.push_back({kept, columns_.size()});
    for (const std::string& joint : nominal.model.coordinate_names())
      names_.push_back(prefix + joint);
  };
  for (const Kept& kept : plan.keep) {
    const bool needs_reference =
        kept.kind == Kept::Kind::tracking_error || kept.kind == Kept::Kind::settling_time;
    if (needs_reference && samples.recording->desired.empty())
      throw ArgumentError(plan.file,
                          "keep: tracking_error and settling_time need a controller "
                          "that follows a reference");
    switch (kept.kind) {
      case Kept::Kind::tracking_error: derive(kept, "tracking_error_"); continue;
      case Kept::Kind::settling_time: derive(kept, "settling_time_"); continue;
      case Kept::Kind::limit_violations: derive(kept, "limit_violations_"); continue;
      case Kept::Kind::statistic: break;
    }
    const std::size_t before = names_.size();
    const bool state = !samples.recording;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!matches(kept.pattern, columns[i].name)) continue;
      columns_.push_back({find_statistic(kept.statistic), i});
      names_.push_back(state && kept.statistic == "final" ? columns[i].name
                                                          : kept.statistic + "_" + columns[i].name);
    }
    if (names_.size() == before) {
      throw ArgumentError(
          plan.file, fmt::format("keep: no column matches '{}'; there are {}", kept.pattern, all));
    }
  }
  std::vector<std::string> sorted = names_;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) throw ArgumentError(plan.file, "keep: '" + *twice + "' is kept twice");
}

void Results::append(const CaseSamples& samples, std::vector<double>& values) const {
  const auto columns = columns_of(samples);
  static const std::vector<double> no_times = {0.0};
  const std::vector<double>& t = samples.recording ? samples.recording->t : no_times;
  std::size_t next = 0;
  const auto append_columns_before = [&](std::size_t end) {
    for (; next < end; ++next)
      values.push_back(columns_[next].statistic(t, *columns[columns_[next].column].values));
  };
  for (const Derived& derived : derived_) {
    append_columns_before(derived.first);
    const Recording& run = *samples.recording;
    switch (derived.kept.kind) {
      case Kept::Kind::tracking_error: append_tracking_errors(run, values); break;
      case Kept::Kind::settling_time:
        append_settling_times(run, derived.kept.tolerance, values);
        break;
      case Kept::Kind::limit_violations: append_violations(run, values); break;
      case Kept::Kind::statistic: break;
    }
  }
  append_columns_before(columns_.size());
}

}  // namespace dynamics::study
