// SPDX-License-Identifier: Apache-2.0
#include "dynamics_sim/system_link.hpp"

#include <algorithm>
#include <cmath>
#include <dynamics_core/closed_loops.hpp>
#include <dynamics_core/error.hpp>
#include <dynamics_core/flexible_links.hpp>
#include <limits>
#include <set>
#include <utility>

namespace dynamics_sim {
namespace {

std::string independent_joints(const dynamics::Mechanism& mechanism) {
  std::string list;
  for (const std::size_t joint : mechanism.independent())
    list += (list.empty() ? "" : ", ") + mechanism.tree().coordinates()[joint].name;
  return list;
}

/// The prescribed values: those of the independent joints, or of all if one of the others is
/// prescribed.
std::vector<double> prescribed(const dynamics::Mechanism& mechanism,
                               const std::vector<double>& values, const std::vector<bool>& has) {
  std::vector<bool> follows(values.size(), true);
  std::vector<double> reduced;
  for (const std::size_t joint : mechanism.independent()) {
    follows[joint] = false;
    reduced.push_back(values[joint]);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!has[i] || !follows[i]) continue;
    if (std::find(has.begin(), has.end(), false) == has.end()) return values;
    throw dynamics::ArgumentError("joint '" + mechanism.tree().coordinates()[i].name + "'",
                                  "follows from the closed loops of '" + mechanism.tree().name() +
                                      "': give values of independent joints (" +
                                      independent_joints(mechanism) + ") only, or of all joints");
  }
  return reduced;
}

/// Throws for positions of all joints that do not close the loops.
void check_closed(const dynamics::Mechanism& mechanism, const std::vector<double>& q) {
  dynamics::MechanismWorkspace workspace(mechanism);
  const double error = loop_error(mechanism, workspace, q);
  if (error <= 1e-6) return;
  throw dynamics::ArgumentError("the positions of all joints do not close the loops of '" +
                                mechanism.tree().name() + "': the error is " +
                                std::to_string(error) +
                                " of its size and 1e-6 is allowed; give those of independent "
                                "joints (" +
                                independent_joints(mechanism) + ") only");
}

}  // namespace

SystemState closed_state(dynamics::RealTimeSimulation& robot, const SystemState& state,
                         const std::vector<bool>& has_q, const std::vector<bool>& has_qd) {
  const dynamics::Mechanism* mechanism = robot.plant().mechanism();
  if (mechanism == nullptr) return state;
  const auto q = prescribed(*mechanism, state.q, has_q);
  const auto qd = prescribed(*mechanism, state.qd, has_qd);
  if (q.size() == robot.size()) check_closed(*mechanism, q);
  try {
    robot.reset(q, qd);
  } catch (const dynamics::StateError& error) {
    throw dynamics::StateError("robot '" + mechanism->tree().name() + "'", error.what());
  }
  return {{robot.positions().begin(), robot.positions().end()},
          {robot.velocities().begin(), robot.velocities().end()}};
}

SystemLink::SystemLink(const dynamics::RealTimeSimulation& robot, SystemState initial,
                       Blocks blocks, std::shared_ptr<SimulatedClock> clock)
    : blocks_(std::move(blocks)), clock_(std::move(clock)), initial_(std::move(initial)) {
  for (const auto& block : blocks_) name_.append(name_.empty() ? "" : ", ").append(block->name);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const auto& joint : robot.model().coordinates()) {
    coordinates_.push_back(joint.name);
    lower_.push_back(robot.options().limits ? joint.lower : -infinity);
    upper_.push_back(robot.options().limits ? joint.upper : infinity);
  }
  if (robot.size() > robot.joints()) {
    const dynamics::FlexibleModel flexible(robot.model());
    for (const auto& link : flexible.links()) {
      for (std::size_t m = 0; m < link.modes(); ++m) {
        coordinates_.push_back(link.name + (m < link.modes_y
                                                ? "/y" + std::to_string(m + 1)
                                                : "/z" + std::to_string(m - link.modes_y + 1)));
      }
    }
  }
  lower_.resize(coordinates_.size(), -infinity);
  upper_.resize(coordinates_.size(), infinity);
  initial_.q.resize(coordinates_.size(), 0.0);
  initial_.qd.resize(coordinates_.size(), 0.0);
  if (robot.plant().mechanism() == nullptr) return;
  closing_ = std::make_unique<dynamics::RealTimeSimulation>(
      robot.plant().with_payload(std::nullopt), robot.options());
}

bool SystemLink::has(const std::string& coordinate) const {
  return std::find(coordinates_.begin(), coordinates_.end(), coordinate) != coordinates_.end();
}

