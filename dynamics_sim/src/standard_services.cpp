// SPDX-License-Identifier: Apache-2.0
// Services of the package simulation_interfaces.
#include "simulation_services.hpp"

#ifdef DYNAMICS_SIM_STANDARD_SERVICES
#include <dynamics_msgs/msg/result_code.hpp>
#include <simulation_interfaces/srv/get_simulation_state.hpp>
#include <simulation_interfaces/srv/get_simulator_features.hpp>
#include <simulation_interfaces/srv/reset_simulation.hpp>
#include <simulation_interfaces/srv/set_simulation_state.hpp>
#include <simulation_interfaces/srv/step_simulation.hpp>

namespace dynamics_sim {
namespace {

namespace standard = simulation_interfaces;
using standard::msg::Result;
using standard::msg::SimulationState;
using standard::msg::SimulatorFeatures;
using GetFeatures = standard::srv::GetSimulatorFeatures;
using GetState = standard::srv::GetSimulationState;
using Reset = standard::srv::ResetSimulation;
using SetState = standard::srv::SetSimulationState;
using Step = standard::srv::StepSimulation;
using dynamics_msgs::msg::ResultCode;

Result to_standard(const Simulation::Result& given) {
  Result result;
  result.result =
      given.code == ResultCode::SUCCESS ? Result::RESULT_OK : Result::RESULT_OPERATION_FAILED;
  result.error_message = given.message;
  return result;
}

Simulation::Result back_to_start(Simulation& simulation, bool time, bool state = true) {
  dynamics_msgs::srv::ResetSimulation::Request request;
  request.reset_time = time;
  return simulation.reset(request, state);
}

/// The state "stopped" of the standard corresponds to waiting.
std::uint8_t number_of(Simulation::State state) {
  switch (state) {
    case Simulation::State::running: return SimulationState::STATE_PLAYING;
    case Simulation::State::paused: return SimulationState::STATE_PAUSED;
    case Simulation::State::waiting: break;
  }
  return SimulationState::STATE_STOPPED;
}

void reset(Simulation& simulation, const Reset::Request& request, Reset::Response& response) {
  const std::uint8_t scope =
      request.scope == Reset::Request::SCOPE_DEFAULT ? Reset::Request::SCOPE_ALL : request.scope;
  const bool time = (scope & Reset::Request::SCOPE_TIME) != 0;
  const bool state = (scope & Reset::Request::SCOPE_STATE) != 0;
  if (!state && !time) {  // entities cannot be spawned
    response.result.result = Result::RESULT_FEATURE_UNSUPPORTED;
    response.result.error_message = "unsupported scope: use TIME, STATE, both, or ALL";
    return;
  }
  response.result = to_standard(back_to_start(simulation, time, state));
}

void set_state(Simulation& simulation, const SetState::Request& request,
               SetState::Response& response) {
  response.result.result = Result::RESULT_OK;
  switch (request.state.state) {
    case SimulationState::STATE_PLAYING:
    case SimulationState::STATE_PAUSED: {
      const bool paused = request.state.state == SimulationState::STATE_PAUSED;
      if (number_of(simulation.state()) == request.state.state) {
        response.result.result = SetState::Response::ALREADY_IN_TARGET_STATE;
      }
      simulation.pause(paused);
      return;
    }
    case SimulationState::STATE_STOPPED:
      simulation.pause(true);
      response.result = to_standard(back_to_start(simulation, true));
      return;
    case SimulationState::STATE_QUITTING: simulation.quit(); return;
    default:
      response.result.result = SetState::Response::INCORRECT_TRANSITION;
      response.result.error_message = "not supported: the only world is always loaded";
  }
}

}  // namespace

Services make_standard_services(rclcpp::Node& node, const std::shared_ptr<Simulation>& simulation) {
  Services services(node, simulation);
  services.add_waiting<Reset>(node, "~/reset_simulation", reset);
  services.add_waiting<Step>(
      node, "~/step_simulation",
      [](Simulation& own, const Step::Request& request, Step::Response& response) {
        response.result = to_standard(own.step(request.steps));
      });
  services.add_waiting<SetState>(node, "~/set_simulation_state", set_state);
  services.add<GetState>(
      node, "~/get_simulation_state",
      [](Simulation& own, const GetState::Request&, GetState::Response& response) {
        response.state.state = number_of(own.state());
        response.result.result = Result::RESULT_OK;
      });
  services.add<GetFeatures>(
      node, "~/get_simulator_features",
      [](Simulation&, const GetFeatures::Request&, GetFeatures::Response& response) {
        using Features = SimulatorFeatures;
        response.features.features = {
            Features::SIMULATION_RESET,         Features::SIMULATION_RESET_TIME,
            Features::SIMULATION_RESET_STATE,   Features::SIMULATION_STATE_GETTING,
            Features::SIMULATION_STATE_SETTING, Features::SIMULATION_STATE_PAUSE,
            Features::STEP_SIMULATION_SINGLE,   Features::STEP_SIMULATION_MULTIPLE};
        response.features.custom_info =
            "dynamics_sim: a reset deactivates and activates controllers";
      });
  return services;
}

}  // namespace dynamics_sim
#else
namespace dynamics_sim {

Services make_standard_services(rclcpp::Node&, const std::shared_ptr<Simulation>&) { return {}; }

}  // namespace dynamics_sim
#endif
