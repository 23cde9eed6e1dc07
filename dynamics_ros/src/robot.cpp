// SPDX-License-Identifier: Apache-2.0
#include "robot.hpp"

#include <fmt/format.h>

#include <cmath>
#include <dynamics_core/rigid/forward_dynamics.hpp>
#include <dynamics_core/rigid/inverse_dynamics.hpp>
#include <memory>
#include <utility>

#include "fault.hpp"

namespace dynamics_ros {
namespace {

using dynamics::ConstVector;
using dynamics::MutableVector;

/// From here on the lanes' set-up is paid for.
constexpr std::size_t many = 16;

std::optional<dynamics::FlexibleModel> flexible_of(const dynamics::Model& model) {
  if (!dynamics::FlexibleModel::has_modes(model)) return std::nullopt;
  return dynamics::FlexibleModel(model);
}

template <class Vector>
Vector row(Vector values, std::size_t k, std::size_t n) {
  return {values.data() + k * n, n};
}

/// Runs a kernel state by state, or all at once; what has no answer is named.
template <class One, class All>
void each(std::size_t count, const char* field, const One& one, const All& all) {
  const auto named = [&](std::size_t k) {
    try {
      one(k);
    } catch (const dynamics::ModelError& error) {
      throw Fault(ResultCode::NO_SOLUTION, fmt::format("{}[{}]: {}", field, k, error.what()));
    }
  };
  if (count < many) {
    for (std::size_t k = 0; k < count; ++k) named(k);
    return;
  }
  try {
    all();
  } catch (const dynamics::BatchError& error) {
    named(error.state());  // the reason in the single kernel's words
    throw Fault(ResultCode::NO_SOLUTION, fmt::format("{}[{}] has no answer", field, error.state()));
  }
}

/// Numbers that are all finite, but too large: their answer overflows.
void check_finite(const dynamics::Model& model, ConstVector values, std::size_t n, const char* what,
                  const char* field) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    const std::size_t coordinate = i % n;
    throw Fault(
        ResultCode::NO_SOLUTION,
        fmt::format("{}[{}]: its numbers are too large: the {} of {} is {}", field, i / n, what,
                    coordinate < model.size()
                        ? "joint '" + model.coordinates()[coordinate].name + "'"
                        : "an amplitude",
                    values[i]));
  }
}

}  // namespace

Robot::Robot(dynamics::Model made, std::size_t batch_threads)
    : model(std::move(made)),
      flexible(flexible_of(model)),
      workspaces_([this] { return std::make_unique<dynamics::Workspace>(model); }),
      batches_([this, batch_threads] {
        return std::make_unique<dynamics::BatchWorkspace>(
            model, dynamics::BatchOptions{.threads = batch_threads});
      }),
      flexibles_([this] { return std::make_unique<dynamics::FlexibleWorkspace>(*flexible); }) {}

void Robot::inverse_dynamics(ConstVector q, ConstVector qd, ConstVector qdd, MutableVector tau,
                             bool friction, const char* field) const {
  const std::size_t n = model.size(), count = q.size() / n;
  dynamics::Conditions conditions;
  conditions.friction = friction;
  each(
      count, field,
      [&](std::size_t k) {
        auto loan = workspace();
        dynamics::inverse_dynamics(model, *loan, row(q, k, n), row(qd, k, n), row(qdd, k, n),
                                   row(tau, k, n), conditions);
      },
      [&] {
        auto loan = batches_.take();
        dynamics::batch::inverse_dynamics(model, *loan, q, qd, qdd, tau, conditions);
      });
  check_finite(model, {tau.data(), tau.size()}, n, "effort", field);
}

void Robot::forward_dynamics(ConstVector q, ConstVector qd, ConstVector tau, MutableVector qdd,
                             bool friction, const char* field) const {
  const std::size_t n = model.size(), count = q.size() / n;
  dynamics::Conditions conditions;
  conditions.friction = friction;
  each(
      count, field,
      [&](std::size_t k) {
        auto loan = workspace();
        dynamics::forward_dynamics(model, *loan, row(q, k, n), row(qd, k, n), row(tau, k, n),
                                   row(qdd, k, n), conditions);
      },
      [&] {
        auto loan = batches_.take();
        dynamics::batch::forward_dynamics(model, *loan, q, qd, tau, qdd, conditions);
      });
  check_finite(model, {qdd.data(), qdd.size()}, n, "acceleration", field);
}

void Robot::flexible_forward_dynamics(ConstVector q, ConstVector qd, ConstVector tau,
                                      MutableVector qdd, bool friction, const char* field) const {
  const std::size_t n = flexible->size();
  auto loan = flexibles_.take();
  for (std::size_t k = 0; k < q.size() / n; ++k) {
    try {
      dynamics::forward_dynamics(*flexible, *loan, row(q, k, n), row(qd, k, n), row(tau, k, n),
                                 row(qdd, k, n), friction);
    } catch (const dynamics::ModelError& error) {
      throw Fault(ResultCode::NO_SOLUTION, fmt::format("{}[{}]: {}", field, k, error.what()));
    }
  }
  check_finite(model, {qdd.data(), qdd.size()}, n, "acceleration", field);
}

}  // namespace dynamics_ros
