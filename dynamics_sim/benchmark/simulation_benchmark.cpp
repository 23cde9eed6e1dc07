// SPDX-License-Identifier: Apache-2.0
// Measures the time of read() and write(), compared with mock_components/GenericSystem, which has
// no physics, and the jitter of real-time loops.
//
//   ros2 run dynamics_sim dynamics_sim_benchmark
//
// share_1kHz: fraction of one core at 1 kHz. `late`: periods that ended after the start of the next
// one; `jitter_us`: delay of the start of a period (99.9 % quantile and maximum).
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <dynamics_core/readers.hpp>
#include <hardware_interface/component_parser.hpp>
#include <hardware_interface/system_interface.hpp>
#include <map>
#include <memory>
#include <pluginlib/class_loader.hpp>
#include <rclcpp/rclcpp.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

using hardware_interface::CallbackReturn;
using hardware_interface::return_type;

std::string parameter(const std::string& name, const std::string& value) {
  return "<param name='" + name + "'>" + value + "</param>";
}

struct Case {
  std::string plugin;
  std::string robot;      // name of a built-in robot
  std::string command;    // claimed and commanded interface; empty: none
  double period = 0.001;  // s
};

/// URDF of the robot with the plugin.
std::string urdf(const Case& one) {
  const dynamics::DhTable& table = dynamics::built_in_robot(one.robot);
  std::string text = dynamics::to_urdf(table);
  std::string block =
      "<ros2_control name='arm' type='system'><hardware><plugin>" + one.plugin + "</plugin>";
  if (one.plugin == "dynamics_sim/DynamicsSystem") {
    block += parameter("limits", "false") + parameter("unclaimed", "free") +
             parameter("step", std::to_string(one.period));
  }
  block += "</hardware>";
  for (const auto& link : table.links) {
    block += "<joint name='" + link.joint + "'>";
    for (const char* name : {"position", "velocity", "effort"}) {
      block += std::string("<command_interface name='") + name + "'/>";
    }
    for (const char* name : {"position", "velocity", "effort", "acceleration"}) {
      block += std::string("<state_interface name='") + name + "'/>";
    }
    block += "</joint>";
  }
  const auto end = text.rfind("</robot>");
  return text.substr(0, end) + block + "</ros2_control></robot>";
}

class System {
 public:
  explicit System(const Case& one)
      : loader_("hardware_interface", "hardware_interface::SystemInterface"),
        system_(loader_.createUniqueInstance(one.plugin)),
        period_(rclcpp::Duration::from_seconds(one.period)) {
    hardware_interface::HardwareComponentParams params;
    params.hardware_info = hardware_interface::parse_control_resources_from_urdf(urdf(one)).at(0);
    params.clock = std::make_shared<rclcpp::Clock>(RCL_STEADY_TIME);
    params.logger = rclcpp::get_logger("benchmark");
    require(system_->init(params));
    states_ = system_->on_export_state_interfaces();
    commands_ = system_->on_export_command_interfaces();
    require(system_->on_configure(rclcpp_lifecycle::State()));
    require(system_->on_activate(rclcpp_lifecycle::State()));
    if (one.command.empty()) return;
    std::vector<std::string> names;
    for (const auto& command : commands_) {
      if (command->get_interface_name() == one.command) names.push_back(command->get_name());
    }
    if (system_->prepare_command_mode_switch(names, {}) != return_type::OK ||
        system_->perform_command_mode_switch(names, {}) != return_type::OK) {
      throw std::runtime_error("the commands cannot be claimed");
    }
    for (const auto& command : commands_) {
      if (command->get_interface_name() == one.command) std::ignore = command->set_value(0.1);
    }
  }
  ~System() { system_->on_shutdown(rclcpp_lifecycle::State()); }
  System(const System&) = delete;
  System& operator=(const System&) = delete;

  void cycle() {
    if (system_->write(time_, period_) != return_type::OK ||
        system_->read(time_, period_) != return_type::OK) {
      throw std::runtime_error("the system has stopped");
    }
  }

 private:
  static void require(CallbackReturn result) {
    if (result != CallbackReturn::SUCCESS) throw std::runtime_error("the system does not start");
  }

  pluginlib::ClassLoader<hardware_interface::SystemInterface> loader_;
  pluginlib::UniquePtr<hardware_interface::SystemInterface> system_;
  std::vector<hardware_interface::StateInterface::ConstSharedPtr> states_;
  std::vector<hardware_interface::CommandInterface::SharedPtr> commands_;
  rclcpp::Duration period_;
  rclcpp::Time time_{0, 0, RCL_STEADY_TIME};
};

void read_write(benchmark::State& state, const Case& one) {
  System system(one);
  const auto start = std::chrono::steady_clock::now();
  for (auto _ : state) system.cycle();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
  state.counters["share_1kHz"] = passed.count() / static_cast<double>(state.iterations()) / 0.001;
}

void loop(benchmark::State& state, const Case& one) {
  using Clock = std::chrono::steady_clock;
  System system(one);
  const auto period = std::chrono::nanoseconds(std::llround(one.period * 1e9));
  const auto count = static_cast<std::size_t>(std::llround(3.0 / one.period));
  std::vector<double> jitter;
  jitter.reserve(count);
  for (auto _ : state) {
    std::chrono::nanoseconds busy(0);
    std::size_t late = 0;
    jitter.clear();
    auto due = Clock::now() + period;
    for (std::size_t k = 0; k < count; ++k, due += period) {
      std::this_thread::sleep_until(due);
      const auto begin = Clock::now();
      system.cycle();
      const auto end = Clock::now();
      busy += end - begin;
      if (end > due + period) ++late;
      jitter.push_back(std::chrono::duration<double, std::micro>(begin - due).count());
    }
    std::sort(jitter.begin(), jitter.end());
    state.counters["share"] =
        std::chrono::duration<double>(busy).count() / (static_cast<double>(count) * one.period);
    state.counters["late"] = static_cast<double>(late);
    state.counters["jitter_us"] = jitter[count - 1 - count / 1000];
    state.counters["worst_us"] = jitter.back();
  }
}

}  // namespace

int main(int argc, char** argv) {
  rclcpp::init(0, nullptr);
  rclcpp::get_logger("benchmark").set_level(rclcpp::Logger::Level::Error);
  const std::string ours = "dynamics_sim/DynamicsSystem", mock = "mock_components/GenericSystem";
  const std::map<std::string, Case> cases = {
      {"1_generic_system_puma_position", {mock, "puma", "position"}},
      {"2_dynamics_system_puma_position", {ours, "puma", "position"}},
      {"3_dynamics_system_puma_effort", {ours, "puma", "effort"}},
      {"4_dynamics_system_puma_falling", {ours, "puma", ""}},
      {"5_dynamics_system_canadarm_position", {ours, "canadarm", "position"}},
      {"6_dynamics_system_canadarm_effort", {ours, "canadarm", "effort"}}};
  for (const auto& [name, one] : cases) {
    benchmark::RegisterBenchmark(("read_write/" + name.substr(2)).c_str(), read_write, one)
        ->UseRealTime();
  }
  for (const double period : {0.001, 0.0001}) {
    for (const std::string& plugin : {mock, ours}) {
      const std::string name = std::string("loop/") + (plugin == mock ? "generic" : "dynamics") +
                               "_system_puma_" + (period == 0.001 ? "1kHz" : "10kHz");
      benchmark::RegisterBenchmark(name.c_str(), loop, Case{plugin, "puma", "position", period})
          ->Iterations(1)
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  rclcpp::shutdown();
  return 0;
}
