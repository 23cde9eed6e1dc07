// SPDX-License-Identifier: Apache-2.0
// The plugin: loaded by pluginlib and by ros2_control's resource manager, then every parameter,
// mode, and fault.
#include "dynamics_sim/dynamics_system.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <dynamics_core/model/from_urdf.hpp>
#include <hardware_interface/component_parser.hpp>
#include <hardware_interface/resource_manager.hpp>
#include <lifecycle_msgs/msg/state.hpp>
#include <limits>
#include <map>
#include <pluginlib/class_loader.hpp>

#include "allocations.hpp"
#include "robots.hpp"

namespace dynamics_sim::test {
namespace {

using hardware_interface::CallbackReturn;
using hardware_interface::return_type;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The plugin by itself, its interfaces by name.
class System {
 public:
  explicit System(const std::string& urdf)
      : loader_("hardware_interface", "hardware_interface::SystemInterface"),
        system_(loader_.createUniqueInstance("dynamics_sim/DynamicsSystem")) {
    hardware_interface::HardwareComponentParams params;
    params.hardware_info = hardware_interface::parse_control_resources_from_urdf(urdf).at(0);
    params.clock = std::make_shared<rclcpp::Clock>(RCL_STEADY_TIME);
    initialized = system_->init(params);
    if (initialized != CallbackReturn::SUCCESS) return;
    for (const auto& state : system_->on_export_state_interfaces())
      states_[state->get_name()] = state;
    for (const auto& one : system_->on_export_command_interfaces())
      commands_[one->get_name()] = one;
    configured = system_->on_configure(rclcpp_lifecycle::State());
  }

  void activate() {
    ASSERT_EQ(initialized, CallbackReturn::SUCCESS);
    ASSERT_EQ(configured, CallbackReturn::SUCCESS);
    ASSERT_EQ(system_->on_activate(rclcpp_lifecycle::State()), CallbackReturn::SUCCESS);
  }

  double state(const std::string& name) const { return states_.at(name)->get_optional().value(); }
  void command(const std::string& name, double value) {
    ASSERT_TRUE(commands_.at(name)->set_value(value));
  }

  return_type claim(const std::vector<std::string>& start,
                    const std::vector<std::string>& stop = {}) {
    const auto prepared = system_->prepare_command_mode_switch(start, stop);
    return prepared == return_type::OK ? system_->perform_command_mode_switch(start, stop)
                                       : prepared;
  }

  return_type cycle(double period = 0.001) {
    const auto written = system_->write(time_, rclcpp::Duration::from_seconds(period));
    const auto read = system_->read(time_, rclcpp::Duration::from_seconds(period));
    return written == return_type::OK ? read : written;
  }
  void run(double seconds, double period = 0.001) {
    for (long k = std::lround(seconds / period); k > 0; --k)
      ASSERT_EQ(cycle(period), return_type::OK);
  }
  hardware_interface::SystemInterface& operator*() { return *system_; }

  CallbackReturn initialized = CallbackReturn::ERROR, configured = CallbackReturn::ERROR;

