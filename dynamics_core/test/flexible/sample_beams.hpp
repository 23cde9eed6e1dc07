// SPDX-License-Identifier: Apache-2.0
#pragma once

// Robots with flexible links for the tests.

#include <string>

#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/readers.hpp"
#include "support/random_robot.hpp"
#include "support/small_robots.hpp"

namespace dynamics::test {

/// Makes a link flexible, with an inertial element that agrees with the beam.
inline void make_flexible(LinkDescription& link, const BeamDescription& beam, double roll = 0.0) {
  link.flexible = beam;
  const double mass = beam.mass_per_length * beam.length;
  Inertial inertial;
  inertial.mass = mass + beam.tip_mass + beam.hub_mass;
  inertial.center.x() = (0.5 * mass + beam.tip_mass) * beam.length / inertial.mass;
  // about the root, then about the center of mass
  const double about_root =
      mass * beam.length * beam.length / 3.0 + beam.tip_mass * beam.length * beam.length;
  const double shift = inertial.mass * inertial.center.x() * inertial.center.x();
  inertial.inertia =
      Eigen::Vector3d(beam.hub_inertia.x() + roll, about_root - shift + beam.hub_inertia.y(),
                      about_root - shift + beam.hub_inertia.z())
          .asDiagonal();
  link.inertial = inertial;
}

inline BeamDescription beam(double length, double mass_per_length, double rigidity, int modes_y,
                            int modes_z = 0) {
  BeamDescription result;
  result.length = length;
  result.mass_per_length = mass_per_length;
  result.rigidity_y = result.rigidity_z = rigidity;
  result.modes_y = modes_y;
  result.modes_z = modes_z;
  return result;
}

/// A single beam on a joint of the base: fixed, or revolute about z.
inline RobotDescription one_beam(const BeamDescription& given, JointType type) {
  RobotBuilder robot("beam");
  robot.add(type == JointType::fixed ? JointType::fixed : JointType::continuous, "joint", "base",
            "beam", Eigen::Vector3d::UnitZ(), std::nullopt);
  make_flexible(robot.robot().links.back(), given);
  return robot;
}

/// A chain of equal beams with revolute joints about z; consecutive joint frames are rotated by
/// `alpha` about x.
inline RobotDescription beam_chain(std::size_t links, const BeamDescription& given,
                                   double alpha = 0.0) {
  RobotBuilder robot("chain");
  std::string parent = "base";
  for (std::size_t i = 0; i < links; ++i) {
    const std::string name = "link" + std::to_string(i + 1);
    Pose origin;
    if (i > 0) {
      origin.translation.x() = given.length;
      origin.rotation = rotation_from_rpy({alpha, 0.0, 0.0});
    }
    robot.add(JointType::continuous, "joint" + std::to_string(i + 1), parent, name,
              Eigen::Vector3d::UnitZ(), std::nullopt, origin);
    make_flexible(robot.robot().links.back(), given);
    parent = name;
  }
  return robot;
}

/// A tree with all features: beams along y and z and rigid links, attached at tips, along the beam
/// and off its axis, by revolute, prismatic and fixed joints about any axis; tip masses, hubs,
/// damping.
inline RobotDescription mixed_tree(bool stiffening) {
  RandomRobot random(7);
  RobotBuilder robot("mixed");
  const auto pose = [&](double x, double y, double z) {
    return Pose{random.rotation(), {x, y, z}};
  };
  const auto flexible = [&](BeamDescription given, double roll) {
    given.stiffening = stiffening;
    given.rigidity_z = 1.7 * given.rigidity_y;
    make_flexible(robot.robot().links.back(), given, roll);
  };
  robot.add(JointType::continuous, "j1", "base", "boom", {0.0, 0.0, 1.0}, std::nullopt,
            pose(0.1, 0.2, 0.3));
  BeamDescription boom = beam(1.3, 2.1, 55.0, 2, 2);
  boom.tip_mass = 0.7;
  boom.hub_mass = 1.1;
  boom.hub_inertia = {0.02, 0.03, 0.025};
  boom.damping = 0.02;
  flexible(boom, 0.013);
  robot.add(JointType::continuous, "j2", "boom", "rigid", {0.3, 0.5, -0.8}, random.inertial(),
            pose(1.3, 0.04, -0.06));
  robot.joint().rotor_inertia = 0.4;
  robot.joint().damping = 0.3;
  robot.add(JointType::prismatic, "j3", "rigid", "slider", {0.6, -0.2, 0.4}, std::nullopt,
            pose(0.2, -0.1, 0.3));
  flexible(beam(0.8, 1.5, 20.0, 1, 2), 0.0);
  robot.add(JointType::fixed, "weld", "slider", "tool", {1.0, 0.0, 0.0}, random.inertial(),
            pose(0.8, 0.05, 0.02));
  robot.add(JointType::prismatic, "j4", "boom", "lift", {0.0, 1.0, 0.0}, random.inertial(),
            pose(0.6, -0.1, 0.05));
  robot.add(JointType::fixed, "mount", "lift", "antenna", {1.0, 0.0, 0.0}, std::nullopt,
            pose(0.1, 0.1, 0.0));
  flexible(beam(0.9, 0.8, 12.0, 3, 0), 0.004);
  robot.add(JointType::fixed, "marker", "antenna", "tip", {1.0, 0.0, 0.0}, std::nullopt,
            pose(1.0, 0.0, 0.0));
  robot.add(JointType::continuous, "j5", "tip", "flag", {0.0, 0.0, 1.0}, random.inertial(),
            pose(0.05, 0.02, 0.01));
  robot.add(JointType::continuous, "j6", "antenna", "whip", {1.0, 0.0, 0.0}, std::nullopt,
            pose(0.9, 0.0, 0.0));
  flexible(beam(0.5, 0.6, 5.0, 0, 1), 0.002);
  return robot;
}

inline Model canadarm() { return model_from_dh(built_in_robot("canadarm")); }

/// Random state: joints within +-1.5, amplitudes within +-`amplitude`.
inline Eigen::VectorXd random_state(const FlexibleModel& model, RandomRobot& random,
                                    double amplitude) {
  Eigen::VectorXd q = random.vector(model.size(), 1.5);
  q.tail(static_cast<Eigen::Index>(model.amplitude_count())) *= amplitude / 1.5;
  return q;
}

}  // namespace dynamics::test
