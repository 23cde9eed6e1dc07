// SPDX-License-Identifier: Apache-2.0
#pragma once

// URDFs of the mechanisms of the tests. Planar ones move in the x-y plane; axes are z.

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/recording.hpp"
#include "dynamics_core/view.hpp"

namespace dynamics::test {

/// Gravity along -y, for planar mechanisms.
inline const ModelOptions in_plane = {.gravity = {0.0, -9.81, 0.0}, .friction_velocity = 0.01};
inline const ModelOptions weightless = {.gravity = {0.0, 0.0, 0.0}, .friction_velocity = 0.01};

/// The largest loop_error() of all samples.
inline double largest_loop_error(const Mechanism& mechanism, const Recording& run) {
  MechanismWorkspace workspace(mechanism);
  std::vector<double> q(mechanism.tree().size());
  double largest = 0.0;
  for (std::size_t k = 0; k < run.size(); ++k) {
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = run.q[i][k];
    largest = max_propagating_nan(largest, loop_error(mechanism, workspace, q));
  }
  return largest;
}

/// A link with its mass center on the x axis and a moment of inertia about z.
inline std::string bar(const std::string& name, double mass, double center, double moment) {
  return fmt::format(
      R"(<link name="{}"><inertial><origin xyz="{:.17g} 0 0"/><mass value="{:.17g}"/>)"
      R"(<inertia ixx="{:.17g}" ixy="0" ixz="0" iyy="{:.17g}" iyz="0" izz="{:.17g}"/></inertial></link>)"
      "\n",
      name, center, mass, 0.6 * moment, 0.7 * moment, moment);
}

inline std::string joint(const std::string& name, const std::string& type,
                         const std::string& parent, const std::string& child,
                         const std::string& xyz, const std::string& axis = "0 0 1",
                         const std::string& more = "", const std::string& rpy = "0 0 0",
                         const std::string& attributes = "") {
  const std::string limit =
      type == "prismatic"  ? R"(<limit lower="-100" upper="100" effort="1e6" velocity="1e6"/>)"
      : type == "revolute" ? R"(<limit lower="-100" upper="100" effort="1e6" velocity="1e6"/>)"
                           : "";
  return fmt::format(
      R"(<joint name="{}" type="{}"{}><parent link="{}"/><child link="{}"/><origin xyz="{}" rpy="{}"/><axis xyz="{}"/>{}{}</joint>)"
      "\n",
      name, type, attributes, parent, child, xyz, rpy, axis, limit, more);
}

inline std::string constraint(const std::string& name, const std::string& type,
                              const std::string& parent, const std::string& parent_xyz,
                              const std::string& child, const std::string& child_xyz,
                              const std::string& parent_axis = "0 0 1",
                              const std::string& child_axis = "0 0 1") {
  return fmt::format(
      R"(<constraint name="{}" type="{}"><parent link="{}"/><parent_origin xyz="{}" rpy="0 0 0"/><parent_axis xyz="{}"/>)"
      R"(<child link="{}"/><child_origin xyz="{}" rpy="0 0 0"/><child_axis xyz="{}"/></constraint>)"
      "\n",
      name, type, parent, parent_xyz, parent_axis, child, child_xyz, child_axis);
}

inline std::string robot(const std::string& name, const std::string& body) {
  return fmt::format("<robot name=\"{}\">\n<link name=\"base\"/>\n{}</robot>\n", name, body);
}

/// Lengths, masses, mass centers and moments of inertia of crank, coupler and rocker.
struct FourBar {
  double ground = 1.0;
  double length[3] = {0.35, 0.9, 0.7};
  double mass[3] = {1.2, 2.3, 1.7};
  double center[3] = {0.15, 0.5, 0.3};
  double moment[3] = {0.02, 0.17, 0.08};
};

/// Joints a (crank), b (coupler on the crank), d (rocker); cut between coupler and rocker.
inline std::string four_bar_urdf(const FourBar& f, const std::string& cut = "revolute",
                                 const std::string& damping = "") {
  const auto x = [](double value) { return fmt::format("{:.17g} 0 0", value); };
  std::string body = bar("crank", f.mass[0], f.center[0], f.moment[0]) +
                     bar("coupler", f.mass[1], f.center[1], f.moment[1]) +
                     bar("rocker", f.mass[2], f.center[2], f.moment[2]);
  body += joint("a", "continuous", "base", "crank", "0 0 0", "0 0 1", damping, "0 0 0",
                " actuated=\"true\"");
  body += joint("b", "continuous", "crank", "coupler", x(f.length[0]), "0 0 1", damping);
  body += joint("d", "continuous", "base", "rocker", x(f.ground), "0 0 1", damping);
  body += constraint("cut", cut, "coupler", x(f.length[1]), "rocker", x(f.length[2]));
  return robot("four_bar", body);
}

struct SliderCrank {
  double crank = 0.3, rod = 0.8;
  double mass[3] = {1.1, 0.9, 2.5};
  double center[2] = {0.12, 0.35};
  double moment[2] = {0.015, 0.06};
};

/// Joints a (crank), b (rod on the crank), s (slider along x); cut between rod and slider.
inline std::string slider_crank_urdf(const SliderCrank& s) {
  std::string body = bar("crank", s.mass[0], s.center[0], s.moment[0]) +
                     bar("rod", s.mass[1], s.center[1], s.moment[1]) +
                     bar("slider", s.mass[2], 0.0, 0.01);
  body += joint("a", "continuous", "base", "crank", "0 0 0", "0 0 1", "", "0 0 0",
                " actuated=\"true\"");
  body += joint("b", "continuous", "crank", "rod", fmt::format("{:.17g} 0 0", s.crank));
  body += joint("s", "prismatic", "base", "slider", "0 0 0", "1 0 0");
  body +=
      constraint("pin", "revolute", "rod", fmt::format("{:.17g} 0 0", s.rod), "slider", "0 0 0");
  return robot("slider_crank", body);
}

/// N four-bars, each with its ground on the coupler of the previous one.
inline std::string four_bar_chain_urdf(std::size_t count) {
  std::string body, ground = "base";
  const FourBar f;
  for (std::size_t k = 0; k < count; ++k) {
    const auto name = [&](const char* part) { return fmt::format("{}{}", part, k); };
    const auto x = [](double value) { return fmt::format("{:.17g} 0 0", value); };
    body += bar(name("crank"), f.mass[0], f.center[0], f.moment[0]) +
            bar(name("coupler"), f.mass[1], f.center[1], f.moment[1]) +
            bar(name("rocker"), f.mass[2], f.center[2], f.moment[2]);
    // half of the size along the coupler, so that each ground fits on it
    const std::string at = k == 0 ? "0 0 0" : "0.2 0.1 0";
    const std::string pivot = k == 0 ? x(f.ground) : fmt::format("{:.17g} 0.1 0", 0.2 + f.ground);
    body += joint(name("a"), "continuous", ground, name("crank"), at, "0 0 1", "", "0 0 0.9",
                  " actuated=\"true\"");
    body += joint(name("b"), "continuous", name("crank"), name("coupler"), x(f.length[0]));
    body += joint(name("d"), "continuous", ground, name("rocker"), pivot, "0 0 1", "", "0 0 1.9");
    body += constraint(name("cut"), "revolute", name("coupler"), x(f.length[1]), name("rocker"),
                       x(f.length[2]));
    ground = name("coupler");
  }
  return robot("chain", body);
}

/// 3-RRR: a triangle carried by three arms of two links, in the plane. The platform hangs on arm 0.
/// The loops are closed where all joints are at zero.
inline std::string three_rrr_urdf() {
  std::string body;
  const double radius = 0.6, platform = 0.2, upper = 0.3, lower = 0.4, pi = std::numbers::pi;
  double first_lower = 0.0;
  for (int k = 0; k < 3; ++k) {
    const double angle = 2.0 * pi / 3.0 * k;
    const double bx = radius * std::cos(angle), by = radius * std::sin(angle);
    const double cx = platform * std::cos(angle), cy = platform * std::sin(angle);
    const double d = radius - platform;
    const double a =
        angle + pi + std::acos((upper * upper + d * d - lower * lower) / (2.0 * upper * d));
    const double b = std::atan2(cy - by - upper * std::sin(a), cx - bx - upper * std::cos(a));
    if (k == 0) first_lower = b;
    body += bar(fmt::format("upper{}", k), 1.0, 0.15, 0.01) +
            bar(fmt::format("lower{}", k), 0.8, 0.2, 0.012);
    body += joint(fmt::format("a{}", k), "continuous", "base", fmt::format("upper{}", k),
                  fmt::format("{:.17g} {:.17g} 0", bx, by), "0 0 1", "",
                  fmt::format("0 0 {:.17g}", a), " actuated=\"true\"");
    body += joint(fmt::format("b{}", k), "continuous", fmt::format("upper{}", k),
                  fmt::format("lower{}", k), fmt::format("{:.17g} 0 0", upper), "0 0 1", "",
                  fmt::format("0 0 {:.17g}", b - a));
  }
  // the platform's frame is at its corner 0, x towards the center; the others are at -+30 degrees
  body += bar("platform", 1.5, platform, 0.02);
  body += joint("c", "continuous", "lower0", "platform", fmt::format("{:.17g} 0 0", lower), "0 0 1",
                "", fmt::format("0 0 {:.17g}", pi - first_lower));
  for (int k = 1; k < 3; ++k) {
    const double side = platform * std::sqrt(3.0), turn = k == 1 ? -pi / 6.0 : pi / 6.0;
    body +=
        constraint(fmt::format("cut{}", k), "revolute", fmt::format("lower{}", k),
                   fmt::format("{:.17g} 0 0", lower), "platform",
                   fmt::format("{:.17g} {:.17g} 0", side * std::cos(turn), side * std::sin(turn)));
  }
  return robot("three_rrr", body);
}

/// The geometry of the Stewart platform: joints on the base and on the platform.
struct Stewart {
  double base_radius = 0.5, platform_radius = 0.3, height = 0.6;
  double leg_mass = 1.0;  ///< factor of the legs' masses and moments of inertia
  /// The legs are in three pairs; the angle of a pair, plus or minus `half`.
  static double angle(int leg, double half) {
    const int pair = leg / 2;
    return 2.0 * std::numbers::pi / 3.0 * pair + (leg % 2 == 0 ? -half : half);
  }
  static double base_angle(int leg) { return angle(leg, 0.2); }
  static double platform_angle(int leg) { return angle(leg, 0.7); }
  Eigen::Vector3d base_joint(int leg) const {
    return {base_radius * std::cos(base_angle(leg)), base_radius * std::sin(base_angle(leg)), 0.0};
  }
  Eigen::Vector3d platform_joint(int leg) const {
    return {platform_radius * std::cos(platform_angle(leg)),
            platform_radius * std::sin(platform_angle(leg)), 0.0};
  }
};

/// Six legs of universal joint and slider from the base; the platform is a floating body, at
/// `height` where its joint is at zero, and each leg ends in a spherical constraint. The slider's
/// position is the change of the leg's length.
inline std::string stewart_urdf(const Stewart& s) {
  std::string body =
      R"(<link name="platform"><inertial><mass value="3"/><inertia ixx="0.06" ixy="0" ixz="0" iyy="0.07" iyz="0" izz="0.12"/></inertial></link>)";
  body += joint("float", "floating", "base", "platform", fmt::format("0 0 {:.17g}", s.height));
  for (int k = 0; k < 6; ++k) {
    const Eigen::Vector3d from = s.base_joint(k),
                          to = s.platform_joint(k) + Eigen::Vector3d(0, 0, s.height);
    const Eigen::Vector3d leg = to - from;
    const double length = leg.norm();
    // x axis of the leg along the leg: Rz(yaw) Ry(pitch)
    const double yaw = std::atan2(leg.y(), leg.x()),
                 pitch = -std::atan2(leg.z(), std::hypot(leg.x(), leg.y()));
    const auto name = [&](const char* part) { return fmt::format("{}{}", part, k); };
    const auto link = [&](const std::string& id, double mass, double center) {
      return fmt::format(
          R"(<link name="{}"><inertial><origin xyz="{} 0 0"/><mass value="{}"/><inertia ixx="{}" ixy="0" ixz="0" iyy="{}" iyz="0" izz="{}"/></inertial></link>)",
          id, center, s.leg_mass * mass, s.leg_mass * 0.001, s.leg_mass * 0.01, s.leg_mass * 0.011);
    };
    body += link(name("cross"), 0.1, 0.0) + link(name("cylinder"), 1.0, 0.2) +
            link(name("rod"), 0.5, -0.2);
    body += joint(name("u"), "continuous", "base", name("cross"),
                  fmt::format("{:.17g} {:.17g} {:.17g}", from.x(), from.y(), from.z()), "0 0 1", "",
                  fmt::format("0 {:.17g} {:.17g}", pitch, yaw));
    body += joint(name("v"), "continuous", name("cross"), name("cylinder"), "0 0 0", "0 1 0");
    body += joint(name("leg"), "prismatic", name("cylinder"), name("rod"),
                  fmt::format("{:.17g} 0 0", length), "1 0 0", "", "0 0 0", " actuated=\"true\"");
    const Eigen::Vector3d p = s.platform_joint(k);
    body += constraint(name("ball"), "spherical", name("rod"), "0 0 0", "platform",
                       fmt::format("{:.17g} {:.17g} {:.17g}", p.x(), p.y(), p.z()));
  }
  return robot("stewart", body);
}

}  // namespace dynamics::test
