// SPDX-License-Identifier: Apache-2.0
// Robots with flexible links: the rigid limit, the recursive algorithm compared with the full
// matrix, energy and power in simulations, and the contract of the functions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cstdio>
#include <thread>

#include "dynamics_core/energy.hpp"
#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/plant.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "dynamics_core/simulate.hpp"
#include "dynamics_core/view.hpp"
#include "flexible/tree.hpp"
#include "ode/make_integrator.hpp"
#include "sample_beams.hpp"
#include "support/allocation_counter.hpp"
#include "support/compare.hpp"

namespace dynamics {
namespace {

namespace counter = test::allocation_counter;
using test::idx;

// --- the rigid limit

TEST(RigidLimit, WithoutModesMatchesRigidDynamics) {
  std::vector<Model> robots;
  test::RandomRobot random(3);
  test::RandomRobotOptions tree;
  tree.joints = 12;
  tree.branching = 0.3;
  tree.fixed = 0.3;
  tree.rotors = 0.5;
  tree.friction = 0.5;
  robots.emplace_back(random.robot(tree));
  for (const char* name : {"planar3", "stanford", "puma"}) {
    robots.push_back(model_from_dh(built_in_robot(name)));
  }
  Payload load;
  load.frame = "tool0";
  load.mass = 3.0;
  load.center = {0.1, 0.2, 0.0};
  robots.push_back(robots[2].with_payload(load));
  test::RobotBuilder floating("floating");
  floating.add(JointType::floating, "base_joint", "base", "trunk", Eigen::Vector3d::UnitX(),
               random.inertial());
  floating.add(JointType::planar, "table", "trunk", "plate", Eigen::Vector3d::UnitZ(),
               random.inertial(), Pose{random.rotation(), {0.1, 0.0, 0.2}});
  robots.emplace_back(floating);
  const auto arm = test::canadarm();
  RobotDescription stiff = arm.description();
  for (LinkDescription& link : stiff.links) {
    if (link.flexible) link.flexible->modes_y = 0;
  }
  robots.emplace_back(stiff);
  for (const Model& robot : robots) {
    const FlexibleModel model(robot);
    ASSERT_EQ(model.size(), robot.size());
    FlexibleWorkspace workspace(model);
    Workspace rigid(robot);
    const auto n = idx(robot.size());
    for (int sample = 0; sample < 5; ++sample) {
      const Eigen::VectorXd q = random.vector(robot.size(), 1.2),
                            qd = random.vector(robot.size(), 2);
      const Eigen::VectorXd tau = random.vector(robot.size(), 10.0);
      Eigen::VectorXd a(n), b(n);
      forward_dynamics(model, workspace, q, qd, tau, a);
      forward_dynamics(robot, rigid, q, qd, tau, b);
      EXPECT_CLOSE("no modes: forward dynamics", test::relative(a, b), 1e-10);
      inverse_dynamics(model, workspace, q, qd, tau, a);
      inverse_dynamics(robot, rigid, q, qd, tau, b);
      EXPECT_CLOSE("no modes: inverse dynamics", test::relative(a, b), 1e-11);
      joint_torques(model, workspace, q, qd, tau, a, MutableVector());
      EXPECT_CLOSE("no modes: joint torques", test::relative(a, b), 1e-11);
      Eigen::MatrixXd M(n, n), N(n, n);
      inertia_matrix(model, workspace, q, M);
      inertia_matrix(robot, rigid, q, N);
      EXPECT_CLOSE("no modes: inertia matrix", test::relative(M, N), 1e-12);
      const auto now = energy(model, workspace, q, qd);
      const auto then = energy(robot, rigid, q, qd);
      EXPECT_CLOSE("no modes: kinetic", test::relative(now.kinetic, then.kinetic, 0.0), 1e-12);
      EXPECT_CLOSE("no modes: potential", test::relative(now.potential, then.potential, 1.0),
                   1e-12);
      for (std::size_t f = 0; f < robot.frames().size(); ++f) {
        const Pose p = frame_pose(model, workspace, q, f), r = frame_pose(robot, rigid, q, f);
        EXPECT_LT((p.translation - r.translation).norm(), 1e-12);
        EXPECT_LT((p.rotation - r.rotation).norm(), 1e-12);
      }
    }
  }
}

/// Joint accelerations for quasi-static beams: amplitudes such that they do not accelerate.
Eigen::VectorXd quasi_static_accelerations(const FlexibleModel& model, Eigen::VectorXd q,
                                           const Eigen::VectorXd& qd, const Eigen::VectorXd& tau,
                                           double scale) {
  FlexibleWorkspace workspace(model);
  const auto m = idx(model.amplitude_count());
  Eigen::VectorXd qdd(q.size()), other(q.size());
  Eigen::MatrixXd slope(m, m);
  for (int iteration = 0; iteration < 4; ++iteration) {
    forward_dynamics(model, workspace, q, qd, tau, qdd);
    for (Eigen::Index k = 0; k < m; ++k) {
      Eigen::VectorXd moved = q;
      moved[q.size() - m + k] += scale;
      forward_dynamics(model, workspace, moved, qd, tau, other);
      slope.col(k) = (other - qdd).tail(m) / scale;
    }
    q.tail(m) -= slope.partialPivLu().solve(qdd.tail(m));
  }
  forward_dynamics(model, workspace, q, qd, tau, qdd);
  return qdd.head(q.size() - m);
}

TEST(RigidLimit, ConvergesWithIncreasingRigidity) {
  const Model robot = test::canadarm();
  Workspace rigid(robot);
  test::RandomRobot random(5);
  const Eigen::VectorXd q = random.vector(3, 1.5), qd = random.vector(3, 0.3),
                        tau = random.vector(3, 500.0);
  Eigen::VectorXd expected(3);
  forward_dynamics(robot, rigid, q, qd, tau, expected);
  double last = 1.0;
  for (double rigidity = 1e6; rigidity < 1e15; rigidity *= 100.0) {
    RobotDescription stiffer = robot.description();
    for (LinkDescription& link : stiffer.links) {
      if (link.flexible) link.flexible->rigidity_y = rigidity;
    }
    ModelOptions options;
    options.gravity.setZero();
    const FlexibleModel model(Model(stiffer, options));
    Eigen::VectorXd all = Eigen::VectorXd::Zero(9), rates = Eigen::VectorXd::Zero(9);
    all.head(3) = q;
    rates.head(3) = qd;
    const double error = test::relative(
        quasi_static_accelerations(model, all, rates, tau, 10.0 / rigidity), expected);
    std::printf("rigidity %.0e N m^2: accelerations differ from the rigid arm's by %.1e\n",
                rigidity, error);
    if (rigidity < 1e13) {
      EXPECT_LT(error, 0.02 * last);  // the error is O(1/rigidity)
    }
    last = error;
  }
  EXPECT_LT(last, 1e-8);
}

// --- recursive algorithm and full matrix

TEST(Canadarm, RecursiveMatchesCholesky) {
  for (const Model& robot :
       {test::canadarm(), Model(test::mixed_tree(false)), Model(test::mixed_tree(true)),
        Model(test::beam_chain(20, test::beam(0.5, 2.0, 300.0, 2, 2), 0.7))}) {
    const FlexibleModel model(robot);
    FlexibleWorkspace workspace(model);
    test::RandomRobot random(17);
    const auto n = idx(model.size());
    const std::string what = robot.name();
    for (int sample = 0; sample < 50; ++sample) {
      const Eigen::VectorXd q = test::random_state(model, random, 0.03);
      const Eigen::VectorXd qd = random.vector(model.size(), 0.5);
      const Eigen::VectorXd tau = random.vector(model.joint_count(), 500.0);
      Eigen::VectorXd recursive(n), direct(n);
      forward_dynamics(model, workspace, q, qd, tau, recursive);
      forward_dynamics_cholesky(model, workspace, q, qd, tau, direct);
      // twenty links are worse conditioned
      EXPECT_CLOSE(what + ": recursive and Cholesky", test::relative(recursive, direct),
                   what == "chain" ? 1e-8 : 1e-9);

      // round trip: inverse dynamics and joint_torques of these accelerations
      Eigen::VectorXd forces(n);
      inverse_dynamics(model, workspace, q, qd, recursive, forces);
      Eigen::VectorXd given = Eigen::VectorXd::Zero(n);
      given.head(tau.size()) = tau;
      EXPECT_CLOSE(what + ": round trip", test::relative(forces, given), 1e-9);
      Eigen::VectorXd torques(tau.size()), amplitudes(n - tau.size());
      joint_torques(model, workspace, q, qd, recursive.head(tau.size()).eval(), torques,
                    amplitudes);
      EXPECT_CLOSE(what + ": joint torques", test::relative(torques, tau), 1e-9);
      EXPECT_CLOSE(what + ": amplitudes' accelerations",
                   test::relative(amplitudes, recursive.tail(n - tau.size())), 1e-9);
    }
  }
}

TEST(Canadarm, UdutMatchesInertiaMatrix) {
  for (const Model& robot : {test::canadarm(), Model(test::mixed_tree(true))}) {
    const FlexibleModel model(robot);
    FlexibleWorkspace workspace(model);
    test::RandomRobot random(19);
    const auto n = idx(model.size());
    const Eigen::VectorXd q = test::random_state(model, random, 0.05);
    Eigen::MatrixXd M(n, n), U(n, n), D(n, n), ordered(n, n);
    inertia_matrix(model, workspace, q, M);
    udut(model, workspace, q, U, D);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) {
        const auto order = model.block_order();
        ordered(i, j) =
            M(idx(order[static_cast<std::size_t>(i)]), idx(order[static_cast<std::size_t>(j)]));
      }
    }
    EXPECT_CLOSE("U D U^T", test::relative(U * D * U.transpose(), ordered), 1e-12);
    EXPECT_TRUE(U.isUpperTriangular(0.0));
    EXPECT_EQ((U.diagonal() - Eigen::VectorXd::Ones(n)).norm(), 0.0);
    // D is zero outside the blocks of the bodies
    std::size_t first = 0;
    for (const flexible::ElasticBody& body : model.tree()) {
      const std::size_t size =
          body.beam.modes() + (body.joint == flexible::JointKind::fixed ? 0U : 1U);
      D.block(idx(first), idx(first), idx(size), idx(size)).setZero();
      first += size;
    }
    EXPECT_EQ(D.norm(), 0.0);
  }
}

