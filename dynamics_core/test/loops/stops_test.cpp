// SPDX-License-Identifier: Apache-2.0
// Joint stops, sticking friction, locks, references and base motion of mechanisms, against closed
// forms in the crank angle.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"
#include "loops/closed_forms.hpp"

namespace dynamics::test {
namespace {

/// Gives a joint of a URDF limits, or friction, by its name.
std::string with_limits(std::string urdf, const std::string& joint, double lower, double upper) {
  const std::string type = fmt::format("<joint name=\"{}\" type=\"continuous\"", joint);
  const std::size_t at = urdf.find(type);
  urdf.replace(at, type.size(), fmt::format("<joint name=\"{}\" type=\"revolute\"", joint));
  const std::size_t end = urdf.find("</joint>", at);
  return urdf.insert(
      end, fmt::format(R"(<limit lower="{:.17g}" upper="{:.17g}" effort="1e4" velocity="1e4"/>)",
                       lower, upper));
}
std::string with_friction(std::string urdf, const std::string& joint, double friction) {
  const std::size_t at = urdf.find(fmt::format("<joint name=\"{}\"", joint));
  return urdf.insert(urdf.find("</joint>", at),
                     fmt::format(R"(<dynamics friction="{:.17g}"/>)", friction));
}

/// The coupler's and rocker's positions of the test's branch.
std::vector<double> four_bar_position(double theta) {
  const FourBarAngles a = four_bar_angles({}, theta, 1.0);
  return {theta, a.coupler.value - theta, a.rocker.value};
}

SimulationOptions accurate(double duration) {
  SimulationOptions options;
  options.duration = duration;
  options.rtol = 1e-11;
  options.limits = true;
  return options;
}

TEST(LoopStops, FourBarRestsOnTheStopOfItsCrank) {
  const double start = 1.2, stop = 0.6;
  const Mechanism mechanism =
      mechanism_from_urdf(with_limits(four_bar_urdf({}), "a", stop, 3.0), in_plane);
  const auto plant = loop_plant(mechanism);
  SimulationOptions options = accurate(2.0);
  options.q0 = four_bar_position(start);
  const Recording run = simulate(*plant, options);
  ASSERT_TRUE(run.statistics.completed) << run.statistics.ending;
  // the speed at the stop from the energy in closed form
  const OneDegree before = four_bar_dynamics({}, four_bar_angles({}, start, 1.0)),
                  at_stop = four_bar_dynamics({}, four_bar_angles({}, stop, 1.0));
  const double lost = before.potential() - at_stop.potential();
  const double speed = -std::sqrt(2.0 * lost / at_stop.inertia());
  ASSERT_EQ(run.events.size(), 1U);
  EXPECT_EQ(run.events[0].what,
            fmt::format("a hits its lower stop at {:.6g} rad/s and rests", speed));
  EXPECT_NEAR(run.work.back(), -lost, 1e-9 * lost);
  EXPECT_LT(run.statistics.energy_drift, 1e-9);
  EXPECT_LT(largest_loop_error(mechanism, run), 1e-12);
  EXPECT_GE(*std::min_element(run.q[0].begin(), run.q[0].end()), stop - 1e-12);
  const std::vector<double> rest = four_bar_position(stop);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(run.q[i].back(), rest[i], 1e-11) << i;
    EXPECT_NEAR(run.qd[i].back(), 0.0, 1e-12) << i;
  }
}

TEST(LoopStops, ReboundsFollowTheCoefficientOfRestitution) {
  // the stop of the rocker, a dependent joint
  const double start = 1.2, stop_crank = 0.6, e = 0.6;
  const double stop = four_bar_position(stop_crank)[2];
  const double opposite = four_bar_position(start)[2];
  const bool lower = stop < opposite;
  const Mechanism mechanism = mechanism_from_urdf(
      with_limits(four_bar_urdf({}), "d", lower ? stop : -100.0, lower ? 100.0 : stop), in_plane);
  const auto plant = loop_plant(mechanism);
  SimulationOptions options = accurate(1.0);
  options.q0 = four_bar_position(start);
  options.restitution = e;
  options.sample = 1e-3;
  const Recording run = simulate(*plant, options);
  ASSERT_TRUE(run.statistics.completed) << run.statistics.ending;
  const OneDegree before = four_bar_dynamics({}, four_bar_angles({}, start, 1.0)),
                  at_stop = four_bar_dynamics({}, four_bar_angles({}, stop_crank, 1.0));
  const double kinetic = before.potential() - at_stop.potential();
  // the first impact takes 1 - e^2 of the kinetic energy
  ASSERT_GE(run.events.size(), 2U);
  const auto index = static_cast<std::size_t>(
      std::upper_bound(run.t.begin(), run.t.end(), run.events[0].t) - run.t.begin());
  EXPECT_NEAR(run.work[index], -(1.0 - e * e) * kinetic, 1e-9 * kinetic);
  EXPECT_LT(run.statistics.energy_drift, 1e-8);
  EXPECT_LT(largest_loop_error(mechanism, run), 1e-12);
  for (const double q : run.q[2]) EXPECT_GE(lower ? q - stop : stop - q, -1e-11);
}

TEST(LoopStops, TwoStopsOfOneLoopHoldTogether) {
  // crank and rocker reach their stops at the same time: redundant contacts
  const double start = 1.2, stop = 0.6;
  const double rocker = four_bar_position(stop)[2], other = four_bar_position(start)[2];
  std::string urdf = with_limits(four_bar_urdf({}), "a", stop, 3.0);
  urdf = with_limits(urdf, "d", rocker < other ? rocker : -100.0, rocker < other ? 100.0 : rocker);
  const Mechanism mechanism = mechanism_from_urdf(urdf, in_plane);
  const auto plant = loop_plant(mechanism);
  SimulationOptions options = accurate(1.5);
  options.q0 = four_bar_position(start);
  const Recording run = simulate(*plant, options);
  ASSERT_TRUE(run.statistics.completed) << run.statistics.ending;
  EXPECT_NEAR(run.q[0].back(), stop, 1e-10);
  EXPECT_NEAR(run.q[2].back(), rocker, 1e-10);
  EXPECT_NEAR(run.qd[1].back(), 0.0, 1e-10);
  EXPECT_LT(run.statistics.energy_drift, 1e-9);
}

TEST(LoopStops, StartBeyondAStopIsRefused) {
  const Mechanism mechanism =
      mechanism_from_urdf(with_limits(four_bar_urdf({}), "a", 0.6, 3.0), in_plane);
  const auto plant = loop_plant(mechanism);
  SimulationOptions options = accurate(1.0);
  options.q0 = four_bar_position(0.5);
  EXPECT_THROW(simulate(*plant, options), ArgumentError);
}

/// The friction that holds the crank at rest: by virtual work the sum of the joints' friction times
/// |dq_i/d theta|.
TEST(LoopFriction, HoldsBelowBreakawayAndSlidesAbove) {
  const double theta = 0.9;
  const FourBarAngles a = four_bar_angles({}, theta, 1.0);
  const OneDegree expected = four_bar_dynamics({}, a);
  const double load = std::abs(expected.gravity_torque());
  const double rates[3] = {1.0, a.coupler.first - 1.0, a.rocker.first};
  // friction of the crank alone, and shares of all joints
  for (const std::vector<double>& shares :
       {std::vector<double>{1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}, {0.3, 0.5, 0.2}, {0.1, 0.1, 0.8}}) {
    for (const double ratio : {0.999, 1.001}) {
      std::string urdf = four_bar_urdf({});
      const char* names[3] = {"a", "b", "d"};
      for (std::size_t i = 0; i < 3; ++i) {
        if (shares[i] == 0.0) continue;
        urdf = with_friction(urdf, names[i], shares[i] * load / (ratio * std::abs(rates[i])));
      }
      const Mechanism mechanism = mechanism_from_urdf(urdf, in_plane);
      const auto plant = loop_plant(mechanism);
      SimulationOptions options;
      options.q0 = four_bar_position(theta);
      options.duration = 0.2;
      options.rtol = 1e-11;
      const Recording run = simulate(*plant, options);
      ASSERT_TRUE(run.statistics.completed) << run.statistics.ending;
      if (ratio < 1.0) {
        for (std::size_t i = 0; i < 3; ++i)
          EXPECT_NEAR(run.q[i].back(), run.q[i].front(), 1e-14) << i;
      } else {
        const double acceleration =
            -expected.gravity_torque() * (1.0 - 1.0 / ratio) / expected.inertia();
        EXPECT_NEAR(run.qdd[0].front(), acceleration, 1e-9 * std::abs(acceleration));
        EXPECT_GT(std::abs(run.q[0].back() - theta), 0.4 * std::abs(acceleration) * 0.04);
        EXPECT_LT(run.statistics.energy_drift, 1e-8);
      }
    }
  }
}

TEST(LoopFriction, MovingFourBarComesToRestAndStays) {
  std::string urdf = four_bar_urdf({});
  for (const char* name : {"a", "b", "d"}) urdf = with_friction(urdf, name, 0.4);
  const Mechanism mechanism = mechanism_from_urdf(urdf, weightless);
  const auto plant = loop_plant(mechanism);
  SimulationOptions options;
  options.qd0 = {6.0};
  options.q0 = {0.9};
  options.duration = 4.0;
  options.rtol = 1e-10;
  const Recording run = simulate(*plant, options);
  ASSERT_TRUE(run.statistics.completed) << run.statistics.ending;
  EXPECT_LT(run.statistics.energy_drift, 1e-8);
  EXPECT_LT(largest_loop_error(mechanism, run), 1e-12);
  // the work of friction is the sum of 0.4 |q_i| along the path: all of the kinetic energy
  EXPECT_NEAR(run.work.back(), -run.kinetic.front(), 1e-8 * run.kinetic.front());
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(run.qd[i].back(), 0.0, 1e-13) << i;
    EXPECT_NEAR(run.q[i].back(), run.q[i][run.size() - 50], 1e-13) << i;
  }
}

