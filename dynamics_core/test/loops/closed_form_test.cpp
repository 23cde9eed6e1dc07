// SPDX-License-Identifier: Apache-2.0
// Four-bar, slider-crank and parallelogram against Lagrange's equation in the crank angle: closed
// forms of the positions, and analytical first and second derivatives. No call of the library.

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "dynamics_core/closed_loops.hpp"
#include "loops/mechanisms.hpp"

namespace dynamics::test {
namespace {

using Eigen::Vector2d;

constexpr double gravity = 9.81;  // along -y

/// e^(i angle) times r, and its derivatives by the crank angle, where angle' and angle'' are known.
struct Angle {
  double value, first, second;
};
struct Point {
  Vector2d value = Vector2d::Zero(), first = Vector2d::Zero(), second = Vector2d::Zero();
  Point operator+(const Point& other) const {
    return {value + other.value, first + other.first, second + other.second};
  }
};
Point rotated(double r, const Angle& a) {
  const double c = std::cos(a.value), s = std::sin(a.value);
  const Vector2d along(c, s), across(-s, c);
  return {r * along, r * a.first * across, r * (a.second * across - a.first * a.first * along)};
}

/// A mechanism with one degree of freedom: kinetic energy I(theta) theta'^2 / 2.
class OneDegree {
 public:
  void add(double mass, double moment, const Point& center, const Angle& angle) {
    inertia_ += mass * center.first.squaredNorm() + moment * angle.first * angle.first;
    slope_ +=
        mass * 2.0 * center.first.dot(center.second) + 2.0 * moment * angle.first * angle.second;
    gravity_ += mass * gravity * center.first.y();
  }
  double torque(double rate, double acceleration) const {
    return inertia_ * acceleration + 0.5 * slope_ * rate * rate + gravity_;
  }
  double acceleration(double rate, double torque) const {
    return (torque - 0.5 * slope_ * rate * rate - gravity_) / inertia_;
  }
  double inertia() const { return inertia_; }
  double coriolis(double rate) const { return 0.5 * slope_ * rate; }
  double gravity_torque() const { return gravity_; }

 private:
  double inertia_ = 0.0, slope_ = 0.0, gravity_ = 0.0;
};

/// The angles of coupler and rocker and their derivatives; elbow: the sign of the branch.
struct FourBarAngles {
  Angle crank, coupler, rocker;
};
FourBarAngles four_bar_angles(const FourBar& f, double theta, double elbow) {
  const double l2 = f.length[0], l3 = f.length[1], l4 = f.length[2];
  const Vector2d B(l2 * std::cos(theta), l2 * std::sin(theta)), D(f.ground, 0.0);
  const Vector2d d = D - B;
  const double distance = d.norm();
  const double cosine = (l3 * l3 + distance * distance - l4 * l4) / (2.0 * l3 * distance);
  const double coupler = std::atan2(d.y(), d.x()) + elbow * std::acos(cosine);
  const Vector2d C = B + l3 * Vector2d(std::cos(coupler), std::sin(coupler));
  const double rocker = std::atan2(C.y() - D.y(), C.x() - D.x());
  // l2 e2 w2 + l3 e3 w3 = l4 e4 w4, with w2 = 1
  const double s34 = std::sin(coupler - rocker);
  const double w3 = l2 * std::sin(rocker - theta) / (l3 * s34);
  const double w4 = l2 * std::sin(coupler - theta) / (l4 * s34);
  // the derivative of the same: components along the other bar
  const double a3 =
      (-l2 * std::cos(theta - rocker) - l3 * w3 * w3 * std::cos(coupler - rocker) + l4 * w4 * w4) /
      (l3 * s34);
  const double a4 =
      (-l2 * std::cos(theta - coupler) - l3 * w3 * w3 + l4 * w4 * w4 * std::cos(rocker - coupler)) /
      (l4 * s34);
  return {{theta, 1.0, 0.0}, {coupler, w3, a3}, {rocker, w4, a4}};
}

OneDegree four_bar_dynamics(const FourBar& f, const FourBarAngles& angles) {
  OneDegree result;
  result.add(f.mass[0], f.moment[0], rotated(f.center[0], angles.crank), angles.crank);
  result.add(f.mass[1], f.moment[1],
             rotated(f.length[0], angles.crank) + rotated(f.center[1], angles.coupler),
             angles.coupler);
  result.add(f.mass[2], f.moment[2], rotated(f.center[2], angles.rocker), angles.rocker);
  return result;
}

const ModelOptions in_plane = {.gravity = {0.0, -gravity, 0.0}, .friction_velocity = 0.01};

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
    // the rod's angle beta: rod sin(beta) = -crank sin(theta)
    const double sine = -s.crank / s.rod * std::sin(theta), cosine = std::sqrt(1.0 - sine * sine);
    const double first = -s.crank * std::cos(theta) / (s.rod * cosine);
    const double second =
        (s.crank * std::sin(theta) + s.rod * sine * first * first) / (s.rod * cosine);
    const Angle crank{theta, 1.0, 0.0}, rod{std::asin(sine), first, second};
    const Point pin = rotated(s.crank, crank) + rotated(s.rod, rod);
    OneDegree expected;
    expected.add(s.mass[0], s.moment[0], rotated(s.center[0], crank), crank);
    expected.add(s.mass[1], s.moment[1], rotated(s.crank, crank) + rotated(s.center[1], rod), rod);
    expected.add(s.mass[2], 0.01, pin, {0.0, 0.0, 0.0});
    expect_equal(mechanism, expected, {theta, rod.value - theta, pin.value.x()},
                 {rate, rate * (first - 1.0), rate * pin.first.x()}, rate);
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
