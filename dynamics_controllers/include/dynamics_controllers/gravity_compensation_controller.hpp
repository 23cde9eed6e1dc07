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
  void declare_parameters() override;
  Settings read_settings() override;
  void prepare() override;
  Names reference_names() const override;
  dynamics::Status torques(Evaluator& evaluator, std::span<double> tau) noexcept override;

  std::shared_ptr<gravity_compensation::ParamListener> listener_;
  std::vector<double> damping_, friction_;
  double friction_share_ = 0.0;
};

}  // namespace dynamics_controllers
