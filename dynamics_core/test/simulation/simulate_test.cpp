// SPDX-License-Identifier: Apache-2.0
// simulate(): scenarios compared with closed forms and their specification; invalid options.

#include "dynamics_core/simulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "dynamics_core/readers.hpp"
#include "papers/wide/wide_simulate.hpp"

namespace dynamics {
namespace {

const char* const pendulum_urdf = R"(
<robot name="pendulum"><link name="base"/>
  <link name="bob"><inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="pivot" type="continuous"><parent link="base"/><child link="bob"/><axis xyz="0 1 0"/>
    <dynamics damping="DAMPING" friction="0"/></joint>
</robot>)";

Model pendulum(const std::string& damping) {
  std::string text = pendulum_urdf;
  text.replace(text.find("DAMPING"), 7, damping);
  return model_from_urdf(text);
}

TEST(Simulate, SmallSwingMatchesClosedForm) {
  SimulationOptions options;
  options.q0 = {1e-6};
  options.atol = 1e-16;
  options.duration = 3.0;
  const Recording run = simulate(pendulum("0"), options);
  const double inertia = 0.02 + 2.0 * 0.25, rate = std::sqrt(2.0 * 9.81 * 0.5 / inertia);
  for (std::size_t k = 0; k < run.size(); ++k) {
    EXPECT_NEAR(run.q[0][k], 1e-6 * std::cos(rate * run.t[k]), 1e-14);
  }
}

TEST(Simulate, DampingWorkMatchesEnergyLoss) {
  SimulationOptions options;
  options.q0 = {1.0};
  options.duration = 5.0;
  const Recording run = simulate(pendulum("0.4"), options);
  EXPECT_LT(run.work.back(), -1.0);
  EXPECT_LT(run.statistics.energy_drift, 1e-7);
  options.friction = false;
  EXPECT_EQ(simulate(pendulum("0.4"), options).work.back(), 0.0);
}

TEST(Simulate, FreeFallConservesEnergyOfBuiltInRobots) {
  for (const auto name : built_in_robots()) {
    const DhTable table = built_in_robot(name);
    SimulationOptions options;
    options.q0 = table.q0;
    options.qd0 = table.qd0;
    if (name == "canadarm") options.qd0 = {0.1, -0.2, 0.3};
    options.duration = 2.0;
    options.rtol = 1e-11;
    const Recording run = simulate(model_from_dh(table), options);
    EXPECT_TRUE(run.statistics.completed);
    EXPECT_LT(run.statistics.energy_drift, 1e-9) << name;
    EXPECT_EQ(run.size(), 201U);
  }
}

TEST(Simulate, FreeFallsStartAsInThePapers) {
  // Saha 2003, section 4: joint 2 of the PUMA starts in the positive direction; joint 2 of the
  // Stanford arm swings from 90 degrees towards 0 within the first second, and joint 3 extends
  SimulationOptions options;
  options.duration = 1.0;
  const Recording puma = simulate(model_from_dh(built_in_robot("puma")), options);
  EXPECT_GT(puma.q[1][10], 0.0);
  const DhTable table = built_in_robot("stanford");
  options.q0 = table.q0;
  const Recording stanford = simulate(model_from_dh(table), options);
  EXPECT_LT(stanford.q[1][50], 1.0);
  EXPECT_LT(stanford.q[1].back(), 0.1);
  EXPECT_GT(stanford.q[2].back(), 2.0);
}

TEST(Simulate, ForcedScenarioFollowsCycloid) {
  const DhTable table = built_in_robot("planar3");
  SimulationOptions options;
  options.scenario = Scenario::forced;
  options.trajectory = forced_trajectory(*table.forced, table.q0);
  options.duration = 2.0;
  options.rtol = 1e-12;
  const Recording run = simulate(model_from_dh(table), options);
  ASSERT_EQ(run.desired.size(), 3U);
  for (std::size_t k = 0; k < run.size(); ++k) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(run.q[i][k], run.desired[i][k], 1e-8);
  }
  EXPECT_LT(run.statistics.energy_drift, 1e-7);
}

