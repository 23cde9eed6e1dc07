// SPDX-License-Identifier: Apache-2.0
// RealTimeSimulation of mechanisms with closed loops.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/real_time_simulation.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"
#include "simulation/real_time.hpp"
#include "support/allocation_counter.hpp"

namespace dynamics::test {
namespace {

Mechanism mechanism_of(const std::string& name) {
  return mechanism_from_urdf_file(fmt::format("{}/mechanisms/{}.urdf", DYNAMICS_URDF_DIR, name));
}

/// Positions of the independent joints.
Vector independent(const RealTimeSimulation& robot, const Mechanism& mechanism) {
  Vector z;
  for (const std::size_t joint : mechanism.independent()) z.push_back(robot.positions()[joint]);
  return z;
}

/// Steps for a time; the largest error of the loops.
double largest_loop_error(RealTimeSimulation& robot, const Mechanism& mechanism, double seconds) {
  MechanismWorkspace workspace(mechanism);
  double largest = 0.0;
  for (long k = std::lround(seconds / robot.options().step); k > 0; --k) {
    EXPECT_TRUE(robot.step()) << robot.fault();
    if (!robot.fault().empty()) return HUGE_VAL;
    largest = max_propagating_nan(largest, loop_error(mechanism, workspace, robot.positions()));
  }
  EXPECT_TRUE(robot.evaluate()) << robot.fault();
  return largest;
}

class RealTimeLoops : public testing::TestWithParam<const char*> {};

TEST_P(RealTimeLoops, FreeMotionMatchesSimulate) {
  const Mechanism mechanism = mechanism_of(GetParam());
  Vector rates;
  for (const std::size_t joint : mechanism.independent())
    rates.push_back(mechanism.tree().coordinates()[joint].prismatic ? 0.02 : 0.3);
  SimulationOptions options;
  options.duration = options.sample = 0.1;  // later the gripper passes a singular position
  options.rtol = 1e-11;
  options.qd0 = rates;
  const Recording run = simulate(*loop_plant(mechanism), options);
  double motion = 0.0;
  for (const Column& q : run.q) motion = std::max(motion, std::abs(q.back() - q.front()));
  EXPECT_GT(motion, 1e-3) << "it moves";
  const auto difference = [&](double step) {
    RealTimeSimulation robot(mechanism, unlimited(step));
    robot.reset(mechanism.start(), rates);
    EXPECT_LT(largest_loop_error(robot, mechanism, options.duration), 1e-12);
    double largest = 0.0;
    for (std::size_t i = 0; i < run.q.size(); ++i)
      largest = max_propagating_nan(largest, std::abs(robot.positions()[i] - run.q[i].back()));
    return largest;
  };
  // order 4
  const double coarse = difference(0.001), fine = difference(0.0005);
  EXPECT_LT(coarse, 1e-5 * std::max(1.0, motion));
  EXPECT_LT(fine, std::max(coarse / 10.0, 1e-10));
}

TEST_P(RealTimeLoops, DrivesFollowPositionCommandsAndKeepTheLoopsClosed) {
  const Mechanism mechanism = mechanism_of(GetParam());
  RealTimeSimulation robot(mechanism);
  robot.reset(mechanism.start(), Vector(mechanism.tree().size(), 0.0));
  Vector goal = independent(robot, mechanism);
  const bool prismatic = mechanism.tree().coordinates()[mechanism.independent()[0]].prismatic;
  for (std::size_t k = 0; k < goal.size(); ++k) {
    goal[k] += (prismatic ? 0.02 : 0.1) * (k % 2 == 0 ? 1.0 : -1.0);
    robot.commands()[mechanism.independent()[k]] = JointCommand::position(goal[k]);
  }
  EXPECT_LT(largest_loop_error(robot, mechanism, 1.0), 1e-12);
  const Vector reached = independent(robot, mechanism);
  EXPECT_LT(max_abs_difference(reached, goal), 1e-6);
  // the drives exert the efforts of inverse dynamics
  MechanismWorkspace workspace(mechanism);
  Vector tau(mechanism.size());
  inverse_dynamics(mechanism, workspace, robot.positions(), robot.velocities(),
                   robot.accelerations(), tau);
  for (std::size_t k = 0; k < tau.size(); ++k)
    EXPECT_NEAR(robot.efforts()[mechanism.independent()[k]], tau[k],
                1e-6 * (1.0 + std::abs(tau[k])));
}

TEST_P(RealTimeLoops, NothingAllocates) {
  if (!allocation_counter::available()) GTEST_SKIP() << "allocations cannot be counted here";
  const Mechanism mechanism = mechanism_of(GetParam());
  RealTimeSimulation robot(mechanism);
  robot.reset(mechanism.start(), Vector(mechanism.tree().size(), 0.0));
  for (const std::size_t joint : mechanism.independent())
    robot.commands()[joint] = JointCommand::position(robot.positions()[joint] + 0.01);
  const Vector q(robot.positions().begin(), robot.positions().end()), qd(q.size(), 0.0);
  allocation_counter::start();
  bool ok = true;
  for (int k = 0; k < 20; ++k) {
    ok = ok && robot.step() && robot.evaluate();
    robot.energy();
  }
  robot.reset(q, qd);
  EXPECT_EQ(allocation_counter::stop(), 0U);
  EXPECT_TRUE(ok) << robot.fault();
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, RealTimeLoops,
                         testing::Values("four_bar_gripper", "parallelogram_arm", "three_rrr",
                                         "stewart"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST(RealTimeLoop, ResetTakesIndependentJoints) {
  const Mechanism mechanism = mechanism_of("parallelogram_arm");
  RealTimeSimulation robot(mechanism);
  const Vector z = {0.2, 0.3, -0.1}, zd = {0.1, -0.2, 0.3};
  robot.reset(z, zd);
  EXPECT_LT(max_abs_difference(independent(robot, mechanism), z), 1e-12);
  MechanismWorkspace workspace(mechanism);
  EXPECT_LT(loop_error(mechanism, workspace, robot.positions()), 1e-14);
  Vector qd(robot.velocities().begin(), robot.velocities().end());
  close_velocities(mechanism, workspace, robot.positions(), qd);
  EXPECT_LT(max_abs_difference(qd, robot.velocities()), 1e-12);
}

TEST(RealTimeLoop, StatesThatDoNotCloseAreRefused) {
  const Mechanism mechanism = mechanism_of("parallelogram_arm");
  RealTimeSimulation robot(mechanism);
  Vector q(mechanism.start().begin(), mechanism.start().end()), qd(q.size(), 0.0);
  q.back() += 0.01;
  try {
    robot.reset(q, qd);
    FAIL() << "a state that does not close the loops";
  } catch (const ArgumentError& error) {
    EXPECT_NE(std::string(error.what()).find("do not close the loops"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(robot.reset(Vector(2, 0.0), Vector(2, 0.0)), ArgumentError);
}

TEST(RealTimeLoop, CommandsNeedAnActuator) {
  const Mechanism mechanism = mechanism_of("parallelogram_arm");
  RealTimeSimulation robot(mechanism);
  const auto actuated = mechanism.actuated();
  for (std::size_t joint = 0; joint < robot.joints(); ++joint) {
    robot.reset(mechanism.start(), Vector(robot.joints(), 0.0));
    const bool has_actuator = std::find(actuated.begin(), actuated.end(), joint) != actuated.end();
    robot.commands()[joint] = JointCommand::effort(1.0);
    EXPECT_EQ(robot.step(), has_actuator);
    if (has_actuator) continue;
    const std::string& name = mechanism.tree().coordinates()[joint].name;
    EXPECT_NE(robot.fault().find("'" + name + "'"), std::string::npos) << robot.fault();
    EXPECT_NE(robot.fault().find("no actuator"), std::string::npos) << robot.fault();
  }
}

TEST(RealTimeLoop, StopsAndEffortLimitsAct) {
  const Mechanism mechanism = mechanism_of("parallelogram_arm");
  RealTimeSimulation robot(mechanism);
  robot.reset(mechanism.start(), Vector(robot.joints(), 0.0));
  const std::size_t joint = mechanism.independent()[1];
  const Coordinate& limits = mechanism.tree().coordinates()[joint];
  for (const std::size_t other : mechanism.independent())
    robot.commands()[other] = JointCommand::position(robot.positions()[other]);
  robot.commands()[joint] = JointCommand::velocity(1.0);  // towards the stop
  EXPECT_LT(largest_loop_error(robot, mechanism, 2.0), 1e-9);
  EXPECT_NEAR(robot.positions()[joint], limits.upper, 1e-9);
  EXPECT_LE(robot.positions()[joint], limits.upper + 1e-12);
  EXPECT_LE(std::abs(robot.efforts()[joint]), limits.effort);
  // and away from it
  robot.commands()[joint] = JointCommand::velocity(-0.5);
  EXPECT_LT(largest_loop_error(robot, mechanism, 0.2), 1e-9);
  EXPECT_LT(robot.positions()[joint], limits.upper - 0.05);
}

TEST(RealTimeLoop, PayloadContinuesTheMotion) {
  const Mechanism mechanism = mechanism_of("parallelogram_arm");
  RealTimeSimulation robot(mechanism);
  robot.reset(Vector{0.2, 0.3, -0.1}, Vector(3, 0.0));
  for (const std::size_t joint : mechanism.independent())
    robot.commands()[joint] = JointCommand::position(robot.positions()[joint]);
  run(robot, 0.2);
  const double before = robot.efforts()[mechanism.independent()[1]];
  Payload payload;
  payload.frame = mechanism.tree().frames()[mechanism.tree().end_effector()].name;
  payload.mass = 10.0;
  RealTimeSimulation loaded(robot.plant().with_payload(payload));
  ASSERT_TRUE(loaded.continue_from(robot));
  EXPECT_EQ(Vector(loaded.positions().begin(), loaded.positions().end()),
            Vector(robot.positions().begin(), robot.positions().end()));
  run(loaded, 0.2);
  EXPECT_GT(std::abs(loaded.efforts()[mechanism.independent()[1]] - before), 1.0);
}

}  // namespace
}  // namespace dynamics::test
