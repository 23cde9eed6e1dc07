// SPDX-License-Identifier: Apache-2.0
// Computed torque and joint impedance: closed forms, comparison with PID, the action.
#include <dynamics_core/inertia_matrix.hpp>
#include <dynamics_core/rigid_dynamics.hpp>
#include <dynamics_core/trajectory.hpp>

#include "dynamics_controllers/joint_reference_controller.hpp"
#include "ros_environment.hpp"

namespace dynamics_controllers::test {
namespace {

using Action = control_msgs::action::FollowJointTrajectory;

std::unique_ptr<ComputedTorqueController> computed_torque() {
  return std::make_unique<ComputedTorqueController>();
}

void refer(Loop& loop, const std::vector<double>& q, const std::vector<double>& qd,
           const std::vector<double>& qdd) {
  const auto names = loop.model().coordinate_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    loop.refer("controller/" + names[i] + "/position", q[i]);
    loop.refer("controller/" + names[i] + "/velocity", qd[i]);
    loop.refer("controller/" + names[i] + "/acceleration", qdd[i]);
  }
}

TEST(ComputedTorque, ErrorDecaysWithBandwidthAndDampingRatio) {
  // e'' + 2 z w e' + w^2 e = 0 in every joint
  const double w = 10.0, z = 0.5, e0 = 0.1;
  const auto& q = start_of("puma");
  Loop loop(computed_torque(), urdf("puma"),
            {{"gains.bandwidth", std::vector<double>{w}},
             {"gains.damping_ratio", std::vector<double>{z}},
             {"limit_efforts", false},
             {"blend_time", 0.0}});
  ASSERT_TRUE(loop.activate(q, true));
  std::vector<double> target = q;
  for (double& x : target) x += e0;
  refer(loop, target, std::vector<double>(6, 0.0), std::vector<double>(6, 0.0));
  const double rate = w * std::sqrt(1.0 - z * z);
  for (int k = 1; k <= 600; ++k) {
    loop.cycle();
    const double t = 0.001 * k;
    const double e =
        e0 * std::exp(-z * w * t) * (std::cos(rate * t) + z * w / rate * std::sin(rate * t));
    for (std::size_t i = 0; i < 6; ++i)
      ASSERT_NEAR(target[i] - loop.robot->positions()[i], e, 0.02 * e0) << t << " " << i;
  }
}

/// Largest error along a cycloid, after `update` of the commands in each period.
template <class Update>
double tracking_error(const dynamics::Trajectory& path, dynamics::RealTimeSimulation& robot,
                      double duration, const Update& update) {
  const std::size_t n = path.size();
  std::vector<double> q(n), qd(n), qdd(n);
  double largest = 0.0;
  for (int k = 0; k < std::lround(duration / Loop::period); ++k) {
    path.at(k * Loop::period, q, qd, qdd);
    for (std::size_t i = 0; i < n; ++i)
      largest = std::max(largest, std::abs(q[i] - robot.positions()[i]));
    update(q, qd, qdd);
  }
  return largest;
}

TEST(ComputedTorque, TracksTenTimesBetterThanPidOfTheSameBandwidth) {
  for (const char* name : {"puma", "panda"}) {
    const auto& q0 = start_of(name);
    const std::size_t n = q0.size();
    std::vector<double> q1 = q0;
    for (std::size_t i = 0; i < n; ++i) q1[i] += i % 2 == 0 ? 0.6 : -0.4;
    const auto path = dynamics::cycloid_trajectory(q0, q1, 2.0);
    const double w = 20.0;
    Loop loop(computed_torque(), urdf(name),
              {{"gains.bandwidth", std::vector<double>{w}}, {"limit_efforts", false}});
    ASSERT_TRUE(loop.activate(q0, true));
    const double ours = tracking_error(*path, *loop.robot, 2.5, [&](auto& q, auto& qd, auto& qdd) {
      refer(loop, q, qd, qdd);
      loop.cycle();
    });
    // PID with the gains from M's diagonal; the integral as fast as is stable with margin
    dynamics::RealTimeOptions options;
    options.limits = false;
    dynamics::RealTimeSimulation robot(loop.model(), options);
    robot.reset(q0, std::vector<double>(n, 0.0));
    dynamics::Workspace workspace(loop.model());
    Eigen::MatrixXd M(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
    dynamics::inertia_matrix(loop.model(), workspace, q0, M);
    std::vector<double> integral(n);
    dynamics::gravity_forces(loop.model(), workspace, q0, integral);  // starts in equilibrium
    const double pid = tracking_error(*path, robot, 2.5, [&](auto& q, auto& qd, auto&) {
      for (std::size_t i = 0; i < n; ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        const double e = q[i] - robot.positions()[i];
        integral[i] += 0.2 * w * w * w * M(k, k) * e * Loop::period;
        robot.commands()[i] = dynamics::JointCommand::effort(
            M(k, k) * (w * w * e + 2.0 * w * (qd[i] - robot.velocities()[i])) + integral[i]);
      }
      ASSERT_TRUE(robot.step());
    });
    EXPECT_LT(ours, 0.1 * pid) << name;
    EXPECT_LT(ours, 1e-4) << name;
  }
}

TEST(ComputedTorque, ReportsItsTrackingErrorAsState) {
  const auto& q = start_of("puma");
  Loop loop(computed_torque(), urdf("puma"));
  ASSERT_TRUE(loop.activate(q, true));
  loop.refer("controller/joint2/position", q[1] + 0.05);
  loop.refer("controller/joint2/velocity", 0.25);
  loop.cycle();
  EXPECT_NEAR(loop.state("controller/joint2/position_error"), 0.05, 1e-12);
  EXPECT_NEAR(loop.state("controller/joint2/velocity_error"), 0.25, 1e-12);
  EXPECT_NEAR(loop.state("controller/joint1/position_error"), 0.0, 1e-12) << "NaN: it stays";
}

TEST(ComputedTorque, CompensatesFrictionOfTheReferenceVelocity) {
  const auto& q = start_of("panda");
  const auto command = [&](bool friction) {
    Loop loop(computed_torque(), urdf("panda", true),
              {{"friction", friction}, {"start_from_measured_effort", false}});
    EXPECT_TRUE(loop.activate(q, true));
    loop.refer("controller/panda_joint2/velocity", 1.0);
    EXPECT_EQ(loop.update(), return_type::OK);
    return loop.command(1);
  };
  EXPECT_NEAR(command(true) - command(false), 0.43612, 1e-3);
}

TEST(JointImpedance, DeflectsByTorqueOverStiffness) {
  const auto& q = start_of("puma");
  Loop loop(std::make_unique<JointImpedanceController>(), urdf("puma"),
            {{"gains.kp", std::vector<double>{200.0}},
             {"gains.damping_ratio", std::vector<double>{1.0}}});
  ASSERT_TRUE(loop.activate(q));
  const std::vector<dynamics::LinkWrench> push = {{loop.model().frame("tool0"),
                                                   {Eigen::Vector3d::Zero(), {5.0, -8.0, 6.0}},
                                                   dynamics::Axes::local_world_aligned}};
  loop.robot->set_wrenches(push);
  loop.run(15.0);
  std::vector<double> tau(6);
  dynamics::Workspace workspace(loop.model());
  dynamics::wrenches_to_joint_torques(loop.model(), workspace, loop.robot->positions(), push, tau);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR(200.0 * (loop.robot->positions()[i] - q[i]), tau[i], 0.01 * std::abs(tau[i]) + 1e-4)
        << i;
  }
}

/// The client of the action of a controller in a loop.
class Client {
 public:
  using Handle = rclcpp_action::ClientGoalHandle<Action>;

