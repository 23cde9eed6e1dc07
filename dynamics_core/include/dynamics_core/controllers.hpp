// SPDX-License-Identifier: Apache-2.0
#pragma once

// Controllers: joint torques from time, state, reference and model. Stock controllers by name, or
// your own:
//
//   auto law = dynamics::make_controller("computed-torque", {.gains = {.bandwidth = {20.0}}});
//   dynamics::Recording run = dynamics::simulate(*plant, *law, options);
//
//   auto damper = dynamics::function_controller(
//       [](const dynamics::ControlInput& now, std::span<double> tau) {
//         for (std::size_t i = 0; i < tau.size(); ++i) tau[i] = -2.0 * now.qd[i];
//       });
//
// e = q_ref - q. SI units; torques are forces for prismatic joints. simulate() evaluates a
// controller continuously (at every stage of the integrator), or sampled with a zero-order hold
// (ControlSampling). The same controllers run in real-time loops: after start() nothing allocates.

#include <Eigen/Core>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dynamics_core/error.hpp"
#include "dynamics_core/plant.hpp"
#include "dynamics_core/trajectory.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// What a controller gets: the measured state and the reference at one instant.
struct ControlInput {
  double t = 0.0;
  /// Measured positions and velocities: the joints first, then the amplitudes of flexible links.
  std::span<const double> q, qd;
  /// The reference, one entry per joint.
  std::span<const double> q_ref, qd_ref, qdd_ref;
  /// The controller's model of the robot: Plant::model(), feedforward_torques(),
  /// computed_torques(). It keeps the payload that the robot has at the start.
  Plant& plant;
};

/// A control law. Derive from it, or use function_controller().
class Controller {
 public:
  virtual ~Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  /// Called once before the first torques, with the initial state; may allocate. Throws
  /// ArgumentError for gains and names that do not fit the robot.
  virtual void start(Plant& /*plant*/, std::span<const double> /*q0*/,
                     std::span<const double> /*qd0*/) {}
  /// The joint torques, one entry per joint. Must not allocate.
  virtual void torques(const ControlInput& now, std::span<double> tau) = 0;
  /// torques() for real-time loops: Status::not_finite or Status::singular instead of an exception.
  Status try_torques(const ControlInput& now, std::span<double> tau) noexcept;

  /// Times at which the torques jump by themselves, increasing: the integrator stops there.
  virtual std::vector<double> breakpoints() const { return {}; }
  /// Name and gains, for the recording.
  virtual std::string name() const { return "user"; }
  virtual std::string gains() const { return ""; }
  /// Whether the torques are always zero.
  virtual bool is_passive() const { return false; }
  /// Whether the torques depend on the reference, which is then recorded.
  virtual bool follows_reference() const { return true; }

 protected:
  Controller() = default;
};

/// A controller from a function f(now, tau).
std::unique_ptr<Controller> function_controller(
    std::function<void(const ControlInput&, std::span<double>)> function,
    std::string name = "user");

/// Gains of the joints: directly, or by bandwidth and damping ratio. Each list is empty, has one
/// entry for all joints, or one per joint.
///
///   kp, kd                given directly; kd missing: from kp and `damping`
///   bandwidth w (rad/s)   kp = w^2 m, kd = 2 damping w m; default 10
///   damping               damping ratio; default 1
///
/// with m = 1 for computed-torque and for the posture of operational-space-impedance, whose gains
/// are accelerations per error, and m = M_ii(q0) for the other controllers.
struct Gains {
  std::vector<double> kp = {}, kd = {}, bandwidth = {}, damping = {};
};

/// Options of make_controller().
struct ControllerOptions {
  Gains gains = {};
  /// Of `torques`: q of the knots is the torque.
  Knots torques = {};
  enum class Interpolation { zero, linear, cubic } interpolation = Interpolation::linear;
  /// Of operational-space-impedance: name of the frame (empty: the end effector), and its
  /// stiffness: {translational} (N/m), {translational, rotational} (N/m, N m/rad), or six numbers,
  /// angular first.
  std::string frame = {};
  std::vector<double> stiffness = {};
};

/// Interpolation by name: "zero", "linear", "cubic". Throws ArgumentError listing them.
ControllerOptions::Interpolation interpolation_from_name(std::string_view name);

/// A stock controller as it is listed to users.
struct ControllerName {
  std::string_view name;
  std::string_view law;
};
/// The stock controllers:
///
///   none                          tau = 0
///   torques                       tau(t) of a time history; constant outside of its times
///   feedforward                   tau = ID(q_ref, qd_ref, qdd_ref), open loop
///   pd                            tau = kp e + kd e'
///   pd-gravity                    tau = g(q) + kp e + kd e'
///   feedforward-pd                tau = ID(q_ref, qd_ref, qdd_ref) + kp e + kd e'
///   computed-torque               tau = ID(q, qd, qdd_ref + kp e + kd e')
///   joint-impedance               tau = ID(q, qd, qdd_ref) + kp e + kd e'
///   operational-space-impedance   tau = ID(q, qd, 0) + J^T F + N posture,
///                                 F = L (x''_ref - J' qd) + K e_x + D e_x'
///
/// ID: inverse dynamics with the model's gravity and friction. joint-impedance: with a damping
/// ratio instead of kd, kd_i = 2 damping sqrt(kp_i M_ii(q)) in every state. Operational space: x is
/// the pose of the frame, x_ref that of q_ref; L = (J M^-1 J^T)^-1; D gives every mode of L, K the
/// damping ratio; N = 1 - J^T L J M^-1 projects the posture torques M (kp e + kd e') to the null
/// space. Under a steady force f the frame deflects by K^-1 f.
std::span<const ControllerName> controller_names();

/// A stock controller. Throws ArgumentError, listing the names, for an unknown one, for options
/// that the controller does not use, and for gains that are negative, not finite, or given twice.
std::unique_ptr<Controller> make_controller(std::string_view name,
                                            const ControllerOptions& options = {});

/// How a controller is sampled.
struct ControlSampling {
  double period = 0.0;  ///< (s); 0: the controller is evaluated continuously
  /// Time from the measurement to the new torque (s); may exceed the period.
  double delay = 0.0;
  // measured and commanded values are rounded to multiples of these; 0: exact
  double position_resolution = 0.0;  ///< (rad or m)
  double velocity_resolution = 0.0;  ///< (rad/s or m/s)
  double torque_resolution = 0.0;    ///< (N m or N)
};

}  // namespace dynamics
#pragma GCC visibility pop
