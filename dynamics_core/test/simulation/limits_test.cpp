// SPDX-License-Identifier: Apache-2.0
// Joint stops, effort and velocity limits, and user events, compared with closed forms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"
#include "simulation/joint_constraints.hpp"

namespace dynamics {
namespace {

using testing::HasSubstr;

/// A cart of 2 kg on a rail along `axis`, with stops.
Model slider(const std::string& axis, double lower, double upper, double effort = 1000.0,
             double velocity = 1000.0) {
  return model_from_urdf(R"(<robot name="slider"><link name="base"/><link name="cart"><inertial>
    <mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="rail" type="prismatic"><parent link="base"/><child link="cart"/><axis xyz=")" +
                         axis + R"("/><limit lower=")" + std::to_string(lower) + R"(" upper=")" +
                         std::to_string(upper) + R"(" effort=")" + std::to_string(effort) +
                         R"(" velocity=")" + std::to_string(velocity) + R"("/></joint></robot>)");
}

/// A cart that falls on its stop from a height of 1 m.
SimulationOptions fall(double restitution, double duration) {
  SimulationOptions options;
  options.limits = true;
  options.restitution = restitution;
  options.q0 = {1.0};
  options.duration = duration;
  return options;
}

TEST(Limits, FallingMassBouncesAsInClosedForm) {
  const SimulationOptions options = fall(0.5, 3.0);
  const Recording run = simulate(slider("0 0 1", 0.0, 5.0), options);
  // impacts at t1, t1 + 2 e t1, + 2 e^2 t1, ..., the last at t1 (1 + 2 e/(1 - e)) = 3 t1
  const double first = std::sqrt(2.0 / 9.81);
  double t = first, flight = 2.0 * first;
  ASSERT_GE(run.events.size(), 10U);
  for (std::size_t k = 0; k < 10; ++k) {
    EXPECT_NEAR(run.events[k].t, t, 1e-9) << k;
    flight *= 0.5;
    t += flight;
  }
  EXPECT_THAT(run.events.back().what, HasSubstr("rests"));
  EXPECT_NEAR(run.events.back().t, 3.0 * first, 1e-3);
  for (std::size_t k = 0; k < run.size(); ++k) {
    EXPECT_GT(run.q[0][k], -1e-12);
    if (run.t[k] < 1.5) continue;
    EXPECT_EQ(run.q[0][k], 0.0);
    EXPECT_EQ(run.qd[0][k], 0.0);
    EXPECT_EQ(run.qdd[0][k], 0.0);
  }
  // the energy lost at the stop counts as work
  EXPECT_NEAR(run.work.back(), -2.0 * 9.81, 1e-9);
  EXPECT_LT(run.statistics.energy_drift, 1e-9);
}

TEST(Limits, ElasticStopConservesEnergy) {
  SimulationOptions options = fall(1.0, 5.0);
  const Recording run = simulate(slider("0 0 1", 0.0, 5.0), options);
  EXPECT_NEAR(run.work.back(), 0.0, 1e-9);
  EXPECT_EQ(run.events.size(), 6U);  // 0.45 s, then every 0.9 s
  // without limits it passes the stop
  options.limits = false;
  EXPECT_NEAR(simulate(slider("0 0 1", 0.0, 5.0), options).q[0].back(), 1.0 - 0.5 * 9.81 * 25.0,
              1e-9);
}

TEST(Limits, ContactIsReleasedWhenItsForceReverses) {
  // the cart stays at its upper stop while the base decelerates and leaves when it accelerates
  SimulationOptions options;
  options.limits = true;
  options.duration = 1.0;
  const double amplitude = 0.1, rate = 2.0 * M_PI;
  const BaseHarmonic shake{BaseHarmonic::Axis::x, amplitude, 1.0};
  options.base = harmonic_base_trajectory({&shake, 1});
  const Recording run = simulate(slider("1 0 0", -9.0, 0.0), options);
  ASSERT_GE(run.events.size(), 1U);
  // at t = 0 the contact force is zero, so that the contact may begin slightly later
  EXPECT_THAT(run.events.back().what, HasSubstr("leaves its stop"));
  EXPECT_NEAR(run.events.back().t, 0.5, 1e-9);
  for (std::size_t k = 0; k < run.size(); ++k) {
    const double t = run.t[k];
    const double expected =
        t < 0.5 ? 0.0 : -amplitude * rate * (t - 0.5) - amplitude * std::sin(rate * t);
    EXPECT_NEAR(run.q[0][k], expected, 1e-8) << t;
  }
  EXPECT_LT(run.statistics.energy_drift, 1e-8);
}

TEST(Limits, ImpactMatchesImpulseOfInertiaMatrix) {
  const Model model = model_from_dh(built_in_robot("puma"));
  const auto plant = rigid_plant(model);
  Workspace workspace(model);
  for (const double restitution : {0.0, 0.4}) {
    const std::size_t joint = 1;
    std::vector<double> q = {0.3, model.coordinates()[joint].upper, 0.9, 0.2, -0.7, 0.5};
    std::vector<double> qd = {0.5, 2.0, -1.0, 0.3, 0.1, -0.4};
    // a torque presses the joint against the stop, so that it stays there unless it rebounds
    const auto pushed = [&](const double& t, std::span<const double> at, std::span<const double> v,
                            std::span<const double>, std::span<double> qdd) {
      const std::vector<double> tau = {0, 500, 0, 0, 0, 0};
      plant->accelerations(t, at, v, tau, qdd);
    };
    JointConstraints constraints(*plant, true, restitution, pushed);
    Eigen::MatrixXd M(6, 6);
    inertia_matrix(model, workspace, q, M);
    const Eigen::VectorXd before = Eigen::Map<Eigen::VectorXd>(qd.data(), 6);
    constraints.start(0.0, q, qd);
    const bool stays = constraints.contacts()[joint] != 0;
    const Eigen::VectorXd after = Eigen::Map<Eigen::VectorXd>(qd.data(), 6);
    EXPECT_EQ(stays, restitution == 0.0);
    EXPECT_NEAR(after[1], -restitution * 2.0, 1e-14);
    const Eigen::VectorXd momentum = M * (after - before);
    for (Eigen::Index i = 0; i < 6; ++i) {
      if (i == 1) continue;
      EXPECT_NEAR(momentum[i], 0.0, 1e-12);
    }
    EXPECT_LT(momentum[1], 0.0);
    const double lost = 0.5 * before.dot(M * before) - 0.5 * after.dot(M * after);
    EXPECT_NEAR(lost, 0.5 * 4.0 * (1.0 - restitution * restitution) / M.inverse()(1, 1), 1e-11);
  }
}

TEST(Limits, SeveralJointsStayInContact) {
  // the PUMA falls onto its stops and stays within its joint ranges
  const Model model = model_from_dh(built_in_robot("puma"));
  SimulationOptions options;
  options.limits = true;
  options.duration = 5.0;
  const Recording run = simulate(model, options);
  EXPECT_TRUE(run.statistics.completed) << run.statistics.ending;
  EXPECT_GT(run.events.size(), 3U);
  for (std::size_t i = 0; i < 6; ++i) {
    for (std::size_t k = 0; k < run.size(); ++k) {
      EXPECT_GE(run.q[i][k], model.coordinates()[i].lower - 1e-9);
      EXPECT_LE(run.q[i][k], model.coordinates()[i].upper + 1e-9);
    }
  }
  // the joints not in contact follow the equations of motion of the constrained arm
  EXPECT_LT(run.statistics.energy_drift, 1e-6);
  EXPECT_LT(run.work.back(), -1.0);
}

TEST(Limits, RejectsStartBeyondStop) {
  SimulationOptions options;
  options.limits = true;
  options.q0 = {7.0};
  try {
    simulate(slider("0 0 1", 0.0, 5.0), options);
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("q0 of joint 'rail' is 7; it must lie between its stops at 0 and 5"));
  }
  options.restitution = 1.5;
  EXPECT_THROW(simulate(slider("0 0 1", 0.0, 9.0), options), ArgumentError);
}

TEST(Limits, TorquesSaturateAtEffortLimit) {
  // the controller demands more than 5 N; the cart gets 5 N and lags, and the recording reports it
  SimulationOptions options;
  options.limits = true;
  options.scenario = Scenario::computed_torque;
  options.trajectory = cycloid_trajectory({0.0}, {4.0}, 1.0);
  options.duration = 0.5;
  const Recording run = simulate(slider("1 0 0", -9.0, 9.0, 5.0), options);
  EXPECT_EQ(max_abs(run.tau[0]), 5.0);
  ASSERT_FALSE(run.events.empty());
  EXPECT_THAT(run.events[0].what, HasSubstr("rail is at its effort limit of 5 N"));
  EXPECT_LT(run.q[0].back(), run.desired[0].back() - 0.5);
  options.limits = false;
  EXPECT_NEAR(simulate(slider("1 0 0", -9.0, 9.0, 5.0), options).q[0].back(), 2.0, 1e-7);
}

TEST(Limits, ReportsVelocityAboveLimit) {
  SimulationOptions options;
  options.limits = true;
  options.q0 = {4.0};
  options.duration = 0.5;
  const Recording run = simulate(slider("0 0 1", 0.0, 5.0, 1000.0, 2.0), options);
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_NEAR(run.events[0].t, 2.0 / 9.81, 1e-12);
  EXPECT_THAT(run.events[0].what, HasSubstr("faster than its limit of 2 m/s"));
}

TEST(UserEvents, AreLocatedAndCanChangeStateOrStop) {
  SimulationOptions options;
  options.q0 = {1.0};
  SimulationEvent half;
  half.name = "halfway";
  half.function = [](double, ConstVector q, ConstVector) { return q[0] - 0.5; };
  SimulationEvent kick;
  kick.name = "kick";
  kick.function = [](double, ConstVector q, ConstVector) { return q[0]; };
  kick.crossing = ode::Crossing::falling;
  kick.action = [](double, MutableVector, MutableVector qd) {
    qd[0] = 3.0;
    return ode::EventAction::restart;
  };
  SimulationEvent end;
  end.name = "top";
  end.function = [](double t, ConstVector, ConstVector qd) { return t < 0.1 ? 1.0 : qd[0]; };
  end.crossing = ode::Crossing::falling;
  end.stop = true;
  options.events = {half, kick};
  const Recording run = simulate(slider("0 0 1", -99.0, 99.0), options);
  ASSERT_GE(run.events.size(), 3U);
  EXPECT_EQ(run.events[0].what, "halfway");
  EXPECT_NEAR(run.events[0].t, std::sqrt(1.0 / 9.81), 1e-12);
  EXPECT_EQ(run.events[1].what, "kick");
  EXPECT_NEAR(run.events[1].t, std::sqrt(2.0 / 9.81), 1e-12);
  EXPECT_NEAR(run.events[2].t, std::sqrt(2.0 / 9.81) + 6.0 / 9.81, 1e-9);
  EXPECT_LT(run.statistics.energy_drift, 1e-9);

  options.events = {kick, end};
  const Recording stopped = simulate(slider("0 0 1", -99.0, 99.0), options);
  EXPECT_TRUE(stopped.statistics.completed);
  EXPECT_EQ(stopped.events.back().what, "top");
  options.events = {{}};
  EXPECT_THROW(simulate(slider("0 0 1", -99.0, 99.0), options), ArgumentError);
}

}  // namespace
}  // namespace dynamics
