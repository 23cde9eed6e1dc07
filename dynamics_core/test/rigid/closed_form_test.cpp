// SPDX-License-Identifier: Apache-2.0
// Mechanisms whose equations of motion can be written down.

#include <gtest/gtest.h>

#include <cmath>

#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/compare.hpp"
#include "support/random_robot.hpp"
#include "support/small_robots.hpp"

namespace dynamics {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using std::cos;
using std::sin;
using test::body;
using test::RandomRobot;
using test::relative;
using test::RobotBuilder;

constexpr double g = 9.81;
constexpr double bar = 1e-13;
const Vector3d x_axis = Vector3d::UnitX(), y_axis = Vector3d::UnitY(), z_axis = Vector3d::UnitZ();

/// M, h (velocity forces) and gravity forces of a mechanism at a state.
struct Equations {
  explicit Equations(Eigen::Index n)
      : M(MatrixXd::Zero(n, n)), h(VectorXd::Zero(n)), weight(VectorXd::Zero(n)) {}
  Equations(MatrixXd matrix, VectorXd velocity_forces, VectorXd gravity_part)
      : M(std::move(matrix)), h(std::move(velocity_forces)), weight(std::move(gravity_part)) {}
  MatrixXd M;
  VectorXd h, weight;
};

/// Compares everything the library says about a model with the equations, at random states.
template <class F>
void expect_equations(const Model& model, F equations, double range = 3.0) {
  RandomRobot random(7);
  Workspace workspace(model);
  const std::size_t n = model.size();
  const auto rows = test::idx(n);
  for (int state = 0; state < 200; ++state) {
    const VectorXd q = random.vector(n, range), qd = random.vector(n, 4.0),
                   qdd = random.vector(n, 10.0);
    const Equations expected = equations(q, qd);
    VectorXd tau(rows), weight(rows), back(rows);
    MatrixXd M(rows, rows), C(rows, rows);
    inverse_dynamics(model, workspace, q, qd, qdd, tau);
    gravity_forces(model, workspace, q, weight);
    inertia_matrix(model, workspace, q, M);
    coriolis_matrix(model, workspace, q, qd, C);
    const VectorXd by_hand = expected.M * qdd + expected.h + expected.weight;
    const double scale = (expected.M * qdd).norm() + expected.h.norm() + expected.weight.norm();
    EXPECT_CLOSE("inertia matrix", relative(M, expected.M), bar);
    EXPECT_CLOSE("velocity forces", relative(C * qd, expected.h, scale), bar);
    EXPECT_CLOSE("gravity forces", relative(weight, expected.weight, scale), bar);
    EXPECT_CLOSE("inverse dynamics", relative(tau, by_hand, scale), bar);
    EXPECT_NEAR(energy(model, workspace, q, qd).kinetic, 0.5 * qd.dot(expected.M * qd),
                bar * 10.0 * scale);
    forward_dynamics(model, workspace, q, qd, by_hand, back);
    EXPECT_CLOSE("forward dynamics", relative(back, qdd), 1e-10);
  }
}

TEST(ClosedForm, SimplePendulum) {
  const double m = 2.0, l = 0.7;
  const Model model(
      RobotBuilder().add(JointType::continuous, "j", "base", "l", y_axis, body(m, {0, 0, -l})));
  expect_equations(model, [&](const VectorXd& q, const VectorXd&) -> Equations {
    return {MatrixXd::Constant(1, 1, m * l * l), VectorXd::Zero(1),
            VectorXd::Constant(1, m * g * l * sin(q[0]))};
  });
}

TEST(ClosedForm, PhysicalPendulumOnATiltedAxis) {
  // the axis is y turned by beta towards the vertical: gravity acts with its part across the axis
  const double m = 1.3, a = 0.2, l = 0.5, I = 0.07, beta = 0.6, rotor = 0.4, damping = 0.9;
  Pose origin;
  origin.rotation = rotation_from_rpy({beta, 0.0, 0.0});
  RobotBuilder robot;
  robot.add(JointType::continuous, "j", "base", "l", y_axis, body(m, {a, 0.3, -l}, {0.05, I, 0.09}),
            origin);
  robot.joint().rotor_inertia = rotor;
  const auto equations = [&](const VectorXd& q, const VectorXd&) -> Equations {
    const double across = g * cos(beta);
    return {MatrixXd::Constant(1, 1, I + m * (a * a + l * l) + rotor), VectorXd::Zero(1),
            VectorXd::Constant(1, m * across * (l * sin(q[0]) - a * cos(q[0])))};
  };
  expect_equations(Model(robot), equations);

  // damping and Coulomb friction come on top
  robot.joint().damping = damping;
  robot.joint().friction = 0.3;
  ModelOptions options;
  options.friction_velocity = 0.05;
  const Model rough(robot, options);
  Workspace workspace(rough);
  const double q = 0.4, qd = -0.1, qdd = 2.0;
  double tau = 0.0, smooth = 0.0, back = 0.0;
  const auto one = [](double& v) { return std::span<double>(&v, 1); };
  const auto in = [](const double& v) { return std::span<const double>(&v, 1); };
  inverse_dynamics(rough, workspace, in(q), in(qd), in(qdd), one(tau));
  ExternalInputs frictionless;
  frictionless.friction = false;
  inverse_dynamics(rough, workspace, in(q), in(qd), in(qdd), one(smooth), frictionless);
  const double friction = damping * qd + 0.3 * qd / std::sqrt(qd * qd + 0.05 * 0.05);
  EXPECT_NEAR(tau - smooth, friction, 1e-14);
  forward_dynamics(rough, workspace, in(q), in(qd), in(tau), one(back));
  EXPECT_NEAR(back, qdd, 1e-13);
  EXPECT_NEAR(power(rough, workspace, in(qd), in(tau)).friction, friction * qd, 1e-15);
}

TEST(ClosedForm, CartPole) {
  const double cart = 3.0, m = 0.8, l = 0.45, I = 0.02;
  const Model model(RobotBuilder()
                        .add(JointType::prismatic, "slide", "base", "cart", x_axis,
                             body(cart, {0.1, 0.2, 0.3}, {0.1, 0.1, 0.1}))
                        .add(JointType::continuous, "hinge", "cart", "pole", y_axis,
                             body(m, {0, 0, -l}, {I, I, 0.001})));
  expect_equations(model, [&](const VectorXd& q, const VectorXd& qd) -> Equations {
    // the pole's center is at x - l sin, -l cos
    Equations e(2);
    e.M << cart + m, -m * l * cos(q[1]), -m * l * cos(q[1]), I + m * l * l;
    e.h << m * l * sin(q[1]) * qd[1] * qd[1], 0.0;
    e.weight << 0.0, m * g * l * sin(q[1]);
    return e;
  });
}

TEST(ClosedForm, PolarArm) {
  // a turn about y in the xz plane, then a slide outwards along x
  const double I1 = 0.3, m = 1.7, I2 = 0.04;
  const Model model(RobotBuilder()
                        .add(JointType::continuous, "turn", "base", "arm", -y_axis,
                             body(0.5, {0, 0, 0}, {I1, I1, I1}))
                        .add(JointType::prismatic, "reach", "arm", "hand", x_axis,
                             body(m, {0, 0, 0}, {I2, I2, I2})));
  expect_equations(model, [&](const VectorXd& q, const VectorXd& qd) -> Equations {
    const double r = q[1];
    Equations e(2);
    e.M << I1 + I2 + m * r * r, 0.0, 0.0, m;
    e.h << 2.0 * m * r * qd[1] * qd[0], -m * r * qd[0] * qd[0];
    e.weight << m * g * r * cos(q[0]), m * g * sin(q[0]);
    return e;
  });
}

TEST(ClosedForm, PlanarTwoRevolute) {
  // the textbook's: centers at l_i along the links, gravity along -y
  const double m1 = 1.2, m2 = 0.9, a1 = 0.5, l1 = 0.2, l2 = 0.35, I1 = 0.03, I2 = 0.02;
  Pose elbow;
  elbow.translation = {a1, 0.0, 0.0};
  ModelOptions options;
  options.gravity = {0.0, -g, 0.0};
  const Model model(RobotBuilder()
                        .add(JointType::continuous, "j1", "base", "l1", z_axis,
                             body(m1, {l1, 0, 0}, {0.01, I1, I1}))
                        .add(JointType::continuous, "j2", "l1", "l2", z_axis,
                             body(m2, {l2, 0, 0}, {0.01, I2, I2}), elbow),
                    options);
  expect_equations(model, [&](const VectorXd& q, const VectorXd& qd) -> Equations {
    const double c2 = cos(q[1]), s2 = sin(q[1]), c1 = cos(q[0]), c12 = cos(q[0] + q[1]);
    Equations e(2);
    const double m12 = I2 + m2 * (l2 * l2 + a1 * l2 * c2);
    e.M << I1 + I2 + m1 * l1 * l1 + m2 * (a1 * a1 + l2 * l2 + 2.0 * a1 * l2 * c2), m12, m12,
        I2 + m2 * l2 * l2;
    const double k = m2 * a1 * l2 * s2;
    e.h << -k * (2.0 * qd[0] * qd[1] + qd[1] * qd[1]), k * qd[0] * qd[0];
    e.weight << (m1 * l1 + m2 * a1) * g * c1 + m2 * l2 * g * c12, m2 * l2 * g * c12;
    return e;
  });
}

/// Uniform rods in a row, in the angles phi_i = q_1 + ... + q_i: with phi, the equations are
///   sum_j A_ij (cos(phi_i - phi_j) phi_j'' + sin(phi_i - phi_j) phi_j'^2) + w_i cos(phi_i).
Equations three_rods(const Vector3d& m, const Vector3d& a, const VectorXd& q, const VectorXd& qd) {
  Matrix3d A;
  A(0, 0) = a[0] * a[0] * (m[0] / 3.0 + m[1] + m[2]);
  A(1, 1) = a[1] * a[1] * (m[1] / 3.0 + m[2]);
  A(2, 2) = a[2] * a[2] * m[2] / 3.0;
  A(0, 1) = A(1, 0) = a[0] * a[1] * (m[1] / 2.0 + m[2]);
  A(0, 2) = A(2, 0) = a[0] * a[2] * m[2] / 2.0;
  A(1, 2) = A(2, 1) = a[1] * a[2] * m[2] / 2.0;
  const Vector3d w = g * Vector3d(a[0] * (m[0] / 2.0 + m[1] + m[2]), a[1] * (m[1] / 2.0 + m[2]),
                                  a[2] * m[2] / 2.0);
  const Vector3d phi(q[0], q[0] + q[1], q[0] + q[1] + q[2]);
  const Vector3d rate(qd[0], qd[0] + qd[1], qd[0] + qd[1] + qd[2]);
  Matrix3d M, to_phi;
  to_phi << 1, 0, 0, 1, 1, 0, 1, 1, 1;
  Vector3d h = Vector3d::Zero(), weight;
  for (int i = 0; i < 3; ++i) {
    weight[i] = w[i] * cos(phi[i]);
    for (int j = 0; j < 3; ++j) {
      M(i, j) = A(i, j) * cos(phi[i] - phi[j]);
      h[i] += A(i, j) * sin(phi[i] - phi[j]) * rate[j] * rate[j];
    }
  }
  return {to_phi.transpose() * M * to_phi, to_phi.transpose() * h, to_phi.transpose() * weight};
}

TEST(ClosedForm, PlanarThreeRevoluteOfThePapers) {
  const Model model = model_from_dh(built_in_robot("planar3"));
  expect_equations(model, [](const VectorXd& q, const VectorXd& qd) {
    return three_rods({0.5, 0.4, 0.3}, {0.3, 0.25, 0.22}, q, qd);
  });
  // stretched out level, at rest: the weights times their arms
  Workspace workspace(model);
  Vector3d tau;
  gravity_forces(model, workspace, Vector3d::Zero().eval(), tau);
  EXPECT_NEAR(tau[0], g * (0.5 * 0.15 + 0.4 * 0.425 + 0.3 * 0.66), 1e-14);
  EXPECT_NEAR(tau[1], g * (0.4 * 0.125 + 0.3 * 0.36), 1e-14);
  EXPECT_NEAR(tau[2], g * 0.3 * 0.11, 1e-14);
}

TEST(ClosedForm, SphericalPendulum) {
  const double m = 1.1, l = 0.6;
  const Model model(
      RobotBuilder()
          .add(JointType::continuous, "azimuth", "base", "fork", z_axis, std::nullopt)
          .add(JointType::continuous, "swing", "fork", "bob", y_axis, body(m, {0, 0, -l})));
  // not near the vertical, where the azimuth has no inertia
  expect_equations(model, [&](const VectorXd& q, const VectorXd& qd) -> Equations {
    const double s = sin(q[1]), c = cos(q[1]), k = m * l * l;
    Equations e(2);
    e.M << k * s * s, 0.0, 0.0, k;
    e.h << 2.0 * k * s * c * qd[0] * qd[1], -k * s * c * qd[0] * qd[0];
    e.weight << 0.0, m * g * l * s;
    return e;
  });
}

TEST(ClosedForm, HeavySymmetricTop) {
  // Euler's angles psi (z), theta (x), phi (z); center on the axis at l, moments about the pivot
  const double m = 0.9, l = 0.25, across = 0.02, I3 = 0.035, I1 = across + m * l * l;
  const Model model(RobotBuilder()
                        .add(JointType::continuous, "psi", "base", "a", z_axis, std::nullopt)
                        .add(JointType::continuous, "theta", "a", "b", x_axis, std::nullopt)
                        .add(JointType::continuous, "phi", "b", "top", z_axis,
                             body(m, {0, 0, l}, {across, across, I3})));
  expect_equations(model, [&](const VectorXd& q, const VectorXd& qd) -> Equations {
    const double s = sin(q[1]), c = cos(q[1]);
    Equations e(3);
    e.M << I1 * s * s + I3 * c * c, 0.0, I3 * c, 0.0, I1, 0.0, I3 * c, 0.0, I3;
    e.h << 2.0 * (I1 - I3) * s * c * qd[0] * qd[1] - I3 * s * qd[2] * qd[1],
        -(I1 - I3) * s * c * qd[0] * qd[0] + I3 * s * qd[0] * qd[2], -I3 * s * qd[0] * qd[1];
    e.weight << 0.0, -m * g * l * s, 0.0;
    return e;
  });
}

TEST(ClosedForm, PlanarJoint) {
  const double m = 1.4, cx = 0.2, cy = -0.1, I = 0.05;
  ModelOptions options;
  options.gravity = {0.0, -g, 0.0};
  const Model model(RobotBuilder().add(JointType::planar, "p", "base", "puck", z_axis,
                                       body(m, {cx, cy, 0.3}, {0.04, 0.03, I})),
                    options);
  EXPECT_EQ(model.coordinate_names(), (std::vector<std::string>{"p/x", "p/y", "p/yaw"}));
  expect_equations(model, [&](const VectorXd& q, const VectorXd& qd) -> Equations {
    const double s = sin(q[2]), c = cos(q[2]);
    const double rx = c * cx - s * cy, ry = s * cx + c * cy, w2 = qd[2] * qd[2];
    Equations e(3);
    e.M << m, 0.0, -m * ry, 0.0, m, m * rx, -m * ry, m * rx, I + m * (cx * cx + cy * cy);
    e.h << -m * rx * w2, -m * ry * w2, 0.0;
    e.weight << 0.0, m * g, m * g * rx;
    return e;
  });
}

}  // namespace
}  // namespace dynamics
