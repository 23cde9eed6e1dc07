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

}  // namespace

Services make_services(rclcpp::Node& node, Simulation& simulation) {
  const auto now = [&simulation] {
    return static_cast<builtin_interfaces::msg::Time>(
        rclcpp::Time(simulation.time(), RCL_ROS_TIME));
  };
  // reentrant: pause must work during a step
  Services services{node.create_callback_group(rclcpp::CallbackGroupType::Reentrant), {}};
  services.add<Reset>(node, "~/reset",
                      [&simulation, now](const Reset::Request& request, Reset::Response& response) {
                        const auto result = simulation.reset(request);
                        response.result = to_result(result.code, result.message);
                        response.time = now();
                      });
  services.add<Step>(node, "~/step",
                     [&simulation, now](const Step::Request& request, Step::Response& response) {
                       const auto result = simulation.step(request.steps);
                       response.result = to_result(result.code, result.message);
                       response.steps = result.steps;
                       response.time = now();
                     });
  services.add<SetState>(
      node, "~/set_state",
      [&simulation, now](const SetState::Request& request, SetState::Response& response) {
        if (request.state == SetState::Request::RUNNING ||
            request.state == SetState::Request::PAUSED) {
          simulation.pause(request.state == SetState::Request::PAUSED);
        } else if (request.state != 0) {
          response.result =
              to_result(ResultCode::INVALID_VALUE, "state is " + std::to_string(request.state) +
                                                       ": must be 1 (running) or 2 (paused)");
        }
        response.state = number_of(simulation.state());
        response.time = now();
      });
  for (const bool paused : {true, false}) {
    services.add<Trigger>(
        node, paused ? "~/pause" : "~/resume",
        [&simulation, paused](const Trigger::Request&, Trigger::Response& response) {
          simulation.pause(paused);
          response.success = true;
        });
  }
  return services;
}

}  // namespace dynamics_sim
