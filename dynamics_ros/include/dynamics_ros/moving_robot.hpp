// SPDX-License-Identifier: Apache-2.0
#pragma once

// The state of a robot, read from messages, without a node:
//
//   dynamics_ros::MovingRobot robot(dynamics::model_from_urdf(urdf));
//   robot.take(joint_state);
//   if (robot.has_positions()) use(robot.poses(), robot.center_of_mass());
//
// Links with modes bend by the amplitudes of `dynamic_joint_states`, or of
// state_interfaces_broadcaster; all others are rigid. Joints of a mechanism with closed loops that
// no message has follow from the independent ones. Poses are in the base link's frame. Not
// thread-safe.

#include <builtin_interfaces/msg/time.hpp>
#include <control_msgs/msg/dynamic_joint_state.hpp>
#include <control_msgs/msg/float64_values.hpp>
#include <control_msgs/msg/keys.hpp>
#include <cstddef>
#include <cstdint>
#include <dynamics_core/closed_loops.hpp>
#include <dynamics_core/marker_shapes.hpp>
#include <optional>
#include <sensor_msgs/msg/joint_state.hpp>
#include <string>
#include <unordered_map>
#include <vector>

namespace dynamics_ros {

class MovingRobot : public dynamics::RobotState {
 public:
  /// Throws dynamics::ModelError if the flexible links are not valid.
  explicit MovingRobot(const dynamics::Model& model);
  explicit MovingRobot(const dynamics::Mechanism& mechanism);
  /// A robot or mechanism. Throws dynamics::Error for an invalid description.
  static MovingRobot from_urdf(const std::string& urdf, const dynamics::ModelOptions& options = {});

  /// Takes the values of this robot's joints; joints of others and numbers that are not finite are
  /// ignored. False if nothing was taken. Joints may come in several messages.
  /// A dynamic state with all joints and amplitudes is of one instant, which two messages are not:
  /// joint states stamped within `overlap` of it are then ignored.
  bool take(const sensor_msgs::msg::JointState& message);
  bool take(const control_msgs::msg::DynamicJointState& message);
  /// The same from state_interfaces_broadcaster: `names` are NAME/interface. False if there is not
  /// one value per name.
  bool take(const control_msgs::msg::Keys& names, const control_msgs::msg::Float64Values& message);
  static constexpr double overlap = 0.5;  ///< (s)

  const builtin_interfaces::msg::Time& stamp() const { return stamp_; }  ///< of the last message

 private:
  enum class Quantity : std::uint8_t { position, velocity, effort };
  struct Slot {
    Quantity quantity;
    std::size_t index;
  };
  void set(Slot slot, double value);
  struct Taken {
    std::size_t values = 0, positions = 0;
  };
  void take(const std::string& interface, double value, Taken& taken);
  bool finish(const Taken& taken, const builtin_interfaces::msg::Time& stamp);
  void close_loops();

  std::unordered_map<std::string, Slot> slots_;  // by JOINT/interface, LINK/interface
  builtin_interfaces::msg::Time stamp_;
  std::optional<double> complete_;  // time of the last dynamic state with all values

  std::optional<dynamics::Mechanism> mechanism_;
  std::optional<dynamics::MechanismWorkspace> loops_;
  std::vector<bool> has_position_, has_velocity_;  // by joint, from messages
  std::vector<double> closed_;                     // the last position that closes the loops
};

}  // namespace dynamics_ros
