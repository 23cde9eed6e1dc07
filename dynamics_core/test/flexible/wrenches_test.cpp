// SPDX-License-Identifier: Apache-2.0
// Wrenches on robots with flexible links: virtual work by differences of poses, beam theory, the
// rigid limit, and simulations with pushes.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/plant.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/simulate.hpp"
#include "sample_beams.hpp"
#include "support/allocation_counter.hpp"
#include "support/compare.hpp"

namespace dynamics {
namespace {

namespace counter = test::allocation_counter;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using test::idx;

constexpr Axes all_axes[] = {Axes::world, Axes::local, Axes::local_world_aligned};

// --- virtual work

/// Poses of the points on which wrenches act.
class Points {
 public:
  explicit Points(const FlexibleModel& model) : model_(model), workspace_(model) {}

  Pose pose(const VectorXd& q, std::size_t frame, WrenchPoint point) {
    Pose result = frame_pose(model_, workspace_, q, frame);
    if (point == WrenchPoint::frame_origin) return result;
    const std::string& name = model_.rigid().frames()[frame].name;
    Vector3d center = Vector3d::Zero();
    for (const LinkDescription& link : model_.rigid().description().links) {
      if (link.name == name && link.inertial) center = link.inertial->center;
    }
    for (std::size_t k = 0; k < model_.links().size(); ++k) {
      if (model_.links()[k].name != name) continue;
      const BeamSection at = cross_section(model_, k, center.x());
      result = result * cross_section_pose(model_, q, k, at);
      center.x() = 0.0;
    }
    return result * Pose{Eigen::Matrix3d::Identity(), center};
  }

