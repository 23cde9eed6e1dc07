// SPDX-License-Identifier: Apache-2.0
// Real-time steps of robots with flexible links compared with simulate(), and energy conservation.
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"
#include "simulation/real_time.hpp"
#include "support/allocation_counter.hpp"

namespace dynamics::test {
namespace {

Model canadarm() { return model_from_dh(built_in_robot("canadarm")); }

/// Largest difference of joints (first) and amplitudes (second) from simulate().
std::pair<double, double> difference(const Model& model, const RealTimeOptions& options,
                                     double seconds, const Vector& qd) {
  const FlexibleModel flexible(model);
  SimulationOptions simulation;
  simulation.duration = seconds;
  simulation.rtol = 1e-11;
  simulation.limits = options.limits;
  simulation.qd0 = qd;
  simulation.qd0.resize(flexible.size(), 0.0);
  const auto plant = flexible_plant(flexible);
  const Recording expected = simulate(*plant, simulation);
  EXPECT_TRUE(expected.statistics.completed) << expected.statistics.ending;
  RealTimeSimulation robot(model, options);
  robot.reset(Vector(model.size(), 0.0), qd);
  run(robot, seconds);
  std::pair<double, double> largest = {0.0, 0.0};
  for (std::size_t i = 0; i < model.size(); ++i) {
    largest.first =
        max_propagating_nan(largest.first, std::abs(robot.positions()[i] - expected.q[i].back()));
  }
  for (std::size_t i = 0; i < flexible.amplitude_count(); ++i) {
    largest.second = max_propagating_nan(
        largest.second,
        std::abs(robot.positions()[model.size() + i] - expected.amplitudes[i].back()));
  }
  return largest;
}

TEST(RealTimeFlexible, SwingMatchesSimulate) {
  const Model model = canadarm();
  const auto [joints, amplitudes] = difference(model, unlimited(), 2.0, Vector(model.size(), 0.1));
  EXPECT_LT(joints, 1e-6);
  EXPECT_LT(amplitudes, 1e-6);
}

TEST(RealTimeFlexible, GravityAndDryFrictionMatchSimulate) {
  const Model model =
      model_from_urdf(two_joint_beam_urdf("<dynamics damping='0.5' friction='0.2'/>"));
  const RealTimeSimulation robot(model, unlimited());
  EXPECT_FALSE(robot.implicit());
  const auto [joints, amplitudes] = difference(model, unlimited(), 1.0, {0.0, 0.0});
  EXPECT_LT(joints, 1e-6);
  EXPECT_LT(amplitudes, 1e-6);
}

TEST(RealTimeFlexible, StopsMatchSimulate) {
  const Model model = model_from_urdf(two_joint_beam_urdf("<dynamics friction='0.2'/>"));
  RealTimeOptions coarse, fine;
  fine.step = 0.00025;  // also half of the substep
  const auto [joints, amplitudes] = difference(model, coarse, 1.0, {0.0, 3.0});
  EXPECT_LT(joints, 5e-5);
  EXPECT_LT(amplitudes, 5e-5);
  EXPECT_LT(difference(model, fine, 1.0, {0.0, 3.0}).first, joints / 8.0);
}

TEST(RealTimeFlexible, WrenchesMatchSimulate) {
  const Model model = canadarm();
  const FlexibleModel flexible(model);
  const Eigen::Vector3d force(-20.0, 40.0, 0.0);
  const std::size_t tool = model.frame("tool0");  // without mass: a push acts at its origin
  for (const bool held : {false, true}) {
    SimulationOptions simulation;
    simulation.duration = 1.0;
    simulation.rtol = 1e-11;
    simulation.wrenches = {push("tool0", force, 0.0, 10.0)};
    if (held) simulation.locks = {{"joint1", 0.0}, {"joint2", 0.0}, {"joint3", 0.0}};
    const Recording expected = simulate(*flexible_plant(flexible), simulation);
    RealTimeSimulation robot(model, unlimited());
    robot.reset(Vector(3, 0.0), Vector(3, 0.0));
    if (held) {
      for (JointCommand& command : robot.commands()) command = JointCommand::position(0.0);
    }
    const LinkWrench wrench{tool, {{}, force}, Axes::local_world_aligned};
    robot.set_wrenches({&wrench, 1});
    run(robot, 1.0);
    ASSERT_TRUE(robot.evaluate());
    // the torque of a drive that holds a joint: the moment of the force and of the vibration
    if (held) {
      EXPECT_GT(std::abs(robot.efforts()[0]), 1.0);
    }
    double largest = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(robot.positions()[i], expected.q[i].back(), 1e-6) << i;
    }
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(robot.positions()[3 + i], expected.amplitudes[i].back(), 1e-6) << i;
      largest = max_propagating_nan(largest, std::abs(expected.amplitudes[i].back()));
    }
    EXPECT_GT(largest, 1e-4) << "the beams did not bend";
  }
}