TEST(LoopFriction, RampOfTorqueStartsTheMotionAtBreakaway) {
  std::string urdf = with_friction(four_bar_urdf({}), "a", 1.5);
  urdf = with_friction(urdf, "d", 0.5);
  const Mechanism mechanism = mechanism_from_urdf(urdf, weightless);
  const auto plant = loop_plant(mechanism);
  const FourBarAngles a = four_bar_angles({}, 0.9, 1.0);
  const double breakaway = 1.5 + 0.5 * std::abs(a.rocker.first);
  // the torque of the crank in N m is the time in s
  auto ramp = make_controller(
      "torques", {.torques = {.t = {0.0, 4.0}, .q = {{0, 0, 0}, {4, 0, 0}}, .qd = {}, .qdd = {}}});
  SimulationOptions options;
  options.q0 = four_bar_position(0.9);
  options.rtol = 1e-11;
  options.duration = breakaway - 1e-4;
  EXPECT_NEAR(simulate(*plant, *ramp, options).q[0].back(), 0.9, 1e-14);
  options.duration = breakaway + 0.05;
  const double inertia = four_bar_dynamics({}, a).inertia();
  const Recording run = simulate(*plant, *ramp, options);
  // q'' = (t - breakaway) / I at first
  const double t = run.t.back() - breakaway;
  EXPECT_NEAR(run.q[0].back() - 0.9, t * t * t / (6.0 * inertia), 0.01 * t * t * t / inertia);
}

