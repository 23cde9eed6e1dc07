// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <exception>
#include <memory>
#include <rclcpp/rclcpp.hpp>

#include "dynamics_ros/markers_node.hpp"

int main(int argc, char* argv[]) {
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
