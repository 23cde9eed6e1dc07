// SPDX-License-Identifier: Apache-2.0
#include "papers/counting/flexible_counts.hpp"

#include <fmt/format.h>

#include "dynamics_core/flexible_links.hpp"
#include "flexible/recursions/forward_dynamics.hpp"
#include "papers/counting/counted.hpp"
#include "papers/counting/generic_state.hpp"

namespace dynamics::counting {

Model flexible_arm(std::size_t links, int modes) {
  BeamDescription beam;
  beam.length = 0.5;
  beam.mass_per_length = 2.0;
  beam.rigidity_y = beam.rigidity_z = 300.0;
  beam.modes_y = beam.modes_z = modes;
  Inertial rod;
  rod.mass = beam.mass_per_length * beam.length;
  rod.center.x() = 0.5 * beam.length;
  const double across = rod.mass * beam.length * beam.length / 12.0;
  rod.inertia = Eigen::Vector3d(0.0, across, across).asDiagonal();

  RobotDescription robot;
  robot.name = fmt::format("flexible arm of {} links", links);
  robot.links.push_back(
      {.name = "base", .inertial = {}, .visuals = {}, .meshes = {}, .flexible = {}});
  for (std::size_t i = 0; i < links; ++i) {
    JointDescription joint;
    joint.name = fmt::format("joint{}", i + 1);
    joint.type = JointType::continuous;
    joint.parent = robot.links.back().name;
    joint.child = fmt::format("link{}", i + 1);
    joint.axis = Eigen::Vector3d::UnitZ();
    if (i > 0) {
      joint.origin.translation.x() = beam.length;
      joint.origin.rotation = rotation_from_rpy({0.7, 0.0, 0.0});
    }
    robot.links.push_back(
        {.name = joint.child, .inertial = rod, .visuals = {}, .meshes = {}, .flexible = beam});
    robot.joints.push_back(std::move(joint));
  }
  return Model(std::move(robot));
}

OperationCount count_flexible_forward(const Model& robot) {
  const FlexibleModel model(robot);
  const flexible::Tree& tree = model.tree();
  flexible::Scratch<Counted> scratch(tree);
  const Eigen::Vector3d up = -robot.gravity();
  flexible::BaseState<Counted> base{};
  base.acceleration = {Counted(up.x()), Counted(up.y()), Counted(up.z())};
  const std::size_t joints = model.joint_count(), size = model.size();
  const auto q = generic_numbers(size, 0.3), qd = generic_numbers(size, 0.9);
  std::vector<Counted> tau = generic_numbers(joints, 1.5), qdd(size);
  const OperationCounter counter;
  flexible::forward_dynamics<Counted>(tree, scratch, base, flexible::Known::joint_torques, q.data(),
                                      q.data() + joints, qd.data(), qd.data() + joints, nullptr,
                                      tau.data(), qdd.data(), qdd.data() + joints);
  return counter.count();
}

FlexibleRow mohan_saha_table(std::size_t links, int modes) {
  const auto n = static_cast<double>(links);
  const double m = modes, h = 1.0 + 2.0 * m;
  const double m3 =
      h * h * h / 6.0 + (2.0 * m + 7.5) * h * h + (2.0 * m * m + 15.0 * m + 100.0 / 3.0) * h;
  const double m4 = (2.0 * m * m + 13.0 * m + 27.0) * h;
  const double a3 = h * h * h / 6.0 + h * h / 2.0 + (6.0 * m * m + 27.0 * m + 82.0 / 3.0) * h;
  return {(2.0 * m * m + 180.0 * m + 299.0 + m3) * n - (124.0 * m + 229.0 + m4),
          (6.0 * m * m + 122.0 * m + 220.0 + a3) * n - (94.0 * m + 192.0 + m4)};
}

FlexibleRow jain_rodriguez_table(std::size_t links, int modes) {
  const auto n = static_cast<double>(links);
  const double m = modes;
  if (links > 7) {
    return {(13.0 * m * m + 298.0 * m + 673.0) * n, (14.0 * m * m + 225.0 * m + 537.0) * n};
  }
  const double cubic = 5.0 * m * m * m / 6.0;
  return {(cubic + 27.0 * m * m / 2.0 + 893.0 * m / 3.0 + 281.0) * n,
          (cubic + 23.0 * m * m / 2.0 + 677.0 * m / 3.0 + 256.0) * n};
}

FlexibleRow cyril_table(std::size_t links, int modes, bool corrected) {
  const auto n = static_cast<double>(links);
  const double m = modes, h = 1.0 + 2.0 * m, m2 = m * m, m3 = m * m * m;
  const double c1 =
      h * h * h / 6.0 + h * h * (1.0 - m / 2.0) + h * (m2 / 2.0 - 2.0 * m) - m3 / 6.0 + m2;
  const double M2 = -1.5 * h * h + h * (3.0 * m + 16.5) - 1.5 * m2 - 7.5 * m + 12.0;
  const double A2 = -1.5 * h * h + h * (3.0 * m + 13.0) - 1.5 * m2 - 8.5 * m + 9.0;
  const double common = 5.0 * h * h - 10.0 * m * h + m3 / 6.0 + 53.0 * m2 / 6.0;
  const double M3 = common - 109.0 / 6.0 * h + 233.0 * m / 3.0 + 246.0;
  const double A3 = common - 85.0 / 6.0 * h + (corrected ? 251.0 / 3.0 : -251.0 / 6.0) * m + 228.0;
  return {((c1 * n + M2) * n + M3) * n - 123.0, ((c1 * n + A2) * n + A3) * n - 102.0};
}

}  // namespace dynamics::counting
