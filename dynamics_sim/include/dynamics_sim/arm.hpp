// SPDX-License-Identifier: Apache-2.0
#pragma once

// A simulated robot with drives, stepped in real time: no ROS in it.
//
//   dynamics_sim::Arm arm(model, {});
//   arm.reset(q, qd);
//   arm.commands()[0] = dynamics_sim::Command::position(0.5);
//   if (!arm.step()) report(arm.fault());
//
// Coordinates are the joints in the order of the model, then the amplitudes of flexible links in
// the order of FlexibleModel; amplitudes take no commands.
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
// A joint with ideal tracking is where it is commanded to be when the period ends (begin()): it
// moves there on the cubic through its position and velocity at both ends, whatever effort that
// takes.
//
// Limits, where asked for: a drive whose effort would exceed its limit exerts the limit and falls
// behind; position commands stay between the stops, drive velocities below their limit; at a stop
// the robot's motion into it ends in an inelastic impact.
//
// Integration, commands constant over a step: classical Runge-Kutta (order 4), in as many substeps
// as keep their length times the fastest rate in the robot (vibration of its beams, friction over
// inertia) below 0.5. A robot so stiff that this takes more than `substeps` is stepped by ROS2
// instead (Verwer et al. 1999: Rosenbrock, order 2 for any Jacobian, L-stable), implicit in
// friction and in the beams' strain and damping, so that none is too stiff for the step and a joint
// that friction holds does not creep.

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

struct Command {
  enum class Mode : std::uint8_t { effort, velocity, position };
  Mode mode = Mode::effort;
  double effort_value = 0.0;    ///< (N m or N)
  double velocity_value = 0.0;  ///< (rad/s or m/s), also of a position command
  double position_value = 0.0;  ///< (rad or m)
  /// A position command came with its velocity. Without: ideal tracking takes the mean velocity of
  /// the period, a drive zero.
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
  double bandwidth = 100.0;      ///< of the drives (rad/s)
  bool limits = true;            ///< stops, velocity and effort limits of the model
  std::size_t substeps = 20;     ///< the most that a step is divided into before it is implicit
  std::vector<bool> ideal = {};  ///< by joint: ideal tracking; empty: drives all
};

/// Work since the last reset.
struct ArmStatistics {
  std::uint64_t steps = 0;
  std::uint64_t evaluations = 0;  ///< of the accelerations, in steps
};

/// (J)
struct ArmEnergy {
  double kinetic = 0.0, potential = 0.0, strain = 0.0;
};

class Arm {
 public:
  /// Throws std::invalid_argument for options that cannot be, dynamics::ModelError where the robot
  /// has no forward dynamics.
  Arm(dynamics::Model model, const ArmOptions& options);

  const dynamics::Model& model() const { return model_; }
  /// The same robot with its beams; none where all links are rigid.
  const std::optional<dynamics::FlexibleModel>& flexible() const { return flexible_; }
  const ArmOptions& options() const { return options_; }
  std::size_t joints() const { return commands_.size(); }
  std::size_t size() const { return q_.size(); }  ///< joints and amplitudes
  std::size_t substeps() const { return substeps_; }
  bool implicit() const { return implicit_; }

  /// At this state, no efforts; statistics from zero. For the joints alone (amplitudes zero) or for
  /// all coordinates. Throws std::invalid_argument for what is not finite or of wrong size.
  void reset(std::span<const double> q, std::span<const double> qd);

  /// Goes on from where another one of the same joints is, commands included: for a change of the
  /// payload. Neither allocates nor throws. False, nothing done: it has other coordinates.
  [[nodiscard]] bool take(const Arm& other) noexcept;

  /// One per joint, in the order of the model. Their numbers must be finite.
  std::span<Command> commands() { return commands_; }

  /// The next `steps` steps are one control period: ideal tracking arrives at its end. Without it,
  /// each step is a period.
  void begin(std::size_t steps) noexcept;

  /// Advances by options().step. False: it could not be done, fault() says why, and the state is
  /// as it was. Neither allocates nor throws unless it fails.
  [[nodiscard]] bool step() noexcept;

  /// Brings accelerations() and efforts() up to date with the state and the commands.
  [[nodiscard]] bool evaluate() noexcept;

  /// Of the state. Zeros where it cannot be computed.
  ArmEnergy energy() noexcept;

  const std::string& fault() const { return fault_; }
  const ArmStatistics& statistics() const { return statistics_; }

  std::span<const double> positions() const { return q_; }
  std::span<const double> velocities() const { return qd_; }
  std::span<const double> accelerations() const { return qdd_; }
  /// What the actuators exert, one per joint.
  std::span<const double> efforts() const { return tau_; }

 private:
  using Vector = std::vector<double>;
  struct Track {                            // an ideal joint's motion over the period
    double position = 0.0, velocity = 0.0;  // at its end
    double first = 0.0, last = 0.0;         // acceleration at its ends, linear between
  };

  bool ideal(std::size_t i) const { return !options_.ideal.empty() && options_.ideal[i]; }
  void choose_integration();
  void find_friction_coefficients(const Vector& qd);
  void find_inertia(const Vector& q);  // inertia_

  void choose_driven();
  double wanted_acceleration(std::size_t i, double q, double qd, double time) const;
  /// `time` since the step began.
  void accelerate(const Vector& q, const Vector& qd, double time, Vector& qdd, Vector* tau);
  void solve(std::size_t size);  // matrix_ x = right_hand_, in place

  void aim(std::size_t i, double duration);
  void arrive();
  void damp(const Vector& rate, Vector& acceleration);
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

  // of the period under way
  std::vector<Track> tracks_;
  std::size_t period_ = 0, done_ = 0;  // steps
  // of the step under way
  std::vector<std::uint8_t> driven_;  // by acceleration; others by effort
  Vector effort_;                     // of those that are not
  std::vector<std::size_t> free_;     // which ones they are, amplitudes included
  std::size_t free_joints_ = 0;
  // scratch
  Vector bias_, old_q_, old_qd_, stage_q_, stage_qd_, stage_qdd_, first_q_, first_qdd_, sum_q_;
  Vector sum_qd_, matrix_, right_hand_, coefficient_, all_tau_;
  Eigen::MatrixXd inertia_, start_inertia_;
  std::vector<dynamics::flexible::Entry> stiffness_, damping_;  // of all beams, by coordinate
  std::string fault_;
};

}  // namespace dynamics_sim
