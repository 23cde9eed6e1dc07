// SPDX-License-Identifier: Apache-2.0
#pragma once

// RealTimeSimulation: a robot with drives, simulated in steps of constant length, for control
// loops.
//
//   dynamics::RealTimeSimulation robot(model, {.step = 0.001});
//   robot.reset(q, qd);
//   robot.commands()[0] = dynamics::JointCommand::position(0.5);
//   if (!robot.step()) report(robot.fault());
//   use(robot.positions(), robot.velocities());
//
// Coordinates are those of the Plant: the joints in the order of the model, then the amplitudes of
// flexible links. Amplitudes have no commands. SI units.
//
// Drives. Joints with effort command follow the equations of motion. Drives (position and velocity
// commands) have a model-based inner loop: the joint moves with the acceleration
//
//   position:  qdd = w^2 (q_ref - q) + 2 w (qd_ref - qd)     critically damped
//   velocity:  qdd = w (qd_ref - qd)
//   acceleration:  qdd = qdd_ref
//
// with w the bandwidth, and exerts the effort that this requires. The stiffness of a drive thus
// does not depend on the load, and it is stable for w * step <= 1. A joint with ideal tracking
// reaches its commanded position exactly at the end of the control period (see begin()), on the
// cubic through position and velocity at both ends, with any effort.
//
// Feed-forward. An effort beside a position or velocity command (JointCommand::with_effort) takes
// the place of the load that the inner loop compensates: at the start of each step the acceleration
// is computed that this effort alone gives the joint, and the law above is added to it. Where all
// joints have a feed-forward effort, they exert
//
//   tau = tau_feedforward + M (w^2 (q_ref - q) + 2 w (qd_ref - qd))
//
// With the efforts of inverse dynamics a joint follows without the lag qdd_ref / w^2; with an
// effort of zero it sags under its load. Ideal tracking takes no notice of it.
//
// Limits. The effort of a drive saturates at its limit, decided at the start of each step: a drive
// that cannot reach its acceleration exerts its limit. Position commands are clamped to the
// position limits, and the velocities that drives aim at to the velocity limit. The position limits
// are rigid stops; a drive does not push a joint against its stop.
//
// Dry friction and stops are those of simulate(): a joint with Coulomb friction slides or is held
// at rest exactly; impacts are inelastic unless `restitution` is set. A joint that comes to rest,
// that starts to slide or that reaches a stop within a step is located, the step is divided there.
// If there are more than max_mode_changes of them in one step, the rest of the step is an implicit
// step with impulses (Moreau), which needs no location and is stable for any number of them.
//
// Integration, with commands constant over a step: classical Runge-Kutta (order 4) with substeps
// such that their length times the fastest rate of the robot (vibration of the beams, damping
// divided by inertia) is below 0.5. If this requires more than `substeps`, the method ROS2 is used
// instead (Verwer et al. 1999: Rosenbrock, order 2, L-stable), implicit in the damping of the
// joints and in stiffness and damping of the beams. It is stable for any stiffness.
//
// Closed loops: a mechanism has all joints of its tree, in its order. Commands are for joints with
// an actuator (Mechanism::actuated()); the others follow. A state is moved onto the loops at the
// end of each step: they stay closed to round-off. The steps are explicit.
//
// Only the constructors allocate, and step() and evaluate() on failure. Not thread-safe.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/plant.hpp"
#include "dynamics_core/sensors.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// Command of one joint.
struct JointCommand {
  /// What is commanded.
  enum class Mode : std::uint8_t { effort, velocity, position, acceleration };
  Mode mode = Mode::effort;
  double effort_value = 0.0;        ///< (N m or N)
  double velocity_value = 0.0;      ///< (rad/s or m/s), also for a position command
  double position_value = 0.0;      ///< (rad or m)
  double acceleration_value = 0.0;  ///< (rad/s^2 or m/s^2)
  /// True if a position command includes a velocity. If not, ideal tracking uses the mean velocity
  /// of the period, and a drive zero.
  bool with_velocity = false;
  /// True if a position or velocity command includes a feed-forward effort.
  bool with_effort = false;

  /// An effort (N m or N).
  static JointCommand effort(double value) { return {.effort_value = value}; }
  /// A velocity (rad/s or m/s).
  static JointCommand velocity(double value) {
    return {.mode = Mode::velocity, .velocity_value = value, .with_velocity = true};
  }
  /// A position (rad or m).
  static JointCommand position(double value) {
    return {.mode = Mode::position, .position_value = value};
  }
  /// A position with its velocity.
  static JointCommand position(double value, double velocity) {
    return {.mode = Mode::position,
            .velocity_value = velocity,
            .position_value = value,
            .with_velocity = true};
  }
  /// An acceleration (rad/s^2 or m/s^2), by a drive: within the effort limit, whatever the
  /// velocity.
  static JointCommand acceleration(double value) {
    return {.mode = Mode::acceleration, .acceleration_value = value};
  }
  /// This position or velocity with a feed-forward effort (N m or N).
  JointCommand with_feedforward(double effort) const {
    JointCommand command = *this;
    command.effort_value = effort;
    command.with_effort = true;
    return command;
  }
  /// Whether all values are equal.
  bool operator==(const JointCommand&) const = default;
};

