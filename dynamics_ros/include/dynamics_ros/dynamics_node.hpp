// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dynamics_msgs/msg/payload.hpp>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/string.hpp>
#include <string>
#include <vector>

#include "dynamics_ros/dynamics_server.hpp"

namespace dynamics_ros {

/// The dynamics services of one robot. See the package's README for parameters, topics, services.
class DynamicsNode : public rclcpp::Node {
 public:
  explicit DynamicsNode(const rclcpp::NodeOptions& options = rclcpp::NodeOptions());

 private:
  void take_description(const std::string& urdf);
  void publish_payload();

  template <class Service, class Answer>
  void serve(const std::string& name, Answer answer);

  std::unique_ptr<DynamicsServer> server_;
  rclcpp::CallbackGroup::SharedPtr group_;  // reentrant: requests are answered side by side
  std::vector<rclcpp::ServiceBase::SharedPtr> services_;
  rclcpp::Subscription<std_msgs::msg::String>::SharedPtr description_;
  rclcpp::Publisher<dynamics_msgs::msg::Payload>::SharedPtr payload_;
};

}  // namespace dynamics_ros
