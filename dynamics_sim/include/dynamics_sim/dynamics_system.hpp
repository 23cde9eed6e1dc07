// SPDX-License-Identifier: Apache-2.0
#pragma once

// The simulated robot as a ros2_control system. See the package's README for its parameters.

#include <array>
#include <atomic>
#include <cstdint>
#include <hardware_interface/system_interface.hpp>
#include <memory>
#include <string>
#include <vector>

#include "dynamics_sim/arm.hpp"

#if __has_include(<hardware_interface/types/hardware_component_interface_params.hpp>)
#include <hardware_interface/types/hardware_component_interface_params.hpp>
#define DYNAMICS_SIM_INIT_WITH_PARAMS
#endif

namespace dynamics_sim {

/// What a joint does that no controller commands.
enum class Unclaimed : std::uint8_t {
  free,   ///< no effort: it falls
  brake,  ///< stops where it is
  hold    ///< stays at, or returns to, where it was released
};

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
  CallbackReturn on_activate(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_deactivate(const rclcpp_lifecycle::State& previous) override;
  CallbackReturn on_error(const rclcpp_lifecycle::State& previous) override;

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
  enum Kind : std::size_t { position, velocity, effort, acceleration };
  static constexpr std::array<const char*, 4> kind_names = {"position", "velocity", "effort",
                                                            "acceleration"};

  struct Joint {
    std::string name;
    std::size_t coordinate = 0;  // whose motion it shows: multiplier * q + offset
    double multiplier = 1.0, offset = 0.0;
    bool mimic = false;
    std::array<std::string, 3> commands;  // "joint/position", ...; empty where there is none
    std::array<bool, 3> claimed = {};
    std::array<bool, 3> given = {};  // a finite command has come since it was claimed
    std::array<double, 3> value = {};
    std::array<hardware_interface::CommandInterface::SharedPtr, 3> command_handle;
    std::array<hardware_interface::StateInterface::SharedPtr, 4> state_handle;
  };

  CallbackReturn prepare();
  void read_parameters();
  void read_joints();
  void read_initial_values();
  void take_handles();
  void release(std::size_t coordinate);
  void command(Joint& joint);
  void export_states();

  ArmOptions options_;
  dynamics::ModelOptions model_options_;
  Unclaimed unclaimed_ = Unclaimed::hold;
  std::int64_t step_ = 0;            // ns
  std::int64_t largest_period_ = 0;  // ns
  std::int64_t carry_ = 0;           // ns not simulated yet
  std::unique_ptr<Arm> arm_;
  std::vector<double> initial_q_, initial_qd_;
  std::vector<Unclaimed> unclaimed_of_;  // by coordinate
  std::vector<double> hold_;             // by coordinate: where it was released
  std::vector<Joint> joints_;
  std::atomic<bool> active_ = false;
};

}  // namespace dynamics_sim
