// SPDX-License-Identifier: Apache-2.0
#pragma once

// A robot and what it does now, gathered from messages, without a node:
//
//   dynamics_ros::MovingRobot robot(dynamics::model_from_urdf(urdf));
//   robot.take(joint_state);
//   if (robot.placed()) use(robot.poses(), robot.mass_centre());
//
// Links with modes are bent by the amplitudes of `dynamic_joint_states`; all else is rigid. Poses
// are in the base link's frame. Not thread-safe.

#include <Eigen/Core>
#include <builtin_interfaces/msg/time.hpp>
#include <control_msgs/msg/dynamic_joint_state.hpp>
#include <cstddef>
#include <cstdint>
#include <dynamics_core/flexible_dynamics.hpp>
#include <dynamics_core/flexible_model.hpp>
#include <dynamics_core/model.hpp>
#include <dynamics_core/workspace.hpp>
#include <memory>
#include <optional>
#include <sensor_msgs/msg/joint_state.hpp>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace dynamics_ros {

class MovingRobot {
 public:
  /// Throws dynamics::ModelError where the flexible links cannot be.
  explicit MovingRobot(const dynamics::Model& model);

  const dynamics::Model& model() const { return model_; }
  /// Null for a robot without flexible links.
  const dynamics::FlexibleModel* flexible() const { return flexible_ ? &*flexible_ : nullptr; }

  /// The same joints with another load: what is known of the state stays.
  void replace(const dynamics::Model& model);

  /// Takes what a message says of this robot; joints of others and numbers that are not finite are
  /// passed over. False where nothing was taken. Joints may come in several messages.
  /// A dynamic state that tells all joints and amplitudes is of one instant, which two messages
  /// are not: joint states stamped within `overlap` of it are then passed over.
  bool take(const sensor_msgs::msg::JointState& message);
  bool take(const control_msgs::msg::DynamicJointState& message);
  static constexpr double overlap = 0.5;  ///< (s)

  bool placed() const;  ///< the position of every joint is known
  bool timed() const;   ///< the velocity of every joint is known too
  const builtin_interfaces::msg::Time& stamp() const { return stamp_; }  ///< of the last message

  /// Joints, then amplitudes (zero where unknown), as dynamics::FlexibleModel orders them.
  std::span<const double> position() const { return position_; }
  std::span<const double> velocity() const { return velocity_; }
  /// By joint; NaN where the messages give none.
  std::span<const double> effort() const { return effort_; }

  // Those below need placed().

  /// In the order of model().frames().
  std::span<const dynamics::Pose> poses();
  const dynamics::Pose& pose(const std::string& link);
  /// Of the moving links and the payload.
  Eigen::Vector3d mass_centre();
  /// The kinetic energy is NaN unless timed().
  dynamics::FlexibleEnergy energy();
  /// Places along the axis of a flexible link, root and tip included (m); index as
  /// flexible()->links().
  std::vector<Eigen::Vector3d> beam(std::size_t link, std::size_t places);

 private:
  enum class Quantity : std::uint8_t { position, velocity, effort };
  struct Slot {
    Quantity quantity;
    std::size_t index;
  };
  void put(Slot slot, double value);
  void build(const dynamics::Model& model);

  dynamics::Model model_;
  std::optional<dynamics::FlexibleModel> flexible_;
  std::unique_ptr<dynamics::Workspace> workspace_;
  std::unique_ptr<dynamics::FlexibleWorkspace> flexible_workspace_;
  std::unordered_map<std::string, Slot> slots_;  // by JOINT/interface, LINK/interface
  std::vector<double> position_, velocity_, effort_;
  std::vector<bool> placed_, timed_;  // by joint
  std::vector<dynamics::Pose> poses_;
  bool poses_valid_ = false;
  builtin_interfaces::msg::Time stamp_;
  std::optional<double> complete_;  // time of the last dynamic state that told all
};

}  // namespace dynamics_ros
