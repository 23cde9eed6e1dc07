// SPDX-License-Identifier: Apache-2.0
#pragma once

// Helpers of the tests of RealTimeSimulation.

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/real_time_simulation.hpp"
#include "support/two_joint_robots.hpp"

namespace dynamics::test {

using Vector = std::vector<double>;

inline RealTimeOptions unlimited(double step = 0.001) {
  RealTimeOptions options;
  options.limits = false;
  options.step = step;
  return options;
}

inline Model two_joint_arm(const std::string& dynamics = "") {
  return model_from_urdf(two_joint_arm_urdf(dynamics));
}

/// Steps for the given time; fails the test if a step fails.
inline void run(RealTimeSimulation& robot, double seconds) {
  const long count = std::lround(seconds / robot.options().step);
  for (long k = 0; k < count; ++k) ASSERT_TRUE(robot.step()) << robot.fault();
  ASSERT_TRUE(robot.evaluate()) << robot.fault();
}

}  // namespace dynamics::test