  explicit Client(Loop& loop) : spinner(loop) {
    client =
        rclcpp_action::create_client<Action>(spinner.node, "/controller/follow_joint_trajectory");
    EXPECT_TRUE(spinner.wait([&] { return client->action_server_is_ready(); }));
  }
  /// Null if the goal was refused.
  Handle::SharedPtr send(const Action::Goal& goal) {
    rclcpp_action::Client<Action>::SendGoalOptions options;
    options.feedback_callback = [this](const auto&, const auto&) { ++feedback; };
    auto future = client->async_send_goal(goal, options);
    EXPECT_TRUE(spinner.until([&] { return done(future); }));
    return done(future) ? future.get() : nullptr;
  }
  std::optional<Handle::WrappedResult> result(const Handle::SharedPtr& handle) {
    auto future = client->async_get_result(handle);
    if (!spinner.until([&] { return done(future); })) return std::nullopt;
    return future.get();
  }
  template <class Future>
  static bool done(const Future& future) {
    return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

  Spinner spinner;
  rclcpp_action::Client<Action>::SharedPtr client;
  int feedback = 0;
};

Action::Goal goal_to(const std::vector<std::string>& names, const std::vector<double>& q,
                     double duration) {
  Action::Goal goal;
  goal.trajectory.joint_names = names;
  goal.trajectory.points.resize(1);
  goal.trajectory.points[0].positions = q;
  goal.trajectory.points[0].time_from_start = rclcpp::Duration::from_seconds(duration);
  return goal;
}

TEST(FollowJointTrajectory, ReachesItsGoal) {
  const auto& q = start_of("puma");
  Loop loop(computed_torque(), urdf("puma"), {{"action_monitor_rate", 1000.0}});
  ASSERT_TRUE(loop.activate(q));
  Client client(loop);
  // in any order of the joints
  auto names = loop.model().coordinate_names();
  std::vector<double> target = q;
  for (double& x : target) x += 0.1;
  std::reverse(names.begin(), names.end());
  std::vector<double> reversed(target.rbegin(), target.rend());
  const auto handle = client.send(goal_to(names, reversed, 1.0));
  ASSERT_TRUE(handle);
  const auto result = client.result(handle);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->code, rclcpp_action::ResultCode::SUCCEEDED);
  EXPECT_EQ(result->result->error_code, Action::Result::SUCCESSFUL);
  EXPECT_GT(client.feedback, 0);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(loop.robot->positions()[i], target[i], 1e-3) << i;
}

TEST(FollowJointTrajectory, AbortsIfAToleranceIsViolated) {
  const auto& q = start_of("puma");
  Loop loop(computed_torque(), urdf("puma"), {{"action_monitor_rate", 1000.0}});
  ASSERT_TRUE(loop.activate(q));
  Client client(loop);
  std::vector<double> target = q;
  target[0] += 0.5;
  auto goal = goal_to(loop.model().coordinate_names(), target, 0.5);
  goal.path_tolerance.resize(1);
  goal.path_tolerance[0].name = "joint1";
  goal.path_tolerance[0].position = 1e-9;
  const auto handle = client.send(goal);
  ASSERT_TRUE(handle);
  const auto result = client.result(handle);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->code, rclcpp_action::ResultCode::ABORTED);
  EXPECT_EQ(result->result->error_code, Action::Result::PATH_TOLERANCE_VIOLATED);
  loop.run(1.0);
  EXPECT_LT(loop.robot->positions()[0], q[0] + 0.1) << "stopped";
}

