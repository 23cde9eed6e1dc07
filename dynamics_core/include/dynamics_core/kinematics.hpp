// SPDX-License-Identifier: Apache-2.0
#pragma once

// Poses, velocities, accelerations and Jacobians of frames, from one forward-kinematics pass:
//
//   dynamics::Kinematics kinematics(model);                         // once; allocates
//   const std::size_t tool = model.frame("tool0");
//   dynamics::forward_kinematics(model, kinematics, q, qd);         // one O(n) pass per state
//   dynamics::Pose pose = dynamics::frame_pose(model, kinematics, tool);
//   dynamics::Twist twist = dynamics::frame_velocity(model, kinematics, tool, Axes::local);
//   dynamics::jacobian(model, kinematics, tool, Axes::local, J);    // twist = J qd
//
// Inverse kinematics: joint positions within the limits at which a frame has a given pose.
//
//   const dynamics::Pose target = {dynamics::rotation_from_rpy({0.0, 3.14, 0.0}), {0.4, 0.1, 0.3}};
//   const auto found = dynamics::inverse_kinematics(model, workspace, tool, target, q0, q);
//   if (!found.reached) std::printf("%g m away\n", found.position_error);
//
// The functions that take a Workspace and q do the same for a single answer: they run the pass
// themselves.
//
// Six-vectors have the angular part first, everywhere in this library: rows 0 to 2 of a Jacobian
// are the angular velocity, rows 3 to 5 the linear velocity; Twist is {angular, linear} and Wrench
// {moment, force}. Matrices are column-major (see view.hpp). Vectors are in the order of
// Model::coordinates(); units are SI. Nothing is allocated. Throws ArgumentError for bad arguments,
// and StateError where a query needs a pass that has not been run. For try_NAME see error.hpp.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "dynamics_core/error.hpp"
#include "dynamics_core/external_inputs.hpp"
#include "dynamics_core/model.hpp"
#include "dynamics_core/pose.hpp"
#include "dynamics_core/workspace.hpp"

#pragma GCC visibility push(default)
namespace dynamics {

/// The motion of all bodies of one model in one state, for one thread at a time.
class Kinematics {
 public:
  /// Allocates the memory for this model.
  explicit Kinematics(const Model& model);
  ~Kinematics();
  Kinematics(Kinematics&&) noexcept;
  Kinematics& operator=(Kinematics&&) noexcept;
  Kinematics(const Kinematics&) = delete;
  Kinematics& operator=(const Kinematics&) = delete;

  struct [[gnu::visibility("hidden")]] Memory;
  Memory& memory() const { return *memory_; }

