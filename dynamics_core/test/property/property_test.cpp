// SPDX-License-Identifier: Apache-2.0
// Properties that hold for every robot, checked on random robots. A robot is generated from small
// integers, so that a counterexample shrinks to few joints with simple numbers.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <Eigen/LU>
#include <string>

#include "dynamics_core/energy.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/readers.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "support/scaled_robot.hpp"

namespace dynamics {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

using Three = std::array<int, 3>;
Vector3d vector(const Three& v, double scale) { return scale * Vector3d(v[0], v[1], v[2]); }

/// A joint, its child link and its state, as integers.
struct Piece {
  int parent = 0;  ///< 0: the previous link, 1: the one before it, ...
  bool prismatic = false;
  Three axis{}, position{}, rpy{}, center{}, spread{};
  int mass = 0, rotor = 0;
  int q = 0, qd = 0, qdd = 0;
};

void showValue(const Piece& piece, std::ostream& out) {  // NOLINT: RapidCheck's name
  const auto three = [&](const char* name, const Three& v) {
    out << " " << name << "(" << v[0] << " " << v[1] << " " << v[2] << ")";
  };
  out << (piece.prismatic ? "prismatic" : "revolute") << " parent -" << piece.parent;
  three("axis", piece.axis);
  three("position", piece.position);
  three("rpy", piece.rpy);
  three("center", piece.center);
  three("spread", piece.spread);
  out << " mass " << piece.mass << " rotor " << piece.rotor << " q " << piece.q << " qd "
      << piece.qd << " qdd " << piece.qdd << "\n";
}

rc::Gen<Three> three(int limit) {
  return rc::gen::container<Three>(rc::gen::inRange(-limit, limit + 1));
}

rc::Gen<Piece> arbitrary_piece() {
  using rc::gen::inRange;
  return rc::gen::build<Piece>(
      rc::gen::set(&Piece::parent, inRange(0, 3)), rc::gen::set(&Piece::prismatic),
      rc::gen::set(&Piece::axis, three(3)), rc::gen::set(&Piece::position, three(8)),
      rc::gen::set(&Piece::rpy, three(12)), rc::gen::set(&Piece::center, three(5)),
      rc::gen::set(&Piece::spread, rc::gen::container<Three>(inRange(0, 9))),
      rc::gen::set(&Piece::mass, inRange(0, 20)), rc::gen::set(&Piece::rotor, inRange(0, 4)),
      rc::gen::set(&Piece::q, inRange(-30, 31)), rc::gen::set(&Piece::qd, inRange(-20, 21)),
      rc::gen::set(&Piece::qdd, inRange(-20, 21)));
}

using Pieces = std::vector<Piece>;
Pieces some_pieces() {
  return *rc::gen::resize(12, rc::gen::nonEmpty(rc::gen::container<Pieces>(arbitrary_piece())));
}

Vector3d axis_of(const Piece& piece) {
  const Vector3d axis = vector(piece.axis, 1.0);
  return axis.isZero() ? Vector3d::UnitZ() : axis.normalized();
}

Inertial inertial_of(const Piece& piece) {
  Inertial inertial;
  inertial.mass = 0.25 * (piece.mass + 1);
  inertial.center = vector(piece.center, 0.05);
  // second moments along the axes; nonnegative values give a physical inertia
  const Vector3d second = inertial.mass * (vector(piece.spread, 0.002).array() + 1e-3).matrix();
  inertial.inertia =
      second.sum() * Eigen::Matrix3d::Identity() - Eigen::Matrix3d(second.asDiagonal());
  return inertial;
}

RobotDescription describe_pieces(const Pieces& pieces) {
  RobotDescription robot;
  robot.name = "pieces";
  robot.source = "test";
  robot.links.emplace_back().name = "l0";
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    JointDescription joint;
    joint.name = "j" + std::to_string(i + 1);
    joint.type = piece.prismatic ? JointType::prismatic : JointType::continuous;
    const auto back = static_cast<std::size_t>(piece.parent);
    joint.parent = "l" + std::to_string(i >= back ? i - back : 0);
    joint.child = "l" + std::to_string(i + 1);
    joint.axis = axis_of(piece);
    joint.origin = {rotation_from_rpy(vector(piece.rpy, 0.25)), vector(piece.position, 0.1)};
    joint.rotor_inertia = 0.05 * piece.rotor;
    if (piece.prismatic) joint.limits = JointLimits{-9.0, 9.0, 9.0, 9.0};
    robot.joints.push_back(joint);
    LinkDescription link;
    link.name = joint.child;
    link.inertial = inertial_of(piece);
    robot.links.push_back(link);
  }
  return robot;
}

