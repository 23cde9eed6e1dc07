// SPDX-License-Identifier: Apache-2.0
// Parameters: every invalid one is refused by its name, at configure() and while the controller
// runs; those that may change take effect without a jump.
#include <rcutils/logging.h>

#include <cstdarg>
#include <mutex>
#include <set>

#include "plugins.hpp"
#include "ros_environment.hpp"

namespace dynamics_controllers::test {
namespace {

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
  Loop loop(load(name), urdf("panda"), {parameter});
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
                                            {"allow_nonzero_velocity_at_trajectory_end", 0},
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

using Names = std::set<std::string>;

/// Parameters that may change while the controller runs (README.md).
Names changeable(const std::string& name) {
  if (name == "GravityCompensationController") return {"damping", "friction_compensation"};
  if (name == "CartesianImpedanceController") {
    return {"stiffness",
            "damping_ratio",
            "posture.bandwidth",
            "posture.damping_ratio",
            "posture.max_velocity",
            "max_linear_velocity",
            "max_angular_velocity",
            "wrench_timeout"};
  }
  if (name == "ExternalTorqueBroadcaster")
    return {"bandwidth", "friction", "collision_thresholds", "publish_rate"};
  if (name == "DynamicsStateBroadcaster") return {"publish_rate"};
  return {"friction",
          "gains.bandwidth",
          "gains.damping_ratio",
          "gains.kp",
          "gains.kd",
          "allow_partial_joints_goal",
          "allow_nonzero_velocity_at_trajectory_end",
          "constraints.goal_time",
          "constraints.stopped_velocity_tolerance"};
}

/// The reason why a running controller refuses a parameter; empty if it does not.
std::string refusal(Loop& loop, const rclcpp::Parameter& parameter) {
  const auto result = loop.controller->get_node()->set_parameter(parameter);
  return result.successful ? "" : result.reason;
}

TEST(ParametersOfARunningController, AreChangeableOrReadOnlyAsDocumented) {
  for (const auto& name : all()) {
    Loop loop(load(name), urdf("panda"));
    ASSERT_TRUE(loop.activate(start_of("panda"))) << name;
    const auto node = loop.controller->get_node();
    Names found;
    for (const auto& one : node->list_parameters({}, 0).names) {
      // those of rclcpp and of controller_interface
      if (one == "use_sim_time" || one == "update_rate" || one == "is_async" ||
          one.find("qos_overrides") == 0 || one.find("async_parameters") == 0 ||
          one.find("thread_priority") == 0 || one.find("start_type_description") == 0)
        continue;
      if (!node->describe_parameter(one).read_only) {
        found.insert(one);
        continue;
      }
      const auto reason = refusal(loop, node->get_parameter(one));
      EXPECT_NE(reason.find(one), std::string::npos) << name << ": " << one << ": " << reason;
    }
    EXPECT_EQ(found, changeable(name)) << name;
  }
}

TEST(ParametersOfARunningController, AreRefusedByTheirNameIfInvalid) {
  const List nan = {std::nan("")}, two = {1.0, 2.0}, none;
  const std::map<std::string, Parameters> invalid = {
      {"GravityCompensationController",
       {{"damping", List{-1.0}},
        {"damping", two},
        {"damping", nan},
        {"damping", 3},
        {"friction_compensation", 1.5},
        {"friction_compensation", std::nan("")}}},
      {"ComputedTorqueController",
       {{"gains.bandwidth", List{0.0}},
        {"gains.bandwidth", two},
        {"gains.bandwidth", nan},
        {"gains.damping_ratio", List{-1.0}},
        {"gains.damping_ratio", two},
        {"gains.kp", two},
        {"gains.kd", List{1.0}},
        {"friction", "yes"},
        {"constraints.goal_time", -1.0}}},
      {"JointImpedanceController",
       {{"gains.bandwidth", two}, {"gains.kp", List{-1.0}}, {"gains.kd", List{1.0}}}},
      {"CartesianImpedanceController",
       {{"stiffness", none},
        {"stiffness", List{1.0, 2.0, 3.0}},
        {"stiffness", List{0.0, 10.0}},
        {"stiffness", List{100.0, std::nan("")}},
        {"damping_ratio", -1.0},
        {"posture.bandwidth", -1.0},
        {"posture.damping_ratio", -1.0},
        {"posture.max_velocity", -1.0},
        {"max_linear_velocity", -1.0},
        {"max_angular_velocity", std::nan("")},
        {"wrench_timeout", -1.0}}},
      {"ExternalTorqueBroadcaster",
       {{"bandwidth", none},
        {"bandwidth", two},
        {"friction", 1},
        {"collision_thresholds", List{0.0}},
        {"collision_thresholds", two},
        {"publish_rate", -1.0}}},
      {"DynamicsStateBroadcaster", {{"publish_rate", 0.0}}}};
  for (const auto& name : all()) {
    Loop loop(load(name), urdf("panda"));
    ASSERT_TRUE(loop.activate(start_of("panda"))) << name;
    const auto node = loop.controller->get_node();
    for (const auto& parameter : invalid.at(name)) {
      const auto before = node->get_parameter(parameter.get_name());
      const auto reason = refusal(loop, parameter);
      EXPECT_NE(reason.find(parameter.get_name()), std::string::npos)
          << name << ": " << parameter << ": '" << reason << "'";
      EXPECT_EQ(node->get_parameter(parameter.get_name()), before) << name;
      ASSERT_EQ(loop.update(), return_type::OK) << name;
    }
  }
}

/// The commands after each of `cycles` cycles with the state at the start.
void expect_ramp(Loop& loop, std::size_t joint, double from, double to, int cycles) {
  double before = loop.command(joint);
  EXPECT_NEAR(before, from, 1e-9);
  for (int k = 0; k < cycles; ++k) {
    ASSERT_EQ(loop.update(), return_type::OK);
    EXPECT_LT(std::abs(loop.command(joint) - before), 0.03 * std::abs(to - from)) << "no jump";
    before = loop.command(joint);
  }
  EXPECT_NEAR(before, to, 1e-9 * std::max(1.0, std::abs(to)));
}

TEST(ParametersOfARunningController, ChangeTheTorquesOnARamp) {
  const Parameters at_once = {{"start_from_measured_effort", false}, {"blend_time", 0.1}};
  const auto& q = start_of("panda");
  {
    Loop loop(load("GravityCompensationController"), urdf("panda"), at_once);
    ASSERT_TRUE(loop.activate(q));
    loop.set_state("panda_joint1", "velocity", 1e-3);
    ASSERT_EQ(loop.update(), return_type::OK);
    const double from = loop.command(0);
    EXPECT_EQ(refusal(loop, {"damping", List{20.0}}), "");
    expect_ramp(loop, 0, from, from - 0.02, 110);
  }
  for (const char* name : {"ComputedTorqueController", "JointImpedanceController"}) {
    Loop loop(load(name), urdf("panda"), at_once);
    ASSERT_TRUE(loop.activate(q, true));
    ASSERT_EQ(loop.update(), return_type::OK);
    const double held = loop.command(3);
    loop.refer("controller/panda_joint4/position", q[3] + 0.01);
    ASSERT_EQ(loop.update(), return_type::OK);
    const double from = loop.command(3);
    EXPECT_GT(from - held, 1e-3) << name;
    // the error's torque is that of the square of the bandwidth: 10 rad/s by default
    EXPECT_EQ(refusal(loop, {"gains.bandwidth", List{20.0}}), "");
    expect_ramp(loop, 3, from, held + 4.0 * (from - held), 110);
  }
  {
    Loop loop(load("CartesianImpedanceController"), urdf("panda"), at_once);
    ASSERT_TRUE(loop.activate(q, true));
    ASSERT_EQ(loop.update(), return_type::OK);
    const double held = loop.command(3);
    loop.refer("controller/wrench/force.z", 10.0);
    ASSERT_EQ(loop.update(), return_type::OK);
    const double with_wrench = loop.command(3);
    // neither the wrench nor a pose without error depends on the stiffness
    EXPECT_EQ(refusal(loop, {"stiffness", List{300.0, 20.0}}), "");
    for (int k = 0; k < 110; ++k) ASSERT_EQ(loop.update(), return_type::OK);
    EXPECT_NEAR(loop.command(3), with_wrench, 1e-9);
    EXPECT_GT(std::abs(with_wrench - held), 0.1);
  }
}

TEST(ParametersOfARunningController, ChangeTheStiffnessOfTheFrame) {
  const auto& q = start_of("panda");
  Loop loop(load("CartesianImpedanceController"), urdf("panda"), {{"frame", "panda_link8"}});
  ASSERT_TRUE(loop.activate(q));
  const dynamics::LinkWrench push[] = {{loop.model().frame("panda_link8"),
                                        {Eigen::Vector3d::Zero(), {0.0, 0.0, -8.0}},
                                        dynamics::Axes::local_world_aligned}};
  loop.robot->set_wrenches(push);
  ASSERT_NO_FATAL_FAILURE(loop.run(5.0));
  EXPECT_NEAR(loop.state("controller/error/position.z"), 8.0 / 800.0, 1e-4);
  EXPECT_EQ(refusal(loop, {"stiffness", List{1600.0, 50.0}}), "");
  ASSERT_NO_FATAL_FAILURE(loop.run(5.0));
  EXPECT_NEAR(loop.state("controller/error/position.z"), 8.0 / 1600.0, 1e-4);
}

TEST(ParametersOfARunningController, ChangeTheThresholdsOfCollisions) {
  Loop loop(load("ExternalTorqueBroadcaster"), urdf("panda"));
  ASSERT_TRUE(loop.activate(start_of("panda")));
  // an effort that is not that of gravity is external
  const auto cycle = [&] {
    loop.write_states();
    loop.set_state("panda_joint1", "effort", 5.0);
    return loop.update();
  };
  for (int k = 0; k < 300; ++k) ASSERT_EQ(cycle(), return_type::OK);
  EXPECT_NEAR(loop.state("controller/panda_joint1/external_torque"), -5.0, 0.05);
  EXPECT_EQ(loop.state("controller/collision/detected"), 0.0) << "a tenth of the limit is 8.7 N m";
  EXPECT_EQ(refusal(loop, {"collision_thresholds", List{4.0}}), "");
  for (int k = 0; k < 3; ++k) ASSERT_EQ(cycle(), return_type::OK);
  EXPECT_EQ(loop.state("controller/collision/detected"), 1.0);
  EXPECT_NEAR(loop.state("controller/panda_joint1/external_torque"), -5.0, 0.05) << "continues";
}

}  // namespace
}  // namespace dynamics_controllers::test