TEST(Simulate, ComputedTorqueCorrectsInitialError) {
  const DhTable table = built_in_robot("puma");
  SimulationOptions options;
  options.scenario = Scenario::computed_torque;
  options.trajectory = forced_trajectory(*table.forced, table.q0);
  options.q0 = {0.1, -0.1, 0.1, -0.1, 0.1, -0.1};
  options.duration = 3.0;
  const Recording run = simulate(model_from_dh(table), options);
  for (std::size_t i = 0; i < 6; ++i) {
    // the critically damped error (1 + w t) exp(-w t)
    const double t = 1.0, expected = options.q0[i] * (1.0 + 10.0 * t) * std::exp(-10.0 * t);
    EXPECT_NEAR(run.q[i][100] - run.desired[i][100], expected, 1e-7);
    EXPECT_NEAR(run.q[i].back(), run.desired[i].back(), 1e-7);
  }
  options.scenario = Scenario::hold;
  options.trajectory = nullptr;
  const Recording held = simulate(model_from_dh(table), options);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(held.q[i].back(), options.q0[i], 1e-9);
}

TEST(Simulate, ProgressCallbackEndsSimulation) {
  SimulationOptions options;
  options.duration = 10.0;
  const Recording run =
      simulate(model_from_dh(built_in_robot("puma")), options, [](double t) { return t < 1.0; });
  EXPECT_FALSE(run.statistics.completed);
  EXPECT_NE(run.statistics.ending.find("interrupted"), std::string::npos);
  EXPECT_GT(run.t.back(), 0.9);
  EXPECT_LT(run.t.back(), 2.0);
  EXPECT_EQ(run.q[0].size(), run.size());
}

TEST(Simulate, RejectsInvalidOptions) {
  const auto error_message = [](const Model& model,
                                const SimulationOptions& options) -> std::string {
    try {
      simulate(model, options);
    } catch (const ArgumentError& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  const auto contains = [](const char* what) { return testing::HasSubstr(what); };
  const Model puma = model_from_dh(built_in_robot("puma"));
  SimulationOptions options;
  const Model post = model_from_urdf("<robot name='post'><link name='base'/></robot>");
  EXPECT_THAT(error_message(post, options), contains("'post' has no movable joint to simulate"));
  options.scenario = Scenario::forced;
  EXPECT_THAT(error_message(puma, options), contains("scenario forced needs a desired trajectory"));
  options.trajectory = cycloid_trajectory({0.1, -1.0}, {2.0, 0.5}, 3.0);
  EXPECT_THAT(error_message(puma, options),
              contains("the desired trajectory has 2 joints; 'puma' has 6"));
  options = {};
  std::string twins = pendulum_urdf;
  twins.replace(twins.find("DAMPING"), 7, "0");
  twins.replace(twins.find("</robot>"), 8,
                R"(<link name="twin"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"
                   ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="other" type="continuous">
                   <parent link="base"/><child link="twin"/><axis xyz="0 1 0"/>
                   <mimic joint="pivot"/></joint></robot>)");
  try {
    simulate_double_double(model_from_urdf(twins), options);
    FAIL() << "nothing was thrown";
  } catch (const ArgumentError& error) {
    EXPECT_THAT(error.what(), contains("has mimic joints"));
  }
}

TEST(Trajectories, DerivativesMatchFiniteDifferences) {
  const auto cycloid = cycloid_trajectory({0.1, -1.0}, {2.0, 0.5}, 3.0);
  const auto canadarm = mohan_saha_trajectory({0.0, 0.2}, {0.075, 0.05}, {10.0, 5.0});
  for (const Trajectory* trajectory : {cycloid.get(), canadarm.get()}) {
    std::vector<double> q(2), qd(2), qdd(2), q2(2), qd2(2), unused(2), q3(2), qd3(2);
    const double h = 1e-5;
    for (const double t : {0.3, 1.1, 2.4}) {
      trajectory->at(t, q, qd, qdd);
      trajectory->at(t + h, q2, qd2, unused);
      trajectory->at(t - h, q3, qd3, unused);
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_NEAR((q2[i] - q3[i]) / (2 * h), qd[i], 1e-8);
        EXPECT_NEAR((qd2[i] - qd3[i]) / (2 * h), qdd[i], 1e-8);
      }
    }
  }
  std::vector<double> q(2), qd(2), qdd(2);
  cycloid->at(3.0, q, qd, qdd);
  EXPECT_EQ(q, (std::vector<double>{2.0, 0.5}));
  EXPECT_EQ(qd, (std::vector<double>{0.0, 0.0}));
  EXPECT_THROW(cycloid_trajectory({0.0}, {1.0, 2.0}, 1.0), ArgumentError);
  EXPECT_THROW(cycloid_trajectory({0.0}, {1.0}, 0.0), ArgumentError);
}

}  // namespace
}  // namespace dynamics
