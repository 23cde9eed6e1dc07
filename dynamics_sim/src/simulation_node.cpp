// SPDX-License-Identifier: Apache-2.0
// Controller manager that runs in simulated time. See the README of the package.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <controller_manager/controller_manager.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <string>
#include <thread>
#include <vector>

#include "simulation.hpp"
#include "simulation_services.hpp"

namespace {

/// Name of the controller manager on the command line, or its default.
std::string manager_name(int argc, char** argv) {
  const std::string key = "__node:=";
  std::string name = "controller_manager";
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.rfind(key, 0) == 0) name = argument.substr(key.size());
  }
  return name;
}

std::atomic<int> interrupts = 0;

/// rclcpp's handler, which ends the node, calls this one first, and is removed during the cleanup.
/// The second SIGINT has no effect, because ros2 launch repeats that of the terminal; the third one
/// kills the process.
void on_interrupt(int signal) {
  if (++interrupts < 3) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

int run(int argc, char** argv) {
  const auto executor = std::make_shared<rclcpp::executors::MultiThreadedExecutor>(
      rclcpp::ExecutorOptions(), std::max(4U, std::thread::hardware_concurrency()));
  dynamics_sim::SystemRegistry::instance().own_clock(true);

  rclcpp::NodeOptions options = controller_manager::get_cm_node_options();
  std::vector<std::string> arguments = options.arguments();
  for (int i = 1; i < argc; ++i) {
    if (arguments.empty() && std::string(argv[i]) != "--ros-args") continue;
    arguments.emplace_back(argv[i]);
  }
  options.arguments(arguments);
  options.append_parameter_override("use_sim_time", true);
  const auto manager = std::make_shared<controller_manager::ControllerManager>(
      executor, "controller_manager", "", options);

  rclcpp::NodeOptions own;
  own.arguments({"--ros-args", "-r", "__node:=simulation", "-r",
                 std::string("__ns:=") + manager->get_namespace()});
  own.append_parameter_override("use_sim_time", false);
  const auto node = std::make_shared<rclcpp::Node>("simulation", own);
  const auto simulation = dynamics_sim::Simulation::create(manager, node);
  const auto services = dynamics_sim::make_services(*node, simulation);
  const auto standard = dynamics_sim::make_standard_services(*node, simulation);

  executor->add_node(manager);
  executor->add_node(node);
  int code = 0;
  std::atomic<bool> spun = false;
  std::thread loop([&] {
    code = simulation->run();
    // Wait for running callbacks: a manager that is shut down while it processes a description may
    // deadlock.
    while (!spun && rclcpp::ok()) {
      try {
        executor->cancel();
      } catch (const std::exception& error) {  // interrupted at the same time: it ends by itself
        RCLCPP_DEBUG(node->get_logger(), "%s", error.what());
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  executor->spin();
  spun = true;
  loop.join();
  rclcpp::shutdown();
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  // The loop sets the clock of the manager, which must not subscribe to /clock, where older times
  // may be queued.
  const std::string clock_remapping = manager_name(argc, argv) + ":/clock:=simulation/unused_clock";
  std::vector<const char*> arguments(argv, argv + argc);
  for (const char* argument : {"--ros-args", "-r", clock_remapping.c_str(), "--"}) {
    arguments.push_back(argument);
  }
  std::signal(SIGINT, on_interrupt);
  try {
    rclcpp::init(static_cast<int>(arguments.size()), arguments.data());
    return run(argc, argv);
  } catch (const std::exception& error) {
    if (interrupts > 0) return 0;  // while the nodes were created
    std::fprintf(stderr, "simulation_node: %s\n", error.what());
    return 1;
  }
}
