// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "dynamics_core/energy.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/marker_shapes.hpp"
#include "dynamics_core/view.hpp"

namespace dynamics {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

bool all(const std::vector<bool>& flags) {
  return std::all_of(flags.begin(), flags.end(), [](bool flag) { return flag; });
}

void check_index(std::size_t index, std::size_t size, const char* name) {
  if (index < size) return;
  throw ArgumentError(fmt::format("{} is {}; it must be below {}", name, index, size));
}

}  // namespace

RobotState::RobotState(const Model& model) : model_(model) {
  build(model);
  const std::size_t joints = model.size();
  position_.assign(flexible_ ? flexible_->size() : joints, 0.0);
  velocity_ = position_;
  effort_.assign(joints, nan);
  has_position_.assign(joints, false);
  has_velocity_.assign(joints, false);
}

void RobotState::build(const Model& model) {
  // everything that may throw comes before the first change
  std::optional<FlexibleModel> flexible;
  std::unique_ptr<FlexibleWorkspace> flexible_workspace;
  if (FlexibleModel::has_modes(model)) {
    flexible.emplace(model);
    flexible_workspace = std::make_unique<FlexibleWorkspace>(*flexible);
  }
  workspace_ = std::make_unique<Workspace>(model);
  flexible_workspace_ = std::move(flexible_workspace);
  flexible_ = std::move(flexible);
  model_ = model;
  poses_.resize(model.frames().size());
  poses_valid_ = false;
}

void RobotState::set_model(const Model& model) {
  if (model.size() != model_.size()) {
    throw ArgumentError(fmt::format("the model has {} coordinates; {} are needed, those of '{}'",
                                    model.size(), model_.size(), model_.name()));
  }
  build(model);
}

void RobotState::set_position(std::size_t coordinate, double value) {
  check_index(coordinate, position_.size(), "coordinate");
  position_[coordinate] = value;
  if (coordinate < has_position_.size()) has_position_[coordinate] = true;
  poses_valid_ = false;
}

void RobotState::set_velocity(std::size_t coordinate, double value) {
  check_index(coordinate, velocity_.size(), "coordinate");
  velocity_[coordinate] = value;
  if (coordinate < has_velocity_.size()) has_velocity_[coordinate] = true;
}

void RobotState::set_effort(std::size_t joint, double value) {
  check_index(joint, effort_.size(), "joint");
  effort_[joint] = value;
}

void RobotState::clear_velocity(std::size_t joint) {
  check_index(joint, has_velocity_.size(), "joint");
  velocity_[joint] = 0.0;
  has_velocity_[joint] = false;
}

void RobotState::clear_effort(std::size_t joint) { set_effort(joint, nan); }

bool RobotState::has_positions() const { return all(has_position_); }
bool RobotState::has_velocities() const { return has_positions() && all(has_velocity_); }

std::span<const Pose> RobotState::poses() {
  if (poses_valid_) return poses_;
  if (flexible_) {
    for (std::size_t i = 0; i < poses_.size(); ++i) {
      poses_[i] = frame_pose(*flexible_, *flexible_workspace_, position_, i);
    }
  } else {
    frame_poses(model_, *workspace_, position_, poses_);
  }
  poses_valid_ = true;
  return poses_;
}

const Pose& RobotState::pose(const std::string& link) { return poses()[model_.frame(link)]; }

bool RobotState::moves_in_parent(const JointDescription& joint) const {
  if (joint.type != JointType::fixed) return true;
  if (!flexible_) return false;
  const auto links = flexible_->links();
  return std::any_of(links.begin(), links.end(),
                     [&](const FlexibleLink& link) { return link.name == joint.parent; });
}

Eigen::Vector3d RobotState::center_of_mass() {
  if (flexible_) return dynamics::center_of_mass(*flexible_, *flexible_workspace_, position_);
  return momentum(model_, *workspace_, position_, velocity_).center;
}

FlexibleEnergy RobotState::energy() {
  FlexibleEnergy sum;
  if (flexible_) {
    sum = dynamics::energy(*flexible_, *flexible_workspace_, position_, velocity_);
  } else {
    const Energy rigid = dynamics::energy(model_, *workspace_, position_, velocity_);
    sum.kinetic = rigid.kinetic;
    sum.potential = rigid.potential;
  }
  if (!has_velocities()) sum.kinetic = nan;
  return sum;
}

std::vector<Eigen::Vector3d> RobotState::beam(std::size_t link, std::size_t points) {
  check_index(link, flexible_ ? flexible_->links().size() : 0, "link");
  if (points < 2) throw ArgumentError(fmt::format("points is {}; it must be 2 or more", points));
  const FlexibleLink& beam = flexible_->links()[link];
  const Pose& root = pose(beam.name);
  std::vector<Eigen::Vector3d> made;
  made.reserve(points);
  for (std::size_t k = 0; k < points; ++k) {
    const double share = static_cast<double>(k) / static_cast<double>(points - 1);
    const auto section = cross_section(*flexible_, link, share * beam.length);
    made.push_back(root * cross_section_pose(*flexible_, position_, link, section).translation);
  }
  return made;
}

}  // namespace dynamics