// --- simulations

struct Balance {
  double largest_drift = 0.0;  ///< |energy - initial energy - work| / largest kinetic energy
  double duration = 0.0;
};

/// Integrates the state and, as an additional state, the work.
Balance run(const FlexibleModel& model, const Eigen::VectorXd& q0, const Eigen::VectorXd& qd0,
            const std::function<void(double, std::span<double>)>& torques, double duration,
            double rtol) {
  FlexibleWorkspace workspace(model);
  const std::size_t n = model.size(), joints = model.joint_count();
  std::vector<double> tau(joints, 0.0);
  const auto acceleration = [&](const double& t, std::span<const double> q,
                                std::span<const double> qd, std::span<double> qdd) {
    torques(t, tau);
    forward_dynamics(model, workspace, q.first(n), qd.first(n), tau, qdd.first(n));
    const FlexiblePower balance = power(model, workspace, qd.first(n), tau);
    qdd[n] = balance.actuators - balance.friction - balance.damping;
  };
  const auto system = ode::System<double>::second_order(n + 1, acceleration);
  ode::Options<double> options;
  options.rtol = rtol;
  const auto integrator = ode::make_integrator<double>("dop853", system, options);
  std::vector<double> y(2 * (n + 1), 0.0);
  std::copy(q0.begin(), q0.end(), y.begin());
  std::copy(qd0.begin(), qd0.end(), y.begin() + static_cast<std::ptrdiff_t>(n + 1));
  integrator->start(0.0, y);
  const double start = energy(model, workspace, q0, qd0).total();
  double drift = 0.0, largest = 0.0;
  while (integrator->time() < duration) {
    if (integrator->advance(duration) != ode::Status::ok) break;
    const auto state = integrator->state();
    const FlexibleEnergy now = energy(model, workspace, state.first(n), state.subspan(n + 1, n));
    largest = max_propagating_nan(largest, now.kinetic);
    drift = max_propagating_nan(drift, std::abs(now.total() - start - state[2 * n + 1]));
  }
  return {drift / largest, integrator->time()};
}

