// SPDX-License-Identifier: Apache-2.0
#pragma once

// ROS services of a simulation.

#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

#include "simulation.hpp"

namespace dynamics_sim {

/// Keeps the services alive.
struct Services {
  rclcpp::CallbackGroup::SharedPtr group;
  std::vector<rclcpp::ServiceBase::SharedPtr> all;

  /// Adds a service that calls handler(request, response).
  template <class Service, class Handler>
  void add(rclcpp::Node& node, const std::string& name, Handler handler) {
    const auto callback = [handler](const typename Service::Request::SharedPtr& request,
                                    const typename Service::Response::SharedPtr& response) {
      handler(*request, *response);
    };
    all.push_back(node.create_service<Service>(name, callback, rclcpp::ServicesQoS(), group));
  }
};

/// ~/reset, ~/step, ~/set_state (dynamics_msgs), ~/pause and ~/resume (std_srvs/Trigger).
Services make_services(rclcpp::Node& node, Simulation& simulation);

/// Services of simulation_interfaces: ~/reset_simulation, ~/step_simulation,
/// ~/set_simulation_state, ~/get_simulation_state, ~/get_simulator_features. Empty if built without
/// that package.
Services make_standard_services(rclcpp::Node& node, Simulation& simulation);

}  // namespace dynamics_sim
