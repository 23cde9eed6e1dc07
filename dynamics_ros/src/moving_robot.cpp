// SPDX-License-Identifier: Apache-2.0
#include "dynamics_ros/moving_robot.hpp"

#include <algorithm>
#include <cmath>
#include <dynamics_core/energy.hpp>
#include <dynamics_core/kinematics.hpp>
#include <limits>
#include <utility>

namespace dynamics_ros {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

double seconds(const builtin_interfaces::msg::Time& time) {
  return static_cast<double>(time.sec) + 1e-9 * static_cast<double>(time.nanosec);
}

bool all(const std::vector<bool>& flags) {
  return std::all_of(flags.begin(), flags.end(), [](bool flag) { return flag; });
}

}  // namespace

MovingRobot::MovingRobot(const dynamics::Model& model) : model_(model) {
  build(model);
  const std::size_t joints = model.size();
  position_.assign(flexible_ ? flexible_->size() : joints, 0.0);
  velocity_ = position_;
  effort_.assign(joints, nan);
  placed_.assign(joints, false);
  timed_.assign(joints, false);
  for (std::size_t i = 0; i < joints; ++i) {
    const std::string& name = model.coordinates()[i].name;
    slots_[name + "/position"] = {Quantity::position, i};
    slots_[name + "/velocity"] = {Quantity::velocity, i};
    slots_[name + "/effort"] = {Quantity::effort, i};
  }
  if (!flexible_) return;
  for (const dynamics::FlexibleLink& link : flexible_->links()) {
    for (std::size_t j = 0; j < link.modes(); ++j) {
      const bool y = j < link.modes_y;
      const std::string name =
          link.name + (y ? "/y" : "/z") + std::to_string((y ? j : j - link.modes_y) + 1);
      slots_[name] = {Quantity::position, link.first + j};
      slots_[name + "_velocity"] = {Quantity::velocity, link.first + j};
    }
  }
}

void MovingRobot::build(const dynamics::Model& model) {
  // whatever throws does so before anything is changed
  std::optional<dynamics::FlexibleModel> flexible;
  std::unique_ptr<dynamics::FlexibleWorkspace> flexible_workspace;
  if (dynamics::FlexibleModel::has_modes(model)) {
    flexible.emplace(model);
    flexible_workspace = std::make_unique<dynamics::FlexibleWorkspace>(*flexible);
  }
  workspace_ = std::make_unique<dynamics::Workspace>(model);
  flexible_workspace_ = std::move(flexible_workspace);
  flexible_ = std::move(flexible);
  model_ = model;
  poses_.resize(model.frames().size());
  poses_valid_ = false;
}

void MovingRobot::replace(const dynamics::Model& model) { build(model); }

void MovingRobot::put(Slot slot, double value) {
  const std::size_t i = slot.index;
  switch (slot.quantity) {
    case Quantity::position:
      position_[i] = value;
      if (i < placed_.size()) placed_[i] = true;
      poses_valid_ = false;
      break;
    case Quantity::velocity:
      velocity_[i] = value;
      if (i < timed_.size()) timed_[i] = true;
      break;
    case Quantity::effort: effort_[i] = value; break;
  }
}

bool MovingRobot::take(const sensor_msgs::msg::JointState& message) {
  if (complete_ && std::abs(seconds(message.header.stamp) - *complete_) < overlap) return false;
  bool taken = false;
  for (std::size_t i = 0; i < message.name.size(); ++i) {
    const auto found = slots_.find(message.name[i] + "/position");
    if (found == slots_.end()) continue;
    const std::size_t joint = found->second.index;
    const auto take_from = [&](const std::vector<double>& values, Quantity quantity) {
      const bool given = i < values.size() && std::isfinite(values[i]);
      if (given) put({quantity, joint}, values[i]);
      taken = taken || given;
      return given;
    };
    take_from(message.position, Quantity::position);
    if (!take_from(message.velocity, Quantity::velocity)) timed_[joint] = false;
    if (!take_from(message.effort, Quantity::effort)) effort_[joint] = nan;
  }
  if (taken) stamp_ = message.header.stamp;
  return taken;
}

bool MovingRobot::take(const control_msgs::msg::DynamicJointState& message) {
  std::size_t positions = 0;
  bool taken = false;
  const std::size_t entries = std::min(message.joint_names.size(), message.interface_values.size());
  for (std::size_t i = 0; i < entries; ++i) {
    const auto& values = message.interface_values[i];
    const std::size_t count = std::min(values.interface_names.size(), values.values.size());
    for (std::size_t k = 0; k < count; ++k) {
      const auto found = slots_.find(message.joint_names[i] + "/" + values.interface_names[k]);
      if (found == slots_.end() || !std::isfinite(values.values[k])) continue;
      put(found->second, values.values[k]);
      taken = true;
      if (found->second.quantity == Quantity::position) ++positions;
    }
  }
  if (taken) stamp_ = message.header.stamp;
  if (positions >= position_.size()) complete_ = seconds(message.header.stamp);
  return taken;
}

bool MovingRobot::placed() const { return all(placed_); }
bool MovingRobot::timed() const { return placed() && all(timed_); }

std::span<const dynamics::Pose> MovingRobot::poses() {
  if (poses_valid_) return poses_;
  if (flexible_) {
    for (std::size_t i = 0; i < poses_.size(); ++i) {
      poses_[i] = dynamics::frame_pose(*flexible_, *flexible_workspace_, position_, i);
    }
  } else {
    dynamics::frame_poses(model_, *workspace_, position_, poses_);
  }
  poses_valid_ = true;
  return poses_;
}

const dynamics::Pose& MovingRobot::pose(const std::string& link) {
  return poses()[model_.frame(link)];
}

Eigen::Vector3d MovingRobot::mass_centre() {
  if (flexible_) return dynamics::center_of_mass(*flexible_, *flexible_workspace_, position_);
  return dynamics::momentum(model_, *workspace_, position_, velocity_).centre;
}

dynamics::FlexibleEnergy MovingRobot::energy() {
  dynamics::FlexibleEnergy sum;
  if (flexible_) {
    sum = dynamics::energy(*flexible_, *flexible_workspace_, position_, velocity_);
  } else {
    const auto rigid = dynamics::energy(model_, *workspace_, position_, velocity_);
    sum.kinetic = rigid.kinetic;
    sum.potential = rigid.potential;
  }
  if (!timed()) sum.kinetic = nan;
  return sum;
}

std::vector<Eigen::Vector3d> MovingRobot::beam(std::size_t link, std::size_t places) {
  const dynamics::FlexibleLink& beam = flexible_->links()[link];
  const dynamics::Pose& root = pose(beam.name);
  std::vector<Eigen::Vector3d> points;
  points.reserve(places);
  for (std::size_t k = 0; k < places; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(places - 1);
    const auto section = dynamics::cross_section(*flexible_, link, share * beam.length);
    points.push_back(
        root * dynamics::cross_section_pose(*flexible_, position_, link, section).translation);
  }
  return points;
}

}  // namespace dynamics_ros
