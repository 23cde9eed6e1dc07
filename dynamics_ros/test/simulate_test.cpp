// SPDX-License-Identifier: Apache-2.0
// Simulations: the core's own runs, number for number.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <dynamics_core/flexible_links.hpp>
#include <dynamics_core/plant.hpp>
#include <dynamics_core/readers.hpp>
#include <dynamics_core/simulate.hpp>
#include <dynamics_core/trajectory.hpp>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "dynamics_ros/dynamics_server.hpp"
#include "messages.hpp"
#include "robots.hpp"

namespace dynamics_ros::test {
namespace {

using dynamics_msgs::action::Simulate;
using dynamics_msgs::msg::ResultCode;

void expect_same(const Simulate::Result& result, const dynamics::Recording& run) {
  ASSERT_EQ(result.result.code, ResultCode::SUCCESS) << result.result.message;
  const auto& states = result.states;
  ASSERT_EQ(states.time_from_start.size(), run.size());
  const std::size_t joints = run.model.size();
  const std::size_t amplitudes = run.amplitudes.size();
  ASSERT_EQ(states.joint_names, run.model.coordinate_names());
  ASSERT_EQ(states.amplitude_names.size(), amplitudes);
  for (const auto* matrix :
       {&states.positions, &states.velocities, &states.accelerations, &states.effort}) {
    ASSERT_EQ(matrix->size(), joints * run.size());
  }
  ASSERT_EQ(states.amplitudes.size(), amplitudes * run.size());
  ASSERT_EQ(states.amplitude_velocities.size(), amplitudes * run.size());
  for (std::size_t k = 0; k < run.size(); ++k) {
    const auto& time = states.time_from_start[k];
    EXPECT_NEAR(time.sec + 1e-9 * time.nanosec, run.t[k], 1e-9);
    for (std::size_t i = 0; i < joints; ++i) {
      const std::size_t at = k * joints + i;
      EXPECT_EQ(states.positions[at], run.q[i][k]);
      EXPECT_EQ(states.velocities[at], run.qd[i][k]);
      EXPECT_EQ(states.accelerations[at], run.qdd[i][k]);
      EXPECT_EQ(states.effort[at], run.tau[i][k]);
    }
    for (std::size_t i = 0; i < amplitudes; ++i) {
      const std::size_t at = k * amplitudes + i;
      EXPECT_EQ(states.amplitude_names[i], "e_" + run.amplitude_names[i]);
      EXPECT_EQ(states.amplitudes[at], run.amplitudes[i][k]);
      EXPECT_EQ(states.amplitude_velocities[at], run.amplitude_rates[i][k]);
    }
  }
  EXPECT_EQ(states.kinetic_energy, run.kinetic);
  EXPECT_EQ(states.potential_energy, run.potential);
  EXPECT_EQ(states.strain_energy.size(), run.size());
  EXPECT_EQ(result.steps, run.statistics.steps);
  EXPECT_EQ(result.evaluations, run.statistics.evaluations);
  EXPECT_EQ(result.energy_drift, run.statistics.energy_drift);
  EXPECT_EQ(result.events.size(), run.events.size());
}

class SimulateCrane : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(server.set_description(crane).code, ResultCode::SUCCESS);
    options.duration = 0.5;
    options.sample = 0.02;
    goal.duration = duration(0.5);
    goal.sample = duration(0.02);
    goal.joint_names = {"reach", "turn", "lift"};
    goal.positions = {0.2, 0.4, -0.3};
    goal.velocities = {0.1, 0.0, 0.5};
    options.q0 = {0.4, -0.3, 0.2};
    options.qd0 = {0.0, 0.5, 0.1};
  }
  Simulate::Result simulated() const {
    Simulate::Result result;
    server.simulate(goal, result);
    return result;
  }

  DynamicsServer server{{}};
  dynamics::Model model = dynamics::model_from_urdf(crane);
  Simulate::Goal goal;
  dynamics::SimulationOptions options;
};

TEST_F(SimulateCrane, FreeFallIsTheCoresOwnRun) {
  expect_same(simulated(), dynamics::simulate(model, options));
  goal.without_friction = true;
  options.friction = false;
  goal.tolerance = options.rtol = 1e-6;
  goal.integrator = options.integrator = "rkf45";
  expect_same(simulated(), dynamics::simulate(model, options));
}

