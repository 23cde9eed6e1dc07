// SPDX-License-Identifier: Apache-2.0
// External torques and the terms of the equations of motion, of a simulated robot.
#include <dynamics_core/energy.hpp>
#include <dynamics_core/inertia_matrix.hpp>
#include <dynamics_core/kinematics.hpp>
#include <dynamics_core/rigid_dynamics.hpp>
#include <random>

#include "dynamics_controllers/dynamics_state_broadcaster.hpp"
#include "dynamics_controllers/external_torque_broadcaster.hpp"
#include "ros_environment.hpp"

namespace dynamics_controllers::test {
namespace {

/// A robot under computed torque along a slow path, observed by the broadcaster.
class Observed {
 public:
  explicit Observed(const Parameters& parameters, double mass_error = 0.0)
      : loop(std::make_unique<ExternalTorqueBroadcaster>(), urdf("panda"), parameters),
        model(wrong_masses(loop.model(), mass_error)),
        workspace(model),
        frame(model.frame("panda_link8")) {
    loop.set_robot(model);
    active = loop.activate(start_of("panda"));
  }

  /// The robot of the controller with masses that are wrong by this factor.
  static dynamics::Model wrong_masses(const dynamics::Model& model, double error) {
    auto description = model.description();
    for (auto& link : description.links) {
      if (!link.inertial) continue;
      link.inertial->mass *= 1.0 + error;
      link.inertial->inertia *= 1.0 + error;
    }
    return dynamics::Model(description);
  }

  /// Moves by `amplitude` sin(t) for `seconds`; checks each cycle with `check`.
  template <class Check>
  void run(double seconds, double amplitude, const Check& check) {
    const auto& q0 = start_of("panda");
    std::vector<double> qdd(7), tau(7);
    for (long k = std::lround(seconds / Loop::period); k > 0; --k) {
      const auto q = loop.robot->positions(), qd = loop.robot->velocities();
      for (std::size_t i = 0; i < 7; ++i) {
        const double phase = time + 0.7 * static_cast<double>(i);
        const double q_ref = q0[i] + amplitude * (std::sin(phase) - std::sin(phase - time));
        const double qd_ref = amplitude * std::cos(phase);
        qdd[i] = -amplitude * std::sin(phase) + 400.0 * (q_ref - q[i]) + 40.0 * (qd_ref - qd[i]);
      }
      dynamics::inverse_dynamics(model, workspace, q, qd, qdd, tau);
      for (std::size_t i = 0; i < 7; ++i)
        loop.robot->commands()[i] = dynamics::JointCommand::effort(tau[i]);
      ASSERT_TRUE(loop.robot->step());
      time += Loop::period;
      loop.write_states();  // with the effort of the step before
      ASSERT_EQ(loop.update(), return_type::OK);
      check();
    }
  }
  void push(const Eigen::Vector3d& force) {
    const dynamics::LinkWrench wrench[] = {
        {frame, {Eigen::Vector3d::Zero(), force}, dynamics::Axes::local_world_aligned}};
    loop.robot->set_wrenches(wrench);
  }
  Eigen::Vector3d force() const {
    return {loop.state("controller/wrench/force.x"), loop.state("controller/wrench/force.y"),
            loop.state("controller/wrench/force.z")};
  }
  bool collision() const { return loop.state("controller/collision/detected") == 1.0; }

