// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a Kinematics holds, and the pass that fills it. Nothing here checks arguments.

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <optional>
#include <vector>

#include "dynamics_core/kinematics.hpp"
#include "rigid/problem.hpp"
#include "spatial/joint_transform.hpp"

namespace dynamics {

/// Pose and motion of a body, in the world's axes, at the body's origin.
struct WorldMotion {
  spatial::PlanarRotation<double> at;  ///< of the joint
  Eigen::Matrix3d rotation;
  Eigen::Vector3d position;
  Eigen::Vector3d omega, velocity;
  Eigen::Vector3d alpha, acceleration;
  Eigen::Vector3d axis() const { return rotation.col(2); }
};

struct Kinematics::Memory {
  explicit Memory(const Model& model)
      : size(model.size()),
        body_count(model.body_count()),
        bodies(body_count),
        path(body_count),
        q(body_count),
        qd(body_count),
        qdd(body_count) {}

  std::size_t size, body_count;
  std::uint64_t fingerprint = 0;  ///< Model::Data::motion_fingerprint of the last pass
  int order = -1;  ///< 0: poses, 1: velocities too, 2: accelerations too; -1: nothing yet
  WorldMotion base;
  std::vector<WorldMotion> bodies;
  std::vector<std::size_t> path;   ///< scratch: the bodies from the base to a frame
  std::vector<double> q, qd, qdd;  ///< of bodies
  Problem problem;

  /// The body that a frame is fixed to, or the base.
  const WorldMotion& carrier(const Frame& frame) const {
    return frame.body < 0 ? base : bodies[static_cast<std::size_t>(frame.body)];
  }
};

/// World poses of all bodies; with qd also velocities, with qdd also accelerations (may be null).
/// Joint positions and rates are those of bodies.
void world_motion(const Model& model, Kinematics::Memory& memory, const double* q, const double* qd,
                  const double* qdd, const std::optional<BaseMotion>& base) noexcept;

/// World poses of the bodies that carry a frame, and of no other; the base is at rest. The memory
/// then holds no complete pass.
void world_poses_to(const Model& model, Kinematics::Memory& memory, const double* q,
                    const Frame& frame) noexcept;

Pose frame_in_world(const Model& model, const Kinematics::Memory& memory,
                    std::size_t frame) noexcept;

/// The 6 x n Jacobian of a frame, angular rows first, after world_motion().
void fill_jacobian(const Model& model, const Kinematics::Memory& memory, std::size_t frame,
                   Axes axes, Eigen::Ref<Eigen::MatrixXd>& J) noexcept;

/// Checks of a query that needs the derivatives up to `order`; with a frame also that it exists.
Checks check_query(const Model& model, Kinematics::Memory& memory, int order) noexcept;
Checks check_query(const Model& model, Kinematics::Memory& memory, std::size_t frame,
                   int order) noexcept;

}  // namespace dynamics