/// A robot in one state, and its dynamics.
struct RobotState {
  explicit RobotState(const Pieces& pieces, const ModelOptions& options = {})
      : RobotState(pieces, describe_pieces(pieces), options) {}
  RobotState(const Pieces& pieces, const RobotDescription& robot, const ModelOptions& options)
      : model(robot, options), workspace(model), n(static_cast<Eigen::Index>(model.size())) {
    q.resize(n);
    qd.resize(n);
    qdd.resize(n);
    for (const Piece& piece : pieces) {
      const auto i = static_cast<Eigen::Index>(
          model.coordinate("j" + std::to_string(&piece - pieces.data() + 1)));
      q[i] = 0.1 * piece.q;
      qd[i] = 0.1 * piece.qd;
      qdd[i] = 0.25 * piece.qdd;
    }
  }
  VectorXd tau() {
    VectorXd result(n);
    inverse_dynamics(model, workspace, q, qd, qdd, result);
    return result;
  }
  VectorXd gravity() {
    VectorXd result(n);
    gravity_forces(model, workspace, q, result);
    return result;
  }
  MatrixXd M() {
    MatrixXd result(n, n);
    inertia_matrix(model, workspace, q, result);
    return result;
  }
  double energy_at(double t) {
    const VectorXd position = q + t * qd + 0.5 * t * t * qdd, speed = qd + t * qdd;
    return energy(model, workspace, position, speed).total();
  }

  Model model;
  Workspace workspace;
  Eigen::Index n;
  VectorXd q, qd, qdd;
};

double relative_difference(const MatrixXd& a, const MatrixXd& b) {
  return (a - b).norm() / std::max({1e-3, a.norm(), b.norm()});
}

RC_GTEST_PROP(Property, InertiaMatrixIsSymmetricAndPositiveDefinite, ()) {
  RobotState s(some_pieces());
  const MatrixXd M = s.M();
  RC_ASSERT(M == M.transpose());
  RC_ASSERT(Eigen::LLT<MatrixXd>(M).info() == Eigen::Success);
}

RC_GTEST_PROP(Property, ForwardInvertsInverse, ()) {
  RobotState s(some_pieces());
  VectorXd back(s.n);
  forward_dynamics(s.model, s.workspace, s.q, s.qd, s.tau(), back);
  const MatrixXd M = s.M();
  const VectorXd scale = M.diagonal().cwiseSqrt().cwiseInverse();
  const double condition =
      1.0 / Eigen::PartialPivLU<MatrixXd>(scale.asDiagonal() * M * scale.asDiagonal()).rcond();
  // in this scaling the error is bounded by the condition number
  const VectorXd weight = scale.cwiseInverse();
  const double size = weight.cwiseProduct(s.qdd).norm() + scale.cwiseProduct(s.tau()).norm() + 1.0;
  RC_ASSERT(weight.cwiseProduct(back - s.qdd).norm() / size < 1e-14 * (condition + 100.0));
}

