// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdlib>
#include <exception>
#include <memory>
#include <rclcpp/rclcpp.hpp>

#include "dynamics_ros/markers_node.hpp"

int main(int argc, char* argv[]) {
  // After rclcpp::shutdown its handler is gone; a second SIGINT (ros2 launch repeats the
  // terminal's) must not kill the process while it still cleans up.
  std::signal(SIGINT, SIG_IGN);
  rclcpp::init(argc, argv);
  int status = EXIT_SUCCESS;
  try {
    rclcpp::spin(std::make_shared<dynamics_ros::MarkersNode>());
  } catch (const std::exception& error) {
    RCLCPP_FATAL(rclcpp::get_logger("markers_node"), "%s", error.what());
    status = EXIT_FAILURE;
  }
  rclcpp::shutdown();
  return status;
}
