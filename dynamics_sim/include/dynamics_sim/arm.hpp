// SPDX-License-Identifier: Apache-2.0
#pragma once

// Real-time simulation of a robot with drives, independent of ROS.
//
//   dynamics_sim::Arm arm(model, {});
//   arm.reset(q, qd);
//   arm.commands()[0] = dynamics_sim::Command::position(0.5);
//   if (!arm.step()) report(arm.fault());
//
// Coordinates are the joints in the order of the model, then the amplitudes of flexible links in
// the order of FlexibleModel. Amplitudes have no commands.
//
// Joints with effort command follow the equations of motion. Drives (position and velocity
// commands) have a model-based inner loop: the joint moves with the acceleration
//
//   position:  qdd = w^2 (q_ref - q) + 2 w (qd_ref - qd)     critically damped
//   velocity:  qdd = w (qd_ref - qd)
//
// with w the bandwidth, and exerts the effort that this requires. The stiffness of a drive thus
// does not depend on the load, and it is stable for w * step <= 1. The other accelerations follow
// from the equations of motion, with S the coordinates with effort command and D the driven ones:
//
//   M_SS qdd_S = tau_S - b_S - M_SD qdd_D,     tau_D = M_DS qdd_S + M_DD qdd_D + b_D
//
// A joint with ideal tracking reaches its commanded position exactly at the end of the control
// period (see begin()), on the cubic through position and velocity at both ends, with any effort.
//
// With limits: the effort of a drive saturates at its limit; position commands are clamped to the
// position limits and drive velocities to the velocity limit; a joint that reaches a position limit
// is stopped by an inelastic impact.
//
// Integration with commands constant over a step: classical Runge-Kutta (order 4) with substeps
// such that their length times the fastest rate of the robot (vibration of the beams, friction
// divided by inertia) is below 0.5. If this requires more than `substeps`, the method ROS2 is used
// instead (Verwer et al. 1999: Rosenbrock, order 2 for any Jacobian, L-stable), implicit in
// friction and in stiffness and damping of the beams. It is stable for any stiffness, and a joint
// held by friction does not creep.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <dynamics_core/flexible_dynamics.hpp>
#include <dynamics_core/flexible_model.hpp>
#include <dynamics_core/model.hpp>
#include <dynamics_core/workspace.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dynamics_sim {

/// Command of one joint.
struct Command {
  enum class Mode : std::uint8_t { effort, velocity, position };
  Mode mode = Mode::effort;
  double effort_value = 0.0;    ///< (N m or N)
  double velocity_value = 0.0;  ///< (rad/s or m/s), also for a position command
  double position_value = 0.0;  ///< (rad or m)
  /// True if a position command includes a velocity. If not, ideal tracking uses the mean velocity
  /// of the period, and a drive zero.
  bool with_velocity = false;

  static Command effort(double value) { return {Mode::effort, value, 0.0, 0.0, false}; }
  static Command velocity(double value) { return {Mode::velocity, 0.0, value, 0.0, true}; }
  static Command position(double value) { return {Mode::position, 0.0, 0.0, value, false}; }
  static Command position(double value, double velocity) {
    return {Mode::position, 0.0, velocity, value, true};
  }
};

struct ArmOptions {
  double step = 0.001;           ///< (s)
  double bandwidth = 100.0;      ///< bandwidth of the drives (rad/s)
  bool limits = true;            ///< apply position, velocity and effort limits
  std::size_t substeps = 20;     ///< maximum per step, otherwise the step is implicit
  std::vector<bool> ideal = {};  ///< ideal tracking, by joint; empty: all drives
};

/// Computational work since the last reset.
struct ArmStatistics {
  std::uint64_t steps = 0;
  std::uint64_t evaluations = 0;  ///< of the accelerations
};

/// Energies (J).
struct ArmEnergy {
  double kinetic = 0.0, potential = 0.0, strain = 0.0;
};

class Arm {
 public:
  /// Throws std::invalid_argument for invalid options and dynamics::StateError if the robot has no
  /// forward dynamics.
  Arm(dynamics::Model model, const ArmOptions& options);

  const dynamics::Model& model() const { return model_; }
  /// The model with flexible links; empty if all links are rigid.
  const std::optional<dynamics::FlexibleModel>& flexible() const { return flexible_; }
  const ArmOptions& options() const { return options_; }
  std::size_t joints() const { return commands_.size(); }
  std::size_t size() const { return q_.size(); }  ///< joints and amplitudes
  std::size_t substeps() const { return substeps_; }
  bool implicit() const { return implicit_; }

