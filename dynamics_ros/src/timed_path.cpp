// SPDX-License-Identifier: Apache-2.0
#include "timed_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <dynamics_core/maximum.hpp>
#include <dynamics_core/trajectory.hpp>
#include <limits>
#include <utility>

#include "fault.hpp"

namespace dynamics_ros {

std::unique_ptr<dynamics::Trajectory> motion_of(const TimedPath& path, std::size_t size) {
  dynamics::Knots knots;
  const auto row = [size](const std::vector<double>& from, std::size_t k) {
    const auto begin = from.begin() + static_cast<std::ptrdiff_t>(k * size);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(size));
  };
  for (std::size_t k = 0; k < path.times.size(); ++k) {
    knots.t.push_back(seconds(path.times[k]));
    knots.q.push_back(row(path.q, k));
    if (!path.qd.empty()) knots.qd.push_back(row(path.qd, k));
    if (!path.qdd.empty()) knots.qdd.push_back(row(path.qdd, k));
  }
  return dynamics::knot_trajectory(std::move(knots));
}

TimedPath with_interior_points(const TimedPath& path, std::size_t size, std::size_t interior) {
  const std::size_t pieces = interior + 1;
  if (pieces == 1) return path;
  const auto motion = motion_of(path, size);
  TimedPath finer;
  std::vector<double> q(size), v(size), a(size);
  for (std::size_t k = 0; k < path.times.size(); ++k) {
    const std::size_t inside = k + 1 < path.times.size() ? pieces : 1;
    const std::int64_t begin = path.times[k];
    const std::int64_t length = inside > 1 ? path.times[k + 1] - begin : 0;
    if (inside > 1 && length < static_cast<std::int64_t>(pieces)) {
      throw Fault(ResultCode::INVALID_VALUE,
                  fmt::format("interior_points is {}: only {} ns lie between "
                              "trajectory.points[{}] and the next",
                              interior, length, k));
    }
    for (std::size_t i = 0; i < inside; ++i) {
      const auto time =
          begin + static_cast<std::int64_t>(static_cast<double>(length) * static_cast<double>(i) /
                                            static_cast<double>(pieces));
      finer.times.push_back(time);
      const auto from = static_cast<std::ptrdiff_t>(k * size), to = from + std::ssize(q);
      if (i == 0) {
        std::copy(path.q.begin() + from, path.q.begin() + to, q.begin());
        std::copy(path.qd.begin() + from, path.qd.begin() + to, v.begin());
        if (!path.qdd.empty()) {
          std::copy(path.qdd.begin() + from, path.qdd.begin() + to, a.begin());
        }
      } else {
        motion->at(seconds(time), q, v, a);
      }
      finer.q.insert(finer.q.end(), q.begin(), q.end());
      finer.qd.insert(finer.qd.end(), v.begin(), v.end());
      if (!path.qdd.empty()) finer.qdd.insert(finer.qdd.end(), a.begin(), a.end());
    }
  }
  return finer;
}

double deviation(const TimedPath& made, const TimedPath& path, std::size_t size) {
  const std::size_t parts = places_between + 1;
  const auto path_motion = motion_of(path, size);
  const auto motion = motion_of(made, size);
  std::vector<double> q(size), v(size), a(size), wanted(size);
  double largest = 0.0;
  for (std::size_t k = 0; k + 1 < path.times.size(); ++k) {
    const double begin = seconds(path.times[k]), end = seconds(path.times[k + 1]);
    const double made_begin = seconds(made.times[k]), made_end = seconds(made.times[k + 1]);
    for (std::size_t place = 1; place < parts; ++place) {
      const double share = static_cast<double>(place) / static_cast<double>(parts);
      motion->at(made_begin + share * (made_end - made_begin), wanted, v, a);
      double u = begin + share * (end - begin), nearest = std::numeric_limits<double>::infinity();
      for (int step = 0; step < 6; ++step) {
        path_motion->at(u, q, v, a);
        double distance = 0.0, along = 0.0, square = 0.0;
        for (std::size_t i = 0; i < size; ++i) {
          const double off = wanted[i] - q[i];
          distance = dynamics::max_propagating_nan(distance, std::abs(off));
          along += off * v[i];
          square += v[i] * v[i];
        }
        nearest = std::min(nearest, distance);
        if (!(square > 0.0)) break;
        u = std::clamp(u + along / square, begin, end);
      }
      largest = dynamics::max_propagating_nan(largest, nearest);
    }
  }
  return largest;
}

}  // namespace dynamics_ros
