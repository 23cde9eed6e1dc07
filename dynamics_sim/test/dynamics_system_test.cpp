// SPDX-License-Identifier: Apache-2.0
// The plugin loaded by pluginlib: lifecycle, every parameter, command modes, errors.
#include "dynamics_sim/dynamics_system.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <dynamics_core/readers.hpp>
#include <dynamics_core/view.hpp>
#include <limits>

#include "allocations.hpp"
#include "robots.hpp"
#include "system_fixture.hpp"

namespace dynamics_sim::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The arm without ros2_control, for comparison.
dynamics::RealTimeSimulation arm(bool limits = true) {
  dynamics::RealTimeOptions options;
  options.limits = limits;
  dynamics::RealTimeSimulation made(dynamics::model_from_urdf(arm_urdf()), options);
  made.reset(std::vector{0.3, -0.4}, std::vector{0.0, 0.0});
  return made;
}

TEST(DynamicsSystem, StartsAtInitialValuesAndHolds) {
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

TEST(DynamicsSystem, FallsIfUnclaimedIsFree) {
  System system(arm_urdf(control_block(parameter("unclaimed", "free"))));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  dynamics::RealTimeSimulation expected = arm();
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

TEST(DynamicsSystem, DoesNotMoveWhileInactive) {
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
  // configuring again resets the state
  ASSERT_EQ((*system).on_configure(rclcpp_lifecycle::State()), CallbackReturn::SUCCESS);
  EXPECT_EQ(system.state("joint1/position"), 0.3);
}

TEST(DynamicsSystem, ReadAndWriteWorkInEveryState) {
  System system(arm_urdf(control_block(parameter("unclaimed", "free"))), false);
  ASSERT_EQ(system.initialized, CallbackReturn::SUCCESS);
  const rclcpp_lifecycle::State state;
  EXPECT_EQ(system.cycle(), return_type::OK) << "before it is configured";
  ASSERT_EQ((*system).on_configure(state), CallbackReturn::SUCCESS);
  ASSERT_EQ((*system).on_activate(state), CallbackReturn::SUCCESS);
  system.run(0.1);
  const double fallen = system.state("joint1/position");
  EXPECT_GT(fallen, 0.31);
  ASSERT_EQ((*system).on_deactivate(state), CallbackReturn::SUCCESS);
  ASSERT_EQ((*system).on_cleanup(state), CallbackReturn::SUCCESS);
  system.run(0.1);
  EXPECT_EQ(system.state("joint1/position"), fallen) << "after it was cleaned up";
  ASSERT_EQ((*system).on_shutdown(state), CallbackReturn::SUCCESS);
  EXPECT_EQ(system.cycle(), return_type::OK);
}

TEST(DynamicsSystem, FollowsPositionVelocityAndEffortCommands) {
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

  // released: returns to the position at which it was released
  const double released = system.state("joint1/position");
  ASSERT_EQ(system.claim({}, {"joint1/effort"}), return_type::OK);
  system.run(0.5);
  EXPECT_NEAR(system.state("joint1/velocity"), 0.0, 1e-6);
  EXPECT_NEAR(system.state("joint1/position"), released, 1e-6);
}

TEST(DynamicsSystem, FollowsPositionWithVelocity) {
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

TEST(DynamicsSystem, RejectsInvalidModeSwitches) {
  System system(arm_urdf(control_block()));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  EXPECT_EQ(system.claim({"joint1/torque"}), return_type::ERROR);
  EXPECT_EQ(system.claim({"joint10/"}), return_type::ERROR);
  EXPECT_EQ(system.claim({"follower/position"}), return_type::ERROR);
  EXPECT_EQ(system.claim({"joint100/position", "other/effort"}), return_type::OK) << "not ours";
  EXPECT_EQ(system.claim({"joint10/position"}), return_type::OK);
  EXPECT_EQ(system.claim({"joint10/effort"}, {"joint10/position"}), return_type::OK);
  // joint1 is not claimed, although its name is a prefix of joint10
  system.run(0.01);
  EXPECT_EQ(system.state("joint1/position"), 0.3);
}

TEST(DynamicsSystem, EffortIsFeedforwardBesidePositionAndVelocity) {
  using dynamics::JointCommand;
  const JointCommand position = JointCommand::position(0.5), velocity = JointCommand::velocity(0.2);
  const std::vector<std::pair<std::vector<std::string>, JointCommand>> cases = {
      {{"position", "effort"}, position.with_feedforward(4.0)},
      {{"velocity", "effort"}, velocity.with_feedforward(4.0)},
      {{"position", "velocity", "effort"}, JointCommand::position(0.5, 0.2).with_feedforward(4.0)}};
  for (const auto& [kinds, command] : cases) {
    System system(arm_urdf(control_block()));
    ASSERT_NO_FATAL_FAILURE(system.activate());
    std::vector<std::string> names;
    for (const auto& kind : kinds) names.push_back("joint1/" + kind);
    ASSERT_EQ(system.claim(names), return_type::OK);
    dynamics::RealTimeSimulation expected = arm();
    expected.commands()[1] = JointCommand::position(-0.4);
    // until the effort is given the drive works alone
    JointCommand first = command;
    first.with_effort = false;
    first.effort_value = 0.0;
    for (const JointCommand& now : {first, command}) {
      for (const auto& kind : kinds) {
        if (kind == "position") system.command("joint1/position", now.position_value);
        if (kind == "velocity") system.command("joint1/velocity", now.velocity_value);
        if (kind == "effort" && now.with_effort) system.command("joint1/effort", now.effort_value);
      }
      expected.commands()[0] = now;
      for (int k = 0; k < 50; ++k) {
        ASSERT_EQ(system.cycle(), return_type::OK);
        ASSERT_TRUE(expected.step() && expected.evaluate());
      }
      EXPECT_EQ(system.state("joint1/position"), expected.positions()[0]) << kinds.size();
      EXPECT_EQ(system.state("joint1/effort"), expected.efforts()[0]) << kinds.size();
    }
    // the effort alone
    std::vector<std::string> drives(names.begin(), names.end() - 1);
    ASSERT_EQ(system.claim({}, drives), return_type::OK);
    system.command("joint1/effort", -2.0);
    ASSERT_EQ(system.cycle(), return_type::OK);
    EXPECT_EQ(system.state("joint1/effort"), -2.0);
  }
}

TEST(DynamicsSystem, HoldsUntilFirstCommandAndKeepsLastCommand) {
  System system(arm_urdf(control_block()));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  system.command("joint1/effort", 3.0);  // left by another controller
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

TEST(DynamicsSystem, FractionalPeriodsAddUp) {
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
  // continues after a delay of a minute, or when the clock goes back
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
      furthest = dynamics::max_propagating_nan(furthest, falling.state("joint1/position"));
    }
    if (limits == "true") {
      EXPECT_EQ(furthest, 2.0);
    } else {
      EXPECT_GT(furthest, 2.1);
    }
  }
}

TEST(DynamicsSystem, RejectsInvalidDescriptions) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"step", "fast"},        {"step", "0"},        {"step", "nan"},
      {"bandwidth", "5000"},   {"limits", "maybe"},  {"unclaimed", "float"},
      {"gravity", "0 9.81"},   {"gravity", "0 0 x"}, {"largest_period", "0"},
      {"tracking", "x"},       {"substeps", "1.5"},  {"initial_deflection", "x"},
      {"wrench_duration", "0"}};
  for (const auto& [name, value] : cases) {
    const System system(arm_urdf(control_block(parameter(name, value))));
    EXPECT_EQ(system.initialized, CallbackReturn::ERROR) << name << " " << value;
  }
  for (const std::string& bad :
       {arm_urdf(control_block("", parameter("unclaimed", "x"))),
        arm_urdf(control_block("", parameter("tracking", "x"))),
        arm_urdf(control_block("", "", "<state_interface name='position' data_type='bool'/>")),
        arm_urdf(control_block(), "", "-2")}) {
    EXPECT_EQ(System(bad).initialized, CallbackReturn::ERROR);
  }
  std::string beyond = arm_urdf(control_block());
  beyond.replace(beyond.find("'initial_value'>0.3"), 19, "'initial_value'>3.1");
  EXPECT_EQ(System(beyond).initialized, CallbackReturn::ERROR) << "outside the limit 2";
  EXPECT_EQ(System(arm_urdf(control_block(parameter("unheard_of", "1")))).initialized,
            CallbackReturn::SUCCESS)
      << "a warning is enough";
}

