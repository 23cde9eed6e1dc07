// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numbers>

#include "dynamics_core/model.hpp"
#include "support/small_robots.hpp"

namespace dynamics::test {

/// A pendulum about y: 2 kg at 0.5 m below the joint, 0.1 kg m^2 about its center, friction 0.3 N
/// m, damping 0.7 N m s/rad, rotor 0.05 kg m^2. In all 0.65 kg m^2 and a weight of 9.81 N m.
inline Model pendulum(double effort = 12.0, double velocity = 3.0) {
  RobotBuilder robot("pendulum");
  robot.add(JointType::continuous, "swing", "base", "bob", Eigen::Vector3d::UnitY(),
            body(2.0, {0.0, 0.0, -0.5}, {0.1, 0.1, 0.1}));
  robot.joint().limits = JointLimits{0.0, 0.0, velocity, effort};
  robot.joint().damping = 0.7;
  robot.joint().friction = 0.3;
  robot.joint().rotor_inertia = 0.05;
  return Model(robot);
}

/// A boom on a turning column, with a slide, a mimic joint and a fixed tool. Coordinates: turn,
/// lift, reach.
inline Model crane() {
  const auto origin = [](const Eigen::Vector3d& xyz, double pitch = 0.0) {
    return Pose{rotation_from_rpy({0.0, pitch, 0.0}), xyz};
  };
  RobotBuilder robot("crane");
  robot.add(JointType::revolute, "turn", "base", "column", Eigen::Vector3d::UnitZ(),
            body(5.0, {0.1, 0.0, 0.5}, {0.4, 0.5, 0.3}));
  robot.joint().limits = JointLimits{-3.0, 3.0, 2.0, 100.0};
  robot.joint().damping = 0.4;
  robot.joint().friction = 0.2;
  robot.add(JointType::revolute, "lift", "column", "boom", -Eigen::Vector3d::UnitY(),
            body(3.0, {0.4, 0.02, 0.0}, {0.05, 0.3, 0.3}), origin({0.0, 0.0, 1.0}, 0.1));
  robot.joint().limits = JointLimits{-1.0, 2.0, 2.0, 60.0};
  robot.joint().damping = 0.1;
  robot.joint().friction = 0.5;
  robot.add(JointType::prismatic, "reach", "boom", "slide", Eigen::Vector3d::UnitX(),
            body(1.5, {0.2, 0.0, 0.03}, {0.01, 0.02, 0.02}), origin({0.8, 0.0, 0.0}));
  robot.joint().limits = JointLimits{0.0, 0.6, 1.0, 40.0};
  robot.add(JointType::revolute, "grip", "slide", "finger", Eigen::Vector3d::UnitY(),
            body(0.2, {0.0, 0.0, 0.05}, {0.001, 0.001, 0.001}), origin({0.3, 0.0, 0.0}));
  robot.joint().mimic = Mimic{"lift", -0.5, 0.0};
  robot.add(JointType::fixed, "mount", "slide", "tool", Eigen::Vector3d::UnitX(), std::nullopt,
            origin({0.4, 0.0, 0.0}));
  return Model(robot);
}

}  // namespace dynamics::test
