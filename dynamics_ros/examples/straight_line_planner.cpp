// SPDX-License-Identifier: Apache-2.0
// A planner that asks the dynamics node for torques: a straight line in joint space from `start` to
// `goal` in `duration` seconds, from rest to rest, and what it takes of every joint.
//
//   ros2 run dynamics_ros straight_line_planner --ros-args -p duration:=2.0
//       -p goal:="[1.0, 0.5, -0.5, 0.0, 0.3, 0.0]"
//
// With slow_down:=true a path that is too fast is slowed down first. Ends with 0 where the robot
// can follow, with 1 where a limit is exceeded, with 2 without answer.

#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <numbers>
#include <rclcpp/rclcpp.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "dynamics_ros/client.hpp"
#include "feasible_trajectory.hpp"

namespace {

/// q0 + (q1 - q0)/(2 pi) (2 pi t/T - sin(2 pi t/T)) (Saha 2003, Eq. 18).
trajectory_msgs::msg::JointTrajectory straight_line(const std::vector<std::string>& joints,
                                                    const std::vector<double>& start,
                                                    const std::vector<double>& goal,
                                                    double duration, std::size_t points) {
  trajectory_msgs::msg::JointTrajectory trajectory;
  trajectory.joint_names = joints;
  for (std::size_t k = 0; k < points; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(points - 1);
    const double turn = 2.0 * std::numbers::pi * share, rate = 2.0 * std::numbers::pi / duration;
    const double s = share - std::sin(turn) / (2.0 * std::numbers::pi);
    const double s_rate = (1.0 - std::cos(turn)) / duration;
    const double s_acceleration = rate * std::sin(turn) / duration;
    auto& point = trajectory.points.emplace_back();
    for (std::size_t i = 0; i < joints.size(); ++i) {
      point.positions.push_back(start[i] + (goal[i] - start[i]) * s);
      point.velocities.push_back((goal[i] - start[i]) * s_rate);
      point.accelerations.push_back((goal[i] - start[i]) * s_acceleration);
    }
    point.time_from_start = rclcpp::Duration::from_seconds(share * duration);
  }
  return trajectory;
}

int plan(rclcpp::Node& node) {
  const auto duration = node.declare_parameter("duration", 5.0);
  const auto points = node.declare_parameter("points", 101);
  const auto timeout = std::chrono::duration<double>(node.declare_parameter("timeout", 10.0));
  if (!(duration > 0.0) || points < 2) {
    throw std::invalid_argument("duration must be above 0, points 2 or more");
  }
  dynamics_ros::DynamicsClient dynamics(node,
                                        {node.declare_parameter("node", "/dynamics"), timeout});

  const auto model = dynamics.wait_for_model();
  if (!model) throw std::runtime_error(model.message());
  std::vector<std::string> joints;
  joints.reserve(model->joints.size());
  for (const auto& joint : model->joints) joints.push_back(joint.name);
  const std::vector<double> zero(joints.size(), 0.0);
  const auto start = node.declare_parameter("start", zero);
  const auto goal = node.declare_parameter("goal", zero);
  if (start.size() != joints.size() || goal.size() != joints.size()) {
    throw std::invalid_argument("start and goal must have " + std::to_string(joints.size()) +
                                " numbers, in the order of get_model");
  }

  auto path = straight_line(joints, start, goal, duration, static_cast<std::size_t>(points));
  if (node.declare_parameter("slow_down", false)) {
    const std::string fault = make_feasible(dynamics, dynamics_msgs::msg::OtherJoints(), 1.0, path);
    if (!fault.empty()) throw std::runtime_error(fault);
    const rclcpp::Duration slowed(path.points.back().time_from_start);
    std::printf("slowed down from %.9g s to %.9g s\n", duration, slowed.seconds());
  }
  const auto torques = dynamics.inverse_dynamics(path);
  if (!torques) throw std::runtime_error(torques.message());

  const auto& verdict = torques->verdict;
  std::printf("%-20s %16s %16s %12s\n", "joint", "peak", "limit", "share");
  for (std::size_t i = 0; i < joints.size(); ++i) {
    std::printf("%-20s %16.9g %16.9g %12.9g\n", verdict.joint_names[i].c_str(), verdict.peak[i],
                verdict.limit[i], verdict.ratio[i]);
  }
  if (verdict.within_limits) {
    std::printf("within the limits\n");
  } else {
    std::printf("exceeds the limit of %s at point %d\n", verdict.first_violating_joint.c_str(),
                verdict.first_violating_point);
  }
  return verdict.within_limits ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  rclcpp::init(argc, argv);
  int status = 2;
  try {
    const auto node = std::make_shared<rclcpp::Node>("straight_line_planner");
    status = plan(*node);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "straight_line_planner: %s\n", error.what());
  }
  rclcpp::shutdown();
  return status;
}
