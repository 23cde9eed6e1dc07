// SPDX-License-Identifier: Apache-2.0
#pragma once

// The plugin in a resource manager with an executor, as in the controller manager.

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <hardware_interface/resource_manager.hpp>
#include <lifecycle_msgs/msg/state.hpp>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <thread>
#include <vector>

#include "system_fixture.hpp"

namespace dynamics_sim::test {

using namespace std::chrono_literals;

class Ros : public ::testing::Environment {
 public:
  void SetUp() override { rclcpp::init(0, nullptr); }
  void TearDown() override { rclcpp::shutdown(); }
};
inline const auto* const ros = ::testing::AddGlobalTestEnvironment(new Ros);

inline bool eventually(const std::function<bool()>& condition) {
  for (int k = 0; k < 5000 && !condition(); ++k) std::this_thread::sleep_for(2ms);
  return condition();
}

/// A resource manager with an executor, as in the controller manager.
class Manager {
 public:
  explicit Manager(const std::string& urdf, bool activate = true)
      : executor_(std::make_shared<rclcpp::executors::SingleThreadedExecutor>()),
        node_(std::make_shared<rclcpp::Node>("tester")) {
    hardware_interface::ResourceManagerParams params;
    params.robot_description = urdf;
    params.clock = std::make_shared<rclcpp::Clock>(RCL_STEADY_TIME);
    params.executor = executor_;
    params.activate_all = activate;
    params.update_rate = 1000;
    manager_ = std::make_unique<hardware_interface::ResourceManager>(params, true);
    clock_ = params.clock;
    executor_->add_node(node_);
    thread_ = std::thread([this] { executor_->spin(); });
  }
  ~Manager() {
    while (!executor_->is_spinning()) std::this_thread::sleep_for(1ms);
    executor_->cancel();
    thread_.join();
    manager_.reset();
  }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  hardware_interface::ResourceManager* operator->() { return manager_.get(); }
  rclcpp::Node& node() { return *node_; }

  std::uint8_t lifecycle() { return manager_->get_components_status().at("arm").state.id(); }
  return_type transit(std::uint8_t target, const char* label) {
    rclcpp_lifecycle::State wanted(target, label);
    return manager_->set_component_state("arm", wanted);
  }
  double state(const std::string& name) {
    return manager_->claim_state_interface(name).get_optional().value();
  }
  return_type cycle(int times = 1) {
    const auto period = rclcpp::Duration(1ms);
    auto result = return_type::OK;
    for (; times > 0 && result == return_type::OK; --times) {
      result = manager_->write(clock_->now(), period).result;
      if (result == return_type::OK) result = manager_->read(clock_->now(), period).result;
    }
    return result;
  }
  bool claim(const std::vector<std::string>& start, const std::vector<std::string>& stop = {}) {
    return manager_->prepare_command_mode_switch(start, stop) &&
           manager_->perform_command_mode_switch(start, stop);
  }

  /// Calls a service while the loop runs; null if there is no response.
  template <class Service>
  typename Service::Response::SharedPtr call(const std::string& name,
                                             const typename Service::Request& request) {
    const auto client = node_->create_client<Service>(name);
    if (!client->wait_for_service(10s)) return nullptr;
    auto future = client->async_send_request(std::make_shared<typename Service::Request>(request));
    for (int k = 0; k < 10000; ++k) {
      if (future.wait_for(1ms) == std::future_status::ready) return future.get();
      EXPECT_EQ(cycle(), return_type::OK);
    }
    return nullptr;
  }

 private:
  rclcpp::Executor::SharedPtr executor_;
  rclcpp::Node::SharedPtr node_;
  rclcpp::Clock::SharedPtr clock_;
  std::unique_ptr<hardware_interface::ResourceManager> manager_;
  std::thread thread_;
};

}  // namespace dynamics_sim::test