 private:
  pluginlib::ClassLoader<hardware_interface::SystemInterface> loader_;
  pluginlib::UniquePtr<hardware_interface::SystemInterface> system_;
  std::map<std::string, hardware_interface::StateInterface::ConstSharedPtr> states_;
  std::map<std::string, hardware_interface::CommandInterface::SharedPtr> commands_;
  rclcpp::Time time_{0, 0, RCL_STEADY_TIME};
};

/// What the arm does by itself, for comparison.
Arm arm(bool limits = true) {
  ArmOptions options;
  options.limits = limits;
  Arm made(dynamics::model_from_urdf(arm_urdf()), options);
  made.reset(std::vector{0.3, -0.4}, std::vector{0.0, 0.0});
  return made;
}

TEST(DynamicsSystem, StartsAtItsInitialValuesAndHolds) {
  System system(arm_urdf(control_block()));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  EXPECT_EQ(system.state("joint1/position"), 0.3);
  EXPECT_EQ(system.state("joint10/position"), -0.4);
  EXPECT_EQ(system.state("joint1/velocity"), 0.0);
  EXPECT_EQ(system.state("follower/position"), 2.0 * -0.4 + 0.5);
  system.run(1.0);
  EXPECT_NEAR(system.state("joint1/position"), 0.3, 1e-12);
  EXPECT_NEAR(system.state("joint10/position"), -0.4, 1e-12);
  EXPECT_GT(std::abs(system.state("joint1/effort")), 5.0) << "gravity is there, and is held";
}

TEST(DynamicsSystem, FallsWhereAskedTo) {
  System system(arm_urdf(control_block(parameter("unclaimed", "free"))));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  Arm expected = arm();
  system.run(0.5);
  for (int k = 0; k < 500; ++k) ASSERT_TRUE(expected.step());
  ASSERT_TRUE(expected.evaluate());
  EXPECT_EQ(system.state("joint1/position"), expected.positions()[0]);
  EXPECT_EQ(system.state("joint10/velocity"), expected.velocities()[1]);
  EXPECT_EQ(system.state("joint10/acceleration"), expected.accelerations()[1]);
  EXPECT_EQ(system.state("follower/velocity"), 2.0 * expected.velocities()[1]);
  EXPECT_GT(system.state("joint1/position"), 0.5);

  // one joint only
  System one(
      arm_urdf(control_block(parameter("unclaimed", "free"), parameter("unclaimed", "brake"))));
  ASSERT_NO_FATAL_FAILURE(one.activate());
  one.run(0.5);
  EXPECT_EQ(one.state("joint1/position"), 0.3) << "the joints' own parameter wins";
}

TEST(DynamicsSystem, NothingMovesWhileInactive) {
  System system(arm_urdf(control_block(parameter("unclaimed", "free"))));
  ASSERT_EQ(system.configured, CallbackReturn::SUCCESS);
  system.run(0.5);
  EXPECT_EQ(system.state("joint1/position"), 0.3);
  ASSERT_NO_FATAL_FAILURE(system.activate());
  system.run(0.1);
  const double fallen = system.state("joint1/position");
  EXPECT_GT(fallen, 0.31);
  ASSERT_EQ((*system).on_deactivate(rclcpp_lifecycle::State()), CallbackReturn::SUCCESS);
  system.run(0.1);
  EXPECT_EQ(system.state("joint1/position"), fallen);
  // configured again: from the beginning
  ASSERT_EQ((*system).on_configure(rclcpp_lifecycle::State()), CallbackReturn::SUCCESS);
  EXPECT_EQ(system.state("joint1/position"), 0.3);
}

TEST(DynamicsSystem, PositionVelocityAndEffort) {
  System system(arm_urdf(control_block(parameter("limits", "false"))));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  ASSERT_EQ(system.claim({"joint1/position", "joint10/velocity"}), return_type::OK);
  system.command("joint1/position", 0.5);
  system.command("joint10/velocity", 0.2);
  system.run(0.5);
  EXPECT_NEAR(system.state("joint1/position"), 0.5, 1e-6);
  EXPECT_NEAR(system.state("joint10/velocity"), 0.2, 1e-6);
  EXPECT_NEAR(system.state("joint10/position"), -0.4 + 0.2 * (0.5 - 0.01), 1e-3);

  // to effort: joint1 with 4 N m, joint10 released and held
  ASSERT_EQ(system.claim({"joint1/effort"}, {"joint1/position", "joint10/velocity"}),
            return_type::OK);
  const double held = system.state("joint10/position");
  system.command("joint1/effort", 4.0);
  ASSERT_EQ(system.cycle(), return_type::OK);
  EXPECT_EQ(system.state("joint1/effort"), 4.0);
  system.run(0.1);
  EXPECT_GT(system.state("joint1/position"), 0.52);
  EXPECT_NEAR(system.state("joint10/position"), held, 0.01);

  // released: it stops, and returns to where it was let go
  const double released = system.state("joint1/position");
  ASSERT_EQ(system.claim({}, {"joint1/effort"}), return_type::OK);
  system.run(0.5);
  EXPECT_NEAR(system.state("joint1/velocity"), 0.0, 1e-6);
  EXPECT_NEAR(system.state("joint1/position"), released, 1e-6);
}

TEST(DynamicsSystem, PositionAndVelocityTogether) {
  System system(arm_urdf(control_block()));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  ASSERT_EQ(system.claim({"joint1/position", "joint1/velocity"}), return_type::OK);
  for (int k = 1; k <= 1000; ++k) {
    system.command("joint1/position", 0.3 + 0.0005 * k);
    system.command("joint1/velocity", 0.5);
    ASSERT_EQ(system.cycle(), return_type::OK);
  }
  EXPECT_NEAR(system.state("joint1/position"), 0.8, 1e-3) << "no lag of 2 v / w = 0.01";
}

TEST(DynamicsSystem, RefusesWhatAJointCannotBe) {
  System system(arm_urdf(control_block()));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  EXPECT_EQ(system.claim({"joint1/torque"}), return_type::ERROR);
  EXPECT_EQ(system.claim({"joint10/"}), return_type::ERROR);
  EXPECT_EQ(system.claim({"follower/position"}), return_type::ERROR);
  EXPECT_EQ(system.claim({"joint1/effort", "joint1/position"}), return_type::ERROR);
  EXPECT_EQ(system.claim({"joint100/position", "other/effort"}), return_type::OK) << "not ours";
  EXPECT_EQ(system.claim({"joint10/position"}), return_type::OK);
  EXPECT_EQ(system.claim({"joint10/effort"}), return_type::ERROR) << "beside position";
  EXPECT_EQ(system.claim({"joint10/effort"}, {"joint10/position"}), return_type::OK);
  // joint1 was never claimed, although its name begins joint10's
  system.run(0.01);
  EXPECT_EQ(system.state("joint1/position"), 0.3);
}

TEST(DynamicsSystem, HoldsUntilTheFirstCommandAndKeepsTheLastOne) {
  System system(arm_urdf(control_block()));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  system.command("joint1/effort", 3.0);  // left there by another controller
  ASSERT_EQ(system.claim({"joint1/effort"}), return_type::OK);
  system.run(0.2);
  EXPECT_NEAR(system.state("joint1/position"), 0.3, 1e-12) << "no command yet: no fall";
  system.command("joint1/effort", -2.0);
  ASSERT_EQ(system.cycle(), return_type::OK);
  system.command("joint1/effort", nan);
  ASSERT_EQ(system.cycle(), return_type::OK);
  EXPECT_EQ(system.state("joint1/effort"), -2.0);
  system.command("joint1/effort", std::numeric_limits<double>::infinity());
  system.run(0.1);
  EXPECT_EQ(system.state("joint1/effort"), -2.0);
}

TEST(DynamicsSystem, OddPeriodsLoseNoTime) {
  const std::string free = parameter("unclaimed", "free");
  System steady(arm_urdf(control_block(free))), odd(arm_urdf(control_block(free)));
  ASSERT_NO_FATAL_FAILURE(steady.activate());
  ASSERT_NO_FATAL_FAILURE(odd.activate());
  steady.run(0.21);
  for (int k = 0; k < 60; ++k) {  // 0.7, 0.3, 2.5 ms: 3.5 ms, sixty times
    for (const double period : {0.0007, 0.0003, 0.0025}) {
      ASSERT_EQ(odd.cycle(period), return_type::OK);
    }
  }
  EXPECT_EQ(odd.state("joint1/position"), steady.state("joint1/position"));
  // a loop that was held up for a minute, or whose clock went back, goes on
  const double before = odd.state("joint1/position");
  ASSERT_EQ(odd.cycle(-1.0), return_type::OK);
  EXPECT_EQ(odd.state("joint1/position"), before);
  ASSERT_EQ(odd.cycle(60.0), return_type::OK);
  EXPECT_NE(odd.state("joint1/position"), before);
}

TEST(DynamicsSystem, GravityStepAndLimitsAreParameters) {
  const auto parameters = parameter("unclaimed", "free") + parameter("gravity", "0 0 0") +
                          parameter("step", "0.0005") + parameter("bandwidth", "200");
  System weightless(arm_urdf(control_block(parameters)));
  ASSERT_NO_FATAL_FAILURE(weightless.activate());
  weightless.run(0.5);
  EXPECT_EQ(weightless.state("joint1/position"), 0.3);

  for (const std::string limits : {"true", "false"}) {
    System falling(
        arm_urdf(control_block(parameter("unclaimed", "free") + parameter("limits", limits))));
    ASSERT_NO_FATAL_FAILURE(falling.activate());
    double furthest = 0.0;
    for (int k = 0; k < 3000; ++k) {
      ASSERT_EQ(falling.cycle(), return_type::OK);
      furthest = std::max(furthest, falling.state("joint1/position"));
    }
    if (limits == "true") {
      EXPECT_EQ(furthest, 2.0);
    } else {
      EXPECT_GT(furthest, 2.1);
    }
  }
}

TEST(DynamicsSystem, SaysWhatIsWrongWithADescription) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"step", "fast"},      {"step", "0"},        {"step", "nan"},
      {"bandwidth", "5000"}, {"limits", "maybe"},  {"unclaimed", "float"},
      {"gravity", "0 9.81"}, {"gravity", "0 0 x"}, {"largest_period", "0"}};
  for (const auto& [name, value] : cases) {
    const System system(arm_urdf(control_block(parameter(name, value))));
    EXPECT_EQ(system.initialized, CallbackReturn::ERROR) << name << " " << value;
  }
  for (const std::string& bad :
       {arm_urdf(control_block("", parameter("unclaimed", "x"))),
        arm_urdf(control_block("", "", "<state_interface name='temperature'/>")),
        arm_urdf(control_block("", "", "<command_interface name='acceleration'/>")),
        arm_urdf(control_block(), "", "-2")}) {
    EXPECT_EQ(System(bad).initialized, CallbackReturn::ERROR);
  }
  std::string beyond = arm_urdf(control_block());
  beyond.replace(beyond.find("'initial_value'>0.3"), 19, "'initial_value'>3.1");
  EXPECT_EQ(System(beyond).initialized, CallbackReturn::ERROR) << "beyond its stop at 2";
  EXPECT_EQ(System(arm_urdf(control_block(parameter("unheard_of", "1")))).initialized,
            CallbackReturn::SUCCESS)
      << "a warning is enough";
}

