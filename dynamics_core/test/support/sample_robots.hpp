// SPDX-License-Identifier: Apache-2.0
#pragma once

// Robots for comparison with other libraries: the papers' robots and random trees of up to 60
// joints.

#include <ostream>
#include <string>
#include <vector>

#include "dynamics_core/readers.hpp"
#include "support/random_robot.hpp"

namespace dynamics::test {

struct Sample {
  std::string name;
  RobotDescription description;
  Eigen::Vector3d gravity;
  unsigned seed;
  bool chain;

  Model model() const {
    ModelOptions options;
    options.gravity = gravity;
    return Model(description, options);
  }
};
inline void PrintTo(const Sample& sample, std::ostream* out) { *out << sample.name; }

/// `damping`: some joints have damping, which KDL does not support. None has Coulomb friction.
inline std::vector<Sample> sample_robots(bool damping) {
  std::vector<Sample> samples;
  unsigned seed = 1;
  for (const auto name : built_in_robots()) {
    const DhTable table = built_in_robot(name);
    // the canadarm has no gravity; with gravity more terms are compared
    samples.push_back({std::string(name), describe(table),
                       table.gravity.isZero() ? Eigen::Vector3d(1.0, -2.0, -9.0) : table.gravity,
                       seed++, true});
  }
  for (const std::size_t joints : {1U, 2U, 3U, 5U, 7U, 12U, 20U, 31U, 45U, 60U}) {
    for (const bool chain : {true, false}) {
      RandomRobot random(seed);
      RandomRobotOptions options;
      options.joints = joints;
      options.branching = chain ? 0.0 : 0.4;
      options.prismatic = 0.3;
      options.fixed = 0.3;
      options.rotors = 0.4;
      options.friction = damping ? 0.5 : 0.0;
      options.aligned = joints % 5 == 2;
      RobotDescription robot = random.robot(options);
      for (JointDescription& joint : robot.joints) joint.friction = 0.0;
      samples.push_back({(chain ? "chain" : "tree") + std::to_string(joints), std::move(robot),
                         random.vector3(10.0), seed++, chain});
    }
  }
  // axes and origins that deviate slightly from x, y, z and right angles, like rounded values
  for (const double deviation : {1e-2, 1e-4, 1e-5, 1e-6, 1e-8, 1e-12}) {
    RandomRobot random(seed);
    RobotDescription robot = random.robot({.joints = 9, .prismatic = 0.3, .aligned = true});
    for (JointDescription& joint : robot.joints) {
      joint.axis = (random.chance(0.5) ? 1.0 : -1.0) * joint.axis + random.vector3(deviation);
      joint.origin.rotation = joint.origin.rotation *
                              rotation_from_rpy(random.vector3(random.chance(0.5) ? deviation : 0));
    }
    samples.push_back({"rounded" + std::to_string(samples.size()), std::move(robot),
                       random.vector3(10.0), seed++, true});
  }
  return samples;
}

}  // namespace dynamics::test
