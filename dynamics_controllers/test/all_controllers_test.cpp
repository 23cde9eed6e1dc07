// SPDX-License-Identifier: Apache-2.0
// What holds for every controller: no allocation in update(), every invalid parameter refused by
// its name, loaded and unloaded a hundred times.
#include <rcutils/logging.h>

#include <controller_interface/chainable_controller_interface.hpp>
#include <controller_interface/controller_interface.hpp>
#include <cstdarg>
#include <dynamics_msgs/srv/set_named_payload.hpp>
#include <mutex>
#include <pluginlib/class_loader.hpp>

#include "ros_environment.hpp"
#include "support/allocation_counter.hpp"

namespace dynamics_controllers::test {
namespace {

using controller_interface::ChainableControllerInterface;
using controller_interface::ControllerInterface;

/// Of this thread; always 0 with a sanitizer.
std::size_t allocations() { return dynamics::test::allocation_counter::of_this_thread(); }

const std::vector<std::string> chainable = {
    "GravityCompensationController", "ComputedTorqueController", "JointImpedanceController",
    "CartesianImpedanceController", "ExternalTorqueBroadcaster"};

/// Adapts a plugin to Loop, which owns a unique_ptr.
class Plugins {
 public:
  std::unique_ptr<controller_interface::ControllerInterfaceBase> make(const std::string& name) {
    const std::string type = "dynamics_controllers/" + name;
    if (name == "DynamicsStateBroadcaster")
      return std::unique_ptr<ControllerInterface>(plain_.createUnmanagedInstance(type));
    return std::unique_ptr<ChainableControllerInterface>(chained_.createUnmanagedInstance(type));
  }

