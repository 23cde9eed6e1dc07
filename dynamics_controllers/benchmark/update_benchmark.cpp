// SPDX-License-Identifier: Apache-2.0
// Time of update() of every controller with mocked interfaces, for a Panda (7 joints), beside the
// same law by KDL without any interfaces.
#include <benchmark/benchmark.h>

#include <Eigen/Dense>

#include "loop_fixture.hpp"
#include "plugins.hpp"

#ifdef DYNAMICS_WITH_KDL
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacdotsolver.hpp>
#include <kdl/chainjnttojacsolver.hpp>
#endif

namespace {

using dynamics_controllers::test::Loop;
using dynamics_controllers::test::start_of;
using dynamics_controllers::test::urdf;

void update(benchmark::State& state, const std::string& name) {
  Loop loop(dynamics_controllers::test::load(name), urdf("panda"));
  if (!loop.activate(start_of("panda"))) {
    state.SkipWithError("the controller is not activated");
    return;
  }
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(loop.update());
}

#ifdef DYNAMICS_WITH_KDL
KDL::Vector to_kdl(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
KDL::Rotation to_kdl(const Eigen::Matrix3d& r) {
  return {r(0, 0), r(0, 1), r(0, 2), r(1, 0), r(1, 1), r(1, 2), r(2, 0), r(2, 1), r(2, 2)};
}

/// The chain of the Panda, from the description of the model.
KDL::Chain panda() {
  const dynamics::Model model = dynamics::model_from_urdf(urdf("panda"));
  const auto& robot = model.description();
  KDL::Chain chain;
  std::string link = model.base_link();
  for (bool found = true; found;) {
    found = false;
    for (const auto& joint : robot.joints) {
      if (joint.parent != link) continue;
      link = joint.child;
      found = true;
      KDL::RigidBodyInertia inertia = KDL::RigidBodyInertia::Zero();
      for (const auto& one : robot.links) {
        if (one.name != link || !one.inertial) continue;
        const auto& I = one.inertial->inertia;
        inertia = KDL::RigidBodyInertia(
            one.inertial->mass, to_kdl(one.inertial->center),
            KDL::RotationalInertia(I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(0, 2), I(1, 2)));
      }
      const KDL::Vector origin = to_kdl(joint.origin.translation);
      const KDL::Joint moved(joint.name, origin,
                             to_kdl(Eigen::Vector3d(joint.origin.rotation * joint.axis)),
                             KDL::Joint::RotAxis);
      chain.addSegment(KDL::Segment(link,
                                    joint.type == dynamics::JointType::fixed
                                        ? KDL::Joint(joint.name, KDL::Joint::Fixed)
                                        : moved,
                                    KDL::Frame(to_kdl(joint.origin.rotation), origin), inertia));
      break;
    }
  }
  return chain;
}

struct KdlArm {
  KdlArm() : chain(panda()), n(chain.getNrOfJoints()), q(n), qd(n), qdd(n), tau(n) {
    for (unsigned int i = 0; i < n; ++i) q(i) = start_of("panda")[i];
  }
  KDL::Chain chain;
  unsigned int n;
  KDL::JntArray q, qd, qdd, tau;
  const KDL::Vector gravity{0.0, 0.0, -9.81};
};

void kdl_gravity(benchmark::State& state) {
  KdlArm arm;
  KDL::ChainDynParam solver(arm.chain, arm.gravity);
  for ([[maybe_unused]] auto _ : state) {
    solver.JntToGravity(arm.q, arm.tau);
    benchmark::DoNotOptimize(arm.tau.data.data());
  }
}

void kdl_computed_torque(benchmark::State& state) {
  KdlArm arm;
  KDL::ChainIdSolver_RNE solver(arm.chain, arm.gravity);
  const KDL::Wrenches none(arm.chain.getNrOfSegments());
  const KDL::JntArray target = arm.q;
  for ([[maybe_unused]] auto _ : state) {
    for (unsigned int i = 0; i < arm.n; ++i)
      arm.qdd(i) = 100.0 * (target(i) - arm.q(i)) - 20.0 * arm.qd(i);
    solver.CartToJnt(arm.q, arm.qd, arm.qdd, none, arm.tau);
    benchmark::DoNotOptimize(arm.tau.data.data());
  }
}

/// Bias, pose, J, J', M, the frame's inertia and J^T F; the same law without a posture.
void kdl_cartesian_impedance(benchmark::State& state) {
  KdlArm arm;
  KDL::ChainIdSolver_RNE inverse(arm.chain, arm.gravity);
  KDL::ChainDynParam terms(arm.chain, arm.gravity);
  KDL::ChainFkSolverPos_recursive position(arm.chain);
  KDL::ChainJntToJacSolver to_jacobian(arm.chain);
  KDL::ChainJntToJacDotSolver to_jacobian_rate(arm.chain);
  const KDL::Wrenches none(arm.chain.getNrOfSegments());
  KDL::JntArrayVel motion(arm.q, arm.qd);
  KDL::Jacobian J(arm.n), rate(arm.n);
  KDL::JntSpaceInertiaMatrix M(static_cast<int>(arm.n));
  KDL::Frame pose, target;
  position.JntToCart(arm.q, target);
  Eigen::VectorXd tau(arm.n);
  for ([[maybe_unused]] auto _ : state) {
    inverse.CartToJnt(arm.q, arm.qd, arm.qdd, none, arm.tau);
    position.JntToCart(arm.q, pose);
    to_jacobian.JntToJac(arm.q, J);
    to_jacobian_rate.JntToJacDot(motion, rate);
    terms.JntToMass(arm.q, M);
    const KDL::Twist error = KDL::diff(pose, target);
    Eigen::Matrix<double, 6, 1> e, force;
    for (int i = 0; i < 6; ++i) e[i] = error[i];
    const Eigen::Matrix<double, 6, 6> L =
        (J.data * M.data.llt().solve(J.data.transpose())).inverse();
    force = 500.0 * e - 40.0 * (L * (J.data * arm.qd.data)) - L * (rate.data * arm.qd.data);
    tau = arm.tau.data + J.data.transpose() * force;
    benchmark::DoNotOptimize(tau.data());
  }
}
#endif

}  // namespace

int main(int argc, char** argv) {
  rclcpp::init(argc, argv);
  for (const auto& name : dynamics_controllers::test::all())
    benchmark::RegisterBenchmark(("update/" + name).c_str(), update, name);
#ifdef DYNAMICS_WITH_KDL
  benchmark::RegisterBenchmark("kdl/gravity", kdl_gravity);
  benchmark::RegisterBenchmark("kdl/computed_torque", kdl_computed_torque);
  benchmark::RegisterBenchmark("kdl/cartesian_impedance", kdl_cartesian_impedance);
#endif
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  rclcpp::shutdown();
}