TEST(FlexibleSimulation, FreeCanadarmConservesEnergyForTenSeconds) {
  const FlexibleModel model(test::canadarm());
  Eigen::VectorXd q = Eigen::VectorXd::Zero(9), qd = q;
  q << 0.3, -0.5, 0.8, 0.05, 0.002, 0.08, -0.003, 0.002, 0.0001;
  qd.head(3) << 0.2, -0.3, 0.4;
  const Balance drift = run(
      model, q, qd, [](double, std::span<double>) {}, 10.0, 1e-11);
  EXPECT_EQ(drift.duration, 10.0);
  EXPECT_CLOSE("free Canadarm, 10 s: energy", drift.largest_drift, 1e-8);
}

TEST(FlexibleSimulation, FallingTreeOfBeamsKeepsPowerBalance) {
  for (const bool stiffening : {false, true}) {
    RobotDescription robot = test::mixed_tree(stiffening);  // damping, friction, gravity
    const FlexibleModel model((Model(robot)));
    test::RandomRobot random(23);
    const Eigen::VectorXd q = test::random_state(model, random, 0.01);
    const Eigen::VectorXd qd = test::random_state(model, random, 0.1);
    const auto push = [](double t, std::span<double> tau) {
      for (std::size_t i = 0; i < tau.size(); ++i) tau[i] = 3.0 * std::sin(2.0 * t + double(i));
    };
    const Balance fall = run(model, q, qd, push, 1.0, 1e-10);
    EXPECT_EQ(fall.duration, 1.0);
    EXPECT_CLOSE("falling tree of beams: power balance", fall.largest_drift, 1e-8);
  }
}

