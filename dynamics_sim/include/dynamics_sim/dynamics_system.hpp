// SPDX-License-Identifier: Apache-2.0
#pragma once

// The simulated robot as a ros2_control system. See the package's README for its parameters.

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <hardware_interface/system_interface.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dynamics_sim/arm.hpp"
#include "dynamics_sim/system_link.hpp"
#include "dynamics_sim/system_parameters.hpp"
#include "dynamics_sim/system_services.hpp"

#if __has_include(<hardware_interface/types/hardware_component_interface_params.hpp>)
#include <hardware_interface/types/hardware_component_interface_params.hpp>
#define DYNAMICS_SIM_INIT_WITH_PARAMS
#endif

namespace dynamics_sim {

class DynamicsSystem : public hardware_interface::SystemInterface {
 public:
  using CallbackReturn = hardware_interface::CallbackReturn;
  using return_type = hardware_interface::return_type;

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

  /// Refuses interfaces that a joint does not have, and effort beside position or velocity.
  return_type prepare_command_mode_switch(const std::vector<std::string>& start,
                                          const std::vector<std::string>& stop) override;
  return_type perform_command_mode_switch(const std::vector<std::string>& start,
                                          const std::vector<std::string>& stop) override;

  /// Advances by the period, in whole steps; what is left over counts for the next one.
  return_type read(const rclcpp::Time& time, const rclcpp::Duration& period) override;
  /// Takes the commands.
  return_type write(const rclcpp::Time& time, const rclcpp::Duration& period) override;

 private:
  using StateHandle = hardware_interface::StateInterface::SharedPtr;

  struct Joint {
    explicit Joint(SystemJoint joint) : what(std::move(joint)) {}
    bool wants(std::size_t kind) const { return ((wanted.load() >> kind) & 1U) != 0; }

    SystemJoint what;
    // Mode switches come from another thread than `read` and `write`: bit by bit what is claimed,
    // above them a count of the switches.
    std::atomic<std::uint32_t> wanted = 0;
    // of the loop
    std::uint32_t seen = 0;
    std::array<bool, 3> claimed = {};
    std::array<bool, 3> given = {};  // a finite command has come since it was claimed
    std::array<double, 3> value = {};
    std::array<hardware_interface::CommandInterface::SharedPtr, 3> command_handle;
    std::array<StateHandle, 4> state_handle;
  };

  CallbackReturn prepare();
  void take_handles();
  void release(std::size_t coordinate);
  void command(Joint& joint);
  void take_switches();
  void take_requests() noexcept;
  std::int64_t time_to_simulate(std::int64_t period) noexcept;
  bool advance(std::int64_t nanoseconds) noexcept;
  void export_states();
  void stop();

  SystemParameters parameters_;
  std::int64_t step_ = 0;                 // ns
  std::int64_t period_ = 0;               // ns, of the control loop, nominal
  std::int64_t carry_ = 0;                // ns not simulated yet
  std::uint64_t late_ = 0;                // steps
  std::optional<dynamics::Model> model_;  // without payload
  std::unique_ptr<Arm> arm_;
  SystemState initial_;
  std::vector<double> hold_;  // by joint: where it was released
  std::deque<Joint> joints_;
  std::vector<std::pair<std::string, std::string>> further_;  // prefix and name of interfaces
  std::vector<StateHandle> further_handles_;                  // in that order
  std::shared_ptr<SystemLink> link_;
  std::unique_ptr<SystemServices> services_;
  std::atomic<bool> active_ = false;
};

}  // namespace dynamics_sim
