// SPDX-License-Identifier: Apache-2.0
// Readings of force-torque sensors and IMUs, compared with the motion of the links.
#include "dynamics_core/sensors.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <array>
#include <string>
#include <vector>

#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/real_time_simulation.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "loops/mechanisms.hpp"
#include "simulation/real_time.hpp"
#include "support/allocation_counter.hpp"
#include "support/small_robots.hpp"

namespace dynamics::test {
namespace {

using Eigen::Vector3d;

const Pose mount = {rotation_from_rpy({0.3, -0.5, 0.8}), {0.1, 0.02, 0.4}};

/// Three joints, and behind the last one two links at fixed joints: `adapter` and `tool`.
Model arm_with_tool() {
  RobotBuilder robot("arm");
  robot.add(JointType::revolute, "yaw", "base", "column", Vector3d::UnitZ(),
            body(4.0, {0.0, 0.1, 0.2}, {0.2, 0.2, 0.1}));
  robot.add(JointType::revolute, "pitch", "column", "upper", Vector3d::UnitY(),
            body(3.0, {0.2, 0.0, 0.0}, {0.01, 0.1, 0.1}),
            {Eigen::Matrix3d::Identity(), {0, 0, 0.5}});
  robot.add(JointType::prismatic, "slide", "upper", "rod", Vector3d::UnitX(),
            body(1.0, {0.1, 0.0, 0.0}, {0.01, 0.02, 0.02}),
            {rotation_from_rpy({0.0, 0.2, 0.1}), {0.5, 0, 0}});
  robot.add(JointType::fixed, "adapter_mount", "rod", "adapter", Vector3d::UnitX(),
            body(0.3, {0.0, 0.0, 0.1}, {1e-3, 1e-3, 1e-3}),
            {Eigen::Matrix3d::Identity(), {0.2, 0, 0}});
  robot.add(JointType::fixed, "tool_mount", "adapter", "tool", Vector3d::UnitX(), std::nullopt,
            mount);
  return Model(robot.robot());
}

Payload load() {
  Eigen::Matrix3d inertia;
  inertia << 0.05, 0.01, -0.004, 0.01, 0.04, 0.002, -0.004, 0.002, 0.03;
  return {"tool", 2.5, {0.05, -0.1, 0.2}, inertia};
}

/// The arm after it has fallen for 0.4 s.
RealTimeSimulation swung(const Model& model) {
  RealTimeSimulation robot(model, unlimited());
  robot.reset(Vector{0.3, -0.2, 0.1}, Vector{2.0, 1.0, -0.5});
  run(robot, 0.4);
  return robot;
}

Vector copy(std::span<const double> values) { return {values.begin(), values.end()}; }

/// The wrench that moves this body with its frame: Newton and Euler.
Wrench needed(const Model& model, const RealTimeSimulation& robot, const Payload& body) {
  Workspace workspace(model);
  const FrameMotion motion =
      frame_motion(model, workspace, robot.positions(), robot.velocities(), robot.accelerations(),
                   model.frame(body.frame), Axes::local);
  const Vector3d &w = motion.velocity.angular, &alpha = motion.acceleration.angular;
  const Vector3d a =
      motion.acceleration.linear + alpha.cross(body.center) + w.cross(w.cross(body.center));
  const Vector3d force = body.mass * (a - motion.pose.rotation.transpose() * model.gravity());
  return {body.center.cross(force) + body.inertia * alpha + w.cross(body.inertia * w), force};
}

TEST(ForceTorqueSensor, SwungPayloadNeedsMassTimesAccelerationMinusGravity) {
  const Model model = arm_with_tool().with_payload(load());
  const RealTimeSimulation robot = swung(model);
  ASSERT_GT(Eigen::Map<const Vector3d>(robot.velocities().data()).norm(), 1.0) << "it swings";
  Sensors sensors(robot.plant(), {{"tool_mount", ""}, {"tool_mount", "adapter"}}, {});
  ASSERT_EQ(sensors.measure(robot.positions(), robot.velocities(), robot.accelerations()),
            Status::ok);
  const Wrench expected = needed(model, robot, load());
  EXPECT_GT(expected.force.norm(), 5.0);
  EXPECT_LT((sensors.wrench(0).force - expected.force).norm(), 1e-9);
  EXPECT_LT((sensors.wrench(0).moment - expected.moment).norm(), 1e-9);
  // in another frame
  const Vector3d force = mount.rotation * expected.force;
  const Vector3d moment = mount.rotation * expected.moment + mount.translation.cross(force);
  EXPECT_LT((sensors.wrench(1).force - force).norm(), 1e-9);
  EXPECT_LT((sensors.wrench(1).moment - moment).norm(), 1e-9);
}

TEST(ForceTorqueSensor, MovingJointTransmitsTheWrenchOfInverseDynamics) {
  const Model model = arm_with_tool().with_payload(load());
  const RealTimeSimulation robot = swung(model);
  Sensors sensors(robot.plant(), {{"pitch", ""}, {"adapter_mount", ""}, {"slide", "rod"}}, {});
  const std::array<LinkWrench, 1> push = {
      {{model.frame("tool"), {{1.0, -2.0, 3.0}, {10.0, 20.0, -5.0}}, Axes::local}}};
  for (const bool pushed : {false, true}) {
    const std::span<const LinkWrench> wrenches(push.data(), pushed ? 1 : 0);
    const auto q = robot.positions(), qd = robot.velocities(), qdd = robot.accelerations();
    ASSERT_EQ(sensors.measure(q, qd, qdd, wrenches), Status::ok);
    Workspace workspace(model);
    Vector tau(3);
    std::vector<Wrench> all(3);
    ExternalInputs inputs;
    inputs.wrenches = wrenches;
    inverse_dynamics(model, workspace, q, qd, qdd, tau, all, inputs);
    EXPECT_LT((sensors.wrench(0).force - all[1].force).norm(), 1e-9);
    EXPECT_LT((sensors.wrench(0).moment - all[1].moment).norm(), 1e-9);
    EXPECT_LT((sensors.wrench(2).force - all[2].force).norm(), 1e-9);
    EXPECT_NEAR(sensors.wrench(2).force.x(), tau[2], 1e-9) << "along the axis: the actuator";
    // in front of the tool: payload and adapter, less the push
    const Wrench tool = needed(model, robot, load());
    const Wrench adapter =
        needed(model, robot, {"adapter", 0.3, {0, 0, 0.1}, 1e-3 * Eigen::Matrix3d::Identity()});
    const Vector3d force = tool.force - (pushed ? push[0].wrench.force : Vector3d(0, 0, 0));
    const Vector3d expected = adapter.force + mount.rotation * force;
    EXPECT_LT((sensors.wrench(1).force - expected).norm(), 1e-9) << pushed;
  }
}

TEST(ForceTorqueSensor, JointsOfLoopsAreRefusedAndOthersMeasured) {
  std::string urdf = four_bar_urdf({});
  urdf.insert(urdf.rfind("</robot>"),
              "<link name='tool'><inertial><origin xyz='0 0 0.1'/><mass value='2'/><inertia "
              "ixx='0.01' ixy='0' ixz='0' iyy='0.01' iyz='0' izz='0.01'/></inertial></link>"
              "<joint name='mount' type='fixed'><parent link='coupler'/><child link='tool'/>"
              "<origin xyz='0.1 0 0'/></joint>");
  const Mechanism mechanism = mechanism_from_urdf(urdf);
  RealTimeSimulation robot(mechanism, unlimited());
  robot.reset(Vector{0.4}, Vector{2.0});
  run(robot, 0.2);
  Sensors sensors(robot.plant(), {{"mount", ""}}, {{"tool"}});
  ASSERT_EQ(sensors.measure(robot.positions(), robot.velocities(), robot.accelerations()),
            Status::ok);
  const Wrench expected = needed(mechanism.tree(), robot,
                                 {"tool", 2.0, {0, 0, 0.1}, 0.01 * Eigen::Matrix3d::Identity()});
  EXPECT_LT((sensors.wrench(0).force - expected.force).norm(), 1e-9);
  EXPECT_LT((sensors.wrench(0).moment - expected.moment).norm(), 1e-9);
  for (const auto& joint : mechanism.tree().coordinates()) {
    try {
      const Sensors refused(robot.plant(), {{joint.name, ""}}, {});
      ADD_FAILURE() << joint.name;
    } catch (const ArgumentError& error) {
      EXPECT_NE(std::string(error.what()).find(joint.name), std::string::npos) << error.what();
    }
  }
}

TEST(Imu, MeasuresGravityAndOrientationAtRest) {
  const Model model = arm_with_tool();
  Sensors sensors(*rigid_plant(model), {}, {{"tool"}, {"base"}});
  const Vector q = {0.4, -0.7, 0.2}, zero(3, 0.0);
  ASSERT_EQ(sensors.measure(q, zero, zero), Status::ok);
  Workspace workspace(model);
  const Pose pose = frame_pose(model, workspace, q, model.frame("tool"));
  const ImuReading& imu = sensors.imu(0);
  EXPECT_LT((imu.orientation - pose.rotation).norm(), 1e-14);
  EXPECT_EQ(imu.angular_velocity.norm(), 0.0);
  EXPECT_NEAR(imu.linear_acceleration.norm(), 9.81, 1e-12);
  EXPECT_LT((pose.rotation * imu.linear_acceleration - Vector3d(0, 0, 9.81)).norm(), 1e-12);
  EXPECT_EQ(sensors.imu(1).linear_acceleration, Vector3d(0, 0, 9.81)) << "on the base";
}

TEST(Imu, MeasuresTheMotionOfItsFrame) {
  const Model model = arm_with_tool();
  const RealTimeSimulation robot = swung(model);
  const Vector q = copy(robot.positions()), qd = copy(robot.velocities()),
               qdd = copy(robot.accelerations());
  Sensors sensors(robot.plant(), {{"tool_mount", ""}}, {{"tool"}});
  ASSERT_EQ(sensors.measure(q, qd, qdd), Status::ok);
  // central differences along the motion
  const double h = 1e-4;
  Workspace workspace(model);
  const auto at = [&](double t) {
    Vector moved = q;
    for (std::size_t i = 0; i < 3; ++i) moved[i] += t * qd[i] + 0.5 * t * t * qdd[i];
    return frame_pose(model, workspace, moved, model.frame("tool"));
  };
  const Pose before = at(-h), now = at(0.0), after = at(h);
  const Vector3d a = (after.translation - 2.0 * now.translation + before.translation) / (h * h);
  const Vector3d specific = now.rotation.transpose() * (a - model.gravity());
  EXPECT_LT((sensors.imu(0).linear_acceleration - specific).norm(), 1e-4);
  const Eigen::Matrix3d rate =
      now.rotation.transpose() * (after.rotation - before.rotation) / (2.0 * h);
  const Vector3d w =
      0.5 * Vector3d(rate(2, 1) - rate(1, 2), rate(0, 2) - rate(2, 0), rate(1, 0) - rate(0, 1));
  EXPECT_LT((sensors.imu(0).angular_velocity - w).norm(), 1e-6);
}

TEST(Sensors, OfARealTimeSimulationFollowWrenchesAndPayload) {
  const Model model = arm_with_tool();
  RealTimeOptions options = unlimited();
  options.force_torque = {{"tool_mount"}};
  options.imus = {{"tool"}};
  RealTimeSimulation robot(model, options);
  robot.reset(Vector{0.3, -0.2, 0.1}, Vector{2.0, 1.0, -0.5});
  run(robot, 0.2);
  ASSERT_TRUE(robot.measure());
  EXPECT_LT(robot.force_torque(0).force.norm(), 1e-12) << "nothing is behind the joint";
  const Vector3d at_first = robot.imu(0).linear_acceleration;
  RealTimeSimulation loaded(model.with_payload(load()), options);
  ASSERT_TRUE(loaded.continue_from(robot));
  const LinkWrench push = {model.frame("tool"), {{0.5, 0.0, 0.0}, {0.0, 30.0, 0.0}}, Axes::local};
  loaded.set_wrenches({&push, 1});
  ASSERT_EQ(loaded.wrenches().size(), 1U);
  ASSERT_TRUE(loaded.evaluate() && loaded.measure());
  const Wrench expected = needed(loaded.model(), loaded, load());
  EXPECT_LT((loaded.force_torque(0).force + push.wrench.force - expected.force).norm(), 1e-9);
  EXPECT_LT((loaded.force_torque(0).moment + push.wrench.moment - expected.moment).norm(), 1e-9);
  EXPECT_GT((loaded.imu(0).linear_acceleration - at_first).norm(), 0.1);
  RealTimeSimulation without(model, unlimited());
  EXPECT_FALSE(without.continue_from(robot)) << "it has no sensors";
  EXPECT_TRUE(without.measure()) << "nothing to measure";
}

TEST(Sensors, RefuseWhatDoesNotExist) {
  const auto plant = rigid_plant(arm_with_tool());
  EXPECT_THROW(Sensors(*plant, {{"elbow", ""}}, {}), ArgumentError);
  EXPECT_THROW(Sensors(*plant, {{"pitch", "hand"}}, {}), ArgumentError);
  EXPECT_THROW(Sensors(*plant, {}, {{"hand"}}), ArgumentError);
  const auto beam = flexible_plant(FlexibleModel(model_from_urdf(two_joint_beam_urdf())));
  EXPECT_THROW(Sensors(*beam, {}, {{"lower"}}), ArgumentError);
}

TEST(Sensors, DoNotAllocateAndKeepReadingsOfBadStates) {
  const auto plant = rigid_plant(arm_with_tool());
  Sensors sensors(*plant, {{"tool_mount", ""}}, {{"tool"}});
  const Vector q = {0.4, -0.7, 0.2}, zero(3, 0.0), bad = {0.0, NAN, 0.0};
  ASSERT_EQ(sensors.measure(q, zero, zero), Status::ok);
  const double before = sensors.wrench(0).force.x();
  EXPECT_EQ(sensors.measure(bad, zero, zero), Status::not_finite);
  EXPECT_EQ(sensors.measure(Vector(2, 0.0), zero, zero), Status::wrong_size);
  EXPECT_EQ(sensors.wrench(0).force.x(), before);
  if (!allocation_counter::available()) GTEST_SKIP() << "the sanitizer has its own heap";
  allocation_counter::start();
  bool well = true;
  for (int k = 0; k < 100; ++k) well = well && sensors.measure(q, zero, zero) == Status::ok;
  EXPECT_EQ(allocation_counter::stop(), 0U);
  EXPECT_TRUE(well);
}

}  // namespace
}  // namespace dynamics::test
