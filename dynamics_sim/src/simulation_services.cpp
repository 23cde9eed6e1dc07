// SPDX-License-Identifier: Apache-2.0
#include "simulation_services.hpp"

#include <dynamics_msgs/srv/set_simulation_state.hpp>
#include <dynamics_msgs/srv/step_simulation.hpp>
#include <std_srvs/srv/trigger.hpp>

#include "dynamics_sim/system_services.hpp"

namespace dynamics_sim {
namespace {

using dynamics_msgs::msg::ResultCode;
using Reset = dynamics_msgs::srv::ResetSimulation;
using SetState = dynamics_msgs::srv::SetSimulationState;
using Step = dynamics_msgs::srv::StepSimulation;
using Trigger = std_srvs::srv::Trigger;

std::uint8_t number_of(Simulation::State state) {
  switch (state) {
    case Simulation::State::running: return SetState::Request::RUNNING;
    case Simulation::State::paused: return SetState::Request::PAUSED;
    case Simulation::State::waiting: break;
  }
  return SetState::Request::WAITING;
}

builtin_interfaces::msg::Time now(const Simulation& simulation) {
  return rclcpp::Time(simulation.time(), RCL_ROS_TIME);
}

}  // namespace

Services make_services(rclcpp::Node& node, const std::shared_ptr<Simulation>& simulation) {
  Services services(node, simulation);
  services.add_waiting<Reset>(
      node, "~/reset",
      [](Simulation& own, const Reset::Request& request, Reset::Response& response) {
        const auto result = own.reset(request);
        response.result = to_result(result.code, result.message);
        response.time = now(own);
      });
  services.add_waiting<Step>(
      node, "~/step", [](Simulation& own, const Step::Request& request, Step::Response& response) {
        const auto result = own.step(request.steps);
        response.result = to_result(result.code, result.message);
        response.steps = result.steps;
        response.time = now(own);
      });
  services.add<SetState>(
      node, "~/set_state",
      [](Simulation& own, const SetState::Request& request, SetState::Response& response) {
        if (request.state == SetState::Request::RUNNING ||
            request.state == SetState::Request::PAUSED) {
          own.pause(request.state == SetState::Request::PAUSED);
        } else if (request.state != SetState::Request::QUERY) {
          response.result = to_result(ResultCode::INVALID_VALUE,
                                      "state is " + std::to_string(request.state) +
                                          ": must be 0 (query), 1 (running) or 2 (paused)");
        }
        response.state = number_of(own.state());
        response.time = now(own);
      });
  for (const bool paused : {true, false}) {
    services.add<Trigger>(
        node, paused ? "~/pause" : "~/resume",
        [paused](Simulation& own, const Trigger::Request&, Trigger::Response& response) {
          own.pause(paused);
          response.success = true;
        });
  }
  return services;
}

}  // namespace dynamics_sim
