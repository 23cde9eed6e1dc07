// SPDX-License-Identifier: Apache-2.0
#pragma once

// <sensor> elements of a <ros2_control> block: force-torque sensors and IMUs. See the README of the
// package.

#include <array>
#include <cstddef>
#include <cstdint>
#include <dynamics_core/real_time_simulation.hpp>
#include <dynamics_core/sensors.hpp>
#include <hardware_interface/handle.hpp>
#include <hardware_interface/hardware_info.hpp>
#include <string>
#include <unordered_map>
#include <vector>

namespace dynamics_sim {

/// A sensor of the block.
struct SystemSensor {
  enum class Kind : std::uint8_t {
    force_torque,  ///< force.x, ..., torque.z
    imu,           ///< orientation.x, ..., angular_velocity.x, ..., linear_acceleration.x, ...
    constant       ///< other interfaces: they keep their initial values
  };

  std::string name;
  Kind kind = Kind::constant;
  std::size_t index = 0;         ///< in RealTimeOptions::force_torque or imus
  bool child_on_parent = false;  ///< measures the wrench of the child on the parent
  dynamics::SensorErrors errors;
};

/// Number of values of a sensor, and their interfaces in order.
std::size_t channels(SystemSensor::Kind kind);
const std::string& channel_name(SystemSensor::Kind kind, std::size_t channel);

/// Reads the sensors of a block and adds them to the options of the simulation. Throws
/// std::invalid_argument with the sensor and what would be right.
std::vector<SystemSensor> read_sensors(const hardware_interface::HardwareInfo& info,
                                       const dynamics::Model& model,
                                       dynamics::RealTimeOptions& options);

/// Errors by the parameters PREFIXnoise, PREFIXbias (one number for all channels, one per group or
/// one per channel), PREFIXrate, PREFIXdelay, PREFIXdropout and PREFIXseed of the element `name`,
/// which also selects the random numbers. `groups`: number of channels of each group.
dynamics::SensorErrors read_errors(const std::unordered_map<std::string, std::string>& parameters,
                                   const std::string& prefix,
                                   const std::vector<std::size_t>& groups, const std::string& name);

/// The state interfaces of a sensor.
class SensorOutput {
 public:
  using Handle = hardware_interface::StateInterface::SharedPtr;

  /// `period`: shortest time between two readings (ns).
  SensorOutput(const SystemSensor& sensor, const std::vector<Handle>& handles, std::int64_t period);

  /// The time of the simulation starts again.
  void reset() { errors_.reset(); }
  /// Exports the readings of the simulation at this simulated time (ns).
  void write(const dynamics::RealTimeSimulation& robot, std::int64_t time) noexcept;

 private:
  SystemSensor sensor_;
  dynamics::SensorErrorModel errors_;
  std::array<Handle, 10> handles_;  // null: not listed
};

}  // namespace dynamics_sim
