// SPDX-License-Identifier: Apache-2.0
#pragma once

// ControlLoop: a controller with its reference, evaluated continuously or sampled, and the limits
// of the actuators.
//
// Sampled: at t_k = k period the controller gets the state, rounded to the resolution of the
// sensors; its torques act from t_k + delay until the next ones (zero-order hold). They are zero
// before the first ones.

#include <memory>
#include <span>
#include <vector>

#include "dynamics_core/simulate.hpp"
#include "simulation/torque_law.hpp"

namespace dynamics {

class ControlLoop final : public TorqueLaw<double> {
 public:
  /// `plant`: the controller's model. Throws ArgumentError for sampling that does not fit.
  ControlLoop(Controller& controller, Plant& plant, const SimulationOptions& options,
              std::span<const double> q0, std::span<const double> qd0);

  void torques(const double& t, std::span<const double> q, std::span<const double> qd,
               std::span<double> tau) override;
  bool is_passive() const override { return controller_.is_passive(); }

  /// The end of the interval in which references and torques have no jump.
  void set_interval_end(double t) { interval_end_ = t; }

  /// The next measurement or change of the torques after those passed; infinity if continuous.
  double next() const;
  /// Measures, or changes the torques, if it is due at t.
  void pass(double t, std::span<const double> q, std::span<const double> qd);

  /// The reference that the controller follows; null if it follows none.
  const Trajectory* recorded_reference() const {
    return given_reference_ || controller_.follows_reference() ? reference_.get() : nullptr;
  }
  /// Times at which the reference or the torques jump.
  std::vector<double> jumps() const;

 private:
  void compute(double t, std::span<const double> q, std::span<const double> qd,
               std::span<double> tau);
  double measurement_time() const { return static_cast<double>(measured_) * sampling_.period; }
  double change_time() const {
    return static_cast<double>(changed_) * sampling_.period + sampling_.delay;
  }
  std::span<double> command(std::size_t k) {
    return std::span(commands_).subspan(k % queue_ * joints_, joints_);
  }

  Controller& controller_;
  Plant& plant_;
  ControlSampling sampling_;
  std::shared_ptr<const Trajectory> reference_;
  bool given_reference_;
  std::size_t joints_;
  std::vector<double> effort_limits_;  ///< empty without limits
  std::vector<std::size_t> passive_;   ///< joints without actuator, in closed loops
  std::vector<double> q_ref_, qd_ref_, qdd_ref_, measured_q_, measured_qd_, held_;
  double interval_end_;
  std::size_t measured_ = 0, changed_ = 0;  ///< number of measurements and changes passed
  std::size_t queue_ = 0;                   ///< number of torques on their way
  std::vector<double> commands_;
};

}  // namespace dynamics