 private:
  const FlexibleModel& model_;
  FlexibleWorkspace workspace_;
};

Vector3d rotation_vector(const Eigen::Matrix3d& R) {
  const Eigen::AngleAxisd rotation(R);
  return rotation.angle() * rotation.axis();
}

/// M . d(rotation)/dq + F . d(position)/dq by central differences of order 6.
VectorXd virtual_work(const FlexibleModel& model, const VectorXd& q, const LinkWrench& given,
                      WrenchPoint point) {
  Points points(model);
  FlexibleWorkspace workspace(model);
  const Pose at = points.pose(q, given.frame, point);
  Vector3d force = given.wrench.force, moment = given.wrench.moment;
  if (given.axes == Axes::local) {
    const Eigen::Matrix3d axes = frame_pose(model, workspace, q, given.frame).rotation;
    force = axes * force;
    moment = axes * moment;
  } else if (given.axes == Axes::world) {
    moment -= at.translation.cross(force);
  }
  constexpr double h = 4e-3, weights[] = {45.0 / 60.0, -9.0 / 60.0, 1.0 / 60.0};
  VectorXd forces = VectorXd::Zero(q.size());
  for (Eigen::Index i = 0; i < q.size(); ++i) {
    for (int k = 1; k <= 3; ++k) {
      const auto moved = [&](double step) {
        VectorXd other = q;
        other[i] += step;
        return points.pose(other, given.frame, point);
      };
      const Pose after = moved(k * h), before = moved(-k * h);
      const Vector3d turned = rotation_vector(after.rotation * at.rotation.transpose()) -
                              rotation_vector(before.rotation * at.rotation.transpose());
      forces[i] += weights[k - 1] / h *
                   (force.dot(after.translation - before.translation) + moment.dot(turned));
    }
  }
  return forces;
}

TEST(FlexibleWrenches, MatchVirtualWorkOfPoses) {
  test::RandomRobot random(31);
  for (const bool stiffening : {false, true}) {
    RobotDescription robot = test::mixed_tree(stiffening);
    // a mass center beside the axis of the beam, which is a warning
    robot.links[3].inertial->center.y() = 0.01;
    const FlexibleModel model((Model(robot)));
    FlexibleWorkspace workspace(model);
    const VectorXd q = test::random_state(model, random, 0.2);  // slopes up to 0.5 rad
    VectorXd forces(q.size()), sum = VectorXd::Zero(q.size());
    for (const WrenchPoint point : {WrenchPoint::frame_origin, WrenchPoint::mass_center}) {
      std::vector<LinkWrench> wrenches;
      sum.setZero();
      for (std::size_t frame = 0; frame < model.rigid().frames().size(); ++frame) {
        for (const Axes axes : all_axes) {
          wrenches.push_back({frame, {random.vector3(2.0), random.vector3(3.0)}, axes});
          const LinkWrench& one = wrenches.back();
          wrenches_to_joint_torques(model, workspace, q, {&one, 1}, forces, point);
          const VectorXd expected = virtual_work(model, q, one, point);
          EXPECT_CLOSE("wrenches: virtual work", test::relative(forces, expected, 1.0), 1e-8)
              << model.rigid().frames()[frame].name << ", axes " << static_cast<int>(axes);
          sum += forces;
        }
      }
      wrenches_to_joint_torques(model, workspace, q, wrenches, forces, point);
      EXPECT_CLOSE("wrenches: sum", test::relative(forces, sum), 1e-13);
    }
  }
}

TEST(FlexibleWrenches, OnTheBaseHaveNoEffect) {
  const FlexibleModel model(test::canadarm());
  FlexibleWorkspace workspace(model);
  VectorXd forces = VectorXd::Ones(9);
  const LinkWrench one{model.rigid().frame(model.rigid().base_link()), {{1, 2, 3}, {4, 5, 6}}};
  const VectorXd q = VectorXd::Zero(9);
  wrenches_to_joint_torques(model, workspace, q, {&one, 1}, forces);
  EXPECT_EQ(forces, q);
}

// --- beam theory

constexpr double length = 2.0, density = 3.0, rigidity = 500.0;

/// A cantilever with a frame at its tip.
FlexibleModel cantilever(int modes, const std::shared_ptr<const BeamBasis>& basis) {
  test::RobotBuilder robot("cantilever");
  robot.add(JointType::fixed, "clamp", "base", "beam", Vector3d::UnitZ(), std::nullopt);
  test::make_flexible(robot.robot().links.back(), test::beam(length, density, rigidity, modes));
  robot.add(JointType::fixed, "weld", "beam", "tip", Vector3d::UnitZ(), std::nullopt,
            {Eigen::Matrix3d::Identity(), {length, 0.0, 0.0}});
  return FlexibleModel(Model(robot, {.gravity = Vector3d::Zero()}), {basis, std::nullopt, 32});
}

/// Deflection and slope of the tip at rest under a force or a moment there.
Eigen::Vector2d tip_at_rest(const FlexibleModel& model, double force, double moment) {
  FlexibleWorkspace workspace(model);
  const auto n = idx(model.size());
  const VectorXd straight = VectorXd::Zero(n);
  VectorXd forces(n);
  const LinkWrench load{model.rigid().frame("tip"), {{0, 0, moment}, {0, force, 0}}};
  wrenches_to_joint_torques(model, workspace, straight, {&load, 1}, forces);
  MatrixXd K(n, n);
  stiffness_matrix(model, K);
  const VectorXd q = K.partialPivLu().solve(forces);
  const Pose tip = frame_pose(model, workspace, q, load.frame);
  return {tip.translation.y(), std::atan2(tip.rotation(1, 0), tip.rotation(0, 0))};
}

TEST(FlexibleWrenches, CantileverDeflectsAsInBeamTheory) {
  const double unit = length * length * length / rigidity;
  // F L^3/(3 EI) and F L^2/(2 EI); M L^2/(2 EI) and M L/EI
  const FlexibleModel polynomial = cantilever(2, polynomial_basis());
  const Eigen::Vector2d by_force = tip_at_rest(polynomial, 3.0, 0.0);
  EXPECT_NEAR(by_force[0], 3.0 * unit / 3.0, 1e-14);
  EXPECT_NEAR(by_force[1], 3.0 * unit / length / 2.0, 1e-14);
  const Eigen::Vector2d by_moment = tip_at_rest(polynomial, 0.0, 3.0);
  EXPECT_NEAR(by_moment[0], 3.0 * unit / length / 2.0, 1e-14);
  EXPECT_NEAR(by_moment[1], 3.0 * unit / length / length, 1e-14);
  // the modal sum, 4 F L^3/EI sum 1/m_j^4, which converges to F L^3/(3 EI)
  double sum = 0.0;
  for (int modes = 1; modes <= 6; ++modes) {
    sum += 4.0 / std::pow(clamped_free_root(modes - 1), 4);
    const double tip = tip_at_rest(cantilever(modes, clamped_free_basis()), 3.0, 0.0)[0];
    EXPECT_NEAR(tip, 3.0 * unit * sum, 1e-14) << modes;
  }
  EXPECT_NEAR(sum, 1.0 / 3.0, 1e-4);
}

TEST(FlexiblePushes, LockedBeamSettlesAtItsStaticDeflection) {
  // push at the middle of the beam: u(L) = 5 F L^3/(48 EI), to the truncation of the modes
  BeamDescription given = test::beam(length, density, rigidity, 6);
  given.damping = 0.7;
  const FlexibleModel model(
      Model(test::one_beam(given, JointType::continuous), {.gravity = Vector3d::Zero()}));
  SimulationOptions options;
  options.duration = 8.0;
  options.locks = {{"joint", 0.0}};
  options.wrenches = {push("beam", {0.0, 3.0, 0.0}, 0.0, 100.0)};
  options.rtol = 1e-10;
  const Recording run = simulate(*flexible_plant(model), options);
  ASSERT_TRUE(run.statistics.completed) << run.statistics.ending;
  VectorXd q = VectorXd::Zero(7);
  for (std::size_t j = 0; j < 6; ++j) q[idx(j) + 1] = run.amplitudes[j].back();
  const double tip = deflection(model, q, 0, length).y();
  const double unit = 3.0 * length * length * length / rigidity;
  double sum = 0.0;
  for (int j = 0; j < 6; ++j) {
    const auto at = [&](double x) { return clamped_free_basis()->at(j, x, length).value; };
    sum += 4.0 * at(0.5 * length) / at(length) / std::pow(clamped_free_root(j), 4);
  }
  EXPECT_NEAR(tip / unit, sum, 1e-8);
  EXPECT_NEAR(sum, 5.0 / 48.0, 2e-5);
  EXPECT_LT(run.statistics.energy_drift, 1e-7);
}

// --- the rigid limit

TEST(FlexibleWrenches, WithoutModesMatchRigidRobots) {
  test::RandomRobot random(37);
  test::RandomRobotOptions tree;
  tree.joints = 10;
  tree.branching = 0.3;
  tree.fixed = 0.3;
  const Model robot(random.robot(tree));
  const FlexibleModel model(robot);
  FlexibleWorkspace workspace(model);
  Workspace rigid(robot);
  const VectorXd q = random.vector(robot.size(), 1.2);
  VectorXd forces(q.size()), expected(q.size());
  for (std::size_t frame = 0; frame < robot.frames().size(); ++frame) {
    for (const Axes axes : all_axes) {
      const LinkWrench one{frame, {random.vector3(2.0), random.vector3(3.0)}, axes};
      wrenches_to_joint_torques(model, workspace, q, {&one, 1}, forces);
      wrenches_to_joint_torques(robot, rigid, q, {&one, 1}, expected);
      EXPECT_CLOSE("no modes: wrenches", test::relative(forces, expected, 1.0), 1e-13);
    }
  }
}

TEST(FlexiblePushes, StiffBeamsMoveAsTheRigidRobot) {
  const Model canadarm = test::canadarm();
  RobotDescription robot = canadarm.description();
  const ModelOptions weightless{.gravity = Vector3d::Zero()};
  SimulationOptions options;
  options.duration = 1.0;
  options.integrator = "radau5";
  options.rtol = 1e-10;
  options.wrenches = {push("link2", {0.0, 40.0, 0.0}, 0.1, 0.4),
                      push("tool0", {-20.0, 10.0, 0.0}, 0.3, 0.5)};
  const Recording rigid = simulate(Model(robot, weightless), options);
  EXPECT_GT(std::abs(rigid.q[1].back()), 0.005);
  double last = 1.0;
  for (const double stiffness : {1e7, 1e9}) {
    for (LinkDescription& link : robot.links) {
      if (!link.flexible) continue;
      link.flexible->rigidity_y = stiffness;
      link.flexible->damping = 0.3;
    }
    const Recording run =
        simulate(*flexible_plant(FlexibleModel(Model(robot, weightless))), options);
    double error = 0.0;
    for (std::size_t i = 0; i < 3; ++i)
      error = max_propagating_nan(error, std::abs(run.q[i].back() - rigid.q[i].back()));
    std::printf("EI = %.0e N m^2: joints differ from the rigid arm's by %.1e rad\n", stiffness,
                error);
    EXPECT_LT(error, 0.02 * last);  // O(1/EI)
    last = error;
  }
  EXPECT_LT(last, 1e-6);
}

// --- simulations

TEST(FlexiblePushes, WorkExplainsTheEnergy) {
  for (const bool stiffening : {false, true}) {
    RobotDescription robot = test::mixed_tree(stiffening);  // with damping
    robot.joints[1].friction = 0.4;                         // sliding and sticking
    const FlexibleModel model((Model(robot)));
    for (const bool cholesky : {false, true}) {
      SimulationOptions options;
      options.duration = 0.6;
      options.rtol = 1e-11;
      options.wrenches = {push("boom", {3.0, 5.0, -4.0}, 0.05, 0.2),
                          push("antenna", {-1.0, 0.5, 2.0}, 0.1, 0.3),
                          push("flag", {0.5, 0.5, 0.5}, 0.3, 10.0)};
      const Recording run = simulate(*flexible_plant(model, {.cholesky = cholesky}), options);
      ASSERT_TRUE(run.statistics.completed) << run.statistics.ending;
      EXPECT_CLOSE("pushed tree of beams: energy", run.statistics.energy_drift, 1e-7);
      EXPECT_GT(max_abs(VectorXd::Map(run.work.data(), idx(run.work.size()))), 0.1);
      EXPECT_CLOSE("pushed tree of beams: power balance (W)",
                   max_abs(VectorXd::Map(run.power_balance.data(), idx(run.power_balance.size()))),
                   1e-9);
    }
  }
}

TEST(FlexiblePushes, FreeBeamGetsTheImpulse) {
  // a beam that floats in space: the momentum of its mass center
  test::RobotBuilder robot("free");
  robot.add(JointType::floating, "free", "base", "beam", Vector3d::UnitX(), std::nullopt);
  BeamDescription given = test::beam(length, density, 40.0, 2, 2);
  given.tip_mass = 1.5;
  given.stiffening = true;
  test::make_flexible(robot.robot().links.back(), given, 0.3);
  const FlexibleModel model(Model(robot, {.gravity = Vector3d::Zero()}));
  SimulationOptions options;
  options.duration = 1.0;
  options.rtol = 1e-11;
  const Vector3d force(1.0, 2.0, -1.5);
  options.wrenches = {push("beam", force, 0.0, 0.5)};
  const Recording run = simulate(*flexible_plant(model), options);
  const double mass = length * density + 1.5;
  for (std::size_t k = 0; k < 3; ++k) {
    const double moved = run.center_of_mass[k].back() - run.center_of_mass[k].front();
    EXPECT_NEAR(moved, force[idx(k)] / mass * (0.125 + 0.25), 1e-9) << k;
  }
  EXPECT_LT(run.statistics.energy_drift, 1e-8);
}

TEST(FlexiblePushes, DoNotAllocate) {
  const FlexibleModel model(Model(test::mixed_tree(true)));
  const auto plant = flexible_plant(model);
  test::RandomRobot random(41);
  const VectorXd q = test::random_state(model, random, 0.05), qd = 0.1 * q;
  VectorXd forces = VectorXd::Zero(q.size()), qdd(q.size());
  VectorXd tau(idx(model.joint_count()));
  const std::size_t frame = model.rigid().frame("boom");
  const Wrench wrench{{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}};
  const LinkWrench given{frame, wrench};
  if (!counter::available()) GTEST_SKIP() << "allocations are not counted in this build";
  counter::start();
  for (int i = 0; i < 10; ++i) {
    plant->add_wrench_at_mass_center(0.0, q, frame, wrench, forces);
    plant->add_wrenches(0.0, q, {&given, 1}, forces);
    plant->accelerations(0.0, q, qd, forces, qdd);
    plant->hybrid_dynamics(0.0, q, qd, tau.setOnes(), forces, qdd, tau);
  }
  EXPECT_EQ(counter::stop(), 0U);
}

TEST(FlexiblePushes, HybridDynamicsMatchAccelerations) {
  const FlexibleModel model(Model(test::mixed_tree(true)));
  const Model puma = model_from_dh(built_in_robot("puma"));
  std::vector<std::unique_ptr<Plant>> plants;
  plants.push_back(flexible_plant(model));
  plants.push_back(flexible_plant(model, {.dry_friction = false}));
  plants.push_back(rigid_plant(puma));
  test::RandomRobot random(43);
  for (const auto& plant : plants) {
    const Eigen::Index joints = idx(plant->joints());
    const VectorXd q = 0.1 * random.vector(plant->size(), 1.0);
    const VectorXd qd = random.vector(plant->size(), 1.0);
    const VectorXd forces = random.vector(plant->size(), 3.0);
    const VectorXd tau = random.vector(plant->joints(), 3.0);
    VectorXd sum = forces, expected(q.size()), qdd(q.size()), torques(joints);
    sum.head(joints) += tau;
    plant->accelerations(0.0, q, qd, sum, expected);
    plant->hybrid_dynamics(0.0, q, qd, expected.head(joints).eval(), forces, qdd, torques);
    EXPECT_CLOSE("hybrid dynamics: accelerations", test::relative(qdd, expected), 1e-10);
    EXPECT_CLOSE("hybrid dynamics: torques", test::relative(torques, tau), 1e-10);
    plant->Plant::hybrid_dynamics(0.0, q, qd, expected.head(joints).eval(), forces, qdd, torques);
    EXPECT_CLOSE("hybrid dynamics by accelerations: torques", test::relative(torques, tau), 1e-8);
  }
}

}  // namespace
}  // namespace dynamics
