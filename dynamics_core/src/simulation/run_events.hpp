// SPDX-License-Identifier: Apache-2.0
#pragma once

// RunEvents: the events of a simulation: dry friction and joint stops, velocity limits and the
// user's events.

#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "dynamics_core/simulate.hpp"
#include "ode/event.hpp"
#include "ode/function_ref.hpp"
#include "simulation/joint_constraints.hpp"

namespace dynamics {

/// Layout of the state vector y = [q, (unused); qd, work]. The unused entry and the work exist only
/// where work is integrated.
struct StateLayout {
  std::size_t coordinates;  ///< number of the plant's coordinates
  std::size_t half;         ///< coordinates, plus one where work is integrated

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

  /// `plant` refers to the simulation's current plant, which a change of the payload replaces.
  RunEvents(Plant*& plant, const SimulationOptions& options, StateLayout layout,
            JointConstraints* constraints, Recording& run);

  std::span<const ode::Event<double>> events() const { return events_; }

  /// Adds an event to the recording.
  void log(double t, std::string what);
  /// Applies `change` and adds the energy that it brings to the work.
  void change_and_add_work(double t, State y, ode::FunctionRef<void()> change);

 private:
  using Function = std::function<double(const double&, ConstState)>;
  using Action = std::function<ode::EventAction(const double&, State)>;

  void add(Function function, ode::Crossing crossing, Action action, bool terminal = false,
           bool definite = false);
  void add_constraints(JointConstraints& constraints);
  void add_stop(JointConstraints& constraints, std::size_t joint, int side);
  void add_velocity_limits();
  void add_user_event(const SimulationEvent& event);

  struct Hit {
    std::size_t joint;
    int side;
    double velocity;
  };

  /// Total energy of the state.
  double energy(double t, ConstState y) {
    return plant_->energy(t, layout_.q(y), layout_.qd(y)).total();
  }

  Plant*& plant_;
  StateLayout layout_;
  JointConstraints* constraints_;
  Recording& run_;
  std::vector<int> contacts_;       ///< before a change
  std::deque<Function> functions_;  ///< referenced by events_
  std::deque<Action> actions_;
  std::vector<ode::Event<double>> events_;
};

}  // namespace dynamics
