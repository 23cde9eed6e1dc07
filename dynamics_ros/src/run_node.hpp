// SPDX-License-Identifier: Apache-2.0
#pragma once

// main() of a node in a process of its own.

#include <csignal>
#include <cstdlib>
#include <exception>
#include <memory>
#include <rclcpp/rclcpp.hpp>

namespace dynamics_ros {

/// Spins a node in this thread until ROS is shut down. Returns the exit code.
template <class Node>
int run_node(int argc, char* argv[], const char* name) {
  // After rclcpp::shutdown its handler is gone; a second SIGINT (ros2 launch repeats the
  // terminal's) must not kill the process while it still cleans up.
  std::signal(SIGINT, SIG_IGN);
  rclcpp::init(argc, argv);
  int status = EXIT_SUCCESS;
  try {
    rclcpp::spin(std::make_shared<Node>());
  } catch (const std::exception& error) {
    RCLCPP_FATAL(rclcpp::get_logger(name), "%s", error.what());
    status = EXIT_FAILURE;
  }
  rclcpp::shutdown();
  return status;
}

}  // namespace dynamics_ros
