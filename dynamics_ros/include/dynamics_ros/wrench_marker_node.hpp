// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dynamics_core/pose.hpp>
#include <geometry_msgs/msg/wrench_stamped.hpp>
#include <memory>
#include <optional>
#include <rclcpp/rclcpp.hpp>
#include <sensor_msgs/msg/joint_state.hpp>
#include <std_msgs/msg/string.hpp>
#include <string>
#include <visualization_msgs/msg/interactive_marker_feedback.hpp>

#include "dynamics_ros/moving_robot.hpp"
#include "dynamics_ros/virtual_spring.hpp"

namespace dynamics_ros {

/// Shows an interactive marker at a link in RViz; while it is dragged, publishes the wrench of a
/// virtual spring from the link to the marker. See the package's README for parameters and topics.
class WrenchMarkerNode : public rclcpp::Node {
 public:
  explicit WrenchMarkerNode(const rclcpp::NodeOptions& options = rclcpp::NodeOptions());
  ~WrenchMarkerNode() override;
  WrenchMarkerNode(const WrenchMarkerNode&) = delete;
  WrenchMarkerNode& operator=(const WrenchMarkerNode&) = delete;

 private:
  using Feedback = visualization_msgs::msg::InteractiveMarkerFeedback;

  void take_description(const std::string& urdf);
  void take_state(const sensor_msgs::msg::JointState& state);
  void take_feedback(const Feedback& feedback);
  void choose(const std::string& link);
  void insert_marker();
  void update_marker();
  void read_parameters();
  void release();
  void publish(const dynamics::Wrench& wrench);

  struct Parameters;  // the generated ones
  struct Server;      // of interactive markers, with its menu
  std::unique_ptr<Parameters> parameters_;
  std::unique_ptr<Server> server_;

  std::optional<MovingRobot> robot_;
  std::string wanted_;                   // parameter: the chosen link
  std::string link_;                     // where the marker is; empty before the first state
  std::optional<std::string> selected_;  // in the menu, whose callbacks must not replace the menu
  DraggedLink dragged_;
  std::optional<dynamics::Pose> target_;  // while the marker is dragged
  dynamics::Pose shown_;                  // of the marker
  rclcpp::Time heard_, sent_;             // by the steady clock: feedback, wrench

  rclcpp::Subscription<std_msgs::msg::String>::SharedPtr description_;
  rclcpp::Subscription<sensor_msgs::msg::JointState>::SharedPtr joint_states_;
  rclcpp::Publisher<geometry_msgs::msg::WrenchStamped>::SharedPtr wrenches_, own_;
  rclcpp::TimerBase::SharedPtr timer_;
};

}  // namespace dynamics_ros
