// SPDX-License-Identifier: Apache-2.0
#pragma once

// The stock controllers that make_controller() returns; their laws are in controllers.hpp.

#include <memory>

#include "dynamics_core/controllers.hpp"

namespace dynamics {

std::unique_ptr<Controller> no_controller();
std::unique_ptr<Controller> torque_history(const Knots& torques,
                                           ControllerOptions::Interpolation interpolation);
std::unique_ptr<Controller> feedforward();
std::unique_ptr<Controller> pd(const Gains& gains);
std::unique_ptr<Controller> pd_gravity(const Gains& gains);
std::unique_ptr<Controller> feedforward_pd(const Gains& gains);
std::unique_ptr<Controller> computed_torque(const Gains& gains);
std::unique_ptr<Controller> joint_impedance(const Gains& gains);
std::unique_ptr<Controller> operational_space_impedance(const ControllerOptions& options);

}  // namespace dynamics
