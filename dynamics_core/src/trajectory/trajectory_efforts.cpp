// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/trajectory_efforts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "dynamics_core/error.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "trajectory/batch_efforts.hpp"

namespace dynamics {
namespace {

double ratio_of(double effort, double limit) {
  return effort == 0.0 ? 0.0 : effort / limit;  // a limit of 0 allows an effort of 0
}

void check_tau(const Model& model, ConstVector tau) {
  const std::size_t n = model.size();
  if (!tau.checked_size().is_vector()) throw ArgumentError(tau.checked_size().problem("tau", n));
  if (n == 0 ? !tau.empty() : tau.size() % n != 0) {
    throw ArgumentError(
        fmt::format("tau has {} entries; a multiple of {}, the coordinates of the "
                    "robot, is needed",
                    tau.size(), n));
  }
  for (std::size_t i = 0; i < tau.size(); ++i) {
    if (std::isfinite(tau[i])) continue;
    throw ArgumentError(fmt::format("tau of '{}' at point {} is {}",
                                    model.coordinates()[i % n].name, i / n, tau[i]));
  }
}

}  // namespace

EffortVerdict check_effort_limits(const Model& model, ConstVector tau) {
  std::vector<std::size_t> all(model.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return check_effort_limits(model, tau, all);
}

EffortVerdict check_effort_limits(const Model& model, ConstVector tau,
                                  std::span<const std::size_t> coordinates) {
  check_tau(model, tau);
  const std::size_t n = model.size(), points = n == 0 ? 0 : tau.size() / n;
  EffortVerdict verdict;
  for (const std::size_t coordinate : coordinates) {
    if (coordinate >= n) {
      throw ArgumentError(
          fmt::format("coordinates has {}; the robot has coordinates 0 to {}", coordinate, n - 1));
    }
    EffortPeak& made = verdict.peaks.emplace_back();
    made.coordinate = coordinate;
    made.limit = model.coordinates()[coordinate].effort;
    for (std::size_t k = 0; k < points; ++k) {
      const double effort = std::abs(tau[k * n + coordinate]);
      if (!(effort > made.peak)) continue;
      made.peak = effort;
      made.point = k;
    }
    made.ratio = ratio_of(made.peak, made.limit);
  }
  for (std::size_t k = 0; k < points && !verdict.violation; ++k) {
    double largest = 1.0;
    for (const std::size_t coordinate : coordinates) {
      const double ratio =
          ratio_of(std::abs(tau[k * n + coordinate]), model.coordinates()[coordinate].effort);
      if (!(ratio > largest)) continue;
      largest = ratio;
      verdict.violation = EffortVerdict::Violation{k, coordinate};
    }
  }
  return verdict;
}

EffortParts effort_parts(const Model& model, BatchWorkspace& workspace, ConstVector q,
                         ConstVector qd, ConstVector qdd, bool friction) {
  const std::size_t n = model.size();
  const std::vector<double> zero(q.size(), 0.0);
  const auto efforts = [&](ConstVector rates, ConstVector accelerations) {
    std::vector<double> tau(q.size());
    frictionless_efforts(model, workspace, q, rates, accelerations, tau,
                         [](std::size_t k) { return fmt::format("point {}", k); });
    return tau;
  };
  EffortParts parts;
  parts.gravity = efforts(zero, zero);
  parts.velocity = efforts(qd, zero);  // bias: C qd + g
  parts.inertia = efforts(qd, qdd);    // all
  for (std::size_t i = 0; i < q.size(); ++i) {
    parts.inertia[i] -= parts.velocity[i];
    parts.velocity[i] -= parts.gravity[i];
  }
  parts.friction.assign(q.size(), 0.0);
  if (!friction) return parts;
  Workspace single(model);
  for (std::size_t k = 0; k * n < q.size(); ++k) {
    friction_forces(model, single, {qd.data() + k * n, n}, {parts.friction.data() + k * n, n});
  }
  return parts;
}

void frictionless_efforts(const Model& model, BatchWorkspace& workspace, ConstVector q,
                          ConstVector qd, ConstVector qdd, std::vector<double>& tau,
                          const std::function<std::string(std::size_t)>& name) {
  ExternalInputs external;
  external.friction = false;
  try {
    batch::inverse_dynamics(model, workspace, q, qd, qdd, tau, external);
  } catch (const BatchError& error) {
    throw StateError(name(error.state()), error.what());
  }
  for (std::size_t i = 0; i < tau.size(); ++i) {
    if (std::isfinite(tau[i])) continue;
    throw StateError(name(i / model.size()),
                     fmt::format("the effort of joint '{}' is {}: positions, velocities or "
                                 "accelerations are too large",
                                 model.coordinates()[i % model.size()].name, tau[i]));
  }
}

}  // namespace dynamics
