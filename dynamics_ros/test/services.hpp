// SPDX-License-Identifier: Apache-2.0
#pragma once

// The names of the messages and services that the tests and the fuzzer of the server use.

#include "dynamics_ros/dynamics_server.hpp"

namespace dynamics_ros {

using dynamics_msgs::msg::ModelFinding;
using dynamics_msgs::msg::ResultCode;
using dynamics_msgs::srv::CheckModel;
using dynamics_msgs::srv::CheckTorqueLimits;
using dynamics_msgs::srv::ForwardDynamics;
using dynamics_msgs::srv::GetDynamicsTerms;
using dynamics_msgs::srv::GetModel;
using dynamics_msgs::srv::InverseDynamics;
using dynamics_msgs::srv::ScaleTrajectory;
using dynamics_msgs::srv::SetPayload;

}  // namespace dynamics_ros
