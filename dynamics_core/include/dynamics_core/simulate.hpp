// SPDX-License-Identifier: Apache-2.0
#pragma once

// Simulation: forward dynamics and integration (Saha 2003, section 4).
//
//   dynamics::SimulationOptions options;
//   options.duration = 2.0;
//   dynamics::Recording fall = dynamics::simulate(model, options);

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/export.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/integrators.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/plant.hpp"
#include "dynamics_core/recording.hpp"
#include "dynamics_core/trajectory.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

enum class Scenario {
  free_fall,       ///< no joint forces
  forced,          ///< the inverse dynamics of the desired motion, open loop
  hold,            ///< computed torque, staying at the start
  computed_torque  ///< computed torque, along the desired motion
};
/// "free-fall", "forced", "hold", "computed-torque"; throws ArgumentError listing them.
Scenario scenario_from_name(std::string_view name);
const char* to_string(Scenario scenario);

/// A condition of the user's that is watched during a run and located to round-off.
struct SimulationEvent {
  std::string name;
  /// Its zeros are looked for; q and qd are the plant's.
  std::function<double(double t, ConstVector q, ConstVector qd)> function;
  ode::Crossing crossing = ode::Crossing::any;
  /// Called at each crossing, may be empty. What it does to q and qd counts if it returns restart
  /// or stop; the energy that this brings counts as work.
  std::function<ode::EventAction(double t, MutableVector q, MutableVector qd)> action;
  bool stop = false;  ///< ends the run at the first crossing
};

struct SimulationOptions {
  Scenario scenario = Scenario::free_fall;
  double duration = 10.0;  ///< (s)
  std::string integrator = "dop853";
  double rtol = 1e-9;
  std::optional<double> atol;   ///< as rtol
  std::optional<double> step;   ///< of fixed-step methods (s)
  double sample = 0.01;         ///< (s)
  std::vector<double> q0, qd0;  ///< zero where empty
  bool friction = true;
  std::shared_ptr<const Motion> motion;  ///< for forced and computed torque
  double bandwidth = 10.0;               ///< of the closed loops (rad/s)

  /// Joint stops stop, actuators give no more than their effort limit, speeds above their limit are
  /// told in Recording::events.
  bool limits = false;
  double restitution = 0.0;  ///< of the stops, 0 to 1

  std::shared_ptr<const BaseTrajectory> base;  ///< prescribed motion, at rest where null
  /// When the model's payload is released (s); its momentum goes with it. Controllers keep using
  /// the model with the payload.
  std::optional<double> drop_payload;
  std::vector<SimulationEvent> events;
};

/// Called now and then with the time reached; returning false ends the run with what there is.
using Progress = std::function<bool(double time)>;

/// Throws ArgumentError or std::invalid_argument for options that cannot be, naming them, and
/// ModelError where the robot has no forward dynamics. A run that the integrator cannot finish, or
/// that `progress` ends, is returned as far as it came, with the reason in its statistics.
Recording simulate(const Model& model, const SimulationOptions& options,
                   const Progress& progress = {});

/// The same for any plant; `friction` and `base` are then the plant's own affair. q0 and qd0 are
/// given for the joints alone, or for all coordinates of the plant.
Recording simulate(Plant& plant, const SimulationOptions& options, const Progress& progress = {});

/// Torques along a motion (the papers' RIDIM): inverse dynamics at every sample of the duration.
Recording torques_along(const Model& model, const Motion& motion, double duration, double sample,
                        Friction friction = {});

}  // namespace dynamics