TEST(DynamicsSystem, AFaultIsReportedAndEndsUnconfigured) {
  System system(arm_urdf(control_block(parameter("limits", "false"))));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  ASSERT_EQ(system.claim({"joint1/effort"}), return_type::OK);
  system.command("joint1/effort", 1e300);
  return_type ended = return_type::OK;
  for (int k = 0; k < 100 && ended == return_type::OK; ++k) ended = system.cycle();
  EXPECT_EQ(ended, return_type::ERROR);
  EXPECT_TRUE(std::isfinite(system.state("joint1/position")));
  EXPECT_EQ((*system).on_error(rclcpp_lifecycle::State()), CallbackReturn::SUCCESS);
  EXPECT_EQ((*system).on_configure(rclcpp_lifecycle::State()), CallbackReturn::SUCCESS);
  EXPECT_EQ(system.state("joint1/position"), 0.3);
}

TEST(DynamicsSystem, ReadAndWriteDoNotAllocate) {
  System system(arm_urdf(control_block(), "<dynamics damping='0.2' friction='0.1'/>"));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  ASSERT_EQ(system.claim({"joint1/position", "joint10/effort"}), return_type::OK);
  system.command("joint1/position", 1.0);
  system.command("joint10/effort", 1.5);
  bool well = true;
  const long before = allocations;
  for (int k = 0; k < 1000; ++k) well = well && system.cycle(0.0017) == return_type::OK;
  const long count = allocations - before;
  EXPECT_TRUE(well);
  EXPECT_EQ(count, 0);
  EXPECT_NEAR(system.state("joint1/position"), 1.0, 0.05);
}