TEST(DynamicsSystem, FailureIsReportedAndEndsUnconfigured) {
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

/// Activates and commands both joints; then the cycles must not allocate.
void expect_no_allocations(System& system, int cycles) {
  ASSERT_NO_FATAL_FAILURE(system.activate());
  ASSERT_EQ(system.claim({"joint1/position", "joint10/effort"}), return_type::OK);
  system.command("joint1/position", 1.0);
  system.command("joint10/effort", 1.5);
  bool well = true;
  const long before = allocations();
  for (int k = 0; k < cycles; ++k) well = well && system.cycle(0.0017) == return_type::OK;
  const long count = allocations() - before;
  EXPECT_TRUE(well);
  EXPECT_EQ(count, 0);
}

TEST(DynamicsSystem, ReadAndWriteDoNotAllocate) {
  System system(arm_urdf(control_block(), "<dynamics damping='0.2' friction='0.1'/>"));
  ASSERT_NO_FATAL_FAILURE(expect_no_allocations(system, 1000));
  EXPECT_NEAR(system.state("joint1/position"), 1.0, 0.05);
}

TEST(DynamicsSystem, ExportsFlexibleLinksEnergiesAndStatistics) {
  System system(flexible_urdf(control_block(parameter("unclaimed", "free"), "", "", false)));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  dynamics::RealTimeOptions options;
  dynamics::RealTimeSimulation expected(dynamics::model_from_urdf(flexible_urdf()), options);
  expected.reset(std::vector{0.3, -0.4}, std::vector{0.0, 0.0});
  system.run(0.1);
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(expected.step());
  EXPECT_EQ(system.state("upper/z1"), expected.positions()[2]);
  EXPECT_EQ(system.state("upper/z2_velocity"), expected.velocities()[3]);
  EXPECT_GT(std::abs(system.state("upper/z1")), 1e-5);
  EXPECT_FALSE(system.has_state("upper/y1"));
  EXPECT_EQ(system.state("arm/kinetic_energy"), expected.energy().kinetic);
  EXPECT_EQ(system.state("arm/potential_energy"), expected.energy().potential);
  EXPECT_EQ(system.state("arm/strain_energy"), expected.energy().strain);
  EXPECT_GT(system.state("arm/strain_energy"), 0.0);
  EXPECT_EQ(system.state("arm/steps"), 100.0);
  EXPECT_GE(system.state("arm/evaluations"), 400.0);
  EXPECT_EQ(system.state("arm/late_steps"), 0.0);
  ASSERT_EQ(system.cycle(0.15), return_type::OK);
  EXPECT_EQ(system.state("arm/late_steps"), 50.0) << "0.1 s is the largest period";
}

TEST(DynamicsSystem, InitialDeflectionIsNoneOrStatic) {
  System bent(
      flexible_urdf(control_block(parameter("initial_deflection", "static"), "", "", false)));
  ASSERT_NO_FATAL_FAILURE(bent.activate());
  const double start = bent.state("upper/z1");
  EXPECT_GT(std::abs(start), 1e-3);
  bent.run(0.5);
  EXPECT_NEAR(bent.state("upper/z1"), start, 1e-6) << "it hangs still";
  System straight(flexible_urdf(control_block("", "", "", false)));
  ASSERT_NO_FATAL_FAILURE(straight.activate());
  EXPECT_EQ(straight.state("upper/z1"), 0.0);
}

TEST(DynamicsSystem, TrackingCanBeSetByJoint) {
  System all(arm_urdf(control_block(parameter("tracking", "ideal"))));
  ASSERT_NO_FATAL_FAILURE(all.activate());
  ASSERT_EQ(all.claim({"joint1/position", "joint10/velocity"}), return_type::OK);
  all.command("joint1/position", 0.31);
  all.command("joint10/velocity", 0.5);
  ASSERT_EQ(all.cycle(0.005), return_type::OK);
  EXPECT_EQ(all.state("joint1/position"), 0.31);
  EXPECT_EQ(all.state("joint10/velocity"), 0.5);
  EXPECT_NEAR(all.state("joint1/velocity"), 2.0, 1e-9) << "the mean of the period";

  std::string one = arm_urdf(control_block());
  const std::string joint = "<joint name='joint1'>";
  const auto place = one.find(joint, one.find("ros2_control"));
  one.insert(place + joint.size(), parameter("tracking", "ideal"));
  System mixed(one);
  ASSERT_NO_FATAL_FAILURE(mixed.activate());
  ASSERT_EQ(mixed.claim({"joint1/position", "joint10/position"}), return_type::OK);
  mixed.command("joint1/position", 0.301);
  mixed.command("joint10/position", -0.399);
  ASSERT_EQ(mixed.cycle(), return_type::OK);
  EXPECT_EQ(mixed.state("joint1/position"), 0.301);
  EXPECT_LT(mixed.state("joint10/position"), -0.3995) << "a drive takes its time";
}

TEST(DynamicsSystem, FrictionIsDryAndSubstepsAreAParameter) {
  const std::string with_friction = "<dynamics damping='0' friction='5'/>";
  System system(arm_urdf(control_block(parameter("gravity", "0 0 0")), with_friction));
  ASSERT_NO_FATAL_FAILURE(system.activate());
  ASSERT_EQ(system.claim({"joint10/velocity"}), return_type::OK);
  system.command("joint10/velocity", 0.001);
  system.run(0.3);
  // as large at any velocity; the mimic joint has no friction
  EXPECT_NEAR(system.state("joint10/effort"), 5.0, 0.06);
  for (const char* substeps : {"0", "20"}) {
    System resting(
        arm_urdf(control_block(parameter("substeps", substeps) + parameter("unclaimed", "free") +
                               parameter("gravity", "0 0 -0.3")),
                 with_friction));
    ASSERT_NO_FATAL_FAILURE(resting.activate());
    resting.run(0.1);
    EXPECT_EQ(resting.state("joint1/position"), 0.3) << substeps;
    EXPECT_EQ(resting.state("joint1/velocity"), 0.0) << substeps;
  }
}

TEST(DynamicsSystem, ReadsInitialValuesOfEveryInterface) {
  const auto block = [](const std::string& interfaces) {
    return "<ros2_control name='arm' type='system'><hardware><plugin>dynamics_sim/DynamicsSystem"
           "</plugin></hardware><joint name='joint1'>" +
           interfaces + "</joint></ros2_control>";
  };
  const auto state = [](const std::string& name, const std::string& value) {
    return "<state_interface name='" + name + "'>" + parameter("initial_value", value) +
           "</state_interface>";
  };
  const auto command = [](const std::string& name, const std::string& value) {
    return "<command_interface name='" + name + "'>" + parameter("initial_value", value) +
           "</command_interface>";
  };
  for (const std::string kind : {"position", "velocity", "effort"}) {
    System system(arm_urdf(block("<command_interface name='" + kind + "'/>" +
                                 state("position", "0.7") + state("velocity", "0.1"))));
    ASSERT_NO_FATAL_FAILURE(system.activate());
    EXPECT_EQ(system.state("joint1/position"), 0.7) << kind;
    EXPECT_EQ(system.state("joint1/velocity"), 0.1) << kind;
  }
  System commanded(
      arm_urdf(block(command("position", "0.6") + "<state_interface name='position'/>")));
  ASSERT_NO_FATAL_FAILURE(commanded.activate());
  EXPECT_EQ(commanded.state("joint1/position"), 0.6);
  commanded.run(0.1);
  EXPECT_NEAR(commanded.state("joint1/position"), 0.6, 1e-12);
}

TEST(DynamicsSystem, FlexibleReadAndWriteDoNotAllocate) {
  System system(
      flexible_urdf(control_block("", "", "", false), "<dynamics damping='0.2' friction='0.1'/>"));
  ASSERT_NO_FATAL_FAILURE(expect_no_allocations(system, 500));
}

class Ros : public ::testing::Environment {
 public:
  void SetUp() override { rclcpp::init(0, nullptr); }
  void TearDown() override { rclcpp::shutdown(); }
};
const auto* const ros = ::testing::AddGlobalTestEnvironment(new Ros);

}  // namespace
}  // namespace dynamics_sim::test
