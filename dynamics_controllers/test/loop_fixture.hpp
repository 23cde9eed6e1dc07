// SPDX-License-Identifier: Apache-2.0
#pragma once

// A controller with mocked interfaces in a loop with a simulated robot, without controller manager:
//
//   Loop loop(std::make_unique<GravityCompensationController>(), urdf("puma"));
//   ASSERT_TRUE(loop.activate(q));
//   loop.run(10.0);                       // update() and the robot's step, at 1 kHz
//   EXPECT_NEAR(loop.robot->positions()[0], q[0], 1e-6);

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <controller_interface/controller_interface_base.hpp>
#include <cstdio>
#include <dynamics_core/readers.hpp>
#include <dynamics_core/real_time_simulation.hpp>
#include <fstream>
#include <functional>
#include <iterator>
#include <lifecycle_msgs/msg/state.hpp>
#include <map>
#include <memory>
#include <optional>
#include <rclcpp/rclcpp.hpp>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace dynamics_controllers::test {

using controller_interface::return_type;
using lifecycle_msgs::msg::State;
using Parameters = std::vector<rclcpp::Parameter>;

/// A robot of dynamics_description. Without friction unless `friction`: the plant's joints stick,
/// those of the models do not.
inline std::string urdf(const std::string& name, bool friction = false) {
  std::ifstream file(std::string(DYNAMICS_URDF_DIR) + "/" + name + ".urdf");
  if (!file) throw std::runtime_error("cannot open the URDF of " + name);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (friction) return text;
  return std::regex_replace(text, std::regex("friction=\"[^\"]*\""), "friction=\"0\"");
}

inline const std::vector<double>& start_of(const std::string& robot) {
  static const std::map<std::string, std::vector<double>> states = {
      {"puma", {0.1, 0.5, -0.8, 0.3, 0.7, 0.2}}, {"panda", {0.0, -0.4, 0.1, -2.0, 0.1, 1.8, 0.7}}};
  return states.at(robot);
}

/// A controller, its interfaces and a simulated robot.
class Loop {
 public:
  static constexpr double period = 0.001;

