// SPDX-License-Identifier: Apache-2.0
#pragma once

// The stock controllers that make_controller() returns; their laws are in controllers.hpp.

#include <memory>
#include <vector>

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

/// Throws ArgumentError for a stiffness of the operational space with other than 1, 2 or 6 entries,
/// or with one that is not positive and finite.
void check_stiffness(const std::vector<double>& stiffness);

}  // namespace dynamics