/// Options of RealTimeSimulation.
struct RealTimeOptions {
  double step = 0.001;           ///< (s)
  double bandwidth = 100.0;      ///< bandwidth of the drives (rad/s)
  bool limits = true;            ///< apply position, velocity and effort limits
  double restitution = 0.0;      ///< coefficient of restitution of the stops, 0 to 1
  std::size_t substeps = 20;     ///< maximum per step, otherwise the step is implicit
  std::vector<bool> ideal = {};  ///< ideal tracking, by joint; empty: all drives
  std::vector<ForceTorqueSensor> force_torque = {};  ///< force-torque sensors
  std::vector<ImuSensor> imus = {};                  ///< inertial measurement units
};

/// Computational work since the last reset.
struct RealTimeStatistics {
  std::uint64_t steps = 0;
  std::uint64_t evaluations = 0;    ///< of the accelerations
  std::uint64_t mode_changes = 0;   ///< located: joints that come to rest, slide or reach a stop
  std::uint64_t impulse_steps = 0;  ///< steps with too many of them to locate
  /// Searches for the joints that are held and the drives that saturate that did not converge; the
  /// last guess was used.
  std::uint64_t unsolved = 0;
};

/// A robot with drives that is advanced step by step.
class RealTimeSimulation {
 public:
  /// Mode changes that are located per step.
  static constexpr std::size_t max_mode_changes = 10;
  /// Wrenches on links for which set_wrenches() and continue_from() do not allocate.
  static constexpr std::size_t max_wrenches = 32;

  /// A robot with friction; with flexible links if the model has any modes. Throws ArgumentError
  /// for invalid options and StateError if the robot has no forward dynamics.
  explicit RealTimeSimulation(const Model& model, const RealTimeOptions& options = {});
  /// A mechanism with closed loops, with friction. Throws ArgumentError also if the damping of its
  /// joints needs more than `substeps`.
  explicit RealTimeSimulation(const Mechanism& mechanism, const RealTimeOptions& options = {});
  /// Any plant. Throws as above, and ArgumentError for sensors that it cannot have.
  explicit RealTimeSimulation(std::unique_ptr<Plant> plant, const RealTimeOptions& options = {});
  ~RealTimeSimulation();
  RealTimeSimulation(RealTimeSimulation&&) noexcept;
  RealTimeSimulation& operator=(RealTimeSimulation&&) noexcept;
  RealTimeSimulation(const RealTimeSimulation&) = delete;
  RealTimeSimulation& operator=(const RealTimeSimulation&) = delete;

  const Plant& plant() const;              ///< the robot
  const Model& model() const;              ///< of the plant
  const RealTimeOptions& options() const;  ///< as given
  std::size_t joints() const;              ///< number of joints
  std::size_t size() const;                ///< joints and amplitudes
  std::size_t substeps() const;            ///< Runge-Kutta steps per step
  bool implicit() const;                   ///< the steps are implicit

  /// Sets the state and the time zero, zero effort commands and zero statistics. Vectors have one
  /// entry per joint (amplitudes are then zero) or per coordinate; with closed loops one entry per
  /// joint, which must close the loops to 1e-6, or per independent joint. Throws ArgumentError for
  /// a wrong size, a value that is not finite, a state that does not close the loops, and with
  /// limits for a joint beyond its stops; StateError where the loops have no solution.
  void reset(ConstVector q, ConstVector qd);

  /// Copies state and commands from another simulation with the same coordinates, for a change of
  /// the payload. Returns false and changes nothing if the number of coordinates or sensors
  /// differs. Readings of sensors are not copied.
  [[nodiscard]] bool continue_from(const RealTimeSimulation& other) noexcept;

  /// One command per joint, in the order of the model.
  std::span<JointCommand> commands();

  /// Wrenches that act on links from now on, until the next call or reset(). Throws ArgumentError
  /// for an unknown frame, a wrench that is not finite, and a plant that takes none. Allocates only
  /// for more than max_wrenches.
  void set_wrenches(std::span<const LinkWrench> wrenches);
  /// As given to the last call.
  std::span<const LinkWrench> wrenches() const;

  /// Starts a control period of `steps` steps, at whose end ideal tracking reaches its target.
  /// Without this call each step is a period.
  void begin(std::size_t steps) noexcept;

  /// Advances by options().step. On failure returns false, leaves the state unchanged and sets
  /// fault(): a command or the motion is not finite, or a joint moves no mass.
  [[nodiscard]] bool step() noexcept;

  /// Updates accelerations() and efforts() for the state and the commands.
  [[nodiscard]] bool evaluate() noexcept;

  /// Reads the sensors of the options in the state of the last evaluate(). On failure returns
  /// false; the readings are those before.
  [[nodiscard]] bool measure() noexcept;
  const Wrench& force_torque(std::size_t i) const;  ///< reading of options().force_torque[i]
  const ImuReading& imu(std::size_t i) const;       ///< reading of options().imus[i]

  /// Energies of the state; zeros if they cannot be computed.
  PlantEnergy energy() noexcept;

  const std::string& fault() const;              ///< why the last call failed
  const RealTimeStatistics& statistics() const;  ///< since the last reset

  double time() const;                            ///< since the last reset (s)
  std::span<const double> positions() const;      ///< one per coordinate (rad or m)
  std::span<const double> velocities() const;     ///< one per coordinate (rad/s or m/s)
  std::span<const double> accelerations() const;  ///< of the last evaluate()
  /// Efforts of the actuators, one per joint.
  std::span<const double> efforts() const;

 private:
  class [[gnu::visibility("hidden")]] Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace dynamics
#pragma GCC visibility pop
