// SPDX-License-Identifier: Apache-2.0
#pragma once

// Four-bar and slider-crank in the crank angle: closed forms of the positions, analytical first and
// second derivatives, and Lagrange's equation. No call of the library.

#include <Eigen/Core>
#include <cmath>

#include "loops/mechanisms.hpp"

namespace dynamics::test {

using Eigen::Vector2d;

inline constexpr double gravity = 9.81;  // along -y

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
inline Point rotated(double r, const Angle& a) {
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
    potential_ += mass * gravity * center.value.y();
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
  double potential() const { return potential_; }

 private:
  double inertia_ = 0.0, slope_ = 0.0, gravity_ = 0.0, potential_ = 0.0;
};

/// The angles of coupler and rocker and their derivatives; elbow: the sign of the branch.
struct FourBarAngles {
  Angle crank, coupler, rocker;
};
inline FourBarAngles four_bar_angles(const FourBar& f, double theta, double elbow) {
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

inline OneDegree four_bar_dynamics(const FourBar& f, const FourBarAngles& angles) {
  OneDegree result;
  result.add(f.mass[0], f.moment[0], rotated(f.center[0], angles.crank), angles.crank);
  result.add(f.mass[1], f.moment[1],
             rotated(f.length[0], angles.crank) + rotated(f.center[1], angles.coupler),
             angles.coupler);
  result.add(f.mass[2], f.moment[2], rotated(f.center[2], angles.rocker), angles.rocker);
  return result;
}

/// The slider-crank; the rod's angle beta: rod sin(beta) = -crank sin(theta).
struct SliderCrankPosition {
  Angle crank, rod;
  Point pin;  ///< of rod and slider
};
inline SliderCrankPosition slider_crank_position(const SliderCrank& s, double theta) {
  const double sine = -s.crank / s.rod * std::sin(theta), cosine = std::sqrt(1.0 - sine * sine);
  const double first = -s.crank * std::cos(theta) / (s.rod * cosine);
  const double second =
      (s.crank * std::sin(theta) + s.rod * sine * first * first) / (s.rod * cosine);
  const Angle crank{theta, 1.0, 0.0}, rod{std::asin(sine), first, second};
  return {crank, rod, rotated(s.crank, crank) + rotated(s.rod, rod)};
}

inline OneDegree slider_crank_dynamics(const SliderCrank& s, const SliderCrankPosition& at) {
  OneDegree result;
  result.add(s.mass[0], s.moment[0], rotated(s.center[0], at.crank), at.crank);
  result.add(s.mass[1], s.moment[1], rotated(s.crank, at.crank) + rotated(s.center[1], at.rod),
             at.rod);
  result.add(s.mass[2], 0.01, at.pin, {0.0, 0.0, 0.0});
  return result;
}

}  // namespace dynamics::test