SystemState SystemLink::state_from(const NamedState& named) const {
  SystemState state = initial_;
  std::vector<bool> has_q(coordinates_.size(), false), has_qd(coordinates_.size(), false);
  for (std::size_t i = 0; i < named.names.size(); ++i) {
    const auto place = std::find(coordinates_.begin(), coordinates_.end(), named.names[i]);
    if (place == coordinates_.end()) continue;
    const auto k = static_cast<std::size_t>(place - coordinates_.begin());
    state.q[k] = named.positions[i];
    state.qd[k] = named.velocities.empty() ? 0.0 : named.velocities[i];
    has_q[k] = true;
    has_qd[k] = !named.velocities.empty();
  }
  if (!closing_ || std::find(has_q.begin(), has_q.end(), true) == has_q.end()) return state;
  const std::lock_guard guard(access_);
  return closed_state(*closing_, state, has_q, has_qd);
}

void SystemLink::serve() {
  const std::unique_lock lock(serving_, std::try_to_lock);
  if (lock.owns_lock() && server_) server_();
}

void SystemLink::set_server(std::function<void()> server) {
  const std::lock_guard guard(serving_);
  server_ = std::move(server);
}

std::optional<RequestError> check(std::span<const std::shared_ptr<SystemLink>> systems,
                                  const NamedState& named) {
  using Kind = RequestError::Kind;
  const std::size_t count = named.names.size();
  if (named.positions.size() != count) {
    return RequestError{Kind::wrong_size, "positions has " +
                                              std::to_string(named.positions.size()) +
                                              " entries, but names has " + std::to_string(count)};
  }
  if (!named.velocities.empty() && named.velocities.size() != count) {
    return RequestError{Kind::wrong_size, "velocities has " +
                                              std::to_string(named.velocities.size()) +
                                              " entries, but names has " + std::to_string(count)};
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string& name = named.names[i];
    if (!seen.insert(name).second) {
      return RequestError{Kind::duplicate, "'" + name + "' is given twice"};
    }
    const auto owner = std::find_if(systems.begin(), systems.end(),
                                    [&](const auto& system) { return system->has(name); });
    if (owner == systems.end()) {
      std::string message = "'" + name + "' is not a joint or amplitude of the robot; known names:";
      for (const auto& system : systems) {
        for (const auto& one : system->coordinates()) message.append(" ").append(one);
      }
      return RequestError{Kind::unknown, message};
    }
    if (!std::isfinite(named.positions[i]) ||
        (!named.velocities.empty() && !std::isfinite(named.velocities[i]))) {
      return RequestError{Kind::not_finite, "position or velocity of '" + name + "' is not finite"};
    }
    const auto& coordinates = (*owner)->coordinates_;
    const auto k = static_cast<std::size_t>(
        std::find(coordinates.begin(), coordinates.end(), name) - coordinates.begin());
    if (named.positions[i] < (*owner)->lower_[k] || named.positions[i] > (*owner)->upper_[k]) {
      return RequestError{Kind::invalid, "position " + std::to_string(named.positions[i]) +
                                             " of '" + name + "' is outside its limits " +
                                             std::to_string((*owner)->lower_[k]) + " and " +
                                             std::to_string((*owner)->upper_[k])};
    }
  }
  try {
    for (const auto& system : systems) system->state_from(named);
  } catch (const dynamics::Error& error) {
    return RequestError{Kind::invalid, error.what()};
  }
  return std::nullopt;
}

SystemRegistry& SystemRegistry::instance() {
  static SystemRegistry registry;
  return registry;
}

void SystemRegistry::add(const std::shared_ptr<SystemLink>& system) {
  const std::lock_guard guard(mutex_);
  std::erase_if(systems_, [](const auto& one) { return one.expired(); });
  systems_.push_back(system);
}

std::vector<std::shared_ptr<SystemLink>> SystemRegistry::systems() const {
  const std::lock_guard guard(mutex_);
  std::vector<std::shared_ptr<SystemLink>> all;
  for (const auto& one : systems_) {
    if (auto system = one.lock()) all.push_back(std::move(system));
  }
  return all;
}

std::vector<std::shared_ptr<SystemLink>> SystemRegistry::systems(
    const SimulatedClock& clock) const {
  auto all = systems();
  std::erase_if(all, [&](const auto& one) { return one->clock().get() != &clock; });
  return all;
}

std::shared_ptr<SimulatedClock> SystemRegistry::clock(const void* executor) {
  const std::lock_guard guard(mutex_);
  std::erase_if(clocks_, [](const auto& one) { return one.second.expired(); });
  auto known = clocks_[executor].lock();
  if (!known) clocks_[executor] = known = std::make_shared<SimulatedClock>();
  return known;
}

void SystemRegistry::report_failure(const std::string& message) {
  const std::lock_guard guard(mutex_);
  if (!failure_) failure_ = message;
}

std::optional<std::string> SystemRegistry::failure() const {
  const std::lock_guard guard(mutex_);
  return failure_;
}

}  // namespace dynamics_sim