TEST(FlexibleSimulation, ContinuesWithoutDroppedPayload) {
  const Model light = test::canadarm();
  Payload payload;
  payload.frame = light.frames()[light.end_effector()].name;
  payload.mass = 60.0;
  const FlexibleModel heavy(light.with_payload(payload)), without_payload(light);
  for (const bool cholesky : {false, true}) {
    FlexiblePlantOptions plant_options;
    plant_options.cholesky = cholesky;
    SimulationOptions options;
    options.rtol = 1e-11;
    options.duration = 0.5;
    options.qd0 = {0.2, -0.3, 0.4};
    const Recording first = simulate(*flexible_plant(heavy, plant_options), options);
    SimulationOptions rest = options;
    rest.qd0.clear();
    for (std::size_t i = 0; i < 3; ++i) {
      rest.q0.push_back(first.q[i].back());
      rest.qd0.push_back(first.qd[i].back());
    }
    for (std::size_t i = 0; i < first.amplitudes.size(); ++i) {
      rest.q0.push_back(first.amplitudes[i].back());
      rest.qd0.push_back(first.amplitude_rates[i].back());
    }
    const Recording second = simulate(*flexible_plant(without_payload, plant_options), rest);
    options.duration = 1.0;
    options.payload_changes = {{0.5, std::nullopt}};
    const Recording complete = simulate(*flexible_plant(heavy, plant_options), options);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(complete.q[i].back(), second.q[i].back(), 1e-8);
      EXPECT_GT(std::abs(second.q[i].back() - first.q[i].back()), 1e-2);
    }
    EXPECT_LT(complete.statistics.energy_drift, 1e-7);
  }
}