TEST_F(SimulateCrane, HoldStaysAtTheStart) {
  goal.scenario = Simulate::Goal::HOLD;
  options.scenario = dynamics::Scenario::hold;
  goal.velocities.clear();
  options.qd0 = {0.0, 0.0, 0.0};
  goal.bandwidth = options.bandwidth = 6.0;
  const auto result = simulated();
  expect_same(result, dynamics::simulate(model, options));
  EXPECT_NEAR(row_of(result.states.positions, 25, 3)[1], -0.3, 1e-6);
}

TEST_F(SimulateCrane, TrajectoriesInAnyJointOrder) {
  goal.trajectory.joint_names = {"lift", "reach", "turn"};
  goal.trajectory.points = {point(0.0, {-0.3, 0.2, 0.4}), point(0.3, {0.2, 0.3, 0.1}),
                            point(0.5, {0.1, 0.1, 0.2})};
  goal.velocities.clear();
  options.qd0 = {0.0, 0.0, 0.0};
  dynamics::Knots knots;
  for (const auto& at : goal.trajectory.points) knots.t.push_back(seconds_of(at));
  knots.q = {{0.4, -0.3, 0.2}, {0.1, 0.2, 0.3}, {0.2, 0.1, 0.1}};
  options.trajectory = dynamics::knot_trajectory(knots);
  goal.scenario = Simulate::Goal::FORCED;
  options.scenario = dynamics::Scenario::forced;
  expect_same(simulated(), dynamics::simulate(model, options));
  goal.scenario = Simulate::Goal::COMPUTED_TORQUE;
  options.scenario = dynamics::Scenario::computed_torque;
  const auto result = simulated();
  expect_same(result, dynamics::simulate(model, options));
  EXPECT_NEAR(row_of(result.states.positions, 25, 3)[2], 0.1, 1e-4);
}

TEST_F(SimulateCrane, LimitsAndFixedSteps) {
  goal.limits = options.limits = true;
  goal.integrator = options.integrator = "rk4";
  goal.constant_step = true;
  goal.step = duration(1e-3);
  options.step = 1e-3;
  const auto result = simulated();
  expect_same(result, dynamics::simulate(model, options));
  EXPECT_FALSE(result.events.empty()) << "the slide runs into its stop";
}

TEST_F(SimulateCrane, ThePayloadCounts) {
  dynamics_msgs::srv::SetPayload::Request set;
  set.payload.frame_id = "tool";
  set.payload.inertia.m = 2.0;
  dynamics_msgs::srv::SetPayload::Response response;
  server.set_payload(set, response);
  ASSERT_EQ(response.result.code, ResultCode::SUCCESS);
  dynamics::Payload payload;
  payload.frame = "tool";
  payload.mass = 2.0;
  expect_same(simulated(), dynamics::simulate(model.with_payload(payload), options));
}

TEST_F(SimulateCrane, ACanceledRunIsReturnedAsFarAsItCame) {
  std::vector<double> reached;
  Simulate::Result result;
  server.simulate(goal, result, [&](double t) {
    reached.push_back(t);
    return t < 0.2;
  });
  EXPECT_EQ(result.result.code, ResultCode::CANCELED);
  EXPECT_NE(result.result.message.find("of 0.5 s"), std::string::npos) << result.result.message;
  const std::size_t rows = result.states.time_from_start.size();
  ASSERT_GT(rows, 2u);
  ASSERT_LT(rows, 26u);
  EXPECT_TRUE(std::is_sorted(reached.begin(), reached.end()));
  EXPECT_EQ(result.states.positions.size(), 3 * rows);
}

TEST_F(SimulateCrane, ARunThatTakesTooLongIsEnded) {
  ServerOptions short_of_time;
  short_of_time.longest_simulation = 1e-9;
  DynamicsServer hurried(short_of_time);
  ASSERT_EQ(hurried.set_description(crane).code, ResultCode::SUCCESS);
  Simulate::Result result;
  hurried.simulate(goal, result);
  EXPECT_EQ(result.result.code, ResultCode::NOT_CONVERGED);
  EXPECT_NE(result.result.message.find("longest_simulation"), std::string::npos);
}

