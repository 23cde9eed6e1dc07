// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "dynamics_core/trajectory.hpp"
#include "dynamics_core/view.hpp"

namespace dynamics {
namespace {

void check_numbers(const TimedPath& path, const std::vector<double>& values,
                   std::string_view name) {
  const std::size_t size = path.size();
  if (values.size() != path.points() * size || size == 0) {
    throw ArgumentError(
        fmt::format("{} has {} entries; one per coordinate is needed at each of {} "
                    "points",
                    name, values.size(), path.points()));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw ArgumentError(
        fmt::format("{} at point {}, coordinate {} is {}", name, i / size, i % size, values[i]));
  }
}

void check_path(const TimedPath& path) {
  if (path.times.empty()) throw ArgumentError("times is empty; a path has at least one point");
  if (path.times[0] < 0) {
    throw ArgumentError(fmt::format("times[0] is {} ns; it must not be negative", path.times[0]));
  }
  for (std::size_t k = 1; k < path.points(); ++k) {
    if (path.times[k] > path.times[k - 1]) continue;
    throw ArgumentError(fmt::format("times[{}] is {} ns, times[{}] is {} ns; times must increase",
                                    k, path.times[k], k - 1, path.times[k - 1]));
  }
  check_numbers(path, path.q, "q");
  if (!path.qd.empty()) check_numbers(path, path.qd, "qd");
  if (!path.qdd.empty()) check_numbers(path, path.qdd, "qdd");
}

}  // namespace

std::unique_ptr<Trajectory> interpolate(const TimedPath& path) {
  check_path(path);
  const auto row = [size = path.size()](const std::vector<double>& from, std::size_t k) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(k * size);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(size));
  };
  Knots knots;
  for (std::size_t k = 0; k < path.points(); ++k) {
    knots.t.push_back(to_seconds(path.times[k]));
    knots.q.push_back(row(path.q, k));
    if (!path.qd.empty()) knots.qd.push_back(row(path.qd, k));
    if (!path.qdd.empty()) knots.qdd.push_back(row(path.qdd, k));
  }
  return knot_trajectory(std::move(knots));
}

TimedPath with_derivatives(const TimedPath& path) {
  check_path(path);
  TimedPath made = path;
  if (!path.qd.empty() && !path.qdd.empty()) return made;
  const auto motion = interpolate(path);
  const std::size_t n = path.size();
  made.qd.resize(path.q.size());
  made.qdd.resize(path.q.size());
  std::vector<double> q(n), qd(n), qdd(n);
  for (std::size_t k = 0; k < path.points(); ++k) {
    const auto at = static_cast<std::ptrdiff_t>(k * n);
    motion->at(to_seconds(path.times[k]), q, qd, qdd);
    if (path.qd.empty()) std::copy(qd.begin(), qd.end(), made.qd.begin() + at);
    if (path.qdd.empty()) std::copy(qdd.begin(), qdd.end(), made.qdd.begin() + at);
  }
  return made;
}

TimedPath with_interior_points(const TimedPath& path, std::size_t interior) {
  const auto motion = interpolate(path);
  if (path.qd.empty()) throw ArgumentError("qd is empty; with_interior_points() needs velocities");
  if (interior == 0) return path;
  if (interior == std::numeric_limits<std::size_t>::max())
    throw ArgumentError(fmt::format("interior_points is {}: too many", interior));
  const std::size_t n = path.size(), pieces = interior + 1;
  TimedPath finer;
  std::vector<double> q(n), qd(n), qdd(n);
  const auto append = [&](std::int64_t time, const double* at, const double* speed,
                          const double* acceleration) {
    finer.times.push_back(time);
    finer.q.insert(finer.q.end(), at, at + n);
    finer.qd.insert(finer.qd.end(), speed, speed + n);
    if (!path.qdd.empty()) finer.qdd.insert(finer.qdd.end(), acceleration, acceleration + n);
  };
  for (std::size_t k = 0; k < path.points(); ++k) {
    append(path.times[k], &path.q[k * n], &path.qd[k * n],
           path.qdd.empty() ? nullptr : &path.qdd[k * n]);
    if (k + 1 == path.points()) break;
    const std::int64_t begin = path.times[k], length = path.times[k + 1] - begin;
    if (static_cast<std::uint64_t>(length) < pieces) {
      throw ArgumentError(
          fmt::format("interior_points is {}: points {} and {} are only {} ns apart", interior, k,
                      k + 1, length));
    }
    for (std::size_t i = 1; i < pieces; ++i) {
      const auto time =
          begin + static_cast<std::int64_t>(static_cast<double>(length) * static_cast<double>(i) /
                                            static_cast<double>(pieces));
      motion->at(to_seconds(time), q, qd, qdd);
      append(time, q.data(), qd.data(), qdd.data());
    }
  }
  return finer;
}

double path_deviation(const TimedPath& made, const TimedPath& path) {
  const auto path_motion = interpolate(path);
  const auto motion = interpolate(made);
  const std::size_t n = path.size();
  if (made.points() != path.points() || made.size() != n) {
    throw ArgumentError(
        fmt::format("made has {} points of {} coordinates, path {} of {}; both "
                    "must have the same points",
                    made.points(), made.size(), path.points(), n));
  }
  constexpr std::size_t parts = samples_between_points + 1;
  std::vector<double> q(n), v(n), a(n), wanted(n);
  double largest = 0.0;
  for (std::size_t k = 0; k + 1 < path.points(); ++k) {
    const double begin = to_seconds(path.times[k]), end = to_seconds(path.times[k + 1]);
    const double made_begin = to_seconds(made.times[k]), made_end = to_seconds(made.times[k + 1]);
    for (std::size_t sample = 1; sample < parts; ++sample) {
      const double share = static_cast<double>(sample) / static_cast<double>(parts);
      motion->at(made_begin + share * (made_end - made_begin), wanted, v, a);
      // Gauss-Newton for the nearest state of the path
      double u = begin + share * (end - begin), nearest = std::numeric_limits<double>::infinity();
      for (int step = 0; step < 6; ++step) {
        path_motion->at(u, q, v, a);
        double distance = 0.0, along = 0.0, square = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
          const double difference = wanted[i] - q[i];
          distance = max_propagating_nan(distance, std::abs(difference));
          along += difference * v[i];
          square += v[i] * v[i];
        }
        nearest = std::min(nearest, distance);
        if (!(square > 0.0)) break;
        u = std::clamp(u + along / square, begin, end);
      }
      largest = max_propagating_nan(largest, nearest);
    }
  }
  return largest;
}

}  // namespace dynamics