RC_GTEST_PROP(Property, EnergyRateEqualsPower, ()) {
  RobotState s(some_pieces());
  const double power = s.tau().dot(s.qd), h = 1e-5;
  const double rate =
      (8.0 * (s.energy_at(h) - s.energy_at(-h)) - (s.energy_at(2.0 * h) - s.energy_at(-2.0 * h))) /
      (12.0 * h);
  const double scale = std::max({1.0, std::abs(power), std::abs(s.energy_at(0.0))});
  RC_ASSERT(std::abs(rate - power) / scale < 1e-7);
}

RC_GTEST_PROP(Property, InertiaRateMinusTwiceCoriolisIsSkewSymmetric, ()) {
  RobotState s(some_pieces());
  MatrixXd C(s.n, s.n);
  coriolis_matrix(s.model, s.workspace, s.q, s.qd, C);
  const double h = 1e-6;
  const VectorXd q = s.q;
  s.q = q + h * s.qd;
  const MatrixXd ahead = s.M();
  s.q = q - h * s.qd;
  const MatrixXd rate = (ahead - s.M()) / (2.0 * h);
  const VectorXd x = s.qdd;
  RC_ASSERT(std::abs(x.dot((rate - 2.0 * C) * x)) <
            1e-6 * (1.0 + ahead.norm()) * (1.0 + x.squaredNorm()) * (1.0 + s.qd.norm()));
}

RC_GTEST_PROP(Property, GravityTorquesAreLinearInGravity, (Three a, Three b)) {
  const Pieces pieces = some_pieces();
  for (int& x : a) x %= 100;
  for (int& x : b) x %= 100;
  ModelOptions options;
  options.gravity = vector(a, 0.1);
  VectorXd sum = RobotState(pieces, options).gravity();
  options.gravity = vector(b, 0.1);
  sum += RobotState(pieces, options).gravity();
  options.gravity = vector(a, 0.1) + vector(b, 0.1);
  RC_ASSERT(relative_difference(RobotState(pieces, options).gravity(), sum) < 1e-12);
}

RC_GTEST_PROP(Property, TorquesAreInvariantUnderRotationOfTheWorld, ()) {
  const Pieces pieces = some_pieces();
  const Eigen::Matrix3d rotation = rotation_from_rpy(vector(*three(12), 0.3));
  RobotDescription rotated = describe_pieces(pieces);
  for (JointDescription& joint : rotated.joints) {
    if (joint.parent == "l0") joint.origin = Pose{rotation, Vector3d::Zero()} * joint.origin;
  }
  ModelOptions options;
  options.gravity = rotation * options.gravity;
  RC_ASSERT(relative_difference(RobotState(pieces, rotated, options).tau(),
                                RobotState(pieces).tau()) < 1e-11);
}

RC_GTEST_PROP(Property, TorquesDoNotDependOnLinkFramesAlongTheAxis, ()) {
  // rotates the frame of every link about its joint axis and translates it along the axis
  const Pieces pieces = some_pieces();
  const double angle = 0.1 * *rc::gen::inRange(-30, 31), along = 0.1 * *rc::gen::inRange(-9, 10);
  RobotDescription robot = describe_pieces(pieces);
  std::vector<Pose> change(robot.links.size());
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    const Vector3d axis = robot.joints[i].axis;
    change[i + 1] = {Eigen::AngleAxisd(angle, axis).toRotationMatrix(), along * axis};
  }
  for (std::size_t i = 0; i < robot.joints.size(); ++i) {
    JointDescription& joint = robot.joints[i];
    const auto parent = static_cast<std::size_t>(std::stoi(joint.parent.substr(1)));
    joint.origin = change[parent].inverse() * joint.origin * change[i + 1];
    const Pose inverse = change[i + 1].inverse();
    Inertial& inertial = *robot.links[i + 1].inertial;
    inertial.center = inverse * inertial.center;
    inertial.inertia = inverse.rotation * inertial.inertia * inverse.rotation.transpose();
  }
  RC_ASSERT(relative_difference(RobotState(pieces, robot, {}).tau(), RobotState(pieces).tau()) <
            1e-11);
}