TEST(FollowJointTrajectory, IsCanceledAndReplaced) {
  const auto& q = start_of("puma");
  Loop loop(computed_torque(), urdf("puma"), {{"action_monitor_rate", 1000.0}});
  ASSERT_TRUE(loop.activate(q));
  Client client(loop);
  std::vector<double> target = q;
  target[0] += 0.5;
  const auto names = loop.model().coordinate_names();
  const auto first = client.send(goal_to(names, target, 60.0));
  ASSERT_TRUE(first);
  loop.run(0.5);
  const auto second = client.send(goal_to(names, target, 200.0));
  ASSERT_TRUE(second);
  const auto replaced = client.result(first);
  ASSERT_TRUE(replaced);
  EXPECT_EQ(replaced->code, rclcpp_action::ResultCode::ABORTED);
  loop.run(0.5);
  client.client->async_cancel_goal(second);
  const auto canceled = client.result(second);
  ASSERT_TRUE(canceled);
  EXPECT_EQ(canceled->code, rclcpp_action::ResultCode::CANCELED);
  loop.run(1.5);
  double fastest = 0.0;
  for (const double v : loop.robot->velocities()) fastest = std::max(fastest, std::abs(v));
  EXPECT_LT(fastest, 1e-3) << "at rest";
  EXPECT_LT(loop.robot->positions()[0], q[0] + 0.4);
}

