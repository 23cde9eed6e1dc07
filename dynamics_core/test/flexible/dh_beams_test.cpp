// SPDX-License-Identifier: Apache-2.0
// Flexible links of DH tables with offsets b and angles theta (Mohan and Saha, Eqs. 16 to 18), on
// revolute and prismatic joints (Eq. 1c), compared with equivalent models and with Lagrange's
// equations.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/plant.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/simulate.hpp"
#include "sample_beams.hpp"
#include "support/compare.hpp"

namespace dynamics {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::idx;

/// A row of a DH table with a beam of length a and a rigid rod of length b.
struct Row {
  const char* type;
  double a, b, alpha, theta, density, tip_mass, hub_mass;
  Vector3d hub_inertia;
  int modes_y, modes_z;
};

constexpr double rigidity_y = 40.0, rigidity_z = 60.0;

const Row rows[] = {
    {"revolute", 1.2, 0.4, 0.5, 0.3, 1.5, 0.3, 0.2, {0.01, 0.02, 0.015}, 2, 1},
    {"prismatic", 0.8, -0.3, 1.1, -0.7, 1.1, 0.0, 0.0, {0.0, 0.0, 0.0}, 1, 2},
    {"prismatic", 0.5, 0.2, -0.4, 2.0, 0.9, 0.1, 0.0, {0.0, 0.0, 0.0}, 2, 0},
    {"revolute", 0.6, 0.0, 0.0, 0.0, 0.7, 0.0, 0.0, {0.0, 0.0, 0.0}, 0, 1},
};

Matrix3d about_x(double angle) {
  return Eigen::AngleAxisd(angle, Vector3d::UnitX()).toRotationMatrix();
}
Matrix3d about_z(double angle) {
  return Eigen::AngleAxisd(angle, Vector3d::UnitZ()).toRotationMatrix();
}

/// The parts of a link: thin rods and points, in the frame at the root of the beam.
Inertial mass_properties(const Row& row) {
  struct Part {
    double mass;
    Vector3d center;
    Matrix3d inertia;
  };
  const double beam = row.density * row.a, rod = row.density * std::abs(row.b);
  const auto slender = [](double mass, double length, const Vector3d& axis) -> Matrix3d {
    return mass * length * length / 12.0 * (Matrix3d::Identity() - axis * axis.transpose());
  };
  const Part parts[] = {
      {beam, {0.5 * row.a, 0, 0}, slender(beam, row.a, Vector3d::UnitX())},
      {rod, {0, 0, -0.5 * row.b}, slender(rod, row.b, Vector3d::UnitZ())},
      {row.tip_mass, {row.a, 0, 0}, Matrix3d::Zero()},
      {row.hub_mass, Vector3d::Zero(), row.hub_inertia.asDiagonal().toDenseMatrix()}};
  Inertial sum;
  for (const Part& part : parts) {
    sum.mass += part.mass;
    sum.center += part.mass * part.center;
  }
  sum.center /= sum.mass;
  for (const Part& part : parts) {
    const Vector3d c = part.center - sum.center;
    sum.inertia +=
        part.inertia + part.mass * (c.squaredNorm() * Matrix3d::Identity() - c * c.transpose());
  }
  return sum;
}

DhTable table() {
  std::string links, flexible;
  int i = 0;
  for (const Row& row : rows) {
    ++i;
    // in frame i+1
    const Inertial inertial = mass_properties(row);
    const Matrix3d R = about_x(row.alpha).transpose();
    const Vector3d r = -(R * (inertial.center - Vector3d(row.a, 0, 0)));
    const Matrix3d I = R * inertial.inertia * R.transpose();
    links += fmt::format(
        "  - {{joint: joint{0}, link: link{0}, type: {1}, a: {2}, b: {3}, alpha: {4}, theta: {5}, "
        "mass: {6:.17g}, r: [{7:.17g}, {8:.17g}, {9:.17g}], inertia: [{10:.17g}, {11:.17g}, "
        "{12:.17g}, {13:.17g}, {14:.17g}, {15:.17g}]}}\n",
        i, row.type, row.a, row.b, row.alpha, row.theta, inertial.mass, r.x(), r.y(), r.z(),
        I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(1, 2), I(2, 0));
    flexible += fmt::format(
        "  - {{link: link{}, rigidity_y: {}, rigidity_z: {}, modes_y: {}, modes_z: {}, tip_mass: "
        "{}, hub_mass: {}, hub_inertia: [{}, {}, {}]}}\n",
        i, rigidity_y, rigidity_z, row.modes_y, row.modes_z, row.tip_mass, row.hub_mass,
        row.hub_inertia.x(), row.hub_inertia.y(), row.hub_inertia.z());
  }
  return read_dh_table("robot: beams\nsource: test\nlinks:\n" + links + "flexible:\n" + flexible,
                       "beams.yaml");
}

/// The same robot from separate links: the frame of joint i with the rod, and the beam fixed to it.
RobotDescription separate_links() {
  test::RobotBuilder robot("separate");
  std::string parent = "base";
  Pose next;
  int i = 0;
  for (const Row& row : rows) {
    const std::string name = std::to_string(++i);
    const double rod = row.density * std::abs(row.b);
    Inertial inertial;
    inertial.mass = rod;
    inertial.center = {0, 0, 0.5 * row.b};
    inertial.inertia = Vector3d(1, 1, 0).asDiagonal() * (rod * row.b * row.b / 12.0);
    const bool prismatic = std::string(row.type) == "prismatic";
    robot.add(prismatic ? JointType::prismatic : JointType::continuous, "joint" + name, parent,
              "rod" + name, Vector3d::UnitZ(), rod > 0.0 ? std::optional(inertial) : std::nullopt,
              next);
    robot.add(JointType::fixed, "weld" + name, "rod" + name, "link" + name, Vector3d::UnitZ(),
              std::nullopt, {about_z(row.theta), {0, 0, row.b}});
    BeamDescription beam = test::beam(row.a, row.density, rigidity_y, row.modes_y, row.modes_z);
    beam.rigidity_z = rigidity_z;
    beam.tip_mass = row.tip_mass;
    beam.hub_mass = row.hub_mass;
    beam.hub_inertia = row.hub_inertia;
    test::make_flexible(robot.robot().links.back(), beam);
    next = {about_x(row.alpha), {row.a, 0, 0}};
    parent = "link" + name;
  }
  robot.add(JointType::fixed, "tool_joint", parent, "tool0", Vector3d::UnitZ(), std::nullopt, next);
  return robot;
}

void expect_same(const FlexibleModel& model, const FlexibleModel& other, const std::string& what) {
  ASSERT_EQ(model.size(), other.size());
  FlexibleWorkspace workspace(model), other_workspace(other);
  test::RandomRobot random(3);
  const auto n = idx(model.size());
  for (int sample = 0; sample < 5; ++sample) {
    const VectorXd q = test::random_state(model, random, 0.1), qd = random.vector(model.size(), 1);
    MatrixXd M(n, n), N(n, n);
    inertia_matrix(model, workspace, q, M);
    inertia_matrix(other, other_workspace, q, N);
    EXPECT_CLOSE(what + ": inertia matrix", test::relative(M, N), 1e-13);
    VectorXd bias(n), other_bias(n);
    bias_forces(model, workspace, q, qd, bias);
    bias_forces(other, other_workspace, q, qd, other_bias);
    EXPECT_CLOSE(what + ": bias forces", test::relative(bias, other_bias), 1e-12);
    const FlexibleEnergy now = energy(model, workspace, q, qd);
    EXPECT_CLOSE(what + ": kinetic energy",
                 test::relative(now.kinetic, energy(other, other_workspace, q, qd).kinetic, 0.0),
                 1e-13);
    const Pose tip = frame_pose(model, workspace, q, model.rigid().frame("tool0"));
    const Pose same = frame_pose(other, other_workspace, q, other.rigid().frame("tool0"));
    EXPECT_CLOSE(what + ": tip", (tip.translation - same.translation).norm(), 1e-14);
    EXPECT_CLOSE(what + ": tip", (tip.rotation - same.rotation).norm(), 1e-14);
  }
}

TEST(DhBeams, MatchSeparateLinks) {
  const FlexibleModel model(model_from_dh(table()));
  EXPECT_TRUE(model.notes().empty());
  expect_same(model, FlexibleModel(Model(separate_links())), "DH table and separate links");
}

TEST(DhBeams, MatchTheirUrdf) {
  const DhTable given = table();
  expect_same(FlexibleModel(model_from_dh(given)), FlexibleModel(model_from_urdf(to_urdf(given))),
              "DH table and its URDF");
}

TEST(DhBeams, StraightBeamsHaveTheInertiaOfTheRigidRobot) {
  const Model rigid = model_from_dh(table());
  const FlexibleModel model(rigid);
  Workspace workspace(rigid);
  FlexibleWorkspace flexible_workspace(model);
  test::RandomRobot random(5);
  const auto n = idx(model.size());
  VectorXd q = VectorXd::Zero(n);
  q.head(4) = random.vector(4, 1.0);
  MatrixXd M(n, n), expected(4, 4);
  inertia_matrix(model, flexible_workspace, q, M);
  inertia_matrix(rigid, workspace, q.head(4), expected);
  EXPECT_CLOSE("straight beams: inertia matrix", test::relative(M.topLeftCorner(4, 4), expected),
               1e-12);
  // the rigid robot of the same table without its flexible links
  DhTable without = table();
  for (DhLink& link : without.links) link.flexible.reset();
  const Model same = model_from_dh(without);
  Workspace other(same);
  inertia_matrix(same, other, q.head(4), M.topLeftCorner(4, 4));
  EXPECT_CLOSE("rigid links: inertia matrix", test::relative(M.topLeftCorner(4, 4), expected),
               1e-12);
}

TEST(DhBeams, BeamOnPrismaticJointMatchesLagrange) {
  // A vertical axis turns by t; a slide at the distance b + q along -e_2 of the turning axes e
  // carries a beam along cos(phi) e_1 + sin(phi) e_3. A point at x of the beam:
  //
  //   p = x (c, 0, s) + v (-s, 0, c) + (b + q + u) (0, -1, 0),   v: along y, u: along z
  //
  // and of the rod from the slide's origin to the beam: p = (q + z) (0, -1, 0), 0 <= z <= b.
  constexpr double length = 0.9, b = 0.35, phi = 0.6, density = 2.0, J = 0.3, g = 9.81;
  constexpr int modes = 2;
  const std::string yaml = fmt::format(
      "robot: slide\nsource: test\nlinks:\n"
      "  - {{joint: turn, link: post, type: revolute, a: 0, b: 0, alpha_deg: 90, mass: 1, r: [0, "
      "0, 0], inertia: [{0}, {0}, {0}]}}\n"
      "  - {{joint: slide, link: beam, type: prismatic, a: {1}, b: {2}, theta: {3}, alpha: 0, "
      "mass: {4}, r: [0, 0, 0], inertia: [0, 0, 0]}}\n"
      "flexible:\n  - {{link: beam, rigidity_y: 30, rigidity_z: 20, modes_y: {5}, modes_z: {5}}}\n",
      J, length, b, phi, density * (length + b), modes);
  const FlexibleModel model(model_from_dh(read_dh_table(yaml, "slide.yaml")));
  ASSERT_EQ(model.size(), 6U);
  FlexibleWorkspace workspace(model);
  const double c = std::cos(phi), s = std::sin(phi);
  VectorXd q(6), qd(6);
  q << 0.8, 0.25, 0.06, -0.02, 0.05, 0.03;  // t, q, v_1, v_2, u_1, u_2
  qd << 1.3, -0.7, 0.4, 0.9, -0.6, 0.2;

  MatrixXd M = MatrixXd::Zero(6, 6);
  VectorXd bias = VectorXd::Zero(6);
  M(0, 0) = J;
  using Columns = Eigen::Matrix<double, 3, 6>;
  // mass, position and velocity in the turning axes, dp/dq without the turning
  const auto add = [&](double mass, const Vector3d& p, const Vector3d& rate, Columns columns) {
    const double w = qd[0];
    columns.col(0) = Vector3d(-p.y(), p.x(), 0.0);
    M += mass * columns.transpose() * columns;
    const Vector3d acceleration(-w * w * p.x() - 2.0 * w * rate.y(),
                                -w * w * p.y() + 2.0 * w * rate.x(), g);
    bias += mass * columns.transpose() * acceleration;
  };
  constexpr int steps = 2000;  // Simpson's rule
  for (int k = 0; k <= steps; ++k) {
    const double part = static_cast<double>(k) / steps;
    const double weight = (k == 0 || k == steps ? 1.0 : k % 2 == 1 ? 4.0 : 2.0) / (3.0 * steps);
    Columns columns = Columns::Zero();
    columns.col(1) = -Vector3d::UnitY();
    add(weight * density * b, {0, -(q[1] + part * b), 0}, {0, -qd[1], 0}, columns);
    const double x = part * length;
    for (int j = 0; j < modes; ++j) {
      const BeamShape shape = clamped_free_basis()->at(j, x, length);
      columns.col(2 + j) = shape.value * Vector3d(-s, 0, c);
      columns.col(2 + modes + j) = -shape.value * Vector3d::UnitY();
      for (int i = 0; i < modes; ++i) {
        const double product =
            weight * length * shape.curvature * clamped_free_basis()->at(i, x, length).curvature;
        bias[2 + i] += 30.0 * product * q[2 + j];
        bias[2 + modes + i] += 20.0 * product * q[2 + modes + j];
      }
    }
    const Vector3d p = Vector3d(x * c, -b, x * s) + columns.rightCols(5) * q.tail(5);
    add(weight * density * length, p, columns.rightCols(5) * qd.tail(5), columns);
  }
  MatrixXd computed(6, 6);
  inertia_matrix(model, workspace, q, computed);
  EXPECT_CLOSE("beam on a prismatic joint: M", test::relative(computed, M), 1e-11);
  VectorXd forces(6);
  bias_forces(model, workspace, q, qd, forces);
  EXPECT_CLOSE("beam on a prismatic joint: bias", test::relative(forces, bias), 1e-10);
}

TEST(DhBeams, ConserveEnergy) {
  const FlexibleModel model(model_from_dh(table()));
  SimulationOptions options;
  options.duration = 0.5;
  options.rtol = 1e-11;
  options.qd0 = {0.5, 0.2, -0.3, 1.0};
  const Recording run = simulate(*flexible_plant(model), options);
  ASSERT_TRUE(run.statistics.completed) << run.statistics.ending;
  EXPECT_CLOSE("DH table of beams: energy", run.statistics.energy_drift, 1e-8);
}

}  // namespace
}  // namespace dynamics