// --- contract

/// Calls every function once.
void call_all(const FlexibleModel& model, FlexibleWorkspace& workspace, const Eigen::VectorXd& q,
              const Eigen::VectorXd& qd, Eigen::VectorXd& a, Eigen::VectorXd& b, Eigen::MatrixXd& M,
              Eigen::MatrixXd& N) {
  const std::size_t joints = model.joint_count();
  const ConstVector tau(qd.data(), joints);
  forward_dynamics(model, workspace, q, qd, tau, a);
  forward_dynamics_cholesky(model, workspace, q, qd, tau, b);
  inverse_dynamics(model, workspace, q, qd, a, b);
  joint_torques(model, workspace, q, qd, ConstVector(a.data(), joints),
                MutableVector(b.data(), joints),
                MutableVector(b.data() + joints, model.amplitude_count()));
  bias_forces(model, workspace, q, qd, b);
  static_forces(model, workspace, q, b);
  const LinkWrench wrench{model.rigid().frames().size() - 1, {{1, 2, 3}, {4, 5, 6}}, Axes::local};
  wrenches_to_joint_torques(model, workspace, q, {&wrench, 1}, b, WrenchPoint::mass_center);
  inertia_matrix(model, workspace, q, M);
  udut(model, workspace, q, M, N);
  b[0] = energy(model, workspace, q, qd).total() + power(model, workspace, qd, tau).damping +
         center_of_mass(model, workspace, q).x() + deflection(model, q, 0, 0.1).y() +
         frame_pose(model, workspace, q, model.rigid().frames().size() - 1).translation.x();
}

