// SPDX-License-Identifier: Apache-2.0
// Loading, configuring again and resetting the plugin: transmissions, warnings, requests.
#include <gtest/gtest.h>
#include <rcutils/logging.h>

#include <cstdarg>
#include <cstdio>
#include <dynamics_core/readers.hpp>
#include <memory>
#include <string>

#include "dynamics_sim/system_link.hpp"
#include "robots.hpp"
#include "system_fixture.hpp"

namespace dynamics_sim::test {
namespace {

/// `block` with a transmission from motor1 to joint1.
std::string with_transmission(std::string block, const std::string& type,
                              const std::string& reduction, const std::string& more = "") {
  const std::string transmission =
      "<transmission name='gear'><plugin>transmission_interface/" + type +
      "</plugin><actuator name='motor1' role='actuator1'/><joint name='joint1' role='joint1'>"
      "<mechanical_reduction>" +
      reduction + "</mechanical_reduction><offset>0.1</offset></joint>" + more + "</transmission>";
  block.insert(block.rfind("</ros2_control>"), transmission);
  return arm_urdf(block);
}

TEST(SystemLifecycle, ExportsTheActuatorsOfSimpleTransmissions) {
  System system(with_transmission(control_block(), "SimpleTransmission", "-50"));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  ASSERT_EQ(system.claim({"joint1/velocity"}), return_type::OK);
  system.command("joint1/velocity", 0.2);
  system.run(0.1);
  EXPECT_GT(system.state("joint1/position"), 0.31);
  EXPECT_NEAR(system.state("motor1/position"), -50.0 * (system.state("joint1/position") - 0.1),
              1e-12);
  EXPECT_EQ(system.state("motor1/velocity"), -50.0 * system.state("joint1/velocity"));
  EXPECT_EQ(system.state("motor1/effort"), system.state("joint1/effort") / -50.0);
}

TEST(SystemLifecycle, RefusesTransmissionsThatItDoesNotSimulate) {
  const auto refused = [](const std::string& urdf) {
    return System(urdf).initialized == CallbackReturn::ERROR;
  };
  EXPECT_TRUE(refused(with_transmission(control_block(), "DifferentialTransmission", "1")));
  EXPECT_TRUE(refused(with_transmission(control_block(), "SimpleTransmission", "0")));
  EXPECT_TRUE(refused(with_transmission(control_block(), "SimpleTransmission", "2",
                                        "<joint name='joint10' role='joint2'/>")));
}

TEST(SystemLifecycle, DefaultStartIsTheAllowedPositionNearestToZero) {
  std::string urdf = arm_urdf(
      "<ros2_control name='arm' type='system'><hardware><plugin>dynamics_sim/DynamicsSystem"
      "</plugin></hardware><joint name='joint1'><command_interface name='position'/>"
      "<state_interface name='position'/></joint><joint name='joint10'><state_interface "
      "name='position'/></joint></ros2_control>");
  urdf.replace(urdf.find("lower='-2'"), 10, "lower='0.5'");  // of joint1
  System system(urdf);
  ASSERT_NO_FATAL_FAILURE(system.activate());
  EXPECT_EQ(system.state("joint1/position"), 0.5);
  EXPECT_EQ(system.state("joint10/position"), 0.0);
  system.run(0.1);
  EXPECT_NEAR(system.state("joint1/position"), 0.5, 1e-12);
}

/// Collects the warnings of its lifetime.
class Warnings {
 public:
  Warnings() {
    text().clear();
    rcutils_logging_set_output_handler([](const rcutils_log_location_t*, int severity, const char*,
                                          rcutils_time_point_value_t, const char* format,
                                          va_list* arguments) {
      char line[1000];
      std::vsnprintf(line, sizeof line, format, *arguments);
      if (severity == RCUTILS_LOG_SEVERITY_WARN) text() += std::string(line) + "\n";
    });
  }
  ~Warnings() { rcutils_logging_set_output_handler(rcutils_logging_console_output_handler); }
  Warnings(const Warnings&) = delete;
  Warnings& operator=(const Warnings&) = delete;
  static std::string& text() {
    static std::string collected;
    return collected;
  }
};

TEST(SystemLifecycle, WarnsOfAStepLongerThanTheControlPeriod) {
  for (const bool longer : {true, false}) {
    const Warnings warnings;  // at 1000 Hz
    const System system(arm_urdf(control_block(parameter("step", longer ? "0.002" : "0.001"))));
    EXPECT_EQ(warnings.text().find("'step' of 'arm' is 0.002 s, longer than the control period of "
                                   "0.001 s") != std::string::npos,
              longer)
        << warnings.text();
  }
}

TEST(SystemLifecycle, CleanupForgetsPauseAndPayload) {
  System system(
      arm_urdf(control_block(parameter("payload_topic", "") + parameter("unclaimed", "free"))));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  const double bare = system.state("joint1/acceleration");
  const auto systems = SystemRegistry::instance().systems();
  ASSERT_EQ(systems.size(), 1U);
  SystemLink& link = *systems[0];
  link.payload.send(std::make_unique<dynamics::RealTimeSimulation>(
      dynamics::model_from_urdf(arm_urdf())
          .with_payload({"lower", 2.0, {0.5, 0.0, 0.0}, Eigen::Matrix3d::Zero()}),
      dynamics::RealTimeOptions()));
  link.paused = true;
  ASSERT_EQ(system.cycle(), return_type::OK);
  EXPECT_NE(system.state("joint1/acceleration"), bare);
  link.steps = 5;
  const rclcpp_lifecycle::State state;
  ASSERT_EQ((*system).on_deactivate(state), CallbackReturn::SUCCESS);
  ASSERT_EQ((*system).on_cleanup(state), CallbackReturn::SUCCESS);
  EXPECT_FALSE(link.configured);
  ASSERT_EQ((*system).on_configure(state), CallbackReturn::SUCCESS);
  ASSERT_NO_FATAL_FAILURE(system.activate());
  EXPECT_TRUE(link.configured);
  EXPECT_EQ(system.state("joint1/acceleration"), bare) << "without payload";
  system.run(0.1);
  EXPECT_GT(system.state("joint1/position"), 0.31) << "not paused";
}

TEST(SystemLifecycle, ResetGivesBackTheStateBefore) {
  System system(arm_urdf(control_block(parameter("unclaimed", "free"))));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  system.run(0.1);
  const double q = system.state("joint1/position"), qd = system.state("joint10/velocity");
  const auto systems = SystemRegistry::instance().systems();
  ASSERT_EQ(systems.size(), 1U);
  systems[0]->reset.send(std::make_unique<SystemState>(systems[0]->state_from({})));
  ASSERT_EQ(system.cycle(), return_type::OK);
  EXPECT_FALSE(systems[0]->reset_refused);
  const auto before = systems[0]->reset.collect();
  ASSERT_TRUE(before);
  EXPECT_EQ(before->q[0], q);
  EXPECT_EQ(before->qd[1], qd);
  // a state beyond the stops is refused: nothing changes
  auto bad = std::make_unique<SystemState>(systems[0]->state_from({}));
  bad->q[0] = 5.0;
  const double fallen = system.state("joint1/position");
  systems[0]->paused = true;
  systems[0]->reset.send(std::move(bad));
  ASSERT_EQ(system.cycle(), return_type::OK);
  EXPECT_TRUE(systems[0]->reset_refused);
  EXPECT_EQ(system.state("joint1/position"), fallen);
}

}  // namespace
}  // namespace dynamics_sim::test
