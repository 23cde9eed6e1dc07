// SPDX-License-Identifier: Apache-2.0
#pragma once

// Robots of one joint with dry friction, and the closed form of a pendulum: it loses friction times
// angle in every swing, and stays where the weight no longer overcomes the friction.

#include <cmath>
#include <string>
#include <vector>

#include "dynamics_core/readers.hpp"

namespace dynamics::test {

/// Resistance (N or N m, N s/m or N m s) and stops (m or rad) of one_joint().
struct OneJoint {
  double friction = 0.0, damping = 0.0, lower = -100.0, upper = 100.0;
};

/// A joint of the given type along (or about) an axis, and a body of 2 kg with its center of mass
/// at `center` (m).
inline Model one_joint(const std::string& type, const std::string& axis, const std::string& center,
                       const OneJoint& joint) {
  return model_from_urdf(
      R"(<robot name="one"><link name="base"/><link name="body"><inertial><origin xyz=")" + center +
      R"("/><mass value="2"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/></inertial>
      </link><joint name="joint" type=")" +
      type + R"("><parent link="base"/><child link="body"/><axis xyz=")" + axis +
      R"("/><limit lower=")" + std::to_string(joint.lower) + R"(" upper=")" +
      std::to_string(joint.upper) + R"(" effort="1000" velocity="1000"/><dynamics friction=")" +
      std::to_string(joint.friction) + R"(" damping=")" + std::to_string(joint.damping) +
      R"("/></joint></robot>)");
}

/// A block on an incline of 30 degrees; positive is downhill.
inline Model block(double friction) {
  return one_joint("prismatic", "0.86602540378443865 0 -0.5", "0 0 0", {.friction = friction});
}

/// The next turning angle of a pendulum that starts at rest at `angle` with the torques
/// -weight sin(angle) and +-friction: weight (cos(next) - cos(angle)) = friction |next - angle|.
inline double next_turning_angle(double angle, double weight, double friction) {
  const double direction = angle > 0.0 ? -1.0 : 1.0;
  double next = -angle;
  for (int i = 0; i < 100; ++i) {
    const double residual =
        weight * (std::cos(next) - std::cos(angle)) - friction * direction * (next - angle);
    const double step = residual / (-weight * std::sin(next) - friction * direction);
    next -= step;
    if (std::abs(step) < 1e-15) break;
  }
  return next;
}

/// All turning angles from `start` on; at the last one the pendulum stays at rest.
inline std::vector<double> turning_angles(double start, double weight, double friction) {
  std::vector<double> turns = {start};
  while (weight * std::abs(std::sin(turns.back())) > friction)
    turns.push_back(next_turning_angle(turns.back(), weight, friction));
  return turns;
}

}  // namespace dynamics::test