TEST(ResourceManager, LoadsRunsAndSwitchesIt) {
  auto clock = std::make_shared<rclcpp::Clock>(RCL_STEADY_TIME);
  hardware_interface::ResourceManager manager(arm_urdf(control_block(parameter("limits", "false"))),
                                              clock, rclcpp::get_logger("test"), true, 1000);
  ASSERT_TRUE(manager.are_components_initialized());
  EXPECT_EQ(manager.get_components_status().at("arm").state.id(),
            lifecycle_msgs::msg::State::PRIMARY_STATE_ACTIVE);
  for (const char* name : {"joint1/position", "joint10/velocity", "joint1/effort",
                           "joint10/acceleration", "follower/position"}) {
    EXPECT_TRUE(manager.state_interface_exists(name)) << name;
  }
  const std::vector<std::string> keys = {"joint1/position"};
  ASSERT_TRUE(manager.prepare_command_mode_switch(keys, {}));
  ASSERT_TRUE(manager.perform_command_mode_switch(keys, {}));
  auto command = manager.claim_command_interface(keys[0]);
  const auto state = manager.claim_state_interface("joint1/position");
  ASSERT_TRUE(command.set_value(0.6));
  const auto period = rclcpp::Duration::from_seconds(0.001);
  for (int k = 0; k < 500; ++k) {
    ASSERT_EQ(manager.write(clock->now(), period).result, return_type::OK);
    ASSERT_EQ(manager.read(clock->now(), period).result, return_type::OK);
  }
  EXPECT_NEAR(state.get_optional().value(), 0.6, 1e-6);
  EXPECT_FALSE(manager.prepare_command_mode_switch({"joint1/effort"}, {}));
}

}  // namespace
}  // namespace dynamics_sim::test
