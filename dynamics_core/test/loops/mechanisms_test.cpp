// SPDX-License-Identifier: Apache-2.0
// 3-RRR, Stewart platform and chains of four-bars: closed forms and identities.

#include "loops/mechanisms.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "dynamics_core/closed_loops.hpp"
#include "dynamics_core/rigid_dynamics.hpp"

namespace dynamics::test {
namespace {

std::vector<double> random_vector(std::size_t size, std::mt19937& random, double range) {
  std::uniform_real_distribution<double> distribution(-range, range);
  std::vector<double> result(size);
  for (double& x : result) x = distribution(random);
  return result;
}

/// A state with random motions of the independent joints.
struct State {
  std::vector<double> q, qd, qdd;
};
State random_state(const Mechanism& mechanism, MechanismWorkspace& workspace, std::mt19937& random,
                   double range) {
  State state;
  std::vector<double> z = random_vector(mechanism.size(), random, range);
  for (std::size_t i = 0; i < z.size(); ++i) z[i] += mechanism.start()[mechanism.independent()[i]];
  state.q.resize(mechanism.tree().size());
  close_loops(mechanism, workspace, mechanism.start(), z, state.q);
  state.qd = random_vector(state.q.size(), random, 1.0);
  state.qdd = random_vector(state.q.size(), random, 5.0);
  close_velocities(mechanism, workspace, state.q, state.qd);
  close_accelerations(mechanism, workspace, state.q, state.qd, state.qdd);
  return state;
}

struct Sample {
  const char* name;
  std::string urdf;
  std::size_t mobility;
  double range;
};
std::vector<Sample> samples() {
  return {{"four-bar", four_bar_urdf({}), 1, 0.5},
          {"3-RRR", three_rrr_urdf(), 3, 0.15},
          {"Stewart platform", stewart_urdf({}), 6, 0.05},
          {"four four-bars", four_bar_chain_urdf(4), 4, 0.3}};
}

TEST(Mechanisms, MobilityAndIndependentJoints) {
  for (const Sample& sample : samples()) {
    const Mechanism mechanism = mechanism_from_urdf(sample.urdf);
    EXPECT_EQ(mechanism.size(), sample.mobility) << sample.name;
    EXPECT_EQ(
        std::vector<std::size_t>(mechanism.independent().begin(), mechanism.independent().end()),
        std::vector<std::size_t>(mechanism.actuated().begin(), mechanism.actuated().end()))
        << sample.name;
    for (const std::size_t joint : mechanism.independent()) {
      const std::string& name = mechanism.tree().coordinates()[joint].name;
      EXPECT_TRUE(name.starts_with("a") || name.starts_with("leg")) << name;
    }
    MechanismWorkspace workspace(mechanism);
    EXPECT_LT(loop_error(mechanism, workspace, mechanism.start()), 1e-14) << sample.name;
  }
}

TEST(Mechanisms, ForwardDynamicsInvertsInverseDynamics) {
  std::mt19937 random(1);
  for (const Sample& sample : samples()) {
    const Mechanism mechanism = mechanism_from_urdf(sample.urdf);
    MechanismWorkspace workspace(mechanism);
    for (int k = 0; k < 5; ++k) {
      const State state = random_state(mechanism, workspace, random, sample.range);
      std::vector<double> torques(mechanism.size()), tau(state.q.size(), 0.0), qdd(state.q.size());
      inverse_dynamics(mechanism, workspace, state.q, state.qd, state.qdd, torques);
      for (std::size_t i = 0; i < torques.size(); ++i) tau[mechanism.independent()[i]] = torques[i];
      forward_dynamics(mechanism, workspace, state.q, state.qd, tau, qdd);
      double scale = 1.0;
      for (const double x : state.qdd) scale = std::max(scale, std::abs(x));
      for (std::size_t i = 0; i < qdd.size(); ++i)
        EXPECT_NEAR(qdd[i], state.qdd[i], 1e-9 * scale) << sample.name << " joint " << i;
    }
  }
}

TEST(Mechanisms, TermsGiveTheTorques) {
  std::mt19937 random(2);
  for (const Sample& sample : samples()) {
    const Mechanism mechanism = mechanism_from_urdf(sample.urdf);
    MechanismWorkspace workspace(mechanism);
    const State state = random_state(mechanism, workspace, random, sample.range);
    const auto d = static_cast<Eigen::Index>(mechanism.size());
    Eigen::MatrixXd M(d, d), C(d, d), before(d, d), after(d, d);
    Eigen::VectorXd g(d), tau(d), zd(d), zdd(d);
    for (Eigen::Index i = 0; i < d; ++i) {
      zd[i] = state.qd[mechanism.independent()[static_cast<std::size_t>(i)]];
      zdd[i] = state.qdd[mechanism.independent()[static_cast<std::size_t>(i)]];
    }
    inertia_matrix(mechanism, workspace, state.q, M);
    coriolis_matrix(mechanism, workspace, state.q, state.qd, C);
    gravity_forces(mechanism, workspace, state.q, g);
    inverse_dynamics(mechanism, workspace, state.q, state.qd, state.qdd, tau);
    const Eigen::VectorXd sum = M * zdd + C * zd + g;
    EXPECT_LT((sum - tau).cwiseAbs().maxCoeff(), 1e-9 * (1.0 + tau.cwiseAbs().maxCoeff()))
        << sample.name;
    const Energy now = energy(mechanism, workspace, state.q, state.qd);
    EXPECT_NEAR(now.kinetic, 0.5 * zd.dot(M * zd), 1e-11 * (1.0 + now.kinetic)) << sample.name;
    // dM/dt - 2C is skew-symmetric, with dM/dt by differences along the motion
    const double h = 1e-5;
    const auto inertia_at = [&](double t, Eigen::MatrixXd& result) {
      std::vector<double> q = state.q;
      for (std::size_t i = 0; i < q.size(); ++i) q[i] += t * state.qd[i];
      project_on_loops(mechanism, workspace, q);
      inertia_matrix(mechanism, workspace, q, result);
    };
    inertia_at(-h, before);
    inertia_at(h, after);
    const Eigen::MatrixXd rest = (after - before) / (2.0 * h) - 2.0 * C;
    EXPECT_LT((rest + rest.transpose()).cwiseAbs().maxCoeff(),
              1e-5 * (1.0 + M.cwiseAbs().maxCoeff()))
        << sample.name;
  }
}

TEST(Mechanisms, WrenchesBalanceTheJoints) {
  std::mt19937 random(3);
  for (const Sample& sample : samples()) {
    const Mechanism mechanism = mechanism_from_urdf(sample.urdf);
    const Model& tree = mechanism.tree();
    MechanismWorkspace workspace(mechanism);
    const State state = random_state(mechanism, workspace, random, sample.range);
    std::vector<double> torques(mechanism.size()), tau(state.q.size(), 0.0);
    inverse_dynamics(mechanism, workspace, state.q, state.qd, state.qdd, torques);
    for (std::size_t i = 0; i < torques.size(); ++i) tau[mechanism.independent()[i]] = torques[i];
    std::vector<Wrench> cuts(mechanism.description().constraints.size()), joints(tree.body_count());
    loop_wrenches(mechanism, workspace, state.q, state.qd, state.qdd, tau, cuts, joints);
    double scale = 1.0;
    for (const double x : torques) scale = std::max(scale, std::abs(x));
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const Body& body = tree.bodies()[i];
      const Eigen::Vector3d axis = body.link.empty() ? Eigen::Vector3d(Eigen::Vector3d::UnitZ())
                                                     : Eigen::Vector3d(body.axes.col(2));
      const bool prismatic = tree.coordinates()[body.coordinate].prismatic;
      const double along = axis.dot(prismatic ? joints[i].force : joints[i].moment);
      EXPECT_NEAR(along, tau[body.coordinate], 1e-8 * scale) << sample.name << " " << body.joint;
    }
  }
}

TEST(Mechanisms, StewartPlatformMatchesItsInverseKinematics) {
  const Stewart geometry;
  const Mechanism mechanism = mechanism_from_urdf(stewart_urdf(geometry));
  MechanismWorkspace workspace(mechanism);
  const Model& tree = mechanism.tree();
  std::mt19937 random(4);
  for (int k = 0; k < 10; ++k) {
    const std::vector<double> pose = random_vector(6, random, 0.08);
    const Eigen::Vector3d p(pose[0], pose[1], geometry.height + pose[2]);
    const Eigen::Matrix3d R = rotation_from_rpy({pose[3], pose[4], pose[5]});
    const Eigen::Vector3d v(0.3, -0.2, 0.1), w(0.5, 0.4, -0.6);
    std::vector<double> lengths(6), rates(6);
    for (int leg = 0; leg < 6; ++leg) {
      const Eigen::Vector3d arm = R * geometry.platform_joint(leg);
      const Eigen::Vector3d along = p + arm - geometry.base_joint(leg);
      const double zero = (geometry.platform_joint(leg) + Eigen::Vector3d(0, 0, geometry.height) -
                           geometry.base_joint(leg))
                              .norm();
      lengths[static_cast<std::size_t>(leg)] = along.norm() - zero;
      rates[static_cast<std::size_t>(leg)] = along.normalized().dot(v + w.cross(arm));
    }
    // forward kinematics: the platform from the lengths of the legs
    std::vector<double> q(tree.size()), qd(tree.size(), 0.0);
    close_loops(mechanism, workspace, mechanism.start(), lengths, q);
    const char* names[] = {"x", "y", "z", "roll", "pitch", "yaw"};
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(q[tree.coordinate(std::string("float/") + names[i])], pose[i], 1e-10) << names[i];
    for (std::size_t i = 0; i < 6; ++i) qd[mechanism.independent()[i]] = rates[i];
    close_velocities(mechanism, workspace, q, qd);
    Kinematics kinematics(tree);
    forward_kinematics(tree, kinematics, q, qd);
    const Twist twist =
        frame_velocity(tree, kinematics, tree.frame("platform"), Axes::local_world_aligned);
    EXPECT_LT((twist.linear - v).norm() + (twist.angular - w).norm(), 1e-10);
  }
}

TEST(Mechanisms, StewartPlatformMatchesTheClosedFormOfItsLegForces) {
  // legs without mass: the forces f of the legs balance the wrench of the platform, J^T f = W
  Stewart geometry;
  geometry.leg_mass = 1e-13;
  const Mechanism mechanism = mechanism_from_urdf(stewart_urdf(geometry));
  MechanismWorkspace workspace(mechanism);
  const std::size_t n = mechanism.tree().size();
  const double mass = 3.0;
  const Eigen::Vector3d moments(0.06, 0.07, 0.12), gravity(0.0, 0.0, -9.81);
  std::mt19937 random(11);
  for (int k = 0; k < 10; ++k) {
    const std::vector<double> pose = random_vector(6, random, 0.08);
    const Eigen::Vector3d p(pose[0], pose[1], geometry.height + pose[2]);
    const Eigen::Matrix3d R = rotation_from_rpy({pose[3], pose[4], pose[5]});
    const Eigen::Vector3d v(0.3, -0.2, 0.1), w(0.5, 0.4, -0.6), a(1.0, -2.0, 3.0), alpha(4, -3, 2);
    const Eigen::Matrix3d inertia = R * moments.asDiagonal() * R.transpose();
    Eigen::Matrix<double, 6, 1> wrench;
    wrench << mass * (a - gravity), inertia * alpha + w.cross(inertia * w);
    Eigen::Matrix<double, 6, 6> J;  // dl = J (dp, dtheta)
    std::vector<double> lengths(6);
    std::vector<double> qd(n, 0.0), qdd(n, 0.0), q(n), forces(6), tau(n, 0.0), found(n);
    for (int leg = 0; leg < 6; ++leg) {
      const Eigen::Vector3d arm = R * geometry.platform_joint(leg);
      const Eigen::Vector3d along = p + arm - geometry.base_joint(leg);
      const double length = along.norm();
      const Eigen::Vector3d u = along / length, end = v + w.cross(arm),
                            end_rate = a + alpha.cross(arm) + w.cross(w.cross(arm));
      const Eigen::Vector3d at_zero = geometry.platform_joint(leg) +
                                      Eigen::Vector3d(0, 0, geometry.height) -
                                      geometry.base_joint(leg);
      const std::size_t joint = mechanism.independent()[static_cast<std::size_t>(leg)];
      J.row(leg) << u.transpose(), arm.cross(u).transpose();
      lengths[static_cast<std::size_t>(leg)] = length - at_zero.norm();
      const double rate = u.dot(end);
      qd[joint] = rate;
      qdd[joint] = u.dot(end_rate) + (end.squaredNorm() - rate * rate) / length;
    }
    const Eigen::Matrix<double, 6, 1> expected = J.transpose().partialPivLu().solve(wrench);
    close_loops(mechanism, workspace, mechanism.start(), lengths, q);
    close_velocities(mechanism, workspace, q, qd);
    close_accelerations(mechanism, workspace, q, qd, qdd);
    inverse_dynamics(mechanism, workspace, q, qd, qdd, forces);
    for (std::size_t leg = 0; leg < 6; ++leg) {
      const double force = expected[static_cast<Eigen::Index>(leg)];
      EXPECT_NEAR(forces[leg], force, 1e-10 * (1.0 + expected.norm()));
      tau[mechanism.independent()[leg]] = force;
    }
    forward_dynamics(mechanism, workspace, q, qd, tau, found);
    for (const std::size_t joint : mechanism.independent())
      EXPECT_NEAR(found[joint], qdd[joint], 1e-10 * (1.0 + std::abs(qdd[joint])));
  }
}

TEST(Mechanisms, TreeIsAMechanismWithoutLoops) {
  const std::string urdf =
      robot("arm", bar("upper", 1.0, 0.2, 0.02) + bar("lower", 0.7, 0.1, 0.01) +
                       joint("a", "continuous", "base", "upper", "0 0 0", "0 1 0") +
                       joint("b", "continuous", "upper", "lower", "0.4 0 0", "1 1 0"));
  const Mechanism mechanism = mechanism_from_urdf(urdf);
  MechanismWorkspace workspace(mechanism);
  Workspace tree(mechanism.tree());
  const std::vector<double> q = {0.3, -0.8}, qd = {1.0, 2.0}, tau = {0.5, -0.1};
  std::vector<double> qdd(2), expected(2);
  forward_dynamics(mechanism, workspace, q, qd, tau, qdd);
  forward_dynamics(mechanism.tree(), tree, q, qd, tau, expected);
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NEAR(qdd[i], expected[i], 1e-12 * std::abs(expected[i]));
}

TEST(Mechanisms, MimicJointsBesideLoops) {
  // the rocker carries a finger that mimics the crank
  std::string urdf = four_bar_urdf({});
  urdf.replace(urdf.find("</robot>"), 8,
               bar("finger", 0.4, 0.1, 0.003) +
                   joint("f", "continuous", "rocker", "finger", "0.3 0 0", "0 0 1",
                         R"(<mimic joint="a" multiplier="-1.5" offset="0.2"/>)") +
                   "</robot>");
  const Mechanism mechanism = mechanism_from_urdf(urdf, in_plane);
  ASSERT_EQ(mechanism.size(), 1U);
  MechanismWorkspace workspace(mechanism);
  std::mt19937 random(5);
  const State state = random_state(mechanism, workspace, random, 0.4);
  std::vector<double> torque(1), tau(state.q.size(), 0.0), qdd(state.q.size());
  inverse_dynamics(mechanism, workspace, state.q, state.qd, state.qdd, torque);
  tau[mechanism.independent()[0]] = torque[0];
  forward_dynamics(mechanism, workspace, state.q, state.qd, tau, qdd);
  for (std::size_t i = 0; i < qdd.size(); ++i) EXPECT_NEAR(qdd[i], state.qdd[i], 1e-9);
}

TEST(Mechanisms, RedundantActuationHasTheLeastTorques) {
  std::string urdf = four_bar_urdf({});
  const std::string passive = R"(<joint name="d" type="continuous">)";
  urdf.replace(urdf.find(passive), passive.size(),
               R"(<joint name="d" type="continuous" actuated="true">)");
  const Mechanism mechanism = mechanism_from_urdf(urdf);
  ASSERT_EQ(mechanism.size(), 1U);
  ASSERT_EQ(mechanism.actuated().size(), 2U);
  MechanismWorkspace workspace(mechanism);
  std::mt19937 random(6);
  const State state = random_state(mechanism, workspace, random, 0.4);
  std::vector<double> tau(1), torques(2);
  inverse_dynamics(mechanism, workspace, state.q, state.qd, state.qdd, tau);
  actuator_torques(mechanism, workspace, state.q, tau, torques);
  // power per unit rate of the independent joint, and the direction of least norm
  std::vector<double> rates(state.q.size(), 0.0);
  rates[mechanism.independent()[0]] = 1.0;
  close_velocities(mechanism, workspace, state.q, rates);
  const double a = rates[mechanism.actuated()[0]], b = rates[mechanism.actuated()[1]];
  EXPECT_NEAR(a * torques[0] + b * torques[1], tau[0], 1e-11 * (1.0 + std::abs(tau[0])));
  EXPECT_NEAR(torques[0] * b - torques[1] * a, 0.0, 1e-11 * (1.0 + std::abs(tau[0])));
}

}  // namespace
}  // namespace dynamics::test
