// SPDX-License-Identifier: Apache-2.0
// Four-bar, slider-crank and parallelogram against Lagrange's equation in the crank angle
// (closed_forms.hpp).

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "dynamics_core/closed_loops.hpp"
#include "loops/closed_forms.hpp"

namespace dynamics::test {
namespace {

/// Compares all results of a mechanism with one independent joint at index 0 with the closed form.
void expect_equal(const Mechanism& mechanism, const OneDegree& expected,
                  const std::vector<double>& q, const std::vector<double>& qd, double rate) {
  MechanismWorkspace workspace(mechanism);
  ASSERT_EQ(mechanism.size(), 1U);
  ASSERT_EQ(mechanism.independent()[0], 0U);
  const std::size_t n = q.size();
  std::vector<double> velocities(n, 0.0), qdd(n, 0.0), tau(n, 0.0);
  velocities[0] = rate;
  close_velocities(mechanism, workspace, q, velocities);
  for (std::size_t i = 0; i < n; ++i)
    EXPECT_NEAR(velocities[i], qd[i], 1e-12 * std::abs(rate) + 1e-13);

  for (const double acceleration : {0.0, 3.0, -7.0}) {
    qdd[0] = acceleration;
    close_accelerations(mechanism, workspace, q, velocities, qdd);
    std::vector<double> torque(1);
    inverse_dynamics(mechanism, workspace, q, velocities, qdd, torque);
    const double closed_form = expected.torque(rate, acceleration);
    EXPECT_NEAR(torque[0], closed_form, 1e-10 * (1.0 + std::abs(closed_form)));
    // and back
    tau[0] = closed_form;
    std::vector<double> forward(n);
    forward_dynamics(mechanism, workspace, q, velocities, tau, forward);
    for (std::size_t i = 0; i < n; ++i)
      EXPECT_NEAR(forward[i], qdd[i], 1e-10 * (1.0 + std::abs(qdd[i]))) << "joint " << i;
  }
  Eigen::MatrixXd M(1, 1), C(1, 1);
  std::vector<double> g(1);
  inertia_matrix(mechanism, workspace, q, M);
  coriolis_matrix(mechanism, workspace, q, velocities, C);
  gravity_forces(mechanism, workspace, q, g);
  EXPECT_NEAR(M(0, 0), expected.inertia(), 1e-12 * expected.inertia());
  EXPECT_NEAR(C(0, 0), expected.coriolis(rate), 1e-11 * (1.0 + std::abs(expected.coriolis(rate))));
  EXPECT_NEAR(g[0], expected.gravity_torque(), 1e-11);
}

TEST(ClosedForm, FourBarMatchesLagrangesEquation) {
  const FourBar f;
  const Mechanism mechanism = mechanism_from_urdf(four_bar_urdf(f), in_plane);
  for (int k = 0; k < 24; ++k) {
    const double theta = 2.0 * std::numbers::pi * k / 24.0 + 0.1, rate = 1.5 - 0.2 * k;
    for (const double elbow : {1.0, -1.0}) {
      const FourBarAngles a = four_bar_angles(f, theta, elbow);
      // joint b is relative to the crank
      const std::vector<double> q = {theta, a.coupler.value - theta, a.rocker.value};
      const std::vector<double> qd = {rate, rate * (a.coupler.first - 1.0), rate * a.rocker.first};
      expect_equal(mechanism, four_bar_dynamics(f, a), q, qd, rate);
    }
  }
}

TEST(ClosedForm, FourBarDoesNotDependOnTheTypeOfTheCut) {
  // planar loops described in space: redundant equations of all kinds
  const FourBar f;
  const double theta = 0.8, rate = 1.3;
  const FourBarAngles a = four_bar_angles(f, theta, 1.0);
  const std::vector<double> q = {theta, a.coupler.value - theta, a.rocker.value};
  const std::vector<double> qd = {rate, rate * (a.coupler.first - 1.0), rate * a.rocker.first};
  for (const auto& [type, redundant] : {std::pair{"revolute", 3U}, std::pair{"spherical", 1U}}) {
    const Mechanism mechanism = mechanism_from_urdf(four_bar_urdf(f, type), in_plane);
    ASSERT_EQ(mechanism.groups().size(), 1U);
    EXPECT_EQ(mechanism.groups()[0].rank, 2U) << type;
    EXPECT_EQ(mechanism.groups()[0].redundant.size(), redundant) << type;
    expect_equal(mechanism, four_bar_dynamics(f, a), q, qd, rate);
  }
}

TEST(ClosedForm, SliderCrankMatchesLagrangesEquation) {
  const SliderCrank s;
  const Mechanism mechanism = mechanism_from_urdf(slider_crank_urdf(s), in_plane);
  for (int k = 0; k < 24; ++k) {
    const double theta = 2.0 * std::numbers::pi * k / 24.0, rate = 2.0 - 0.15 * k;
    const SliderCrankPosition at = slider_crank_position(s, theta);
    expect_equal(mechanism, slider_crank_dynamics(s, at),
                 {theta, at.rod.value - theta, at.pin.value.x()},
                 {rate, rate * (at.rod.first - 1.0), rate * at.pin.first.x()}, rate);
  }
}

TEST(ClosedForm, ParallelogramMatchesItsClosedForm) {
  // opposite bars are equal: the coupler translates on a circle
  FourBar f;
  f.length[0] = f.length[2] = 0.4;
  f.ground = f.length[1] = 1.0;
  const Mechanism mechanism = mechanism_from_urdf(four_bar_urdf(f), in_plane);
  for (int k = 1; k < 24; ++k) {
    const double theta = 2.0 * std::numbers::pi * k / 24.0, rate = 0.4 * k - 3.0;
    if (std::abs(std::sin(theta)) < 1e-3) continue;  // the bars are in line: singular
    const double inertia = f.moment[0] + f.mass[0] * f.center[0] * f.center[0] +
                           f.mass[1] * f.length[0] * f.length[0] + f.moment[2] +
                           f.mass[2] * f.center[2] * f.center[2];
    const double weight =
        gravity * std::cos(theta) *
        (f.mass[0] * f.center[0] + f.mass[1] * f.length[0] + f.mass[2] * f.center[2]);
    const std::vector<double> q = {theta, -theta, theta};
    MechanismWorkspace workspace(mechanism);
    std::vector<double> qd = {rate, 0.0, 0.0}, qdd = {2.0, 0.0, 0.0}, tau(1);
    close_velocities(mechanism, workspace, q, qd);
    close_accelerations(mechanism, workspace, q, qd, qdd);
    EXPECT_NEAR(qd[1], -rate, 1e-11);
    EXPECT_NEAR(qdd[2], 2.0, 1e-10);
    inverse_dynamics(mechanism, workspace, q, qd, qdd, tau);
    EXPECT_NEAR(tau[0], 2.0 * inertia + weight, 1e-10);
  }
}

}  // namespace
}  // namespace dynamics::test
