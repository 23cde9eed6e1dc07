// SPDX-License-Identifier: Apache-2.0
#include "dynamics_ros/dynamics_node.hpp"

#include <dynamics_ros/dynamics_node_parameters.hpp>
#include <rclcpp_components/register_node_macro.hpp>
#include <utility>

namespace dynamics_ros {

using dynamics_msgs::msg::ResultCode;

DynamicsNode::DynamicsNode(const rclcpp::NodeOptions& options) : Node("dynamics", options) {
  const auto parameters =
      dynamics_node::ParamListener(get_node_parameters_interface(), get_logger()).get_params();
  ServerOptions server_options;
  server_options.gravity = Eigen::Vector3d::Map(parameters.gravity.data());
  server_options.friction_velocity = parameters.friction_velocity;
  server_options.largest_request = static_cast<std::size_t>(parameters.largest_request);
  server_ = std::make_unique<DynamicsServer>(server_options);
  group_ = create_callback_group(rclcpp::CallbackGroupType::Reentrant);
  const auto latched = rclcpp::QoS(1).reliable().transient_local();
  payload_ = create_publisher<dynamics_msgs::msg::Payload>("~/payload", latched);

  if (parameters.robot_description.empty()) {
    description_ = create_subscription<std_msgs::msg::String>(
        "robot_description", latched,
        [this](const std_msgs::msg::String& message) { take_description(message.data); });
  } else {
    take_description(parameters.robot_description);
  }

  using namespace dynamics_msgs::srv;
  const auto& server = *server_;
  serve<InverseDynamics>("~/inverse_dynamics", [&server](const auto& request, auto& response) {
    server.inverse_dynamics(request, response);
  });
  serve<CheckTorqueLimits>("~/check_torque_limits", [&server](const auto& request, auto& response) {
    server.check_torque_limits(request, response);
  });
  serve<ForwardDynamics>("~/forward_dynamics", [&server](const auto& request, auto& response) {
    server.forward_dynamics(request, response);
  });
  serve<GetDynamicsTerms>("~/get_dynamics_terms", [&server](const auto& request, auto& response) {
    server.get_dynamics_terms(request, response);
  });
  serve<GetModel>("~/get_model", [&server](const auto& request, auto& response) {
    server.get_model(request, response);
  });
  serve<SetPayload>("~/set_payload", [this](const auto& request, auto& response) {
    server_->set_payload(request, response);
    if (response.result.code == ResultCode::SUCCESS) publish_payload();
  });
}

template <class Service, class Answer>
void DynamicsNode::serve(const std::string& name, Answer answer) {
  services_.push_back(create_service<Service>(
      name,
      [this, name, answer](const std::shared_ptr<typename Service::Request> request,
                           std::shared_ptr<typename Service::Response> response) {
        answer(*request, *response);
        if (response->result.code != ResultCode::SUCCESS) {
          RCLCPP_DEBUG(get_logger(), "%s: %s", name.c_str(), response->result.message.c_str());
        }
      },
      rclcpp::ServicesQoS(), group_));
}

void DynamicsNode::take_description(const std::string& urdf) {
  const ResultCode taken = server_->set_description(urdf);
  const auto model = server_->model();
  if (taken.code == ResultCode::SUCCESS) {
    RCLCPP_INFO(get_logger(), "robot '%s' with %zu joints, %.6g kg", model->name().c_str(),
                model->size(), model->total_mass());
    for (const auto& note : model->notes()) {
      if (note.severity == dynamics::Note::Severity::warning) {
        RCLCPP_WARN(get_logger(), "'%s' %s", note.element.c_str(), note.message.c_str());
      }
    }
  } else if (model) {
    RCLCPP_ERROR(get_logger(), "bad robot description, going on with '%s': %s",
                 model->name().c_str(), taken.message.c_str());
  } else {
    RCLCPP_ERROR(get_logger(), "bad robot description: %s", taken.message.c_str());
  }
  publish_payload();
}

void DynamicsNode::publish_payload() { payload_->publish(server_->payload()); }

}  // namespace dynamics_ros

RCLCPP_COMPONENTS_REGISTER_NODE(dynamics_ros::DynamicsNode)
