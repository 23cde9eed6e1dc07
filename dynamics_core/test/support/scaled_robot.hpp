// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dynamics_core/description.hpp"

namespace dynamics::test {

/// The robot with all lengths and masses multiplied; for revolute joints only, rotors unchanged.
inline RobotDescription scaled(RobotDescription robot, double length, double mass) {
  for (JointDescription& joint : robot.joints) joint.origin.translation *= length;
  for (LinkDescription& link : robot.links) {
    if (!link.inertial) continue;
    link.inertial->mass *= mass;
    link.inertial->center *= length;
    link.inertial->inertia *= mass * length * length;
  }
  return robot;
}

}  // namespace dynamics::test
