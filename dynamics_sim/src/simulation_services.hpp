// SPDX-License-Identifier: Apache-2.0
#pragma once

// ROS services of a simulation.

#include <dynamics_msgs/msg/result_code.hpp>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <vector>

#include "dynamics_sim/system_services.hpp"
#include "job_queue.hpp"
#include "simulation.hpp"

namespace dynamics_sim {

/// Keeps the services alive. A service that is called after the simulation has ended responds
/// INTERNAL_ERROR, or no success.
class Services {
 public:
  Services() = default;
  /// Reentrant: pause must work while the simulation makes steps.
  Services(rclcpp::Node& node, const std::shared_ptr<Simulation>& simulation)
      : simulation_(simulation),
        group_(node.create_callback_group(rclcpp::CallbackGroupType::Reentrant)),
        jobs_(std::make_shared<JobQueue>()) {}

  /// Adds a service that calls handler(simulation, request, response) in a thread of the executor.
  template <class Service, class Handler>
  void add(rclcpp::Node& node, const std::string& name, Handler handler) {
    const auto callback = [call = with_simulation(handler)](
                              const typename Service::Request::SharedPtr& request,
                              const typename Service::Response::SharedPtr& response) {
      call(*request, *response);
    };
    all_.push_back(node.create_service<Service>(name, callback, service_queue(), group_));
  }

  /// The same for a handler that waits, for example for steps.
  template <class Service, class Handler>
  void add_waiting(rclcpp::Node& node, const std::string& name, Handler handler) {
    all_.push_back(serve_in<Service>(node, name, jobs_, with_simulation(handler), group_));
  }

 private:
  template <class Handler>
  auto with_simulation(Handler handler) const {
    return [weak = simulation_, handler](const auto& request, auto& response) {
      if (const auto simulation = weak.lock()) {
        handler(*simulation, request, response);
      } else if constexpr (requires { response.result.code; }) {
        response.result =
            to_result(dynamics_msgs::msg::ResultCode::INTERNAL_ERROR, "the simulation has ended");
      }
    };
  }

  std::weak_ptr<Simulation> simulation_;
  rclcpp::CallbackGroup::SharedPtr group_;
  std::vector<rclcpp::ServiceBase::SharedPtr> all_;
  std::shared_ptr<JobQueue> jobs_;
};

/// ~/reset, ~/step, ~/set_state (dynamics_msgs), ~/pause and ~/resume (std_srvs/Trigger).
Services make_services(rclcpp::Node& node, const std::shared_ptr<Simulation>& simulation);

/// Services of simulation_interfaces: ~/reset_simulation, ~/step_simulation,
/// ~/set_simulation_state, ~/get_simulation_state, ~/get_simulator_features. Empty if built without
/// that package.
Services make_standard_services(rclcpp::Node& node, const std::shared_ptr<Simulation>& simulation);

}  // namespace dynamics_sim
