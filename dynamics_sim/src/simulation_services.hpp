// SPDX-License-Identifier: Apache-2.0
#pragma once

// The services of a simulation, on its node.

#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <vector>

#include "simulation.hpp"

namespace dynamics_sim {

/// To be kept as long as they are offered.
struct Services {
  rclcpp::CallbackGroup::SharedPtr group;
  std::vector<rclcpp::ServiceBase::SharedPtr> all;
};

/// ~/reset, ~/step, ~/set_state (dynamics_msgs), ~/pause and ~/resume (std_srvs/Trigger).
Services make_services(rclcpp::Node& node, Simulation& simulation);

/// Those of simulation_interfaces: ~/reset_simulation, ~/step_simulation, ~/set_simulation_state,
/// ~/get_simulation_state, ~/get_simulator_features. None where that package was not there.
Services make_standard_services(rclcpp::Node& node, Simulation& simulation);

}  // namespace dynamics_sim
