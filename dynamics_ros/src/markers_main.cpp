// SPDX-License-Identifier: Apache-2.0
#include "dynamics_ros/markers_node.hpp"
#include "run_node.hpp"

int main(int argc, char* argv[]) {
  return dynamics_ros::run_node<dynamics_ros::MarkersNode>(argc, argv, "markers_node");
}
