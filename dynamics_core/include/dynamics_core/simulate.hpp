// SPDX-License-Identifier: Apache-2.0
#pragma once

// Simulation: integrates the forward dynamics (Saha 2003, section 4).
//
//   dynamics::SimulationOptions options;
//   options.duration = 2.0;
//   dynamics::Recording fall = dynamics::simulate(model, options);
//
//   auto controller = dynamics::make_controller("pd-gravity");     // see controllers.hpp
//   options.sampling.period = 0.001;
//   dynamics::Recording held = dynamics::simulate(model, *controller, options);
//
// SI units. Simulations allocate; several threads may simulate the same model, each with a plant of
// its own.

#include <Eigen/Core>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/controllers.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/integrators.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/plant.hpp"
#include "dynamics_core/recording.hpp"
#include "dynamics_core/trajectory.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// Short names of common controllers with their references.
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

/// A wrench on a link over time, in the world's axes, about the link's center of mass:
///
///   options.wrenches.push_back(dynamics::push("link3", {0.0, 20.0, 0.0}, 1.0, 0.1));
struct LinkWrenchHistory {
  std::string link;
  std::function<Wrench(double t)> wrench;
  std::vector<double> breakpoints = {};  ///< times at which the wrench jumps, increasing (s)
  std::string description = {};          ///< for the recording
  /// A constant force, for display.
  struct Pulse {
    double start = 0.0, end = 0.0;  ///< (s)
    Eigen::Vector3d force = Eigen::Vector3d::Zero();
  };
  std::optional<Pulse> pulse = std::nullopt;
};

/// A constant force (N) at the link's center of mass from `start` for `duration` s, which may be
/// infinite. Throws ArgumentError for numbers that are not finite or a duration <= 0.
LinkWrenchHistory push(std::string link, const Eigen::Vector3d& force, double start,
                       double duration);

/// Reads a CSV file with a column t and any of fx, fy, fz (N), mx, my, mz (N m); missing ones are
/// zero, others are errors. Linear in between, zero before the first and after the last row. Throws
/// ParseError with file, line and column.
LinkWrenchHistory read_wrench_csv(std::string link, std::string_view text,
                                  std::string_view file_name);

/// The payload changes at a time: a new one, or none. The joints' velocities stay the same: the
/// payload comes or goes with the velocity of its frame. Controllers keep using the initial model.
struct PayloadChange {
  double time = 0.0;  ///< (s)
  std::optional<Payload> payload = std::nullopt;
};

/// A joint is locked by a brake, which stops it at once, from `start` until `end` (s).
struct JointLock {
  std::string joint;
  double start = 0.0;
  double end = std::numeric_limits<double>::infinity();
};

/// Options of simulate().
struct SimulationOptions {
  /// Short form of a controller, for simulate() without one.
  Scenario scenario = Scenario::free_fall;
  double duration = 10.0;  ///< (s)
  /// One of ode::integrator_names(); auto is dop853 until the equations prove stiff.
  std::string integrator = "auto";
  double rtol = 1e-9;
  std::optional<double> atol;  ///< unset: rtol
  std::optional<double> step;  ///< of fixed-step methods (s)
  double sample = 0.01;        ///< sampling interval of the recording (s)
  std::vector<double> q0;      ///< initial position; default_start() if empty
  std::vector<double> qd0;     ///< initial velocity; zero if empty
  bool friction = true;
  /// The reference of the controller; null: hold the initial position. With closed loops: of the
  /// independent joints, or of all joints, of which only the independent ones count.
  std::shared_ptr<const Trajectory> trajectory;
  double bandwidth = 10.0;   ///< of the scenarios hold and computed torque (rad/s)
  ControlSampling sampling;  ///< period, delay and resolution of the controller

  /// Enables joint stops and effort limits; velocities above their limit are reported in
  /// Recording::events.
  bool limits = false;
  double restitution = 0.0;  ///< coefficient of restitution of the stops, 0 to 1

  std::shared_ptr<const BaseTrajectory> base;  ///< prescribed base motion; null: at rest
  std::vector<LinkWrenchHistory> wrenches;     ///< pushes on links
  std::vector<PayloadChange> payload_changes;  ///< in order of time
  std::vector<JointLock> locks;
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

/// Simulates a rigid robot with a controller; `scenario` and `bandwidth` of the options must have
/// their defaults. Throws also what Controller::start() throws.
Recording simulate(const Model& model, Controller& controller, const SimulationOptions& options,
                   const Progress& progress = {});

/// Simulates any plant. The plant defines friction and base motion: `friction` of the options is
/// only recorded, and `base` must be null.
/// q0 and qd0 have one entry per joint or one per coordinate of the plant.
Recording simulate(Plant& plant, const SimulationOptions& options, const Progress& progress = {});
Recording simulate(Plant& plant, Controller& controller, const SimulationOptions& options,
                   const Progress& progress = {});

/// Inverse dynamics along a trajectory (RIDIM in the papers), one sample every `sample` s. Throws
/// ArgumentError for another number of joints or times that are not positive.
Recording torques_along(const Model& model, const Trajectory& trajectory, double duration,
                        double sample, Friction friction = {});

/// The torques of a recording of a log.
enum class LogTorques {
  computed,  ///< by inverse dynamics
  measured   ///< efforts of the log
};

/// The motion of a log as a recording, sampled at the times of the log, with energies, end effector
/// and torques. Accelerations that are not in the log are the differences of its velocities, or
/// those of the spline through its positions; `work` is the integral of the actuators' power by the
/// trapezoidal rule. Throws ArgumentError for a log of another robot, or without the efforts.
Recording torques_along(const Model& model, const JointLog& log, LogTorques torques,
                        Friction friction = {});

}  // namespace dynamics
#pragma GCC visibility pop