  /// Sets the state, zero effort commands and zero statistics. Vectors have one entry per joint
  /// (amplitudes are then zero) or per coordinate. Throws std::invalid_argument for a wrong size or
  /// a value that is not finite.
  void reset(std::span<const double> q, std::span<const double> qd);

  /// Copies state and commands from another Arm with the same joints, for a change of the payload.
  /// Neither allocates nor throws. Returns false and changes nothing if the coordinates differ.
  [[nodiscard]] bool continue_from(const Arm& other) noexcept;

  /// One command per joint, in the order of the model. Values must be finite.
  std::span<Command> commands() { return commands_; }

  /// Starts a control period of `steps` steps, at whose end ideal tracking reaches its target.
  /// Without this call each step is a period.
  void begin(std::size_t steps) noexcept;

  /// Advances by options().step. On failure returns false, leaves the state unchanged and sets
  /// fault(). Does not throw; allocates only on failure.
  [[nodiscard]] bool step() noexcept;

  /// Updates accelerations() and efforts() for the state and the commands.
  [[nodiscard]] bool evaluate() noexcept;

  /// Energies of the state; zeros if they cannot be computed.
  ArmEnergy energy() noexcept;

  const std::string& fault() const { return fault_; }
  const ArmStatistics& statistics() const { return statistics_; }

  std::span<const double> positions() const { return q_; }
  std::span<const double> velocities() const { return qd_; }
  std::span<const double> accelerations() const { return qdd_; }
  /// Efforts of the actuators, one per joint.
  std::span<const double> efforts() const { return tau_; }

 private:
  using Vector = std::vector<double>;
  struct Track {                            // motion of an ideally tracked joint in the period
    double position = 0.0, velocity = 0.0;  // at its end
    double first = 0.0, last = 0.0;         // acceleration at both ends, linear in between
  };

  bool ideal(std::size_t i) const { return !options_.ideal.empty() && options_.ideal[i]; }
  void select_integrator();
  void compute_friction_coefficients(const Vector& qd);
  void compute_inertia(const Vector& q);  // inertia_

  void select_driven_joints();
  double desired_acceleration(std::size_t i, double q, double qd, double time) const;
  /// `time` since the start of the step.
  void accelerate(const Vector& q, const Vector& qd, double time, Vector& qdd, Vector* tau);
  void solve(std::size_t size);  // matrix_ x = right_hand_side_, in place

  void start_track(std::size_t i, double duration);
  void finish_tracks();
  void solve_stage(const Vector& rate, Vector& acceleration);
  void rosenbrock();
  void runge_kutta(double start, double h);
  void stop_at_limits();
  const std::string& coordinate_name(std::size_t i) const;
  void require_finite() const;

  dynamics::Model model_;
  std::optional<dynamics::FlexibleModel> flexible_;
  ArmOptions options_;
  dynamics::Workspace workspace_;
  std::optional<dynamics::FlexibleWorkspace> flexible_workspace_;
  bool implicit_ = false;
  double gamma_ = 0.0;  // of ROS2
  std::size_t substeps_ = 1;
  std::vector<Command> commands_;
  Vector q_, qd_, qdd_, tau_;
  ArmStatistics statistics_;

  // current period
  std::vector<Track> tracks_;
  std::size_t period_ = 0, done_ = 0;  // steps
  // current step
  std::vector<std::uint8_t> driven_;  // acceleration is prescribed
  Vector effort_;                     // of the coordinates that are not driven
  std::vector<std::size_t> free_;     // indices of the coordinates that are not driven
  std::size_t free_joints_ = 0;
  // scratch
  Vector bias_, old_q_, old_qd_, stage_q_, stage_qd_, stage_qdd_, first_q_, first_qdd_, sum_q_;
  Vector sum_qd_, matrix_, right_hand_side_, coefficient_, all_tau_;
  Eigen::MatrixXd inertia_, start_inertia_;
  struct Entry {
    std::size_t row, column;
    double value;
  };
  std::vector<Entry> stiffness_, damping_;  // of all beams: the entries that are not zero
  std::string fault_;
};

}  // namespace dynamics_sim
