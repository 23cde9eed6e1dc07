// SPDX-License-Identifier: Apache-2.0
#pragma once

// GravityCompensationController: the robot carries its own weight and can be moved by hand.
//
//   tau = g(q) + share * friction(qd) - damping qd + effort references
//
// `share` is the parameter friction_compensation, 0 to 1. Reference interfaces: JOINT/effort, added
// to the torques.

#include <memory>

#include "dynamics_controllers/torque_controller.hpp"

namespace gravity_compensation {
class ParamListener;
}  // namespace gravity_compensation

namespace dynamics_controllers {

/// Gravity compensation; see above.
class GravityCompensationController final : public TorqueController {
 public:
  GravityCompensationController();
  ~GravityCompensationController() override;
  GravityCompensationController(const GravityCompensationController&) = delete;
  GravityCompensationController& operator=(const GravityCompensationController&) = delete;

 private:
  /// What may change while the controller runs.
  struct Gains {
    std::vector<double> damping;  ///< one per commanded joint
    double friction_share = 0.0;
  };
  struct Memory;

  void declare_parameters() override;
  Settings read_settings() override;
  void prepare(const ParameterValues& values) override;
  void check(const ParameterValues& values) const override;
  void change(const ParameterValues& values) override;
  std::unique_ptr<Evaluator> make_evaluator(const dynamics::Model& model) const override;
  Names reference_names() const override;
  dynamics::Status torques(Evaluator& evaluator, std::span<double> tau) noexcept override;
  Gains gains_from(const ParameterValues& values) const;

  std::shared_ptr<gravity_compensation::ParamListener> listener_;
  Gains gains_;
};

}  // namespace dynamics_controllers