TEST(FlexibleContract, DoesNotAllocateAndIsThreadSafe) {
  const FlexibleModel model(Model(test::mixed_tree(true)));
  test::RandomRobot random(29);
  const auto n = idx(model.size());
  const Eigen::VectorXd q = test::random_state(model, random, 0.05),
                        qd = random.vector(model.size(), 1);
  Eigen::VectorXd a(n), b(n);
  Eigen::MatrixXd M(n, n), N(n, n);
  FlexibleWorkspace workspace(model);
  if (counter::available()) {
    counter::start();
    for (int i = 0; i < 100; ++i) call_all(model, workspace, q, qd, a, b, M, N);
    EXPECT_EQ(counter::stop(), 0U);
  }
  call_all(model, workspace, q, qd, a, b, M, N);
  std::vector<Eigen::VectorXd> results(4, Eigen::VectorXd(n));
  std::vector<std::thread> threads;
  for (Eigen::VectorXd& result : results) {
    threads.emplace_back([&] {
      FlexibleWorkspace own(model);
      Eigen::VectorXd c(n), d(n);
      Eigen::MatrixXd P(n, n), Q(n, n);
      for (int i = 0; i < 50; ++i) call_all(model, own, q, qd, c, d, P, Q);
      result = c;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Eigen::VectorXd& result : results) EXPECT_EQ(result, a);
}

template <class Call>
void expect_message(const Call& call, const std::string& message) {
  try {
    call();
    FAIL() << "no error; expected: " << message;
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr(message));
  }
}

TEST(FlexibleContract, ErrorsNameTheArgument) {
  const FlexibleModel model(test::canadarm()), other(Model(test::mixed_tree(false)));
  FlexibleWorkspace workspace(model), wrong(other);
  std::vector<double> q(9, 0.0), qd(9, 0.0), tau(3, 0.0), out(9, 7.0), shorter(8, 0.0);
  const auto forward = [&] { forward_dynamics(model, workspace, q, qd, tau, out); };
  expect_message([&] { forward_dynamics(model, workspace, shorter, qd, tau, out); },
                 "q has 8 entries; 9 are needed: joints, then amplitudes");
  expect_message([&] { forward_dynamics(model, workspace, q, qd, shorter, out); },
                 "tau has 8 entries; 3 are needed");
  expect_message([&] { forward_dynamics(model, wrong, q, qd, tau, out); }, "another robot");
  qd[4] = std::nan("");
  expect_message(forward, "qd[4] is nan");
  EXPECT_EQ(out[0], 7.0);  // nothing was written
  expect_message([&] { deflection(model, q, 3, 0.0); }, "flexible link 3 does not exist");
  expect_message([&] { model.link("boom"); }, "its flexible links are link1, link2, link3");
  RobotDescription mimic = test::mixed_tree(false);
  mimic.joints[1].mimic = Mimic{"j1", 1.0, 0.0};
  expect_message([&] { const FlexibleModel rejected((Model(mimic))); }, "joint 'j2'");
}

TEST(FlexibleContract, NamesAndTipPoseMatchModel) {
  const FlexibleModel model(test::canadarm());
  EXPECT_THAT(model.coordinate_names(),
              testing::ElementsAre("joint1", "joint2", "joint3", "e_link1_y1", "e_link1_y2",
                                   "e_link2_y1", "e_link2_y2", "e_link3_y1", "e_link3_y2"));
  EXPECT_TRUE(FlexibleModel::has_modes(model.rigid()));
  EXPECT_FALSE(FlexibleModel::has_modes(model_from_dh(built_in_robot("puma"))));
  // the pose of the end effector includes deflections and slopes
  FlexibleWorkspace workspace(model);
  std::vector<double> q(9, 0.0);
  q[3] = 0.1;
  const auto shape = model.basis(0).at(0, 6.0, 6.0);
  const double slope = 0.1 * shape.slope;
  const Eigen::Vector3d tip =
      frame_pose(model, workspace, q, model.rigid().end_effector()).translation;
  EXPECT_NEAR(tip.x(), 6.0 + 9.0 * std::cos(slope), 1e-12);
  EXPECT_NEAR(tip.y(), 0.1 * shape.value + 9.0 * std::sin(slope), 1e-12);
  EXPECT_EQ(deflection(model, q, 0, 6.0).y(), 0.1 * shape.value);
}

TEST(CrossSection, MatchesPoseOfFrameOnIt) {
  for (const bool stiffening : {false, true}) {
    const FlexibleModel model(Model(test::mixed_tree(stiffening)));
    FlexibleWorkspace workspace(model);
    test::RandomRobot random(31);
    const Eigen::VectorXd q = test::random_state(model, random, 0.25);
    const auto pose = [&](const char* frame) {
      return frame_pose(model, workspace, q, model.rigid().frame(frame));
    };
    // the frame "tip" is 0.1 m beyond the end of the antenna's 0.9 m
    const auto& joints = model.rigid().description().joints;
    const auto marker = std::find_if(joints.begin(), joints.end(),
                                     [](const auto& joint) { return joint.name == "marker"; });
    Pose beyond = marker->origin;
    beyond.translation.x() -= 0.9;
    const std::size_t antenna = model.link("antenna");
    const Pose section = cross_section_pose(model, q, antenna, cross_section(model, antenna, 0.9));
    EXPECT_GT((section.rotation - Eigen::Matrix3d::Identity()).norm(), 0.1);
    EXPECT_EQ(section.translation.x() == 0.9, !stiffening);
    const Pose tip = pose("antenna") * section * beyond;
    EXPECT_LT((tip.translation - pose("tip").translation).norm(), 1e-14);
    EXPECT_LT((tip.rotation - pose("tip").rotation).norm(), 1e-14);
    const Pose root = cross_section_pose(model, q, antenna, cross_section(model, antenna, 0.0));
    EXPECT_EQ(root.translation, Eigen::Vector3d::Zero());
    EXPECT_EQ(root.rotation, Eigen::Matrix3d::Identity());
    expect_message([&] { cross_section(model, antenna, 0.91); }, "from 0 to 0.9 m");
    expect_message([&] { cross_section(model, 9, 0.1); }, "flexible link 9 does not exist");
  }
}

}  // namespace
}  // namespace dynamics