 private:
  std::unique_ptr<Memory> memory_;
};

/// The pass: poses of all bodies from q, their velocities from qd, accelerations from qdd. Queries
/// below need what they say; what was computed before is replaced. O(n).
void forward_kinematics(const Model& model, Kinematics& kinematics, ConstVector q,
                        const std::optional<BaseMotion>& base = std::nullopt);
void forward_kinematics(const Model& model, Kinematics& kinematics, ConstVector q, ConstVector qd,
                        const std::optional<BaseMotion>& base = std::nullopt);
void forward_kinematics(const Model& model, Kinematics& kinematics, ConstVector q, ConstVector qd,
                        ConstVector qdd, const std::optional<BaseMotion>& base = std::nullopt);
Status try_forward_kinematics(const Model& model, Kinematics& kinematics, ConstVector q,
                              const std::optional<BaseMotion>& base = std::nullopt) noexcept;
Status try_forward_kinematics(const Model& model, Kinematics& kinematics, ConstVector q,
                              ConstVector qd,
                              const std::optional<BaseMotion>& base = std::nullopt) noexcept;
Status try_forward_kinematics(const Model& model, Kinematics& kinematics, ConstVector q,
                              ConstVector qd, ConstVector qdd,
                              const std::optional<BaseMotion>& base = std::nullopt) noexcept;

/// The pose of a frame in the world. O(1) after a pass with q.
Pose frame_pose(const Model& model, const Kinematics& kinematics, std::size_t frame);
Pose frame_pose(const Model& model, Workspace& workspace, ConstVector q, std::size_t frame,
                const std::optional<BaseMotion>& base = std::nullopt);
Status try_frame_pose(const Model& model, const Kinematics& kinematics, std::size_t frame,
                      Pose& pose) noexcept;
Status try_frame_pose(const Model& model, Workspace& workspace, ConstVector q, std::size_t frame,
                      Pose& pose, const std::optional<BaseMotion>& base = std::nullopt) noexcept;

/// The poses of all frames of Model::frames() in the world.
void frame_poses(const Model& model, Workspace& workspace, ConstVector q, std::span<Pose> poses,
                 const std::optional<BaseMotion>& base = std::nullopt);
Status try_frame_poses(const Model& model, Workspace& workspace, ConstVector q,
                       std::span<Pose> poses,
                       const std::optional<BaseMotion>& base = std::nullopt) noexcept;

/// The velocity of a frame. Axes::world is the spatial velocity: its linear part is the velocity of
/// the point of the body that passes the world's origin. O(1) after a pass with q and qd.
Twist frame_velocity(const Model& model, const Kinematics& kinematics, std::size_t frame,
                     Axes axes);
Status try_frame_velocity(const Model& model, const Kinematics& kinematics, std::size_t frame,
                          Axes axes, Twist& velocity) noexcept;

/// Pose, velocity and acceleration of a frame.
struct FrameMotion {
  Pose pose;
  Twist velocity;  ///< as frame_velocity()
  /// local, local_world_aligned: angular acceleration, and acceleration of the frame's origin;
  /// world: the time derivative of `velocity`. Gravity is not part of it.
  Twist acceleration;
};

/// Pose, velocity and acceleration of a frame. O(1) after a pass with q, qd and qdd.
FrameMotion frame_motion(const Model& model, const Kinematics& kinematics, std::size_t frame,
                         Axes axes);
FrameMotion frame_motion(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                         ConstVector qdd, std::size_t frame, Axes axes,
                         const std::optional<BaseMotion>& base = std::nullopt);
Status try_frame_motion(const Model& model, const Kinematics& kinematics, std::size_t frame,
                        Axes axes, FrameMotion& motion) noexcept;
Status try_frame_motion(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                        ConstVector qdd, std::size_t frame, Axes axes, FrameMotion& motion,
                        const std::optional<BaseMotion>& base = std::nullopt) noexcept;

/// The 6 x n Jacobian J of a frame: its velocity is J qd where the base is at rest. O(n) after a
/// pass with q.
void jacobian(const Model& model, const Kinematics& kinematics, std::size_t frame, Axes axes,
              Eigen::Ref<Eigen::MatrixXd> J);
void jacobian(const Model& model, Workspace& workspace, ConstVector q, std::size_t frame, Axes axes,
              Eigen::Ref<Eigen::MatrixXd> J);
Status try_jacobian(const Model& model, const Kinematics& kinematics, std::size_t frame, Axes axes,
                    Eigen::Ref<Eigen::MatrixXd> J) noexcept;
Status try_jacobian(const Model& model, Workspace& workspace, ConstVector q, std::size_t frame,
                    Axes axes, Eigen::Ref<Eigen::MatrixXd> J) noexcept;

/// dJ/dt, 6 x n. O(n) after a pass with q and qd.
void jacobian_rate(const Model& model, const Kinematics& kinematics, std::size_t frame, Axes axes,
                   Eigen::Ref<Eigen::MatrixXd> J_rate);
void jacobian_rate(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                   std::size_t frame, Axes axes, Eigen::Ref<Eigen::MatrixXd> J_rate);
Status try_jacobian_rate(const Model& model, const Kinematics& kinematics, std::size_t frame,
                         Axes axes, Eigen::Ref<Eigen::MatrixXd> J_rate) noexcept;
Status try_jacobian_rate(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                         std::size_t frame, Axes axes, Eigen::Ref<Eigen::MatrixXd> J_rate) noexcept;

// Inverse kinematics, for any tree: redundant arms, arms of fewer than six joints, prismatic and
// mimic joints. Joints that do not move the frame keep their position.

/// Options of inverse_kinematics().
struct InverseKinematicsOptions {
  bool orientation = true;       ///< false: the position alone; target.rotation is not used
  double tolerance = 1e-10;      ///< of the position (m) and of the angle (rad); above zero
  std::size_t starts = 500;      ///< search from at most this many positions; at least 1
  std::size_t iterations = 200;  ///< per start; at least 1
  std::uint64_t seed = 0;        ///< of the random starts; the same seed gives the same result
};

/// The result of inverse_kinematics().
struct InverseKinematicsResult {
  bool reached = false;            ///< both errors are within the tolerance
  Pose pose;                       ///< of the frame at the result
  double position_error = 0.0;     ///< distance from the target (m)
  double orientation_error = 0.0;  ///< angle to the target (rad); 0 without orientation
  std::size_t starts = 0;          ///< positions that the search started from
  std::size_t iterations = 0;      ///< of all starts
};

/// Writes to `q` joint positions within the limits of Model::coordinates() at which `frame` has the
/// pose `target` in the world (the frame of the base link). The first search starts at `q0`, moved
/// into the limits; the following ones start at random positions, at growing distances from `q0`.
/// The first solution is returned, with angles of less than half a turn from `q0` where the limits
/// allow it. Without a solution `q` is the best position found: it minimizes
/// position_error^2 + (length orientation_error)^2, `length` being half of that of the chain of
/// joints from the base to the frame.
///
/// Levenberg-Marquardt method with active limits; O(n) per iteration. `q` may be `q0`. Nothing is
/// allocated. Throws ArgumentError for bad arguments; that the pose is out of reach is a result.
InverseKinematicsResult inverse_kinematics(const Model& model, Workspace& workspace,
                                           std::size_t frame, const Pose& target, ConstVector q0,
                                           MutableVector q,
                                           const InverseKinematicsOptions& options = {});
Status try_inverse_kinematics(const Model& model, Workspace& workspace, std::size_t frame,
                              const Pose& target, ConstVector q0, MutableVector q,
                              InverseKinematicsResult& result,
                              const InverseKinematicsOptions& options = {}) noexcept;
}  // namespace dynamics
#pragma GCC visibility pop
