// SPDX-License-Identifier: Apache-2.0
#include "dynamics_sim/system_link.hpp"

#include <algorithm>
#include <cmath>
#include <dynamics_core/flexible_model.hpp>
#include <limits>
#include <set>
#include <utility>

namespace dynamics_sim {

SystemLink::SystemLink(std::string name, const dynamics::RealTimeSimulation& robot,
                       SystemState initial)
    : name_(std::move(name)), initial_(std::move(initial)) {
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
}

bool SystemLink::has(const std::string& coordinate) const {
  return std::find(coordinates_.begin(), coordinates_.end(), coordinate) != coordinates_.end();
}

SystemState SystemLink::state_from(const NamedState& named) const {
  SystemState state = initial_;
  for (std::size_t i = 0; i < named.names.size(); ++i) {
    const auto place = std::find(coordinates_.begin(), coordinates_.end(), named.names[i]);
    if (place == coordinates_.end()) continue;
    const auto k = static_cast<std::size_t>(place - coordinates_.begin());
    state.q[k] = named.positions[i];
    state.qd[k] = named.velocities.empty() ? 0.0 : named.velocities[i];
  }
  return state;
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

void SystemRegistry::report_failure(const std::string& message) {
  const std::lock_guard guard(mutex_);
  if (!failure_) failure_ = message;
}

std::optional<std::string> SystemRegistry::failure() const {
  const std::lock_guard guard(mutex_);
  return failure_;
}

}  // namespace dynamics_sim
