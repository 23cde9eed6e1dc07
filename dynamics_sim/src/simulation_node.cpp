// SPDX-License-Identifier: Apache-2.0
// Controller managers that run in simulated time. See the README of the package.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <controller_manager/controller_manager.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <memory>
#include <rclcpp/rclcpp.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "command_line.hpp"
#include "simulation.hpp"
#include "simulation_services.hpp"

namespace {

using Executors = std::vector<std::shared_ptr<rclcpp::Executor>>;

std::atomic<int> interrupts = 0;

/// rclcpp's handler, which ends the node, calls this one first, and is removed during the cleanup.
/// The second SIGINT has no effect, because ros2 launch repeats that of the terminal; the third one
/// kills the process.
void on_interrupt(int signal) {
  if (++interrupts < 3) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// The manager in `name`, a namespace below that of the process; empty: in that of the process.
std::shared_ptr<dynamics_sim::LockstepManager> make_manager(
    const dynamics_sim::CommandLine& line, const std::string& name,
    const std::shared_ptr<rclcpp::Executor>& executor) {
  rclcpp::NodeOptions options = controller_manager::get_cm_node_options();
  options.arguments(line.ros_arguments);
  options.append_parameter_override("use_sim_time", true);
  const std::string name_space = name.empty() ? "" : line.name_space + "/" + name;
  const auto manager = std::make_shared<controller_manager::ControllerManager>(
      executor, "controller_manager", name_space, options);
  executor->add_node(manager);
  return std::make_shared<dynamics_sim::LockstepManager>(manager, executor,
                                                         line.namespaces.size() > 1 ? name : "");
}

/// Runs the simulation in this thread, and the executors in others until it ends.
int spin(dynamics_sim::Simulation& simulation, const Executors& executors) {
  std::vector<std::thread> threads;
  std::atomic<std::size_t> spinning = executors.size();
  std::atomic<bool> failed = false;
  for (const auto& executor : executors) {
    threads.emplace_back([&, executor] {
      try {
        executor->spin();
      } catch (const std::exception& error) {  // of a callback
        RCLCPP_FATAL(rclcpp::get_logger("simulation"), "%s", error.what());
        failed = true;
        rclcpp::shutdown();
      }
      --spinning;
    });
  }
  const int code = simulation.run();
  // Wait for running callbacks: a manager that is shut down while it processes a description may
  // deadlock.
  while (spinning > 0 && rclcpp::ok()) {
    for (const auto& executor : executors) {
      try {
        executor->cancel();
      } catch (const std::exception& error) {  // interrupted at the same time: it ends by itself
        RCLCPP_DEBUG(rclcpp::get_logger("simulation"), "%s", error.what());
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  for (auto& thread : threads) thread.join();
  return failed ? 1 : code;
}

int run(const dynamics_sim::CommandLine& line) {
  dynamics_sim::SystemRegistry::instance().own_clock(true);
  Executors executors;  // one per manager, which identifies its robots
  dynamics_sim::Simulation::Managers managers;
  std::vector<std::string> names = line.namespaces;
  if (names.empty()) names.emplace_back();
  for (const auto& name : names) {
    executors.push_back(std::make_shared<rclcpp::executors::MultiThreadedExecutor>(
        rclcpp::ExecutorOptions(), std::max(4U, std::thread::hardware_concurrency())));
    managers.push_back(make_manager(line, name, executors.back()));
  }
  rclcpp::NodeOptions own;
  const std::string name_space = line.namespaces.empty()
                                     ? managers.front()->manager().get_namespace()
                                 : line.name_space.empty() ? "/"
                                                           : line.name_space;
  own.arguments({"--ros-args", "-r", "__node:=simulation", "-r", "__ns:=" + name_space});
  own.append_parameter_override("use_sim_time", false);
  const auto node = std::make_shared<rclcpp::Node>("simulation", own);
  const auto simulation = dynamics_sim::Simulation::create(managers, node);
  const auto services = dynamics_sim::make_services(*node, simulation);
  const auto standard = dynamics_sim::make_standard_services(*node, simulation);
  executors.front()->add_node(node);
  const int code = spin(*simulation, executors);
  rclcpp::shutdown();
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, on_interrupt);
  try {
    const auto line = dynamics_sim::read_command_line({argv, argv + argc});
    std::vector<const char*> arguments = {argv[0]};
    for (const auto& argument : line.ros_arguments) arguments.push_back(argument.c_str());
    for (const char* word : {"-r", line.clock_remapping.c_str()}) arguments.push_back(word);
    rclcpp::init(static_cast<int>(arguments.size()), arguments.data());
    return run(line);
  } catch (const std::exception& error) {
    if (interrupts > 0) return 0;  // while the nodes were created
    std::fprintf(stderr, "simulation_node: %s\n", error.what());
    return 1;
  }
}
