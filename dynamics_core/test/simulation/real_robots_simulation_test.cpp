// SPDX-License-Identifier: Apache-2.0
// Real robots fall for 5 s, with their friction and joint limits and default options: the runs are
// complete, the joints stay within their stops, the energy balance holds, joints at rest do not
// move, and another integrator gives the same motion until the first impacts.

#include <gtest/gtest.h>

#include <cmath>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"
#include "support/robot_files.hpp"

namespace dynamics {
namespace {

class RealRobotSimulation : public testing::TestWithParam<std::filesystem::path> {
 protected:
  static SimulationOptions fall(double duration) {
    SimulationOptions options;
    options.duration = duration;
    options.limits = true;
    return options;
  }

  const Model model = model_from_urdf_file(GetParam().string());
};

TEST_P(RealRobotSimulation, FallsOntoItsStops) {
  const Recording run = simulate(model, fall(5.0));
  ASSERT_TRUE(run.statistics.completed) << run.statistics.ending;
  EXPECT_EQ(run.t.back(), 5.0);
  EXPECT_LT(run.statistics.steps, 10'000U);
  EXPECT_LT(run.statistics.energy_drift, 1e-6);
  for (std::size_t i = 0; i < model.size(); ++i) {
    const Coordinate& joint = model.coordinates()[i];
    const double tolerance = 1e-11;
    for (std::size_t k = 0; k < run.size(); ++k) {
      ASSERT_TRUE(std::isfinite(run.q[i][k])) << joint.name;
      ASSERT_GE(run.q[i][k], joint.lower - tolerance) << joint.name << " at " << run.t[k];
      ASSERT_LE(run.q[i][k], joint.upper + tolerance) << joint.name << " at " << run.t[k];
    }
    // joints that have come to rest stay where they are
    const auto settled = static_cast<std::size_t>(4.5 / run.settings.sample);
    bool rests = true;
    for (std::size_t k = settled; k < run.size(); ++k)
      rests = rests && run.qd[i][k] == 0.0 && run.qdd[i][k] == 0.0;
    for (std::size_t k = settled; rests && k < run.size(); ++k)
      ASSERT_NEAR(run.q[i][k], run.q[i][settled], 1e-9) << joint.name;
  }
}

TEST_P(RealRobotSimulation, AgreesWithAnImplicitIntegrator) {
  SimulationOptions options = fall(0.3);
  const Recording explicit_run = simulate(model, options);
  options.integrator = "radau5";
  const Recording implicit_run = simulate(model, options);
  ASSERT_TRUE(explicit_run.statistics.completed && implicit_run.statistics.completed);
  ASSERT_EQ(explicit_run.size(), implicit_run.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < model.size(); ++i) {
    for (std::size_t k = 0; k < explicit_run.size(); ++k)
      largest = max_propagating_nan(largest, std::abs(explicit_run.q[i][k] - implicit_run.q[i][k]));
  }
  EXPECT_LT(largest, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Urdfs, RealRobotSimulation, testing::ValuesIn(test::robot_files()),
                         [](const auto& robot) { return test::name_of_robot_file(robot.param); });

}  // namespace
}  // namespace dynamics