TEST(RealTimeFlexible, IsStableForStiffBeams) {
  // 10,000 times stiffer, nearly rigid
  const Model model = model_from_urdf(two_joint_beam_urdf("", "2e6"));
  RealTimeOptions options = unlimited();
  options.substeps = 1;
  RealTimeSimulation robot(model, options);
  ASSERT_TRUE(robot.implicit());
  robot.reset(Vector{0.1, 0.2}, Vector{0.0, 0.0});
  run(robot, 1.0);
  SimulationOptions simulation;
  simulation.duration = 1.0;
  simulation.q0 = {0.1, 0.2};
  const Recording rigid = simulate(model, simulation);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(robot.positions()[i], rigid.q[i].back(), 1e-3) << i;
    EXPECT_GT(std::abs(rigid.q[i].back() - simulation.q0[i]), 0.1);
  }
  // the implicit steps converge with order 2 if they resolve the motion
  const Model soft = model_from_urdf(two_joint_beam_urdf());
  RealTimeOptions coarse = unlimited(0.0004), fine = unlimited(0.0002);
  coarse.substeps = fine.substeps = 0;
  const double first = difference(soft, coarse, 0.4, {0.0, 0.0}).first;
  const double second = difference(soft, fine, 0.4, {0.0, 0.0}).first;
  EXPECT_LT(first, 1e-4);
  EXPECT_LT(second, 0.35 * first);
}

TEST(RealTimeFlexible, HeldJointsDoNoWork) {
  RealTimeSimulation robot(model_from_urdf(two_joint_beam_urdf()), unlimited());
  ASSERT_GT(robot.size(), robot.joints());
  robot.reset(Vector{0.1, 0.2}, Vector{0.0, 0.0});
  const double start = robot.energy().total();
  for (const bool both : {true, false}) {  // all joints driven; one driven and one free
    robot.reset(Vector{0.1, 0.2}, Vector{0.0, 0.0});
    robot.commands()[0] = JointCommand::position(0.1);
    if (both) robot.commands()[1] = JointCommand::position(0.2);
    double bent = 0.0;
    for (int k = 0; k < 1000; ++k) {
      ASSERT_TRUE(robot.step()) << robot.fault();
      EXPECT_NEAR(robot.positions()[0], 0.1, 1e-12);
      bent = max_propagating_nan(bent, std::abs(robot.positions()[robot.joints()]));
    }
    EXPECT_GT(bent, 1e-3) << "the beam did not bend";
    EXPECT_NEAR(robot.energy().total(), start, 1e-6) << both;
    if (!both) {
      EXPECT_GT(std::abs(robot.positions()[1] - 0.2), 0.1) << "this one is free";
    }
  }
}

TEST(RealTimeFlexible, ImpactsDoNotAddEnergy) {
  RealTimeSimulation robot(model_from_urdf(two_joint_beam_urdf()), {});
  robot.reset(Vector{1.0, 0.0}, Vector{0.0, 0.0});
  double energy = robot.energy().total();
  bool hit = false;
  for (int k = 0; k < 4000; ++k) {
    ASSERT_TRUE(robot.step()) << robot.fault();
    for (std::size_t i = 0; i < 2; ++i) {
      ASSERT_LE(std::abs(robot.positions()[i]), 2.0);
      hit = hit || std::abs(robot.positions()[i]) == 2.0;
    }
    ASSERT_LE(robot.energy().total(), energy + 1e-6) << "an impact must not add energy";
    energy = robot.energy().total();
  }
  EXPECT_TRUE(hit);
}

TEST(RealTimeFlexible, StepsDoNotAllocate) {
  if (!allocation_counter::available()) GTEST_SKIP() << "allocations cannot be counted here";
  for (const std::size_t substeps : {20U, 0U}) {
    RealTimeOptions options;
    options.substeps = substeps;
    const Model model =
        model_from_urdf(two_joint_beam_urdf("<dynamics damping='0.1' friction='0.1'/>"));
    RealTimeSimulation robot(model, options);
    RealTimeSimulation heavier(
        model.with_payload({"lower", 0.5, {0.5, 0.0, 0.0}, Eigen::Matrix3d::Zero()}), options);
    EXPECT_EQ(robot.implicit(), substeps == 0);
    robot.reset(Vector{0.3, -0.4}, Vector{0.0, 0.0});
    bool ok = true;
    allocation_counter::start();
    for (int k = 0; k < 1500; ++k) {
      robot.commands()[0] = k < 200   ? JointCommand::effort(2.0)
                            : k < 800 ? JointCommand::position(1.0)
                                      : JointCommand::effort(60.0);
      robot.commands()[1] = k < 400 ? JointCommand::effort(0.0) : JointCommand::velocity(0.3);
      ok = ok && robot.step() && robot.evaluate();
      ok = ok && robot.energy().kinetic >= 0.0;
    }
    ok = ok && heavier.continue_from(robot) && heavier.step();
    const std::size_t count = allocation_counter::stop();
    EXPECT_TRUE(ok) << robot.fault();
    EXPECT_EQ(count, 0U);
    EXPECT_GT(robot.statistics().mode_changes, 0U);
  }
}

}  // namespace
}  // namespace dynamics::test