TEST_F(SimulateCrane, FaultsAreNamed) {
  struct Case {
    std::function<void(Simulate::Goal&)> spoil;
    std::int32_t code;
    std::string word;
  };
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto with_trajectory = [](Simulate::Goal& g) {
    g.scenario = Simulate::Goal::FORCED;
    g.trajectory.joint_names = {"lift", "reach", "turn"};
    g.trajectory.points = {point(0.0, {0.0, 0.2, 0.0}), point(1.0, {0.1, 0.2, 0.0})};
  };
  const std::vector<Case> cases = {
      {[](auto& g) { g.scenario = 9; }, ResultCode::INVALID_VALUE, "scenario is 9"},
      {[](auto& g) { g.duration = duration(0.0); }, ResultCode::INVALID_VALUE, "duration"},
      {[](auto& g) { g.duration.sec = -1; }, ResultCode::INVALID_VALUE, "duration"},
      {[](auto& g) { g.sample = duration(0.0); }, ResultCode::INVALID_VALUE, "sample"},
      {[](auto& g) { g.sample.sec = -1; }, ResultCode::INVALID_VALUE, "sample"},
      {[](auto& g) { g.sample = duration(1e-9); }, ResultCode::TOO_LARGE, "100000 states"},
      {[](auto& g) { g.integrator = "euler"; }, ResultCode::INVALID_VALUE, "'euler'"},
      {[](auto& g) { g.integrator = "rk4"; }, ResultCode::INVALID_VALUE, "constant_step"},
      {[](auto& g) { g.constant_step = true; }, ResultCode::INVALID_VALUE, "step is 0"},
      {[](auto& g) { g.step = duration(0.5); }, ResultCode::INVALID_VALUE, "step is 0.5 s"},
      {[](auto& g) { g.integrator = ""; }, ResultCode::INVALID_VALUE, "''"},
      {[](auto& g) { g.tolerance = 0.0; }, ResultCode::INVALID_VALUE, "tolerance"},
      {[](auto& g) { g.bandwidth = 0.0; }, ResultCode::INVALID_VALUE, "bandwidth"},
      {[](auto& g) { g.tolerance = nan; }, ResultCode::INVALID_VALUE, "tolerance"},
      {[](auto& g) { g.tolerance = 5e-324; }, ResultCode::INVALID_VALUE, "tolerance"},
      {[](auto& g) { g.tolerance = 1.0; }, ResultCode::INVALID_VALUE, "tolerance"},
      {[](auto& g) { g.bandwidth = -1.0; }, ResultCode::INVALID_VALUE, "bandwidth"},
      {[](auto& g) { g.joint_names[1] = "elbow"; }, ResultCode::UNKNOWN_JOINT, "'elbow'"},
      {[](auto& g) { g.joint_names[1] = "lift"; }, ResultCode::DUPLICATE_JOINT, "'lift'"},
      {[](auto& g) { g.positions.pop_back(); }, ResultCode::WRONG_SIZE, "positions"},
      {[](auto& g) { g.velocities[0] = nan; }, ResultCode::NOT_FINITE, "velocities[0]"},
      {[](auto& g) { g.scenario = Simulate::Goal::FORCED; }, ResultCode::EMPTY_REQUEST,
       "trajectory.joint_names"},
      {[&](auto& g) {
         with_trajectory(g);
         g.scenario = Simulate::Goal::HOLD;
       },
       ResultCode::INVALID_VALUE, "leave it empty"},
      {[&](auto& g) {
         with_trajectory(g);
         g.trajectory.joint_names.pop_back();
         for (auto& at : g.trajectory.points) at.positions.pop_back();
       },
       ResultCode::MISSING_JOINT, "'turn'"},
      {[&](auto& g) {
         with_trajectory(g);
         g.trajectory.points[1].positions[1] = nan;
       },
       ResultCode::NOT_FINITE, "points[1].positions[1] of joint 'reach'"},
  };
  for (const auto& fault : cases) {
    Simulate::Goal bad = goal;
    fault.spoil(bad);
    Simulate::Result result;
    server.simulate(bad, result);
    EXPECT_EQ(result.result.code, fault.code) << fault.word << ": " << result.result.message;
    EXPECT_NE(result.result.message.find(fault.word), std::string::npos) << result.result.message;
    EXPECT_EQ(result.states, dynamics_msgs::msg::DynamicStates());
  }
}

