// SPDX-License-Identifier: Apache-2.0
// Positions in which loops change their mobility, and dead centers: passed on the branch of the
// motion, against closed forms; reported where the mechanism is at rest.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"
#include "loops/closed_forms.hpp"

namespace dynamics::test {
namespace {

constexpr double pi = std::numbers::pi;

FourBar parallelogram() {
  FourBar f;
  f.length[0] = f.length[2] = 0.4;
  f.ground = f.length[1] = 1.0;
  return f;
}

Recording run_of(const Mechanism& mechanism, std::vector<double> q0, std::vector<double> qd0,
                 double duration) {
  const auto plant = loop_plant(mechanism);
  SimulationOptions options;
  options.duration = duration;
  options.rtol = 1e-11;
  options.integrator = "dop853";
  options.q0 = std::move(q0);
  options.qd0 = std::move(qd0);
  return simulate(*plant, options);
}

/// theta'' = f(theta, theta') by the classical Runge-Kutta method, at the samples of a run.
std::vector<double> reference(const Recording& run, double theta, double rate,
                              const std::function<double(double, double)>& f) {
  std::vector<double> result = {theta};
  for (std::size_t k = 1; k < run.size(); ++k) {
    constexpr int steps = 100;
    const double h = (run.t[k] - run.t[k - 1]) / steps;
    for (int i = 0; i < steps; ++i) {
      const double v1 = rate, a1 = f(theta, v1);
      const double v2 = rate + 0.5 * h * a1, a2 = f(theta + 0.5 * h * v1, v2);
      const double v3 = rate + 0.5 * h * a2, a3 = f(theta + 0.5 * h * v2, v3);
      const double v4 = rate + h * a3, a4 = f(theta + h * v3, v4);
      theta += h / 6.0 * (v1 + 2.0 * v2 + 2.0 * v3 + v4);
      rate += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    result.push_back(theta);
  }
  return result;
}

/// Largest distance of joint `joint` from `expected`.
double distance(const Recording& run, std::size_t joint, const std::vector<double>& expected,
                double factor = 1.0) {
  double largest = 0.0;
  for (std::size_t k = 0; k < run.size(); ++k)
    largest = max_propagating_nan(largest, std::abs(run.q[joint][k] - factor * expected[k]));
  return largest;
}

/// The parallelogram: a pendulum with constant inertia.
double parallelogram_acceleration(double theta, double) {
  const FourBar f = parallelogram();
  const double inertia = f.moment[0] + f.mass[0] * f.center[0] * f.center[0] +
                         f.mass[1] * f.length[0] * f.length[0] + f.moment[2] +
                         f.mass[2] * f.center[2] * f.center[2];
  const double weight =
      gravity * (f.mass[0] * f.center[0] + f.mass[1] * f.length[0] + f.mass[2] * f.center[2]);
  return -weight * std::cos(theta) / inertia;
}

TEST(SingularPositions, ParallelogramPassesItsFlatPositionsOnItsBranch) {
  const Mechanism mechanism = mechanism_from_urdf(four_bar_urdf(parallelogram()), in_plane);
  MechanismWorkspace workspace(mechanism);
  // falls through theta = 0; swings through 0 and pi; turns
  for (const double rate : {0.0, 0.5, -3.0, 9.0, 30.0}) {
    const double theta = 1.0;
    const Recording run =
        run_of(mechanism, {theta, -theta, theta}, {rate, -rate, rate}, rate > 20.0 ? 1.0 : 2.0);
    ASSERT_TRUE(run.statistics.completed) << rate << ": " << run.statistics.ending;
    const auto expected = reference(run, theta, rate, parallelogram_acceleration);
    int passed = 0;
    for (std::size_t k = 1; k < run.size(); ++k)
      passed += static_cast<int>(std::floor(expected[k] / pi) != std::floor(expected[k - 1] / pi));
    EXPECT_GE(passed, 1) << rate;
    EXPECT_LT(distance(run, 0, expected), 1e-7) << rate;
    EXPECT_LT(distance(run, 1, expected, -1.0), 1e-7) << rate;
    EXPECT_LT(distance(run, 2, expected), 1e-7) << rate;
    EXPECT_LT(run.statistics.energy_drift, 1e-8) << rate;
    for (std::size_t k = 0; k < run.size(); ++k) {
      const std::vector<double> q = {run.q[0][k], run.q[1][k], run.q[2][k]};
      EXPECT_LT(loop_error(mechanism, workspace, q), 1e-12);
    }
  }
}

TEST(SingularPositions, VelocityChoosesTheBranchOfAFlatStart) {
  const FourBar f = parallelogram();
  const Mechanism mechanism = mechanism_from_urdf(four_bar_urdf(f), in_plane);
  const std::vector<double> flat = {0.0, 0.0, 0.0};
  const Recording parallel = run_of(mechanism, flat, {4.0, -4.0, 4.0}, 0.3);
  ASSERT_TRUE(parallel.statistics.completed) << parallel.statistics.ending;
  EXPECT_LT(distance(parallel, 0, reference(parallel, 0.0, 4.0, parallelogram_acceleration)), 1e-8);
  EXPECT_LT(distance(parallel, 2, parallel.q[0]), 1e-9);

  // the other branch: a (theta' - psi') = -g phi' and a (theta'^2 - psi'^2) = -g phi'^2
  const double a = f.length[0], g = f.ground, theta = 4.0, psi = -theta * (g + a) / (g - a),
               phi = a * (psi - theta) / g;
  const Recording anti = run_of(mechanism, flat, {theta, phi - theta, psi}, 0.1);
  ASSERT_TRUE(anti.statistics.completed) << anti.statistics.ending;
  const FourBarAngles end = four_bar_angles(f, anti.q[0].back(), -1.0);
  EXPECT_GT(std::abs(anti.q[0].back() - anti.q[2].back()), 0.1);
  EXPECT_NEAR(anti.q[2].back(), end.rocker.value, 1e-9);
  EXPECT_NEAR(anti.q[1].back(), end.coupler.value - end.crank.value, 1e-9);
  EXPECT_LT(anti.statistics.energy_drift, 1e-8);
}

TEST(SingularPositions, FlatParallelogramAtRestIsReported) {
  const Mechanism mechanism = mechanism_from_urdf(four_bar_urdf(parallelogram()), in_plane);
  try {
    run_of(mechanism, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 0.1);
    FAIL();
  } catch (const StateError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("joint '"),
                                             testing::HasSubstr("condition number")));
  }
}

TEST(SingularPositions, SliderCrankOfEqualBarsPassesTheMiddle) {
  // rod and crank have the same length: at 90 degrees the rod could turn with the crank
  SliderCrank s;
  s.rod = s.crank = 0.5;
  const Mechanism mechanism = mechanism_from_urdf(slider_crank_urdf(s), in_plane);
  const auto dynamics = [&](double theta) {
    const Angle crank{theta, 1.0, 0.0}, rod{-theta, -1.0, 0.0};
    return slider_crank_dynamics(s, {crank, rod, rotated(s.crank, crank) + rotated(s.rod, rod)});
  };
  const auto acceleration = [&](double theta, double rate) {
    return dynamics(theta).acceleration(rate, 0.0);
  };
  for (const double rate : {3.0, 8.0, -20.0}) {
    const double theta = 0.5;
    const Recording run = run_of(mechanism, {theta, -2.0 * theta, 2.0 * s.crank * std::cos(theta)},
                                 {rate, -2.0 * rate, -2.0 * s.crank * std::sin(theta) * rate}, 1.5);
    ASSERT_TRUE(run.statistics.completed) << rate << ": " << run.statistics.ending;
    const auto expected = reference(run, theta, rate, acceleration);
    EXPECT_LT(distance(run, 0, expected), 1e-7) << rate;
    EXPECT_LT(distance(run, 1, expected, -2.0), 2e-7) << rate;
    EXPECT_LT(run.statistics.energy_drift, 1e-8) << rate;
  }
}

TEST(SingularPositions, SliderCrankPassesItsDeadCenters) {
  // driven by the slider, whose dead centers are at 0 and 180 degrees of the crank
  const SliderCrank s;
  std::string urdf = slider_crank_urdf(s);
  const std::string actuated = " actuated=\"true\"";
  urdf.erase(urdf.find(actuated), actuated.size());
  const std::string slider = R"(<joint name="s" type="prismatic")";
  urdf.insert(urdf.find(slider) + slider.size(), actuated);
  const Mechanism mechanism = mechanism_from_urdf(urdf, in_plane);
  ASSERT_EQ(mechanism.independent()[0], 2U);
  const auto acceleration = [&](double theta, double rate) {
    return slider_crank_dynamics(s, slider_crank_position(s, theta)).acceleration(rate, 0.0);
  };
  for (const double rate : {1.0, 6.0, 25.0}) {
    const double theta = 1.0;
    const SliderCrankPosition at = slider_crank_position(s, theta);
    const Recording run = run_of(mechanism, {theta, at.rod.value - theta, at.pin.value.x()},
                                 {rate, rate * (at.rod.first - 1.0), rate * at.pin.first.x()}, 1.5);
    ASSERT_TRUE(run.statistics.completed) << rate << ": " << run.statistics.ending;
    EXPECT_LT(distance(run, 0, reference(run, theta, rate, acceleration)), 1e-7) << rate;
    EXPECT_LT(run.statistics.energy_drift, 1e-8) << rate;
  }
}

}  // namespace
}  // namespace dynamics::test
