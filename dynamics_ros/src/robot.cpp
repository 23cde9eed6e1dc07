// SPDX-License-Identifier: Apache-2.0
#include "robot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <dynamics_core/rigid_dynamics.hpp>
#include <memory>
#include <utility>
#include <vector>

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

dynamics::ExternalInputs with_friction(bool friction) {
  dynamics::ExternalInputs external;
  external.friction = friction;
  return external;
}

/// Views the wrenches of the loads.
dynamics::ExternalInputs external_inputs(const Loads& loads) {
  dynamics::ExternalInputs external = with_friction(loads.friction);
  external.wrenches = loads.wrenches;
  return external;
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
    : Robot(std::nullopt, std::move(made), batch_threads) {}

Robot::Robot(dynamics::Mechanism made, std::size_t batch_threads)
    : Robot(made, made.tree(), batch_threads) {}

Robot::Robot(std::optional<dynamics::Mechanism> loops, dynamics::Model made,
             std::size_t batch_threads)
    : mechanism(std::move(loops)),
      model(std::move(made)),
      flexible(flexible_of(model)),
      batch_threads_(batch_threads),
      workspaces_([this] { return std::make_unique<dynamics::Workspace>(model); }),
      loops_([this] { return std::make_unique<dynamics::MechanismWorkspace>(*mechanism); }),
      batches_([this, batch_threads] {
        return std::make_unique<dynamics::BatchWorkspace>(
            model, dynamics::BatchOptions{.threads = batch_threads});
      }),
      flexibles_([this] { return std::make_unique<dynamics::FlexibleWorkspace>(*flexible); }) {}

std::shared_ptr<const Robot> Robot::with_payload(
    const std::optional<dynamics::Payload>& payload) const {
  const auto changed = [&](const auto& without) {
    return payload ? without.with_payload(*payload) : without.without_payload();
  };
  if (mechanism) return std::make_shared<const Robot>(changed(*mechanism), batch_threads_);
  return std::make_shared<const Robot>(changed(model), batch_threads_);
}

void Robot::require_tree(const char* what) const {
  if (!mechanism) return;
  throw Fault(ResultCode::NOT_SUPPORTED,
              fmt::format("robot '{}' has closed loops (constraint '{}'): {} takes robots without",
                          model.name(), mechanism->description().constraints.front().name, what));
}

template <class One>
void Robot::at_closed_states(std::size_t count, const char* field, const One& one) const {
  auto loan = mechanism_workspace();
  for (std::size_t k = 0; k < count; ++k) {
    try {
      one(k, *loan);
    } catch (const dynamics::StateError& error) {
      throw Fault(ResultCode::NO_SOLUTION, fmt::format("{}[{}]: {}", field, k, error.what()));
    }
  }
}

template <class One, class All>
void Robot::at_states(ConstVector q, ConstVector qd, ConstVector input, MutableVector output,
                      bool friction, const char* what, const char* field, const One& one,
                      const All& all) const {
  const std::size_t n = model.size(), count = q.size() / n;
  const auto external = with_friction(friction);
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
                             const Loads& loads, const char* field, EffortsOf efforts) const {
  if (mechanism) {
    const std::size_t n = model.size();
    const auto joints =
        efforts == EffortsOf::actuators ? mechanism->actuated() : mechanism->independent();
    std::vector<double> reduced(mechanism->size()), torques(joints.size());
    std::fill_n(tau.data(), tau.size(), 0.0);
    const auto external = external_inputs(loads);
    at_closed_states(q.size() / n, field, [&](std::size_t k, auto& loops) {
      dynamics::inverse_dynamics(*mechanism, loops, row(q, k, n), row(qd, k, n), row(qdd, k, n),
                                 reduced, external);
      if (efforts == EffortsOf::actuators) {
        dynamics::actuator_torques(*mechanism, loops, row(q, k, n), reduced, torques);
      } else {
        torques = reduced;
      }
      for (std::size_t i = 0; i < joints.size(); ++i) tau[k * n + joints[i]] = torques[i];
    });
    check_finite(model, {tau.data(), tau.size()}, n, "effort", field);
    return;
  }
  at_states(
      q, qd, qdd, tau, loads.friction, "effort", field,
      [](auto&&... a) { dynamics::inverse_dynamics(a...); },
      [](auto&&... a) { dynamics::batch::inverse_dynamics(a...); });
  if (loads.wrenches.empty()) return;
  const std::vector<double> external = wrench_torques(q, loads.wrenches);
  for (std::size_t i = 0; i < external.size(); ++i) tau[i] -= external[i];
  check_finite(model, {tau.data(), tau.size()}, model.size(), "effort", field);
}

std::vector<double> Robot::wrench_torques(ConstVector q,
                                          const std::vector<dynamics::LinkWrench>& wrenches) const {
  const std::size_t n = model.size();
  std::vector<double> tau(q.size());
  auto loan = workspace();
  for (std::size_t k = 0; k * n < tau.size(); ++k) {
    dynamics::wrenches_to_joint_torques(model, *loan, row(q, k, n), wrenches,
                                        MutableVector(tau.data() + k * n, n));
  }
  return tau;
}

void Robot::forward_dynamics(ConstVector q, ConstVector qd, ConstVector tau, MutableVector qdd,
                             const Loads& loads, const char* field) const {
  if (mechanism) {
    const std::size_t n = model.size();
    const auto external = external_inputs(loads);
    at_closed_states(q.size() / n, field, [&](std::size_t k, auto& loops) {
      dynamics::forward_dynamics(*mechanism, loops, row(q, k, n), row(qd, k, n), row(tau, k, n),
                                 row(qdd, k, n), external);
    });
    check_finite(model, {qdd.data(), qdd.size()}, n, "acceleration", field);
    return;
  }
  std::vector<double> all;
  if (!loads.wrenches.empty()) {
    all = wrench_torques(q, loads.wrenches);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += tau[i];
    tau = all;
  }
  at_states(
      q, qd, tau, qdd, loads.friction, "acceleration", field,
      [](auto&&... a) { dynamics::forward_dynamics(a...); },
      [](auto&&... a) { dynamics::batch::forward_dynamics(a...); });
}

void Robot::flexible_forward_dynamics(ConstVector q, ConstVector qd, ConstVector tau,
                                      MutableVector qdd, const Loads& loads,
                                      const char* field) const {
  const std::size_t n = flexible->size();
  auto loan = flexibles_.take();
  std::vector<double> all(n);
  for (std::size_t k = 0; k < q.size() / n; ++k) {
    try {
      const ConstVector own = row(tau, k, n);
      std::fill(all.begin(), all.end(), 0.0);
      if (!loads.wrenches.empty())
        dynamics::wrenches_to_joint_torques(*flexible, *loan, row(q, k, n), loads.wrenches, all);
      for (std::size_t i = 0; i < n; ++i) all[i] += own[i];
      dynamics::forward_dynamics(*flexible, *loan, row(q, k, n), row(qd, k, n), all, row(qdd, k, n),
                                 loads.friction);
    } catch (const dynamics::StateError& error) {
      throw Fault(ResultCode::NO_SOLUTION, fmt::format("{}[{}]: {}", field, k, error.what()));
    }
  }
  check_finite(model, {qdd.data(), qdd.size()}, n, "acceleration", field);
}

}  // namespace dynamics_ros