  Loop(std::unique_ptr<controller_interface::ControllerInterfaceBase> one, const std::string& urdf,
       const Parameters& parameters = {}, const std::string& name = "controller")
      : controller(std::move(one)), model_(dynamics::model_from_urdf(urdf)) {
    controller_interface::ControllerInterfaceParams params;
    params.controller_name = name;
    params.robot_description = urdf;
    params.update_rate = params.controller_manager_update_rate = 1000;
    params.node_options = controller->define_custom_node_options();
    params.node_options.parameter_overrides(parameters);
    initialized = controller->init(params) == return_type::OK;
    set_robot(model_);
  }
  ~Loop() {
    if (initialized && controller->get_lifecycle_id() == State::PRIMARY_STATE_ACTIVE)
      controller->get_node()->deactivate();
    controller->release_interfaces();
    if (initialized) controller->get_node()->shutdown();
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  const dynamics::Model& model() const { return model_; }

  /// Replaces the simulated robot, for example by one with a payload.
  void set_robot(const dynamics::Model& model) {
    dynamics::RealTimeOptions options;
    options.step = period;
    options.limits = false;
    robot = std::make_unique<dynamics::RealTimeSimulation>(model, options);
  }

  bool configure() {
    if (!initialized || controller->configure().id() != State::PRIMARY_STATE_INACTIVE) return false;
    if (controller->is_chainable()) {
      for (const auto& one : controller->export_reference_interfaces())
        references[one->get_name()] = one;
      for (const auto& one : controller->export_state_interfaces()) exported[one->get_name()] = one;
    }
    std::vector<hardware_interface::LoanedStateInterface> loaned_states;
    std::vector<hardware_interface::LoanedCommandInterface> loaned_commands;
    states_.clear();
    commands_.clear();
    const auto split = [](const std::string& full) {
      const auto slash = full.rfind('/');
      return std::pair(full.substr(0, slash), full.substr(slash + 1));
    };
    for (const auto& full : controller->state_interface_configuration().names) {
      const auto [joint, interface] = split(full);
      auto handle = std::make_shared<hardware_interface::StateInterface>(joint, interface);
      states_.push_back({model_.coordinate(joint), interface, handle});
      loaned_states.emplace_back(hardware_interface::StateInterface::ConstSharedPtr(handle));
    }
    for (const auto& full : controller->command_interface_configuration().names) {
      const auto [joint, interface] = split(full);
      auto handle = std::make_shared<hardware_interface::CommandInterface>(joint, interface);
      commands_.push_back({model_.coordinate(joint), handle});
      loaned_commands.emplace_back(handle, nullptr);
    }
    controller->assign_interfaces(std::move(loaned_commands), std::move(loaned_states));
    return true;
  }

  /// At rest at q, held by a drive.
  bool activate(const std::vector<double>& q, bool chained = false) {
    if (!configure()) return false;
    if (chained && !controller->set_chained_mode(true)) return false;
    reset(q);
    return controller->get_node()->activate().id() == State::PRIMARY_STATE_ACTIVE;
  }
  void reset(const std::vector<double>& q, const std::vector<double>& qd = {}) {
    robot->reset(q, qd.empty() ? std::vector<double>(q.size(), 0.0) : qd);
    for (std::size_t i = 0; i < q.size(); ++i)
      robot->commands()[i] = dynamics::JointCommand::position(q[i]);
    write_states();
  }

  /// Copies the state of the robot to the interfaces.
  void write_states() {
    EXPECT_TRUE(robot->evaluate()) << robot->fault();
    for (const auto& one : states_) {
      const auto& values = one.interface == "position"   ? robot->positions()
                           : one.interface == "velocity" ? robot->velocities()
                                                         : robot->efforts();
      EXPECT_TRUE(one.handle->set_value(values[one.coordinate] + noise_of(one.interface)));
    }
  }
  void set_state(const std::string& joint, const std::string& interface, double value) {
    const std::string name = std::string(joint).append("/").append(interface);
    for (const auto& one : states_) {
      if (one.handle->get_name() != name) continue;
      EXPECT_TRUE(one.handle->set_value(value));
    }
  }
  double command(std::size_t k) const { return commands_.at(k).handle->get_optional().value(); }
  double state(const std::string& name) const { return exported.at(name)->get_optional().value(); }
  void refer(const std::string& name, double value) {
    ASSERT_TRUE(references.at(name)->set_value(value));
  }

  return_type update() {
    const auto result = controller->update(time, rclcpp::Duration::from_seconds(period));
    time += rclcpp::Duration::from_seconds(period);
    return result;
  }
  /// update() and a step of the robot with its commands.
  void cycle() {
    write_states();
    ASSERT_EQ(update(), return_type::OK);
    for (std::size_t k = 0; k < commands_.size(); ++k)
      robot->commands()[commands_[k].coordinate] = dynamics::JointCommand::effort(command(k));
    ASSERT_TRUE(robot->step()) << robot->fault();
  }
  void run(double seconds) {
    for (long k = std::lround(seconds / period); k > 0; --k) ASSERT_NO_FATAL_FAILURE(cycle());
  }

  std::unique_ptr<controller_interface::ControllerInterfaceBase> controller;
  std::unique_ptr<dynamics::RealTimeSimulation> robot;
  std::map<std::string, hardware_interface::CommandInterface::SharedPtr> references;
  std::map<std::string, hardware_interface::StateInterface::ConstSharedPtr> exported;
  rclcpp::Time time{1, 0, RCL_ROS_TIME};
  bool initialized = false;
  /// Added to the measured values, by the name of the interface.
  std::function<double(const std::string&)> noise;

 private:
  struct MockedState {
    std::size_t coordinate;
    std::string interface;
    hardware_interface::StateInterface::SharedPtr handle;
  };
  struct MockedCommand {
    std::size_t coordinate;
    hardware_interface::CommandInterface::SharedPtr handle;
  };

  double noise_of(const std::string& interface) const { return noise ? noise(interface) : 0.0; }

  dynamics::Model model_;
  std::vector<MockedState> states_;
  std::vector<MockedCommand> commands_;
};

/// Executes the callbacks of the controller between its cycles.
class Spinner {
 public:
  explicit Spinner(Loop& loop, const std::string& name = "tester")
      : node(std::make_shared<rclcpp::Node>(name)), loop_(loop) {
    executor_.add_node(loop.controller->get_node()->get_node_base_interface());
    executor_.add_node(node);
  }
  /// Cycles of the loop until the condition holds, at most a minute of real time.
  template <class Condition>
  bool until(const Condition& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (std::chrono::steady_clock::now() < end) {
      executor_.spin_some();
      if (condition()) return true;
      loop_.cycle();
      if (::testing::Test::HasFatalFailure()) return false;
    }
    return false;
  }
  /// Cycles of the loop for `seconds` of simulated time.
  void run(double seconds) {
    for (long k = std::lround(seconds / Loop::period); k > 0; --k) {
      executor_.spin_some();
      ASSERT_NO_FATAL_FAILURE(loop_.cycle());
    }
  }
  /// Without cycles of the loop.
  template <class Condition>
  bool wait(const Condition& condition) {
    for (int k = 0; k < 5000; ++k) {
      executor_.spin_some();
      if (condition()) return true;
      rclcpp::sleep_for(std::chrono::milliseconds(2));
    }
    return false;
  }
  template <class Service>
  typename Service::Response::SharedPtr call(const std::string& name,
                                             const typename Service::Request& request) {
    const auto client = node->create_client<Service>(name);
    if (!client->wait_for_service(std::chrono::seconds(10))) return nullptr;
    auto future = client->async_send_request(std::make_shared<typename Service::Request>(request));
    const auto done = [&] {
      return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    };
    return wait(done) ? future.get() : nullptr;
  }

  rclcpp::Node::SharedPtr node;

 private:
  Loop& loop_;
  rclcpp::executors::SingleThreadedExecutor executor_;
};

class Ros : public ::testing::Environment {
 public:
  void SetUp() override { rclcpp::init(0, nullptr); }
  void TearDown() override { rclcpp::shutdown(); }
};

}  // namespace dynamics_controllers::test
