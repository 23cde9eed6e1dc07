// SPDX-License-Identifier: Apache-2.0
#include "simulation/run_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace dynamics {

using ode::Crossing;
using ode::EventAction;

RunEvents::RunEvents(Plant*& plant, const SimulationOptions& options, StateLayout layout,
                     JointConstraints* constraints, Recording& run)
    : plant_(plant), layout_(layout), constraints_(constraints), run_(run) {
  if (constraints != nullptr) add_constraints(*constraints);
  if (options.limits) add_velocity_limits();
  for (const SimulationEvent& event : options.events) add_user_event(event);
}

void RunEvents::add(Function function, Crossing crossing, Action action, bool terminal,
                    bool definite) {
  ode::Event<double> event;
  event.definite = definite;
  event.function = functions_.emplace_back(std::move(function));
  event.crossing = crossing;
  if (action) event.action = actions_.emplace_back(std::move(action));
  event.terminal = terminal;
  events_.push_back(event);
}

void RunEvents::log(double t, std::string what) {
  constexpr std::size_t max_events = 10'000;
  if (run_.events.size() < max_events) run_.events.push_back({t, std::move(what)});
}

void RunEvents::change_and_add_work(double t, State y, ode::FunctionRef<void()> change) {
  const double before = energy(t, y);
  change();
  if (layout_.has_work()) y[layout_.work()] += energy(t, y) - before;
}

void RunEvents::add_constraints(JointConstraints& constraints) {
  // the energy lost in the tiny motion that the tolerances allow is within round-off
  const auto update = [this, &constraints](const double& t, State y) {
    std::copy_n(constraints.contacts().begin(), contacts_.size(), contacts_.begin());
    constraints.update(t, layout_.q(y), layout_.qd(y));
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      if (contacts_[i] != 0 && constraints.contacts()[i] == 0)
        log(t, fmt::format("{} leaves its stop", plant_->model().coordinates()[i].name));
    }
    return EventAction::restart;
  };
  contacts_.resize(plant_->joints());
  add([this, &constraints](const double&,
                           ConstState y) { return constraints.sliding_margin(layout_.qd(y)); },
      Crossing::falling, update, false, true);
  add(
      [this, &constraints](const double& t, ConstState y) {
        return constraints.holding_margin(t, layout_.q(y), layout_.qd(y));
      },
      Crossing::falling, update, false, true);
  for (std::size_t i = 0; i < plant_->joints(); ++i) {
    for (const int side : {-1, 1}) {
      if (constraints.has_stop(i, side)) add_stop(constraints, i, side);
    }
  }
}

void RunEvents::add_stop(JointConstraints& constraints, std::size_t joint, int side) {
  add(
      [this, &constraints, joint, side](const double&, ConstState y) {
        return constraints.gap_margin(joint, side, layout_.q(y));
      },
      Crossing::falling,
      [this, &constraints](const double& t, State y) {
        std::vector<Hit> hits;
        for (std::size_t i = 0; i < plant_->joints(); ++i) {
          const int reached = constraints.reaches(i, layout_.q(y), layout_.qd(y));
          if (reached != 0) hits.push_back({i, reached, layout_.qd(y)[i]});
        }
        const auto impact = [&] { constraints.impact(t, layout_.q(y), layout_.qd(y)); };
        change_and_add_work(t, y, impact);
        for (const Hit& hit : hits) {
          const Coordinate& coordinate = plant_->model().coordinates()[hit.joint];
          log(t, fmt::format("{} hits its {} stop at {:.6g} {}{}", coordinate.name,
                             hit.side < 0 ? "lower" : "upper", hit.velocity,
                             coordinate.prismatic ? "m/s" : "rad/s",
                             constraints.contacts()[hit.joint] != 0 ? " and rests" : ""));
        }
        return EventAction::restart;
      },
      false, true);
  events_.back().slope =
      functions_.emplace_back([this, &constraints, joint, side](const double&, ConstState y) {
        return constraints.contacts()[joint] != 0 ? 0.0 : -side * layout_.qd(y)[joint];
      });
}

void RunEvents::add_velocity_limits() {
  for (std::size_t i = 0; i < plant_->joints(); ++i) {
    const Coordinate& joint = plant_->model().coordinates()[i];
    if (!std::isfinite(joint.velocity)) continue;
    const std::string what = fmt::format("{} is faster than its limit of {:.6g} {}", joint.name,
                                         joint.velocity, joint.prismatic ? "m/s" : "rad/s");
    const double limit = joint.velocity;
    add([this, i, limit](const double&,
                         ConstState y) { return std::abs(layout_.qd(y)[i]) - limit; },
        Crossing::rising,
        [this, what](const double& t, State) {
          log(t, what);
          return EventAction::proceed;
        });
  }
}

void RunEvents::add_user_event(const SimulationEvent& event) {
  add([this, &event](const double& t,
                     ConstState y) { return event.function(t, layout_.q(y), layout_.qd(y)); },
      event.crossing,
      [this, &event](const double& t, State y) {
        log(t, event.name);
        EventAction action = event.stop ? EventAction::stop : EventAction::proceed;
        if (event.action) {
          const auto change = [&] {
            action = event.action(t, layout_.q(y), layout_.qd(y));
            // joints that were held may move now
            if (action != EventAction::proceed && constraints_ != nullptr)
              constraints_->start(t, layout_.q(y), layout_.qd(y));
          };
          change_and_add_work(t, y, change);
        }
        return action;
      },
      event.stop);
}

}  // namespace dynamics
