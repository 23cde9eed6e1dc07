// SPDX-License-Identifier: Apache-2.0
#include "robot.hpp"

#include <fmt/format.h>

#include <cmath>
#include <dynamics_core/forward_dynamics.hpp>
#include <dynamics_core/inverse_dynamics.hpp>
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

template <class One, class All>
void Robot::at_states(ConstVector q, ConstVector qd, ConstVector input, MutableVector output,
                      bool friction, const char* what, const char* field, const One& one,
                      const All& all) const {
  const std::size_t n = model.size(), count = q.size() / n;
  dynamics::ExternalInputs external;
  external.friction = friction;
  auto loan = workspace();
  const auto named = [&](std::size_t k) {
    try {
      one(model, *loan, row(q, k, n), row(qd, k, n), row(input, k, n), row(output, k, n), external);
    } catch (const dynamics::StateError& error) {
      throw Fault(ResultCode::NO_SOLUTION, fmt::format("{}[{}]: {}", field, k, error.what()));
    }
  };
  if (count < many) {
    for (std::size_t k = 0; k < count; ++k) named(k);
  } else {
    auto batch = batches_.take();
    try {
      all(model, *batch, q, qd, input, output, external);
    } catch (const dynamics::BatchError& error) {
      named(error.state());  // the reason in the single kernel's words
      throw Fault(ResultCode::NO_SOLUTION,
                  fmt::format("{}[{}] has no answer", field, error.state()));
    }
  }
  check_finite(model, {output.data(), output.size()}, n, what, field);
}

void Robot::inverse_dynamics(ConstVector q, ConstVector qd, ConstVector qdd, MutableVector tau,
                             bool friction, const char* field) const {
  at_states(
      q, qd, qdd, tau, friction, "effort", field,
      [](auto&&... a) { dynamics::inverse_dynamics(a...); },
      [](auto&&... a) { dynamics::batch::inverse_dynamics(a...); });
}

void Robot::forward_dynamics(ConstVector q, ConstVector qd, ConstVector tau, MutableVector qdd,
                             bool friction, const char* field) const {
  at_states(
      q, qd, tau, qdd, friction, "acceleration", field,
      [](auto&&... a) { dynamics::forward_dynamics(a...); },
      [](auto&&... a) { dynamics::batch::forward_dynamics(a...); });
}

void Robot::flexible_forward_dynamics(ConstVector q, ConstVector qd, ConstVector tau,
                                      MutableVector qdd, bool friction, const char* field) const {
  const std::size_t n = flexible->size();
  auto loan = flexibles_.take();
  for (std::size_t k = 0; k < q.size() / n; ++k) {
    try {
      dynamics::forward_dynamics(*flexible, *loan, row(q, k, n), row(qd, k, n), row(tau, k, n),
                                 row(qdd, k, n), friction);
    } catch (const dynamics::StateError& error) {
      throw Fault(ResultCode::NO_SOLUTION, fmt::format("{}[{}]: {}", field, k, error.what()));
    }
  }
  check_finite(model, {qdd.data(), qdd.size()}, n, "acceleration", field);
}

}  // namespace dynamics_ros
