// SPDX-License-Identifier: Apache-2.0
#pragma once

// ros2_control hardware component that simulates a robot, which it shares with the other blocks of
// the same robot (SimulatedRobot). Parameters: see the README of the
// package.
//
// Lifecycle callbacks and mode switches run in non-real-time threads and may allocate. read() and
// write() run in the control loop: they do not allocate, block or throw.

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <dynamics_core/sensors.hpp>
#include <hardware_interface/system_interface.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dynamics_sim/simulated_robot.hpp"
#include "dynamics_sim/system_link.hpp"
#include "dynamics_sim/system_parameters.hpp"
#include "dynamics_sim/system_sensors.hpp"
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

  DynamicsSystem() = default;
  ~DynamicsSystem() override;
  DynamicsSystem(const DynamicsSystem&) = delete;
  DynamicsSystem& operator=(const DynamicsSystem&) = delete;

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

  /// Advances the robot by the period in whole steps, if no other block of the robot has; the
  /// remainder is added to the next period. Exports the states.
  return_type read(const rclcpp::Time& time, const rclcpp::Duration& period) override;
  /// Reads the commands of the controllers.
  return_type write(const rclcpp::Time& time, const rclcpp::Duration& period) override;

 private:
  using StateHandle = hardware_interface::StateInterface::SharedPtr;
  using CommandHandle = hardware_interface::CommandInterface::SharedPtr;

  struct Joint {
    explicit Joint(SystemJoint joint) : config(std::move(joint)) {}

    SystemJoint config;
    // Set by mode switches, which run in another thread than `read` and `write`: one bit per
    // claimed interface, the higher bits count the switches.
    std::atomic<std::uint32_t> claims = 0;
    // used by the control loop only
    std::uint32_t seen = 0;
    std::array<bool, 4> claimed = {};
    std::array<bool, 4> given = {};  // a finite command was received since it was claimed
    std::array<double, 4> value = {};
    std::array<CommandHandle, 4> command_handle;
    std::array<StateHandle, 4> state_handle;
    std::optional<dynamics::SensorErrorModel> encoder;
  };

  /// A command interface without a meaning for the simulation, and the state interface of the same
  /// name.
  struct Mirror {
    CommandHandle command;
    StateHandle state;
  };

  CallbackReturn prepare(const ManagerIdentity& manager);
  void report_notes() const;
  void name_extra_interfaces();
  void find_handles();
  void find_mirrors();
  void forget_claims();
  void command(Joint& joint);
  bool apply_mode_switches();
  void warn_of_step() const;
  void export_states();
  void export_joints();
  void mirror() noexcept;
  bool stop();
  void end();

  std::shared_ptr<SimulatedRobot> robot_;
  std::shared_ptr<BlockLink> link_;
  bool first_ = false;  // of the blocks of the robot
  std::deque<Joint> joints_;
  std::vector<SensorOutput> sensors_;
  std::vector<Mirror> mirrors_;
  std::vector<SimpleReduction> transmissions_;
  std::vector<std::pair<std::string, std::string>> extra_interfaces_;  // prefix and name
  std::vector<StateHandle> extra_handles_;                             // in the same order
  std::unique_ptr<SystemServices> services_;
  std::atomic<bool> configured_ = false, active_ = false;
  std::int64_t missed_ = 0;     // ns, of periods in which the robot was locked
  std::uint64_t restarts_ = 0;  // of the robot, of the present readings of the sensors
};

}  // namespace dynamics_sim
