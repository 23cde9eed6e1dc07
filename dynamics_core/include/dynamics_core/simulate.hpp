// SPDX-License-Identifier: Apache-2.0
#pragma once

// Simulation: integrates the forward dynamics (Saha 2003, section 4).
//
//   dynamics::SimulationOptions options;
//   options.duration = 2.0;
//   dynamics::Recording fall = dynamics::simulate(model, options);
//
// SI units. Simulations allocate; several threads may simulate the same model, each with a plant of
// its own.

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

/// What drives the joints.
enum class Scenario {
  free_fall,       ///< no joint torques
  forced,          ///< inverse dynamics of the desired trajectory, open loop
  hold,            ///< computed torque, holding the initial position
  computed_torque  ///< computed torque along the desired trajectory
};
/// Scenario by name: "free-fall", "forced", "hold", "computed-torque". Throws ArgumentError listing
/// them.
Scenario scenario_from_name(std::string_view name);
const char* to_string(Scenario scenario);

/// A user-defined event: a zero crossing of a function of the state, located to round-off.
struct SimulationEvent {
  std::string name;
  /// The function whose zeros are located; q and qd are the plant's state vectors.
  std::function<double(double t, ConstVector q, ConstVector qd)> function;
  ode::Crossing crossing = ode::Crossing::any;
  /// Called at each crossing; may be empty. Changes of q and qd take effect if it returns restart
  /// or stop; the change of energy counts as work.
  std::function<ode::EventAction(double t, MutableVector q, MutableVector qd)> action;
  bool stop = false;  ///< ends the simulation at the first crossing
};

/// Options of simulate().
struct SimulationOptions {
  Scenario scenario = Scenario::free_fall;
  double duration = 10.0;  ///< (s)
  std::string integrator = "dop853";
  double rtol = 1e-9;
  std::optional<double> atol;  ///< unset: rtol
  std::optional<double> step;  ///< of fixed-step methods (s)
  double sample = 0.01;        ///< sampling interval of the recording (s)
  std::vector<double> q0;      ///< initial position; default_start() if empty
  std::vector<double> qd0;     ///< initial velocity; zero if empty
  bool friction = true;
  std::shared_ptr<const Trajectory> trajectory;  ///< desired; for forced and computed torque
  double bandwidth = 10.0;                       ///< of hold and computed torque (rad/s)

  /// Enables joint stops and effort limits; velocities above their limit are reported in
  /// Recording::events.
  bool limits = false;
  double restitution = 0.0;  ///< coefficient of restitution of the stops, 0 to 1

  std::shared_ptr<const BaseTrajectory> base;  ///< prescribed base motion; null: at rest
  /// Time at which the payload is released (s). It leaves with its momentum. Controllers keep using
  /// the model with the payload.
  std::optional<double> drop_payload;
  std::vector<SimulationEvent> events;
};

/// The position within the joints' limits that is nearest to zero.
std::vector<double> default_start(const Model& model);

/// Called after each step with the simulated time; returning false ends the simulation.
using Progress = std::function<bool(double time)>;

/// Simulates a rigid robot. Throws ArgumentError naming the invalid
/// option, and StateError if the robot has no forward dynamics. If the integrator fails or
/// `progress` ends the simulation, the samples so far are returned, with the reason in
/// statistics.ending.
Recording simulate(const Model& model, const SimulationOptions& options,
                   const Progress& progress = {});

/// Simulates any plant. The plant defines friction and base motion: `friction` of the options is
/// only recorded, and `base` must be null.
/// q0 and qd0 have one entry per joint or one per coordinate of the plant.
Recording simulate(Plant& plant, const SimulationOptions& options, const Progress& progress = {});

/// Inverse dynamics along a trajectory (RIDIM in the papers), one sample every `sample` s. Throws
/// ArgumentError for another number of joints or times that are not positive.
Recording torques_along(const Model& model, const Trajectory& trajectory, double duration,
                        double sample, Friction friction = {});

}  // namespace dynamics
