// SPDX-License-Identifier: Apache-2.0
#pragma once

// A simulated robot with drives, stepped in real time: no ROS in it.
//
//   dynamics_sim::Arm arm(model, {});
//   arm.reset(q, qd);
//   arm.commands()[0] = dynamics_sim::Command::position(0.5);
//   if (!arm.step()) report(arm.fault());
//
// Coordinates under effort command move as their forces, gravity and the other links make them.
// Drives (position and velocity commands) have an inner loop that knows the robot's dynamics: the
// joint moves with the acceleration
//
//   position:  qdd = w^2 (q_ref - q) + 2 w (qd_ref - qd)     critically damped
//   velocity:  qdd = w (qd_ref - qd)
//
// with w the drives' bandwidth, and exerts what that takes. So a drive is as stiff as its
// bandwidth, whatever it carries, and stable for w * step up to 1. What the drives do not prescribe
// follows from the equations of motion, with S the coordinates under effort and D the driven ones:
//
//   M_SS qdd_S = tau_S - b_S - M_SD qdd_D,     tau_D = M_DS qdd_S + M_DD qdd_D + b_D
//
// Limits, where asked for: a drive whose effort would exceed its limit exerts the limit and falls
// behind; position commands stay between the stops, drive velocities below their limit; at a stop
// the robot's motion into it ends in an inelastic impact.
//
// Each step is one of classical Runge-Kutta (order 4), commands constant over it. A robot with
// friction is stepped by ROS2 instead (Verwer et al. 1999: Rosenbrock, order 2 for any Jacobian,
// L-stable), implicit in the friction, so that none is too stiff for the step and a joint that
// friction holds does not creep.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <dynamics_core/model/model.hpp>
#include <dynamics_core/rigid/workspace.hpp>
#include <span>
#include <string>
#include <vector>

namespace dynamics_sim {

struct Command {
  enum class Mode : std::uint8_t { effort, velocity, position };
  Mode mode = Mode::effort;
  double effort_value = 0.0;    ///< (N m or N)
  double velocity_value = 0.0;  ///< (rad/s or m/s), also of a position command
  double position_value = 0.0;  ///< (rad or m)

  static Command effort(double value) { return {Mode::effort, value, 0.0, 0.0}; }
  static Command velocity(double value) { return {Mode::velocity, 0.0, value, 0.0}; }
  static Command position(double value, double velocity = 0.0) {
    return {Mode::position, 0.0, velocity, value};
  }
};

struct ArmOptions {
  double step = 0.001;       ///< (s)
  double bandwidth = 100.0;  ///< of the drives (rad/s)
  bool limits = true;        ///< stops, velocity and effort limits of the model
};

class Arm {
 public:
  /// Throws std::invalid_argument for options that cannot be, dynamics::ModelError where the robot
  /// has no forward dynamics.
  Arm(dynamics::Model model, const ArmOptions& options);

  const dynamics::Model& model() const { return model_; }
  const ArmOptions& options() const { return options_; }

  /// At this state, no efforts. Throws std::invalid_argument for what is not finite or of wrong
  /// size.
  void reset(std::span<const double> q, std::span<const double> qd);

  /// One per coordinate, in the order of the model. Their numbers must be finite.
  std::span<Command> commands() { return commands_; }

  /// Advances by options().step. False: it could not be done, fault() says why, and the state is
  /// as it was. Neither allocates nor throws unless it fails.
  [[nodiscard]] bool step() noexcept;

  /// Brings accelerations() and efforts() up to date with the state and the commands.
  [[nodiscard]] bool evaluate() noexcept;

  const std::string& fault() const { return fault_; }

  std::span<const double> positions() const { return q_; }
  std::span<const double> velocities() const { return qd_; }
  std::span<const double> accelerations() const { return qdd_; }
  /// What the actuators exert.
  std::span<const double> efforts() const { return tau_; }

 private:
  using Vector = std::vector<double>;

  void choose_driven();
  double wanted_acceleration(std::size_t i, double q, double qd) const;
  void accelerate(const Vector& q, const Vector& qd, Vector& qdd, Vector* tau);
  void find_friction_coefficients();
  void damp(Vector& acceleration);
  void rosenbrock();
  void runge_kutta();
  void stop_at_limits();
  void solve(std::size_t size);  // matrix_ x = right_hand_, in place

  dynamics::Model model_;
  ArmOptions options_;
  dynamics::Workspace workspace_;
  bool friction_;  // the model has any
  std::vector<Command> commands_;
  Vector q_, qd_, qdd_, tau_;

  // of the step under way
  std::vector<std::uint8_t> driven_;  // by acceleration; others by effort
  Vector effort_;                     // of those that are not
  std::vector<std::size_t> free_;     // which ones they are
  // scratch
  Vector bias_, old_q_, old_qd_, stage_q_, stage_qd_, stage_qdd_, first_qdd_, sum_q_, sum_qd_;
  Vector matrix_, right_hand_, coefficient_, unit_;
  Eigen::MatrixXd inertia_, start_inertia_;
  std::string fault_;
};

}  // namespace dynamics_sim