RC_GTEST_PROP(Property, TorquesScaleWithMassAndLength, ()) {
  Pieces pieces = some_pieces();
  for (Piece& piece : pieces) {
    piece.prismatic = false;
    piece.rotor = 0;
  }
  const double mass = 0.5 * *rc::gen::inRange(1, 20), length = 0.25 * *rc::gen::inRange(1, 20);
  const RobotDescription robot = test::scaled(describe_pieces(pieces), length, mass);
  ModelOptions options;
  options.gravity *= length;
  RC_ASSERT(relative_difference(RobotState(pieces, robot, options).tau(),
                                mass * length * length * RobotState(pieces).tau()) < 1e-12);
}

RC_GTEST_PROP(Property, TorquesAreInvariantUnderSplittingOfBodies, ()) {
  const Pieces pieces = some_pieces();
  const double share = 0.1 * *rc::gen::inRange(1, 10);
  RobotDescription robot = describe_pieces(pieces);
  const std::size_t count = robot.links.size();
  for (std::size_t i = 1; i < count; ++i) {
    LinkDescription part;
    part.name = "part" + std::to_string(i);
    part.inertial = robot.links[i].inertial;
    JointDescription joint;
    joint.name = "fix" + std::to_string(i);
    joint.parent = robot.links[i].name;
    joint.child = part.name;
    joint.origin = {rotation_from_rpy({0.1, 0.2, 0.3}), {0.3, -0.2, 0.1}};
    const Pose inverse = joint.origin.inverse();
    part.inertial->mass *= share;
    part.inertial->center = inverse * part.inertial->center;
    part.inertial->inertia =
        share * inverse.rotation * part.inertial->inertia * inverse.rotation.transpose();
    robot.links[i].inertial->mass *= 1.0 - share;
    robot.links[i].inertial->inertia *= 1.0 - share;
    robot.links.push_back(part);
    robot.joints.push_back(joint);
  }
  RC_ASSERT(relative_difference(RobotState(pieces, robot, {}).tau(), RobotState(pieces).tau()) <
            1e-11);
}

RC_GTEST_PROP(Property, ReversingAnAxisReversesItsTorque, ()) {
  Pieces pieces = some_pieces();
  const VectorXd tau = RobotState(pieces).tau();
  RobotDescription robot = describe_pieces(pieces);
  robot.joints[0].axis *= -1.0;
  pieces[0].q *= -1;
  pieces[0].qd *= -1;
  pieces[0].qdd *= -1;
  RobotState flipped(pieces, robot, {});
  VectorXd expected = tau;
  expected[static_cast<Eigen::Index>(flipped.model.coordinate("j1"))] *= -1.0;
  RC_ASSERT(relative_difference(flipped.tau(), expected) < 1e-11);
}

RC_GTEST_PROP(Property, UrdfOfDhTableHasTheSameDynamics, ()) {
  const Pieces pieces = some_pieces();
  DhTable table;
  table.name = "table";
  table.source = "test";
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    DhLink row;
    row.joint = "j" + std::to_string(i + 1);
    row.link = "l" + std::to_string(i + 1);
    row.type = piece.prismatic ? DhLink::JointType::prismatic : DhLink::JointType::revolute;
    row.a = 0.1 * piece.position[0];
    row.b = 0.1 * piece.position[1];
    row.alpha = 0.25 * piece.rpy[0];
    row.theta = 0.25 * piece.rpy[1];
    const Inertial inertial = inertial_of(piece);
    row.mass = inertial.mass;
    row.r = inertial.center;
    row.inertia = inertial.inertia;
    row.rotor_inertia = 0.05 * piece.rotor;
    table.links.push_back(row);
  }
  RobotState direct(pieces, describe(table), {});
  RobotState written(pieces, read_urdf(to_urdf(table)), {});
  RC_ASSERT(relative_difference(written.tau(), direct.tau()) < 1e-11);
  RC_ASSERT(relative_difference(written.M(), direct.M()) < 1e-12);
}

}  // namespace
}  // namespace dynamics
