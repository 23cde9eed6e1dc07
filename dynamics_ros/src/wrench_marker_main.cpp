// SPDX-License-Identifier: Apache-2.0
#include "dynamics_ros/wrench_marker_node.hpp"
#include "run_node.hpp"

int main(int argc, char* argv[]) {
  return dynamics_ros::run_node<dynamics_ros::WrenchMarkerNode>(argc, argv, "wrench_marker_node");
}
