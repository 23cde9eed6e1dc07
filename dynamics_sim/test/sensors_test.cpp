// SPDX-License-Identifier: Apache-2.0
// <sensor> elements: force-torque sensors and IMUs with their errors; errors of encoders.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <dynamics_core/kinematics.hpp>
#include <dynamics_core/readers.hpp>
#include <dynamics_core/real_time_simulation.hpp>
#include <memory>
#include <string>
#include <vector>

#include "allocations.hpp"
#include "dynamics_sim/system_link.hpp"
#include "robots.hpp"
#include "system_fixture.hpp"

namespace dynamics_sim::test {
namespace {

using Eigen::Vector3d;

constexpr double mass = 1.5;
const Vector3d center = {0.1, 0.05, -0.02};

std::string sensor(const std::string& name, const std::vector<std::string>& interfaces,
                   const std::string& parameters = "") {
  std::string text = "<sensor name='" + name + "'>";
  for (const auto& interface : interfaces) text += "<state_interface name='" + interface + "'/>";
  return text + parameters + "</sensor>";
}

const std::vector<std::string> wrench = {"force.x",  "force.y",  "force.z",
                                         "torque.x", "torque.y", "torque.z"};
const std::vector<std::string> motion = {
    "orientation.x",         "orientation.y",        "orientation.z",      "orientation.w",
    "angular_velocity.x",    "angular_velocity.y",   "angular_velocity.z", "linear_acceleration.x",
    "linear_acceleration.y", "linear_acceleration.z"};

/// The arm with a tool of 1.5 kg behind the fixed joint `mount` and these elements in its block.
std::string tool_urdf(const std::string& elements, const std::string& parameters = "",
                      const std::string& joint_parameters = "") {
  std::string block = control_block(parameters, joint_parameters);
  block.insert(block.rfind("</ros2_control>"), elements);
  std::string urdf = arm_urdf(block);
  urdf.insert(urdf.rfind("<ros2_control"),
              "<link name='tool'><inertial><origin xyz='0.1 0.05 -0.02'/><mass value='1.5'/>"
              "<inertia ixx='0.01' ixy='0' ixz='0' iyy='0.02' iyz='0' izz='0.015'/></inertial>"
              "</link><joint name='mount' type='fixed'><parent link='lower'/><child link='tool'/>"
              "<origin xyz='0.5 0 0.1' rpy='0.4 -0.3 1.0'/></joint>");
  return urdf;
}

Vector3d vector(const System& system, const std::string& name) {
  return {system.state(name + ".x"), system.state(name + ".y"), system.state(name + ".z")};
}

std::vector<double> joints(const System& system, const std::string& interface) {
  return {system.state("joint1/" + interface), system.state("joint10/" + interface)};
}

/// Pose, velocity and acceleration of the tool by the exported states of the joints.
dynamics::FrameMotion tool_motion(const System& system, const dynamics::Model& model) {
  dynamics::Workspace workspace(model);
  return frame_motion(model, workspace, joints(system, "position"), joints(system, "velocity"),
                      joints(system, "acceleration"), model.frame("tool"), dynamics::Axes::local);
}

TEST(Sensors, ForceTorqueOfASwungPayloadIsMassTimesAccelerationMinusGravity) {
  const std::string urdf =
      tool_urdf(sensor("wrist", wrench, parameter("joint", "mount")) +
                    sensor("mount", wrench, parameter("measure_direction", "child_to_parent")),
                parameter("unclaimed", "free") + parameter("limits", "false"));
  const dynamics::Model model = dynamics::model_from_urdf(urdf);
  System system(urdf);
  ASSERT_NO_FATAL_FAILURE(system.activate());
  const Vector3d principal = {0.01, 0.02, 0.015};
  for (int k = 0; k < 10; ++k) {
    system.run(0.05);
    const dynamics::FrameMotion moved = tool_motion(system, model);
    const Vector3d &w = moved.velocity.angular, &alpha = moved.acceleration.angular;
    const Vector3d a = moved.acceleration.linear + alpha.cross(center) + w.cross(w.cross(center));
    const Vector3d g = moved.pose.rotation.transpose() * Vector3d(0, 0, -9.81);
    const Vector3d force = mass * (a - g);
    const Vector3d moment = center.cross(force) + Vector3d(principal.cwiseProduct(alpha)) +
                            w.cross(Vector3d(principal.cwiseProduct(w)));
    EXPECT_LT((vector(system, "wrist/force") - force).norm(), 1e-9);
    EXPECT_LT((vector(system, "wrist/torque") - moment).norm(), 1e-9);
    EXPECT_EQ(vector(system, "mount/force"), -vector(system, "wrist/force"));
  }
  EXPECT_GT(std::abs(joints(system, "velocity")[0]), 1.0) << "it swings";
}

TEST(Sensors, ImuAtRestReadsGravityAndItsOrientation) {
  const std::string urdf =
      tool_urdf(sensor("imu", motion, parameter("frame", "tool")), parameter("limits", "false"));
  const dynamics::Model model = dynamics::model_from_urdf(urdf);
  System system(urdf);
  ASSERT_NO_FATAL_FAILURE(system.activate());
  system.run(0.1);
  const Eigen::Matrix3d rotation = tool_motion(system, model).pose.rotation;
  const Eigen::Quaterniond read(
      system.state("imu/orientation.w"), system.state("imu/orientation.x"),
      system.state("imu/orientation.y"), system.state("imu/orientation.z"));
  EXPECT_LT((read.toRotationMatrix() - rotation).norm(), 1e-12);
  const Vector3d specific = vector(system, "imu/linear_acceleration");
  EXPECT_NEAR(specific.norm(), 9.81, 1e-9);
  EXPECT_LT((rotation * specific - Vector3d(0, 0, 9.81)).norm(), 1e-9);
  EXPECT_LT(vector(system, "imu/angular_velocity").norm(), 1e-12);
}

TEST(Sensors, ImuFollowsItsLink) {
  const std::string urdf = tool_urdf(sensor("tool", motion),
                                     parameter("unclaimed", "free") + parameter("limits", "false"));
  const dynamics::Model model = dynamics::model_from_urdf(urdf);
  System system(urdf);
  ASSERT_NO_FATAL_FAILURE(system.activate());
  system.run(0.3);
  const dynamics::FrameMotion moved = tool_motion(system, model);
  const Vector3d g = moved.pose.rotation.transpose() * Vector3d(0, 0, -9.81);
  EXPECT_GT(moved.velocity.angular.norm(), 1.0);
  EXPECT_LT((vector(system, "tool/angular_velocity") - moved.velocity.angular).norm(), 1e-12);
  EXPECT_LT((vector(system, "tool/linear_acceleration") - (moved.acceleration.linear - g)).norm(),
            1e-9);
}

TEST(Sensors, PayloadIsFelt) {
  System system(tool_urdf(sensor("wrist", wrench, parameter("joint", "mount")),
                          parameter("payload_topic", "") + parameter("limits", "false")));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  system.run(0.01);
  EXPECT_NEAR(vector(system, "wrist/force").norm(), mass * 9.81, 1e-6);
  const auto systems = SystemRegistry::instance().systems();
  ASSERT_EQ(systems.size(), 1U);
  dynamics::RealTimeOptions options;
  options.limits = false;
  options.force_torque = {{"mount"}};
  const auto model = dynamics::model_from_urdf(tool_urdf(""));
  systems[0]->payload.send(std::make_unique<dynamics::RealTimeSimulation>(
      model.with_payload({"tool", 2.0, {0, 0, 0.1}, Eigen::Matrix3d::Zero()}), options));
  system.run(0.5);
  EXPECT_NEAR(vector(system, "wrist/force").norm(), (mass + 2.0) * 9.81, 1e-6);
}

TEST(Sensors, HaveNoiseBiasRateAndDelay) {
  const std::string errors = parameter("noise", "0.5 0.1") + parameter("bias", "1 0 0 0 0 2") +
                             parameter("rate", "100") + parameter("seed", "5");
  const std::string urdf = tool_urdf(sensor("exact", wrench, parameter("joint", "mount")) +
                                     sensor("noisy", wrench, parameter("joint", "mount") + errors));
  std::vector<double> runs[2];
  for (auto& run : runs) {
    System system(urdf);
    ASSERT_NO_FATAL_FAILURE(system.activate());
    double sum = 0.0, squares = 0.0;
    constexpr int samples = 200;
    for (int k = 0; k < samples; ++k) {
      const double before = system.state("noisy/force.x");
      for (int c = 0; c < 9; ++c) ASSERT_EQ(system.cycle(), return_type::OK);
      EXPECT_EQ(system.state("noisy/force.x"), before) << "100 samples per second";
      ASSERT_EQ(system.cycle(), return_type::OK);
      const double error = system.state("noisy/force.x") - system.state("exact/force.x");
      run.push_back(error);
      sum += error / samples;
      squares += (error - 1.0) * (error - 1.0) / samples;
    }
    EXPECT_NEAR(sum, 1.0, 5.0 * 0.5 / std::sqrt(samples));
    EXPECT_NEAR(std::sqrt(squares), 0.5, 5.0 * 0.5 / std::sqrt(2.0 * samples));
    EXPECT_NEAR(system.state("noisy/torque.z") - system.state("exact/torque.z"), 2.0, 0.6);
  }
  EXPECT_EQ(runs[0], runs[1]) << "runs repeat bit for bit";
}

TEST(Sensors, ResetStartsTheSamplesAgain) {
  System system(tool_urdf(
      sensor("noisy", wrench,
             parameter("joint", "mount") + parameter("noise", "1") + parameter("delay", "0.01"))));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  const auto run = [&] {
    std::vector<double> values;
    for (int k = 0; k < 30; ++k) {
      EXPECT_EQ(system.cycle(), return_type::OK);
      values.push_back(system.state("noisy/force.y"));
    }
    return values;
  };
  const auto systems = SystemRegistry::instance().systems();
  ASSERT_EQ(systems.size(), 1U);
  std::vector<std::vector<double>> runs;
  for (int k = 0; k < 2; ++k) {
    systems[0]->reset.send(std::make_unique<SystemState>(systems[0]->state_from({})));
    runs.push_back(run());
    systems[0]->reset.collect();
  }
  EXPECT_EQ(runs[0], runs[1]);
  EXPECT_NE(runs[0][0], runs[0][29]);
}

TEST(Sensors, EncodersHaveErrorsAndTheSimulationDoesNotSeeThem) {
  const std::string errors = parameter("encoder_noise", "0.001 0.1") +
                             parameter("encoder_delay", "0.005") +
                             parameter("encoder_dropout", "0.2") + parameter("encoder_seed", "3");
  const std::string free = parameter("unclaimed", "free");
  System exact(tool_urdf("", free)), noisy(tool_urdf("", free, errors));
  ASSERT_NO_FATAL_FAILURE(exact.activate());
  ASSERT_NO_FATAL_FAILURE(noisy.activate());
  std::vector<double> past;
  int lost = 0;
  double squares = 0.0, before = 0.0;
  for (int k = 0; k < 400; ++k) {
    ASSERT_EQ(exact.cycle(), return_type::OK);
    ASSERT_EQ(noisy.cycle(), return_type::OK);
    past.push_back(exact.state("joint1/position"));
    const double read = noisy.state("joint1/position");
    if (k >= 10 && read == before) {
      ++lost;
    } else if (k >= 10) {
      const double error = read - past[past.size() - 6];
      squares += error * error / 390.0;
    }
    before = read;
  }
  EXPECT_GT(lost, 40);
  EXPECT_LT(lost, 120);
  EXPECT_NEAR(std::sqrt(squares), 0.001, 0.0005) << "the position of 5 ms before";
  EXPECT_EQ(exact.state("arm/kinetic_energy"), noisy.state("arm/kinetic_energy"));
  EXPECT_NE(noisy.state("joint1/position"), noisy.state("joint10/position"));
}

TEST(Sensors, OtherInterfacesKeepTheirInitialValues) {
  System system(
      tool_urdf("<sensor name='thermometer'><state_interface name='temperature'><param "
                "name='initial_value'>21.5</param></state_interface></sensor>"));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  system.run(0.01);
  EXPECT_EQ(system.state("thermometer/temperature"), 21.5);
}

TEST(Sensors, InvalidOnesAreRefused) {
  for (const std::string& bad :
       {sensor("wrist", wrench, parameter("joint", "nowhere")), sensor("wrist", wrench),
        sensor("imu", motion, parameter("frame", "nowhere")), sensor("imu", motion),
        sensor("mount", {"force.x", "orientation.x"}), sensor("mount", {"force.x", "force.w"}),
        sensor("mount", wrench, parameter("noise", "-1")),
        sensor("mount", wrench, parameter("noise", "1 2 3")),
        sensor("mount", wrench, parameter("rate", "fast")),
        sensor("mount", wrench, parameter("dropout", "2")),
        sensor("mount", wrench, parameter("seed", "-1")),
        sensor("mount", wrench, parameter("measure_direction", "up"))}) {
    EXPECT_EQ(System(tool_urdf(bad)).initialized, CallbackReturn::ERROR) << bad;
  }
  EXPECT_EQ(System(tool_urdf("", "", parameter("encoder_delay", "x"))).initialized,
            CallbackReturn::ERROR);
  EXPECT_EQ(System(tool_urdf(sensor("mount", wrench))).initialized, CallbackReturn::SUCCESS);
  EXPECT_EQ(System(tool_urdf(sensor("wrist", wrench, parameter("frame", "tool")))).initialized,
            CallbackReturn::SUCCESS);
}

TEST(Sensors, DoNotAllocate) {
  const std::string errors = parameter("noise", "0.1") + parameter("delay", "0.01");
  System system(tool_urdf(sensor("mount", wrench, errors) + sensor("tool", motion, errors), "",
                          parameter("encoder_noise", "0.01")));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  bool well = true;
  const long before = allocations();
  for (int k = 0; k < 300; ++k) well = well && system.cycle() == return_type::OK;
  EXPECT_EQ(allocations() - before, 0);
  EXPECT_TRUE(well);
}

class Ros : public ::testing::Environment {
 public:
  void SetUp() override { rclcpp::init(0, nullptr); }
  void TearDown() override { rclcpp::shutdown(); }
};
const auto* const ros = ::testing::AddGlobalTestEnvironment(new Ros);

}  // namespace
}  // namespace dynamics_sim::test