TEST(LoopLocks, LockedJointStopsItsLoopAtOnce) {
  const Mechanism mechanism = mechanism_from_urdf(four_bar_urdf({}), in_plane);
  const auto plant = loop_plant(mechanism);
  SimulationOptions options;
  options.duration = 1.0;
  options.rtol = 1e-11;
  options.qd0 = {4.0};
  options.locks.push_back({.joint = "b", .start = 0.301, .end = 0.6});
  const Recording run = simulate(*plant, options);
  ASSERT_TRUE(run.statistics.completed) << run.statistics.ending;
  EXPECT_LT(run.statistics.energy_drift, 1e-9);
  EXPECT_LT(largest_loop_error(mechanism, run), 1e-12);
  for (std::size_t k = 0; k < run.size(); ++k) {
    if (run.t[k] < 0.305 || run.t[k] > 0.6) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(run.qd[i][k], 0.0, 1e-13);
      EXPECT_NEAR(run.q[i][k], run.q[i][31], 1e-12);
    }
  }
  EXPECT_GT(std::abs(run.q[0].back() - run.q[0][40]), 1e-3);  // unlocked, it falls
}

TEST(LoopLocks, LockTakesOneFreedomOfSeveral) {
  const Mechanism mechanism = mechanism_from_urdf(three_rrr_urdf(), weightless);
  const auto plant = loop_plant(mechanism);
  SimulationOptions options;
  options.duration = 1.0;
  options.rtol = 1e-11;
  options.qd0 = {0.9, 0.6, 1.1};
  options.locks.push_back({.joint = "b1", .start = 0.251});
  const Recording run = simulate(*plant, options);
  ASSERT_TRUE(run.statistics.completed) << run.statistics.ending;
  EXPECT_LT(run.statistics.energy_drift, 1e-9);
  EXPECT_LT(largest_loop_error(mechanism, run), 1e-12);
  const std::size_t locked = mechanism.tree().coordinate("b1");
  EXPECT_NEAR(run.q[locked].back(), run.q[locked][26], 1e-12);
  EXPECT_GT(std::abs(run.q[0].back() - run.q[0][26]), 1e-2);
  // the impact takes energy, the motion after it none
  EXPECT_LT(run.work.back(), -1e-4);
  EXPECT_NEAR(run.work.back(), run.work[30], 1e-12);
}

