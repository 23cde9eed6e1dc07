// SPDX-License-Identifier: Apache-2.0
#include "simulation/run_transforms.hpp"

#include <Eigen/Geometry>
#include <algorithm>

#include "dynamics_core/flexible_links.hpp"
#include "dynamics_core/kinematics.hpp"

namespace dynamics {

RunTransforms::RunTransforms(const Recording& run)
    : run_(run),
      workspace_(run.model),
      q_(run.model.size() + run.amplitudes.size()),
      frames_(run.model.frames().size()),
      root_(run.model.base_link()) {
  if (!run.amplitudes.empty()) flexible_ = flexible_plant(FlexibleModel(run.model));
  for (const JointDescription& joint : run.model.description().joints) {
    const bool bends = std::any_of(run.beams.begin(), run.beams.end(), [&](const BeamShapes& beam) {
      return beam.link == joint.parent;
    });
    edges_.push_back({joint.parent, joint.child, joint.type != JointType::fixed || bends, {}});
    parents_.push_back(run.model.frame(joint.parent));
    children_.push_back(run.model.frame(joint.child));
  }
  if (!base_moves()) return;
  root_ = "world";
  while (run.model.find_frame(root_)) root_ = "inertial_" + root_;
  edges_.push_back({root_, run.model.base_link(), true, {}});
}

void RunTransforms::compute(std::size_t sample) {
  compute_frames(sample);
  for (std::size_t i = 0; i < parents_.size(); ++i)
    edges_[i].pose = frames_[parents_[i]].inverse() * frames_[children_[i]];
  if (edges_.size() > parents_.size()) edges_.back().pose = base_pose(sample);
}

void RunTransforms::compute_frames(std::size_t sample) {
  const std::size_t joints = run_.model.size();
  for (std::size_t i = 0; i < q_.size(); ++i)
    q_[i] = i < joints ? run_.q[i][sample] : run_.amplitudes[i - joints][sample];
  if (!flexible_) {
    frame_poses(run_.model, workspace_, q_, frames_);
    return;
  }
  for (std::size_t i = 0; i < frames_.size(); ++i)
    frames_[i] = flexible_->frame_pose(run_.t[sample], q_, i);
}

Pose RunTransforms::base_pose(std::size_t sample) const {
  const auto column = [&](const std::vector<Column>& columns, std::size_t i) {
    return columns[i][sample];
  };
  const auto& turn = run_.end_effector_orientation;
  Pose tip;
  tip.rotation =
      Eigen::Quaterniond(column(turn, 3), column(turn, 0), column(turn, 1), column(turn, 2))
          .normalized()
          .toRotationMatrix();
  for (std::size_t i = 0; i < 3; ++i)
    tip.translation[static_cast<Eigen::Index>(i)] = column(run_.end_effector, i);
  return tip * frames_[run_.model.end_effector()].inverse();
}

bool RunTransforms::base_moves() {
  constexpr double tolerance = 1e-9;
  if (run_.end_effector_orientation[0].size() != run_.size()) return false;
  for (std::size_t k = 0; k < run_.size(); ++k) {
    compute_frames(k);
    const Pose base = base_pose(k);
    const double reach = 1.0 + frames_[run_.model.end_effector()].translation.norm();
    if (base.translation.norm() > tolerance * reach ||
        (base.rotation - Eigen::Matrix3d::Identity()).norm() > tolerance) {
      return true;
    }
  }
  return false;
}

}  // namespace dynamics