 private:
  pluginlib::ClassLoader<ChainableControllerInterface> chained_{
      "controller_interface", "controller_interface::ChainableControllerInterface"};
  pluginlib::ClassLoader<ControllerInterface> plain_{"controller_interface",
                                                     "controller_interface::ControllerInterface"};
};

/// Never destroyed: class_loader's own static objects end before those of this file.
Plugins& plugins() {
  static auto& one = *new Plugins;
  return one;
}

std::vector<std::string> all() {
  auto names = chainable;
  names.push_back("DynamicsStateBroadcaster");
  return names;
}

TEST(AllControllers, NothingAllocatesInAMillionCycles) {
  for (const auto& name : all()) {
    for (const bool chained : {false, true}) {
      if (chained && name.find("Broadcaster") != std::string::npos) continue;
      Loop loop(plugins().make(name), urdf("panda"));
      ASSERT_TRUE(loop.activate(start_of("panda"), chained)) << name;
      for (int k = 0; k < 5; ++k) ASSERT_EQ(loop.update(), return_type::OK) << name;
      const std::size_t before = allocations();
      bool well = true;
      for (int k = 0; k < 100'000; ++k) well = well && loop.update() == return_type::OK;
      EXPECT_EQ(allocations() - before, 0U) << name << (chained ? " chained" : "");
      EXPECT_TRUE(well) << name;
    }
  }
}

TEST(AllControllers, NothingAllocatesWhileThePayloadChangesAndTheStateIsLost) {
  for (const auto& name : all()) {
    Loop loop(plugins().make(name), urdf("panda"), {{"payload_ramp_time", 0.005}});
    ASSERT_TRUE(loop.activate(start_of("panda"))) << name;
    Spinner spinner(loop);
    using SetPayload = dynamics_msgs::srv::SetNamedPayload;
    for (int k = 0; k < 5; ++k) ASSERT_EQ(loop.update(), return_type::OK) << name;
    std::size_t count = 0;
    for (int k = 1; k <= 3; ++k) {
      SetPayload::Request request;
      request.name = "load";
      request.payload.frame_id = "panda_link8";
      request.payload.inertia.m = 0.1 * k;
      ASSERT_TRUE(spinner.call<SetPayload>("/controller/set_payload", request)) << name;
      const std::size_t before = allocations();
      for (int c = 0; c < 20; ++c) ASSERT_EQ(loop.update(), return_type::OK) << name;
      count += allocations() - before;
    }
    loop.set_state("panda_joint1", "position", std::nan(""));
    const std::size_t before = allocations();
    for (int c = 0; c < 1000; ++c) std::ignore = loop.update();
    count += allocations() - before;
    EXPECT_EQ(count, 0U) << name;
    EXPECT_EQ(loop.update(), return_type::ERROR) << name;
  }
}

TEST(AllControllers, AreLoadedAndUnloadedAHundredTimes) {
  for (const auto& name : all()) {
    for (int k = 0; k < 100; ++k) {
      Loop loop(plugins().make(name), urdf("puma"));
      ASSERT_TRUE(loop.activate(start_of("puma"))) << name << " " << k;
      ASSERT_EQ(loop.update(), return_type::OK) << name << " " << k;
    }
  }
}

TEST(AllControllers, AreConfiguredAgain) {
  for (const auto& name : all()) {
    Loop loop(plugins().make(name), urdf("puma"));
    for (int k = 0; k < 3; ++k) {
      ASSERT_TRUE(loop.activate(start_of("puma"))) << name;
      ASSERT_EQ(loop.update(), return_type::OK) << name;
      EXPECT_EQ(loop.controller->get_node()->deactivate().id(), State::PRIMARY_STATE_INACTIVE);
      EXPECT_EQ(loop.controller->get_node()->cleanup().id(), State::PRIMARY_STATE_UNCONFIGURED);
    }
  }
}

/// Collects the messages of the log.
class Log {
 public:
  Log() : before_(rcutils_logging_get_output_handler()) {
    text().clear();
    rcutils_logging_set_output_handler(&collect);
  }
  ~Log() { rcutils_logging_set_output_handler(before_); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  static std::string& text() {
    static std::string one;
    return one;
  }

 private:
  static void collect(const rcutils_log_location_t*, int, const char*, rcutils_time_point_value_t,
                      const char* format, va_list* arguments) {
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    char line[2000];
    std::vsnprintf(line, sizeof line, format, *arguments);
    text() += std::string(line) + "\n";
  }
  rcutils_logging_output_handler_t before_;
};

/// Whether the controller is neither initialized nor configured, and the log names the parameter.
void expect_refused(const std::string& name, const rclcpp::Parameter& parameter) {
  const Log log;
  Loop loop(plugins().make(name), urdf("panda"), {parameter});
  EXPECT_FALSE(loop.configure()) << name << ": " << parameter;
  EXPECT_NE(Log::text().find(parameter.get_name()), std::string::npos)
      << name << ": " << parameter << ": " << Log::text();
}

using List = std::vector<double>;
using Words = std::vector<std::string>;

const Parameters wrong_for_all = {
    {"joints", Words{"nose"}},         {"joints", Words{"panda_joint1", "panda_joint1"}},
    {"passive_joints", Words{"nose"}}, {"passive_joints", Words{"panda_joint1", "panda_joint1"}},
    {"gravity", List{0.0, -9.81}},     {"gravity", List{0.0, 0.0, std::nan("")}},
    {"payload_ramp_time", -1.0},       {"stale_time", -0.1}};

TEST(Parameters, EachInvalidOneIsRefusedByItsName) {
  for (const auto& name : all()) {
    for (const auto& parameter : wrong_for_all) expect_refused(name, parameter);
  }
  for (const char* name : {"GravityCompensationController", "ComputedTorqueController",
                           "CartesianImpedanceController"}) {
    expect_refused(name, {"blend_time", -1.0});
    expect_refused(name, {"start_from_measured_effort", "yes"});
    expect_refused(name, {"limit_efforts", 3});
  }
}

TEST(Parameters, EachInvalidOneOfGravityCompensationIsRefused) {
  for (const auto& parameter : Parameters{{"damping", List{-1.0}},
                                          {"damping", List{1.0, 2.0}},
                                          {"friction_compensation", 1.1},
                                          {"friction_velocity", 0.0}})
    expect_refused("GravityCompensationController", parameter);
}

TEST(Parameters, EachInvalidOneOfJointReferencesIsRefused) {
  for (const auto& name : {"ComputedTorqueController", "JointImpedanceController"}) {
    for (const auto& parameter : Parameters{{"friction", 1},
                                            {"gains.bandwidth", List{0.0}},
                                            {"gains.bandwidth", List{1.0, 2.0}},
                                            {"gains.damping_ratio", List{-1.0}},
                                            {"gains.damping_ratio", List{1.0, 1.0}},
                                            {"gains.kp", List{-1.0}},
                                            {"gains.kp", List{1.0, 2.0}},
                                            {"gains.kd", List{-1.0}},
                                            {"gains.kd", List{1.0}},
                                            {"stop_time", -1.0},
                                            {"state_publish_rate", -1.0},
                                            {"action_monitor_rate", 0.0},
                                            {"allow_partial_joints_goal", "yes"},
                                            {"constraints.stopped_velocity_tolerance", -1.0},
                                            {"constraints.goal_time", -1.0}})
      expect_refused(name, parameter);
  }
}

TEST(Parameters, EachInvalidOneOfCartesianImpedanceIsRefused) {
  for (const auto& parameter : Parameters{{"frame", "nose"},
                                          {"stiffness", List{}},
                                          {"stiffness", List{0.0}},
                                          {"stiffness", List{1.0, 2.0, 3.0}},
                                          {"stiffness_axes", "tool"},
                                          {"damping_ratio", -1.0},
                                          {"posture.bandwidth", -1.0},
                                          {"posture.damping_ratio", -1.0},
                                          {"posture.max_velocity", -1.0},
                                          {"max_linear_velocity", -1.0},
                                          {"max_angular_velocity", -1.0},
                                          {"wrench_timeout", -1.0}})
    expect_refused("CartesianImpedanceController", parameter);
}

TEST(Parameters, EachInvalidOneOfTheBroadcastersIsRefused) {
  for (const auto& parameter : Parameters{{"bandwidth", List{}},
                                          {"bandwidth", List{0.0}},
                                          {"bandwidth", List{1.0, 2.0}},
                                          {"friction", "yes"},
                                          {"frame", "nose"},
                                          {"wrench_axes", "tool"},
                                          {"collision_thresholds", List{-1.0}},
                                          {"collision_thresholds", List{0.0}},
                                          {"collision_thresholds", List{1.0, 2.0}},
                                          {"publish_rate", -1.0}})
    expect_refused("ExternalTorqueBroadcaster", parameter);
  for (const auto& parameter : Parameters{{"frame", "nose"}, {"publish_rate", 0.0}})
    expect_refused("DynamicsStateBroadcaster", parameter);
}

}  // namespace
}  // namespace dynamics_controllers::test
