// SPDX-License-Identifier: Apache-2.0
#pragma once

// Trajectories of requests, checked and put into the model's order. The functions throw Fault
// naming the field, the point and the joint.

#include <cstddef>
#include <dynamics_core/trajectory.hpp>
#include <dynamics_msgs/msg/joint_trajectory_columns.hpp>
#include <dynamics_msgs/msg/other_joints.hpp>
#include <string>
#include <trajectory_msgs/msg/joint_trajectory.hpp>
#include <vector>

#include "joint_states.hpp"
#include "robot.hpp"

namespace dynamics_ros {

/// A trajectory of all joints in model order. That of a mechanism closes the loops; where
/// velocities or accelerations come from a spline, it is that of the independent joints.
struct RobotTrajectory {
  std::vector<std::size_t> coordinates;  ///< of the request's joints
  dynamics::TimedPath given;             ///< qd, qdd empty if the request has none
  dynamics::TimedPath points;            ///< the same with qd and qdd of its spline
  const char* points_name = "";          ///< in messages: "trajectory.points"
  bool velocities_from_spline() const { return given.qd.empty(); }
  bool accelerations_from_spline() const { return given.qdd.empty(); }
};

/// The fields of a request that say how the robot moves.
struct MotionFields {
  const trajectory_msgs::msg::JointTrajectory& trajectory;
  const dynamics_msgs::msg::JointTrajectoryColumns& columns;
  const dynamics_msgs::msg::OtherJoints& other_joints;

  template <class Request>
  static MotionFields of(const Request& request) {
    return {request.trajectory, request.columns, request.other_joints};
  }

  /// Whether the trajectory is given in columns.
  bool in_columns() const { return columns != dynamics_msgs::msg::JointTrajectoryColumns(); }
  const std::vector<std::string>& joint_names() const {
    return in_columns() ? columns.joint_names : trajectory.joint_names;
  }
  std::size_t points() const {
    return in_columns() ? columns.time_from_start.size() : trajectory.points.size();
  }
};

/// Where the joints are that a trajectory does not move.
struct JointStateSource {
  const JointStates& joint_states;
  double timeout;  ///< (s)
};

RobotTrajectory read_trajectory(const Robot& robot, const MotionFields& fields,
                                const JointStateSource& source, std::size_t largest);

/// The same for a trajectory of all joints.
RobotTrajectory read_trajectory(const Robot& robot,
                                const trajectory_msgs::msg::JointTrajectory& trajectory,
                                std::size_t largest);

}  // namespace dynamics_ros