TEST(FollowJointTrajectory, RefusesWhatCannotBeFollowed) {
  const auto& q = start_of("puma");
  Loop loop(computed_torque(), urdf("puma"));
  ASSERT_TRUE(loop.activate(q));
  Client client(loop);
  const auto names = loop.model().coordinate_names();
  auto good = goal_to(names, q, 1.0);
  auto goal = good;
  goal.trajectory.joint_names[0] = "nose";
  EXPECT_FALSE(client.send(goal)) << "unknown joint";
  goal = good;
  goal.trajectory.joint_names[0] = "joint2";
  EXPECT_FALSE(client.send(goal)) << "twice";
  goal = good;
  goal.trajectory.joint_names.pop_back();
  goal.trajectory.points[0].positions.pop_back();
  EXPECT_FALSE(client.send(goal)) << "not all joints";
  goal = good;
  goal.trajectory.points[0].positions.pop_back();
  EXPECT_FALSE(client.send(goal)) << "wrong size";
  goal = good;
  goal.trajectory.points[0].positions[3] = std::nan("");
  EXPECT_FALSE(client.send(goal)) << "NaN";
  goal = good;
  goal.trajectory.points.push_back(goal.trajectory.points[0]);
  EXPECT_FALSE(client.send(goal)) << "times do not increase";
  goal = good;
  goal.trajectory.points.clear();
  EXPECT_FALSE(client.send(goal)) << "no points";
  goal = good;
  goal.trajectory.points[0].velocities.assign(6, 0.0);
  goal.trajectory.points[0].velocities[2] = 0.1;
  EXPECT_FALSE(client.send(goal)) << "a velocity at the end";
  goal = good;
  goal.goal_tolerance.resize(1);
  goal.goal_tolerance[0].name = "nose";
  EXPECT_FALSE(client.send(goal)) << "tolerance of an unknown joint";
  goal = good;
  goal.trajectory.header.stamp.sec = 0;
  goal.trajectory.header.stamp.nanosec = 1;
  loop.run(2.0);
  EXPECT_FALSE(client.send(goal)) << "in the past";
}

TEST(FollowJointTrajectory, MovesSomeJointsIfAllowed) {
  const auto& q = start_of("puma");
  Loop loop(computed_torque(), urdf("puma"),
            {{"allow_partial_joints_goal", true}, {"action_monitor_rate", 1000.0}});
  ASSERT_TRUE(loop.activate(q));
  Client client(loop);
  const auto handle = client.send(goal_to({"joint3"}, {q[2] + 0.2}, 0.5));
  ASSERT_TRUE(handle);
  ASSERT_TRUE(client.result(handle));
  EXPECT_NEAR(loop.robot->positions()[2], q[2] + 0.2, 1e-3);
  EXPECT_NEAR(loop.robot->positions()[1], q[1], 1e-3);
}

}  // namespace
}  // namespace dynamics_controllers::test
