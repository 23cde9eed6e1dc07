// SPDX-License-Identifier: Apache-2.0
#pragma once

// Robots that take every path of the code for batches.

#include <string>
#include <vector>

#include "dynamics_core/model.hpp"
#include "dynamics_core/readers.hpp"
#include "support/random_robot.hpp"
#include "support/small_robots.hpp"

namespace dynamics::test {

struct BatchRobot {
  std::string name;
  Model model;
};

inline RobotDescription with_mimics(RobotDescription robot, std::size_t from, bool massless) {
  std::size_t count = 0;
  for (JointDescription& joint : robot.joints) {
    if (joint.type == JointType::fixed) continue;
    if (++count > from) joint.mimic = Mimic{"joint" + std::to_string(count % from), -0.5, 0.1};
  }
  if (massless) robot.links.back().inertial.reset();
  return robot;
}

inline std::vector<BatchRobot> batch_robots() {
  RandomRobot random(11);
  std::vector<BatchRobot> all;
  for (const char* name : {"puma", "stanford", "planar3"}) {
    all.push_back({name, model_from_dh(built_in_robot(name))});
  }
  const RandomRobotOptions tree = {
      .joints = 14, .branching = 0.4, .fixed = 0.2, .rotors = 0.4, .friction = 0.5};
  all.push_back({"tree", Model(random.robot(tree))});
  all.push_back({"floating tree", Model(floating(random.robot(tree)))});
  all.push_back({"mimic", Model(with_mimics(random.robot(tree), 9, false))});
  all.push_back({"massless mimic",
                 Model(with_mimics(random.robot({.joints = 9, .friction = 0.5}), 6, true))});
  all.push_back({"floating mimic", Model(floating(with_mimics(
                                       random.robot({.joints = 8, .branching = 0.3}), 6, false)))});
  const Model loaded = model_from_dh(built_in_robot("puma"))
                           .with_payload({.frame = "tool0",
                                          .mass = 2.5,
                                          .center = {0.0, 0.02, 0.1},
                                          .inertia = 0.01 * Eigen::Matrix3d::Identity()});
  all.push_back({"puma with payload", loaded});
  return all;
}

}  // namespace dynamics::test
