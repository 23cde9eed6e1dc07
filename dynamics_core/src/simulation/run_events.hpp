// SPDX-License-Identifier: Apache-2.0
#pragma once

// The events of a run: joint stops, speed limits, the dropped payload, the user's conditions.

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "dynamics_core/simulate.hpp"
#include "ode/event.hpp"
#include "simulation/joint_stops.hpp"

namespace dynamics {

/// Where a state vector y = [q, more; qd, work] has its parts.
struct StateLayout {
  std::size_t coordinates;  ///< of the plant
  std::size_t half;         ///< coordinates, and one more where work is integrated

  template <class T>
  std::span<T> q(std::span<T> y) const {
    return y.first(coordinates);
  }
  template <class T>
  std::span<T> qd(std::span<T> y) const {
    return y.subspan(half, coordinates);
  }
  bool has_work() const { return half > coordinates; }
  std::size_t work() const { return half + coordinates; }
};

class RunEvents {
 public:
  using State = std::span<double>;
  using ConstState = std::span<const double>;

  /// `plant` is the run's current one: dropping the payload puts another in its place.
  RunEvents(Plant*& plant, const SimulationOptions& options, StateLayout layout, JointStops* stops,
            Recording& run);

  std::span<const ode::Event<double>> events() const { return events_; }

 private:
  using Function = std::function<double(const double&, ConstState)>;
  using Action = std::function<ode::EventAction(const double&, State)>;

  void add(Function function, ode::Crossing crossing, Action action, bool terminal = false);
  void add_stops(JointStops& stops);
  void add_speed_limits();
  void add_drop(double time);
  void add_user_event(const SimulationEvent& event);

  void note(double t, std::string what);
  double energy(double t, ConstState y);
  /// Books the energy that `change` brings into the state as work.
  template <class Change>
  void book(double t, State y, Change&& change);

  Plant*& plant_;
  StateLayout layout_;
  JointStops* stops_;
  Recording& run_;
  std::unique_ptr<Plant> lighter_;
  std::deque<Function> functions_;  // the events refer to these
  std::deque<Action> actions_;
  std::vector<ode::Event<double>> events_;
};

}  // namespace dynamics