/// A flexible link bends in the simulation and in forward dynamics; the rest says that it does not.
TEST(FlexibleRobot, BendsWhereItCan) {
  DynamicsServer server({});
  ASSERT_EQ(server.set_description(flexible_boom).code, ResultCode::SUCCESS);
  const auto model = dynamics::model_from_urdf(flexible_boom);
  const dynamics::FlexibleModel flexible(model);
  dynamics_msgs::srv::GetModel::Response described;
  server.get_model(dynamics_msgs::srv::GetModel::Request(), described);
  EXPECT_EQ(described.flexible_links, std::vector<std::string>{"boom"});
  ASSERT_EQ(described.amplitude_names, (std::vector<std::string>{"e_boom_y1", "e_boom_y2"}));

  Simulate::Goal goal;
  goal.duration = duration(0.3);
  goal.sample = duration(0.01);
  goal.joint_names = {"e_boom_y1", "turn"};
  goal.positions = {0.01, 0.3};
  Simulate::Result result;
  server.simulate(goal, result);
  dynamics::SimulationOptions options;
  options.duration = 0.3;
  options.q0 = {0.3, 0.01, 0.0};
  options.qd0 = {0.0, 0.0, 0.0};
  const auto plant = dynamics::flexible_plant(flexible);
  expect_same(result, dynamics::simulate(*plant, options));
  EXPECT_GT(result.states.strain_energy[0], 0.0);
  goal.flexible_as_rigid = true;
  server.simulate(goal, result);
  EXPECT_EQ(result.result.code, ResultCode::UNKNOWN_JOINT) << "stiff links have no amplitudes";
  goal.joint_names = {"turn"};
  goal.positions = {0.3};
  server.simulate(goal, result);
  options.q0 = {0.3};
  options.qd0 = {0.0};
  expect_same(result, dynamics::simulate(model, options));

  dynamics_msgs::srv::ForwardDynamics::Request forward;
  forward.joint_names = {"e_boom_y2", "turn", "e_boom_y1"};
  forward.positions = {0.002, 0.4, 0.01};
  forward.velocities = {0.1, 0.2, -0.3};
  forward.effort = {0.0, 5.0, 0.0};
  dynamics_msgs::srv::ForwardDynamics::Response answer;
  server.forward_dynamics(forward, answer);
  ASSERT_EQ(answer.result.code, ResultCode::SUCCESS) << answer.result.message;
  dynamics::FlexibleWorkspace workspace(flexible);
  std::vector<double> qdd(3);
  dynamics::forward_dynamics(flexible, workspace, std::vector<double>{0.4, 0.01, 0.002},
                             std::vector<double>{0.2, -0.3, 0.1}, std::vector<double>{5.0}, qdd);
  EXPECT_EQ(answer.accelerations, (std::vector<double>{qdd[2], qdd[0], qdd[1]}));
  forward.joint_names = {"turn"};
  set_states(forward, {point(0.0, {0.4})});
  server.forward_dynamics(forward, answer);
  dynamics::forward_dynamics(flexible, workspace, std::vector<double>{0.4, 0.0, 0.0},
                             std::vector<double>(3, 0.0), std::vector<double>{0.0}, qdd);
  EXPECT_EQ(answer.accelerations, std::vector<double>{qdd[0]});

  dynamics_msgs::srv::InverseDynamics::Request inverse;
  inverse.trajectory.joint_names = {"turn"};
  inverse.trajectory.points = {point(0.0, {0.4})};
  dynamics_msgs::srv::InverseDynamics::Response efforts;
  server.inverse_dynamics(inverse, efforts);
  EXPECT_EQ(efforts.result.code, ResultCode::SUCCESS) << efforts.result.message;
  EXPECT_TRUE(efforts.flexible_as_rigid);
}

}  // namespace
}  // namespace dynamics_ros::test