  Loop loop;
  dynamics::Model model;
  dynamics::Workspace workspace;
  std::size_t frame;
  double time = 0.0;
  bool active = false;
};

TEST(ExternalTorque, FindsAWrenchWithinOnePercentAfterFiveTimeConstants) {
  Observed robot({{"bandwidth", std::vector<double>{50.0}}});
  ASSERT_TRUE(robot.active);
  robot.run(0.2, 0.0, [] {});
  EXPECT_LT(robot.force().norm(), 1e-3);
  const Eigen::Vector3d force(8.0, -12.0, 18.0);
  robot.push(force);
  robot.run(5.0 / 50.0, 0.0, [] {});
  EXPECT_LT((robot.force() - force).norm(), 0.01 * force.norm());
}

TEST(ExternalTorque, MassErrorAndEncoderNoiseAreBounded) {
  // masses wrong by 5 %: the estimate is off by 5 % of the robot's own torques; noise of 1e-5 rad
  // and 1e-3 rad/s
  Observed robot({{"bandwidth", std::vector<double>{20.0}}}, 0.05);
  ASSERT_TRUE(robot.active);
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  robot.loop.noise = [&](const std::string& interface) {
    if (interface == "position") return 1e-5 * normal(random);
    return interface == "velocity" ? 1e-3 * normal(random) : 0.0;
  };
  robot.push({8.0, -12.0, 18.0});
  robot.run(1.0, 0.0, [] {});
  dynamics::Workspace workspace(robot.loop.model());
  std::vector<double> g(7), push(7);
  const auto q = robot.loop.robot->positions();
  dynamics::gravity_forces(robot.loop.model(), workspace, q, g);
  const dynamics::LinkWrench wrench[] = {{robot.frame,
                                          {Eigen::Vector3d::Zero(), {8.0, -12.0, 18.0}},
                                          dynamics::Axes::local_world_aligned}};
  dynamics::wrenches_to_joint_torques(robot.loop.model(), workspace, q, wrench, push);
  const auto names = robot.model.coordinate_names();
  for (std::size_t i = 0; i < 7; ++i) {
    const double found = robot.loop.state("controller/" + names[i] + "/external_torque");
    // r = J^T w - 0.05 g, within the noise
    EXPECT_NEAR(found, push[i] - 0.05 * g[i], 0.2) << i;
  }
}

TEST(ExternalTorque, DetectsACollisionWithin20MillisecondsAndNoneInFreeMotion) {
  Observed robot({{"bandwidth", std::vector<double>{100.0}},
                  {"collision_thresholds", std::vector<double>{2.0}}});
  ASSERT_TRUE(robot.active);
  int false_alarms = 0;
  robot.run(60.0, 0.3, [&] { false_alarms += robot.collision() ? 1 : 0; });
  EXPECT_EQ(false_alarms, 0);
  robot.push({0.0, 0.0, 25.0});
  int cycles = 0, first = 0;
  robot.run(0.1, 0.3, [&] {
    ++cycles;
    if (first == 0 && robot.collision()) first = cycles;
  });
  EXPECT_GT(first, 0);
  EXPECT_LE(first, 20);
  robot.loop.robot->set_wrenches({});
  robot.run(0.2, 0.3, [] {});
  EXPECT_FALSE(robot.collision()) << "it is over";
}

TEST(ExternalTorque, AGapInTheMeasuredStateIsNoCollision) {
  Observed robot({{"bandwidth", std::vector<double>{100.0}},
                  {"collision_thresholds", std::vector<double>{2.0}}});
  ASSERT_TRUE(robot.active);
  robot.run(1.0, 0.5, [] {});
  // ten cycles without a valid state, in which the robot moves on
  robot.loop.noise = [](const std::string&) { return std::nan(""); };
  robot.run(0.01, 0.5, [] {});
  robot.loop.noise = nullptr;
  int false_alarms = 0;
  double largest = 0.0;
  robot.run(0.5, 0.5, [&] {
    false_alarms += robot.collision() ? 1 : 0;
    for (const auto& joint : robot.model.coordinate_names()) {
      const double external = robot.loop.state("controller/" + joint + "/external_torque");
      largest = std::max(largest, std::abs(external));
    }
  });
  EXPECT_EQ(false_alarms, 0);
  EXPECT_LT(largest, 0.5) << "the momentum of the gap is that of its time";
}

TEST(ExternalTorque, APayloadThatIsSetIsNotExternal) {
  Observed robot({});
  ASSERT_TRUE(robot.active);
  // the robot carries a load
  const dynamics::Payload load = {
      "panda_link8", 2.0, {0.0, 0.0, 0.1}, Eigen::Matrix3d::Zero().eval()};
  robot.model = robot.model.with_payload(load);
  robot.workspace = dynamics::Workspace(robot.model);
  robot.loop.set_robot(robot.model);
  robot.loop.reset(start_of("panda"));
  robot.run(1.0, 0.0, [] {});
  EXPECT_NEAR(robot.force().z(), -2.0 * 9.81, 0.1);
  Spinner spinner(robot.loop);
  dynamics_msgs::srv::SetNamedPayload::Request request;
  request.name = "load";
  request.payload.frame_id = load.frame;
  request.payload.inertia.m = load.mass;
  request.payload.inertia.com.z = 0.1;
  ASSERT_TRUE(
      spinner.call<dynamics_msgs::srv::SetNamedPayload>("/controller/set_payload", request));
  robot.run(1.0, 0.0, [] {});
  EXPECT_LT(robot.force().norm(), 1e-2);
}

TEST(ExternalTorque, PublishesItsEstimate) {
  Observed robot({{"publish_rate", 1000.0}, {"collision_thresholds", std::vector<double>{1.0}}});
  ASSERT_TRUE(robot.active);
  Spinner spinner(robot.loop);
  dynamics_msgs::msg::ExternalTorques last;
  const auto subscription = spinner.node->create_subscription<dynamics_msgs::msg::ExternalTorques>(
      "/controller/external_torques", 10,
      [&](const dynamics_msgs::msg::ExternalTorques& message) { last = message; });
  robot.push({0.0, 0.0, 20.0});
  const bool received = spinner.wait([&] {
    robot.run(0.01, 0.0, [] {});
    return last.collision;
  });
  ASSERT_TRUE(received);
  EXPECT_EQ(last.joint_names, robot.model.coordinate_names());
  EXPECT_EQ(last.frame_id, "panda_link8");
  EXPECT_EQ(last.header.frame_id, robot.model.base_link());
  EXPECT_FALSE(last.collision_joint.empty());
  EXPECT_EQ(last.thresholds, std::vector<double>(7, 1.0));
  EXPECT_GT(last.wrench.force.z, 1.0);
}

TEST(DynamicsState, PublishesTheTermsOfTheMeasuredState) {
  Loop loop(std::make_unique<DynamicsStateBroadcaster>(), urdf("puma", true),
            {{"publish_rate", 1000.0}, {"frame", "tool0"}});
  const auto& q = start_of("puma");
  const std::vector<double> qd = {0.1, -0.2, 0.3, 0.4, -0.5, 0.6};
  ASSERT_TRUE(loop.activate(q));
  loop.reset(q, qd);
  Spinner spinner(loop);
  dynamics_msgs::msg::DynamicsTerms last;
  const auto subscription = spinner.node->create_subscription<dynamics_msgs::msg::DynamicsTerms>(
      "/controller/dynamics_terms", 10,
      [&](const dynamics_msgs::msg::DynamicsTerms& message) { last = message; });
  ASSERT_TRUE(spinner.wait([&] {
    EXPECT_EQ(loop.update(), return_type::OK);
    return !last.velocities.empty() && last.velocities[0] == qd[0];
  }));
  const auto& model = loop.model();
  dynamics::Workspace workspace(model);
  Eigen::MatrixXd M(6, 6), C(6, 6), J(6, 6);
  std::vector<double> g(6);
  dynamics::inertia_matrix(model, workspace, q, M);
  dynamics::coriolis_matrix(model, workspace, q, qd, C);
  dynamics::gravity_forces(model, workspace, q, g);
  const auto frame = model.frame("tool0");
  dynamics::jacobian(model, workspace, q, frame, dynamics::Axes::local_world_aligned, J);
  const auto energy = dynamics::energy(model, workspace, q, qd);
  const auto pose = dynamics::frame_pose(model, workspace, q, frame);
  const auto expect = [](const dynamics_msgs::msg::Matrix& found, const Eigen::MatrixXd& wanted) {
    ASSERT_EQ(found.rows, wanted.rows());
    ASSERT_EQ(found.columns, wanted.cols());
    for (Eigen::Index i = 0; i < wanted.rows(); ++i) {
      for (Eigen::Index j = 0; j < wanted.cols(); ++j)
        EXPECT_EQ(found.data[static_cast<std::size_t>(i * wanted.cols() + j)], wanted(i, j));
    }
  };
  expect(last.inertia, M);
  expect(last.coriolis, C);
  Eigen::MatrixXd linear_first(6, 6);
  linear_first << J.bottomRows(3), J.topRows(3);
  expect(last.jacobian, linear_first);
  EXPECT_EQ(last.joint_names, model.coordinate_names());
  EXPECT_EQ(last.gravity, g);
  EXPECT_EQ(last.kinetic_energy, energy.kinetic);
  EXPECT_EQ(last.potential_energy, energy.potential);
  EXPECT_EQ(last.pose.position.x, pose.translation.x());
  EXPECT_EQ(last.frame_id, "tool0");
}

}  // namespace
}  // namespace dynamics_controllers::test
