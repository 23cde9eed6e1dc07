// SPDX-License-Identifier: Apache-2.0
#pragma once

// ros2_control hardware component that simulates a robot. Parameters: see the README of the
// package.
//
// Lifecycle callbacks and mode switches run in non-real-time threads and may allocate. read() and
// write() run in the control loop: they do not allocate, block or throw.

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <dynamics_core/plant.hpp>
#include <dynamics_core/real_time_simulation.hpp>
#include <hardware_interface/system_interface.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dynamics_sim/system_link.hpp"
#include "dynamics_sim/system_parameters.hpp"
#include "dynamics_sim/system_services.hpp"
#include "dynamics_sim/transmissions.hpp"

#if __has_include(<hardware_interface/types/hardware_component_interface_params.hpp>)
#include <hardware_interface/types/hardware_component_interface_params.hpp>
#define DYNAMICS_SIM_INIT_WITH_PARAMS
#endif

namespace dynamics_sim {

class DynamicsSystem : public hardware_interface::SystemInterface {
 public:
  using CallbackReturn = hardware_interface::CallbackReturn;
  using return_type = hardware_interface::return_type;

  ~DynamicsSystem() override;

#ifdef DYNAMICS_SIM_INIT_WITH_PARAMS
  CallbackReturn on_init(
      const hardware_interface::HardwareComponentInterfaceParams& params) override;
#else
  CallbackReturn on_init(const hardware_interface::HardwareInfo& info) override;
#endif
  CallbackReturn on_configure(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_cleanup(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_activate(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_shutdown(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_error(const rclcpp_lifecycle::State& previous) override;

  /// Amplitudes of flexible links, energies, statistics.
  std::vector<hardware_interface::InterfaceDescription>
  export_unlisted_state_interface_descriptions() override;

  /// Rejects unknown command interfaces.
  return_type prepare_command_mode_switch(const std::vector<std::string>& start,
                                          const std::vector<std::string>& stop) override;
  return_type perform_command_mode_switch(const std::vector<std::string>& start,
                                          const std::vector<std::string>& stop) override;

  /// Advances by the period in whole steps; the remainder is added to the next period.
  return_type read(const rclcpp::Time& time, const rclcpp::Duration& period) override;
  /// Reads the commands of the controllers.
  return_type write(const rclcpp::Time& time, const rclcpp::Duration& period) override;

 private:
  using StateHandle = hardware_interface::StateInterface::SharedPtr;

  struct Joint {
    explicit Joint(SystemJoint joint) : config(std::move(joint)) {}
    bool is_claimed(std::size_t kind) const { return ((claims.load() >> kind) & 1U) != 0; }

    SystemJoint config;
    // Set by mode switches, which run in another thread than `read` and `write`: one bit per
    // claimed interface, the higher bits count the switches.
    std::atomic<std::uint32_t> claims = 0;
    // used by the control loop only
    std::uint32_t seen = 0;
    std::array<bool, 3> claimed = {};
    std::array<bool, 3> given = {};  // a finite command was received since it was claimed
    std::array<double, 3> value = {};
    std::array<hardware_interface::CommandInterface::SharedPtr, 3> command_handle;
    std::array<StateHandle, 4> state_handle;
  };

  CallbackReturn prepare();
  void find_handles();
  void release(std::size_t coordinate);
  void command(Joint& joint);
  void apply_mode_switches();
  void apply_requests() noexcept;
  void apply_reset() noexcept;
  void serve() noexcept;
  void warn_of_step() const;
  std::int64_t time_to_simulate(std::int64_t period) noexcept;
  bool advance(std::int64_t nanoseconds) noexcept;
  void export_states();
  void forget_requests();
  void stop();
  void end();

  SystemParameters parameters_;
  std::int64_t step_ = 0;                         // ns
  std::int64_t period_ = 0;                       // ns, nominal, of the control loop
  std::int64_t remainder_ = 0;                    // ns, not simulated yet
  std::uint64_t late_ = 0;                        // steps
  std::shared_ptr<const dynamics::Plant> plant_;  // without payload
  std::unique_ptr<dynamics::RealTimeSimulation> robot_;
  SystemState initial_;
  std::vector<double> hold_;  // by joint: position when it was released
  std::deque<Joint> joints_;
  std::vector<SimpleReduction> transmissions_;
  std::vector<std::pair<std::string, std::string>> extra_interfaces_;  // prefix and name
  std::vector<StateHandle> extra_handles_;                             // in the same order
  std::shared_ptr<SystemLink> link_;
  std::unique_ptr<SystemServices> services_;
  std::atomic<bool> active_ = false;
  SystemState before_;          // a reset
  std::uint64_t unsolved_ = 0;  // reported
};

}  // namespace dynamics_sim