TEST(LoopReferences, ComputedTorqueFollowsACycloidOfTheCrank) {
  const Mechanism mechanism = mechanism_from_urdf(four_bar_urdf({}), in_plane);
  const auto plant = loop_plant(mechanism);
  SimulationOptions options;
  options.scenario = Scenario::computed_torque;
  options.duration = 2.0;
  options.rtol = 1e-12;
  options.q0 = four_bar_position(0.4);
  options.trajectory = cycloid_trajectory({0.4}, {0.4 + 2.0 * std::numbers::pi}, 1.8);
  const Recording run = simulate(*plant, options);
  ASSERT_TRUE(run.statistics.completed) << run.statistics.ending;
  const auto reference = cycloid_trajectory({0.4}, {0.4 + 2.0 * std::numbers::pi}, 1.8);
  double error = 0.0, torque = 0.0;
  for (std::size_t k = 0; k < run.size(); ++k) {
    std::vector<double> z(1), zd(1), zdd(1);
    reference->at(run.t[k], z, zd, zdd);
    const FourBarAngles a = four_bar_angles({}, z[0], 1.0);
    const auto wrapped = [](double x) { return std::remainder(x, 2.0 * std::numbers::pi); };
    error = max_propagating_nan(error, std::abs(run.q[0][k] - z[0]));
    error = max_propagating_nan(error, std::abs(wrapped(run.q[2][k] - a.rocker.value)));
    error = max_propagating_nan(error, std::abs(wrapped(run.desired[2][k] - a.rocker.value)));
    // the cycloid's acceleration has no jump at 0 and T
    torque = max_propagating_nan(
        torque, std::abs(run.tau[0][k] - four_bar_dynamics({}, a).torque(zd[0], zdd[0])));
  }
  EXPECT_LT(error, 1e-9);
  EXPECT_LT(torque, 1e-6);
}

