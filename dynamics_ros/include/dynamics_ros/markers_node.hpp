// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dynamics_msgs/msg/payload.hpp>
#include <memory>
#include <optional>
#include <rclcpp/rclcpp.hpp>
#include <std_msgs/msg/string.hpp>
#include <string>
#include <tf2_msgs/msg/tf_message.hpp>

#include "dynamics_ros/markers.hpp"
#include "dynamics_ros/moving_robot.hpp"

namespace dynamics_ros {

/// Shows a robot's dynamics in RViz, and publishes the frames of flexible robots. See the package's
/// README for parameters and topics.
class MarkersNode : public rclcpp::Node {
 public:
  explicit MarkersNode(const rclcpp::NodeOptions& options = rclcpp::NodeOptions());
  ~MarkersNode() override;
  MarkersNode(const MarkersNode&) = delete;
  MarkersNode& operator=(const MarkersNode&) = delete;

 private:
  void take_description(const std::string& urdf);
  void take_payload(const dynamics_msgs::msg::Payload& payload);
  template <class... State>
  void take_state(const State&... state);
  void publish_frames();
  void publish_markers();

  struct Parameters;  // the generated ones
  std::unique_ptr<Parameters> parameters_;
  MarkerOptions options_;

  std::optional<MovingRobot> robot_;
  std::optional<dynamics_msgs::msg::Payload> payload_;
  Markers markers_;
  bool fresh_ = false;                  // a state that no marker shows yet
  std::optional<rclcpp::Time> framed_;  // stamp of the last frames
  rclcpp::Time shown_;                  // when markers were published last, by the steady clock

  rclcpp::Subscription<std_msgs::msg::String>::SharedPtr description_;
  rclcpp::Subscription<sensor_msgs::msg::JointState>::SharedPtr joint_states_;
  rclcpp::Subscription<control_msgs::msg::DynamicJointState>::SharedPtr dynamic_joint_states_;
  // of state_interfaces_broadcaster
  rclcpp::Subscription<control_msgs::msg::Keys>::SharedPtr names_;
  rclcpp::Subscription<control_msgs::msg::Float64Values>::SharedPtr values_;
  control_msgs::msg::Keys interfaces_;
  rclcpp::Subscription<dynamics_msgs::msg::Payload>::SharedPtr payloads_;
  rclcpp::Publisher<visualization_msgs::msg::MarkerArray>::SharedPtr marker_publisher_;
  rclcpp::Publisher<tf2_msgs::msg::TFMessage>::SharedPtr moving_, fixed_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace dynamics_ros
