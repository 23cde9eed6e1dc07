// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random robots and states from a seed.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <random>
#include <string>
#include <utility>

#include "dynamics_core/model.hpp"

namespace dynamics::test {

struct RandomRobotOptions {
  std::size_t joints = 6;
  double branching = 0.0;   ///< probability that a joint does not start at the last link
  double prismatic = 0.25;  ///< probability of a prismatic joint
  double fixed = 0.0;       ///< probability of a fixed joint and link before a joint
  double rotors = 0.0;      ///< probability of a rotor inertia
  double friction = 0.0;    ///< probability of damping and Coulomb friction
  bool aligned = false;     ///< joint frames rotated by multiples of 90 degrees, axes x, y or z
};

class RandomRobot {
 public:
  explicit RandomRobot(unsigned seed) : engine_(seed) {}

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine_);
  }
  bool chance(double probability) { return uniform(0.0, 1.0) < probability; }
  std::size_t index(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(engine_);
  }
  Eigen::VectorXd vector(std::size_t size, double limit) {
    Eigen::VectorXd v(static_cast<Eigen::Index>(size));
    for (double& x : v) x = uniform(-limit, limit);
    return v;
  }
  Eigen::Vector3d vector3(double limit) { return vector(3, limit); }
  Eigen::Matrix3d rotation() {
    const Eigen::Vector4d v = vector(4, 1.0);
    return Eigen::Quaterniond(v[0] + 1e-3, v[1], v[2], v[3]).normalized().toRotationMatrix();
  }

  /// A physical body of a few kilograms: the tensor of three pairs of point masses.
  Inertial inertial() {
    Inertial result;
    result.mass = uniform(0.2, 5.0);
    result.center = vector3(0.2);
    const Eigen::Vector3d spread =
        Eigen::Vector3d(uniform(0.01, 0.04), uniform(0.01, 0.04), uniform(0.01, 0.04)) *
        result.mass;
    const Eigen::Matrix3d R = rotation();
    const Eigen::Matrix3d pseudo_inertia = R * spread.asDiagonal() * R.transpose();
    result.inertia = pseudo_inertia.trace() * Eigen::Matrix3d::Identity() - pseudo_inertia;
    return result;
  }

  RobotDescription robot(const RandomRobotOptions& options) {
    RobotDescription robot;
    robot.name = "random";
    robot.source = "random robot";
    robot.links.push_back(link("base"));
    std::vector<std::string> movable = {"base"};
    for (std::size_t i = 0; i < options.joints; ++i) {
      std::string parent =
          chance(options.branching) ? movable[index(movable.size())] : movable.back();
      if (chance(options.fixed)) {
        const std::string name = "mount" + std::to_string(i);
        add_joint(robot, options, "fix" + std::to_string(i), JointType::fixed, parent, name);
        parent = name;
      }
      const std::string name = "link" + std::to_string(i);
      add_joint(robot, options, "joint" + std::to_string(i),
                chance(options.prismatic) ? JointType::prismatic : JointType::continuous, parent,
                name);
      movable.push_back(name);
    }
    return robot;
  }

 private:
  LinkDescription link(const std::string& name) {
    LinkDescription result;
    result.name = name;
    result.inertial = inertial();
    return result;
  }

  void add_joint(RobotDescription& robot, const RandomRobotOptions& options,
                 const std::string& name, JointType type, const std::string& parent,
                 const std::string& child) {
    JointDescription joint;
    joint.name = name;
    joint.type = type;
    joint.parent = parent;
    joint.child = child;
    if (options.aligned) {
      const double quarter = 1.5707963267948966;
      joint.origin.rotation = rotation_from_rpy(
          {quarter * static_cast<double>(index(4)), 0.0, quarter * static_cast<double>(index(4))});
      joint.axis = Eigen::Vector3d::Unit(static_cast<Eigen::Index>(index(3)));
    } else {
      joint.origin.rotation = rotation();
      joint.axis = rotation().col(0);
    }
    joint.origin.translation = vector3(0.4);
    if (type != JointType::fixed && chance(options.rotors))
      joint.rotor_inertia = uniform(0.01, 0.5);
    if (type != JointType::fixed && chance(options.friction)) {
      joint.damping = uniform(0.0, 0.5);
      joint.friction = uniform(0.0, 0.5);
    }
    if (type == JointType::prismatic) joint.limits = JointLimits{-1.0, 1.0, 1.0, 100.0};
    robot.joints.push_back(joint);
    robot.links.push_back(link(child));
  }

  std::mt19937 engine_;
};

/// The robot with its base connected to a new root link "ground" by the joint.
inline RobotDescription on_ground(RobotDescription robot, JointDescription joint) {
  joint.parent = "ground";
  joint.child = "base";
  robot.joints.insert(robot.joints.begin(), std::move(joint));
  robot.links.push_back({"ground", std::nullopt, {}, {}, std::nullopt});
  return robot;
}

inline RobotDescription floating(RobotDescription robot) {
  JointDescription drive;
  drive.name = "drive";
  drive.type = JointType::floating;
  return on_ground(std::move(robot), std::move(drive));
}

/// A tree of 3 to 12 joints with friction, all of them between two stops.
inline Model tree_with_stops(unsigned seed) {
  RobotDescription description = RandomRobot(seed).robot(
      {.joints = 3 + seed % 10, .branching = 0.4, .rotors = 0.5, .friction = 0.5});
  for (JointDescription& joint : description.joints) {
    if (joint.type == JointType::fixed) continue;
    if (joint.type == JointType::continuous) joint.type = JointType::revolute;
    const double range = joint.type == JointType::prismatic ? 0.05 : 0.4;
    joint.limits = JointLimits{-range, 2.0 * range, 100.0, 100.0};
  }
  return Model(description);
}

}  // namespace dynamics::test