TEST(LoopReferences, AllJointsOrTheIndependentOnes) {
  const Mechanism mechanism = mechanism_from_urdf(four_bar_urdf({}), in_plane);
  const auto plant = loop_plant(mechanism);
  SimulationOptions options;
  options.scenario = Scenario::forced;
  options.duration = 0.5;
  options.q0 = four_bar_position(0.4);
  options.trajectory = cycloid_trajectory({0.4}, {0.9}, 0.5);
  const Recording one = simulate(*plant, options);
  // entries of dependent joints do not count
  options.trajectory = cycloid_trajectory({0.4, 7.0, 8.0}, {0.9, -1.0, -2.0}, 0.5);
  const Recording all = simulate(*plant, options);
  EXPECT_NEAR(one.q[0].back(), 0.9, 1e-6);
  EXPECT_EQ(one.q[1].back(), all.q[1].back());
  options.trajectory = cycloid_trajectory({0.4, 1.0}, {0.9, 1.0}, 0.5);
  try {
    simulate(*plant, options);
    FAIL();
  } catch (const ArgumentError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("1 independent joints and 3 in all"));
  }
}

TEST(LoopReferences, FilesNeedOnlyTheIndependentJoints) {
  const Mechanism mechanism = mechanism_from_urdf(four_bar_urdf({}), in_plane);
  const Model& tree = mechanism.tree();
  const Knots csv =
      read_trajectory_csv("t,q_a\n0,0.4\n1,0.9\n", "f.csv", tree, mechanism.independent());
  EXPECT_EQ(csv.q, (std::vector<std::vector<double>>{{0.4}, {0.9}}));
  // columns of dependent joints are ignored, those of other names are errors
  const Knots more =
      read_trajectory_csv("t,q_b,q_a\n0,7,0.4\n1,8,0.9\n", "f.csv", tree, mechanism.independent());
  EXPECT_EQ(more.q, csv.q);
  EXPECT_THROW(read_trajectory_csv("t,q_a,q_x\n0,1,2\n", "f.csv", tree, mechanism.independent()),
               ParseError);
  EXPECT_THROW(read_trajectory_csv("t,q_b\n0,1\n", "f.csv", tree, mechanism.independent()),
               ParseError);
  const Knots yaml = read_trajectory_yaml(
      "joint_names: [d, a]\npoints:\n- {positions: [5, 0.4], time_from_start: 0}\n"
      "- {positions: [6, 0.9], time_from_start: 1}\n",
      "f.yaml", tree, mechanism.independent());
  EXPECT_EQ(yaml.q, csv.q);
}

TEST(LoopBaseMotion, VerticalAccelerationActsAsGravity) {
  const Mechanism mechanism = mechanism_from_urdf(four_bar_urdf({}), in_plane);
  const double amplitude = 0.05, frequency = 1.5, omega = 2.0 * std::numbers::pi * frequency;
  const BaseHarmonic harmonic{BaseHarmonic::Axis::y, amplitude, frequency};
  const std::shared_ptr<const BaseTrajectory> base = harmonic_base_trajectory({&harmonic, 1});
  const auto plant = loop_plant(mechanism, {.base = base});
  const double theta = 0.8, rate = 1.3, t = 0.1;
  const FourBarAngles a = four_bar_angles({}, theta, 1.0);
  const std::vector<double> q = four_bar_position(theta), tau = {2.0, 0.0, 0.0};
  const std::vector<double> qd = {rate, rate * (a.coupler.first - 1.0), rate * a.rocker.first};
  std::vector<double> qdd(3);
  plant->accelerations(t, q, qd, tau, qdd);
  const OneDegree still = four_bar_dynamics({}, a);
  const double acceleration = -amplitude * omega * omega * std::sin(omega * t);
  const double more = still.gravity_torque() * acceleration / gravity;
  EXPECT_NEAR(qdd[0], still.acceleration(rate, 2.0 - more), 1e-10);

  SimulationOptions options;
  options.duration = 2.0;
  options.rtol = 1e-11;
  options.q0 = q;
  options.qd0 = qd;
  const Recording run = simulate(*plant, options);
  ASSERT_TRUE(run.statistics.completed) << run.statistics.ending;
  EXPECT_LT(run.statistics.energy_drift, 1e-8);  // with the work of the base
  EXPECT_GT(std::abs(run.work.back()), 1e-3);
  EXPECT_LT(largest_loop_error(mechanism, run), 1e-12);
}

}  // namespace
}  // namespace dynamics::test
