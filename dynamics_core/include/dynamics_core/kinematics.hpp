// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where the frames are and how they move.

#include <Eigen/Core>
#include <optional>
#include <span>

#include "dynamics_core/export.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/workspace.hpp"

namespace DYNAMICS_CORE_PUBLIC dynamics {

/// The pose of a frame in the world.
Pose frame_pose(const Model& model, Workspace& workspace, ConstVector q, std::size_t frame,
                const std::optional<BaseMotion>& base = std::nullopt);

/// The poses of all frames of Model::frames() in the world.
void frame_poses(const Model& model, Workspace& workspace, ConstVector q, std::span<Pose> poses,
                 const std::optional<BaseMotion>& base = std::nullopt);

/// Pose, velocity and acceleration of a frame.
struct FrameMotion {
  Pose pose;
  Twist velocity;
  /// local, local_world_aligned: angular acceleration, and acceleration of the frame's origin;
  /// world: the rate of `velocity`.
  Twist acceleration;
};

/// How a frame moves; gravity plays no part. Axes::world means the spatial twist: its linear part
/// is the velocity of the point of the body that passes the world's origin.
FrameMotion frame_motion(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                         ConstVector qdd, std::size_t frame, Axes axes,
                         const std::optional<BaseMotion>& base = std::nullopt);

/// The 6 x n Jacobian of a frame: rows 0 to 2 linear, 3 to 5 angular velocity, as frame_motion's
/// velocity for a base at rest.
void jacobian(const Model& model, Workspace& workspace, ConstVector q, std::size_t frame, Axes axes,
              Eigen::Ref<Eigen::MatrixXd> J);

/// The time derivative of that matrix.
void jacobian_rate(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                   std::size_t frame, Axes axes, Eigen::Ref<Eigen::MatrixXd> J_rate);

}  // namespace dynamics
