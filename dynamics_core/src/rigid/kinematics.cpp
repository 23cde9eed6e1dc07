// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/kinematics.hpp"

#include "rigid/recursions/joints.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {

void world_motion(const Model& model, Workspace::Memory& memory, const double* q, const double* qd,
                  const double* qdd, const std::optional<BaseMotion>& base) {
  WorldMotion ground{Eigen::Matrix3d::Identity(), Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero(),
                     Eigen::Vector3d::Zero(),     Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  if (base) {
    ground = {base->pose.rotation,   base->pose.translation,     base->velocity.angular,
              base->velocity.linear, base->acceleration.angular, base->acceleration.linear};
  }
  const Tree& tree = model.tree();
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody& body = tree[i];
    const WorldMotion& parent =
        body.parent < 0 ? ground : memory.world[static_cast<std::size_t>(body.parent)];
    const auto at = kernel::joint_transform(body, q[i]);
    WorldMotion& link = memory.world[i];
    Eigen::Matrix3d turn;
    using Vector = kernel::Vec3<double>;
    turn.col(0) = to_eigen(kernel::to_parent(body, at, Vector{1.0, 0.0, 0.0}));
    turn.col(1) = to_eigen(kernel::to_parent(body, at, Vector{0.0, 1.0, 0.0}));
    turn.col(2) = to_eigen(kernel::to_parent(body, at, Vector{0.0, 0.0, 1.0}));
    link.rotation = parent.rotation * turn;
    const Eigen::Vector3d r = parent.rotation * to_eigen(at.r);
    link.position = parent.position + r;
    if (qd == nullptr) continue;
    link.omega = parent.omega;
    link.velocity = parent.velocity + parent.omega.cross(r);
    const Eigen::Vector3d axis = link.axis();
    if (body.prismatic) {
      link.velocity += axis * qd[i];
    } else {
      link.omega += axis * qd[i];
    }
    if (qdd == nullptr) continue;
    link.alpha = parent.alpha;
    link.acceleration =
        parent.acceleration + parent.alpha.cross(r) + parent.omega.cross(parent.omega.cross(r));
    const Eigen::Vector3d turning = parent.omega.cross(axis) * qd[i];
    if (body.prismatic) {
      link.acceleration += 2.0 * turning + axis * qdd[i];
    } else {
      link.alpha += turning + axis * qdd[i];
    }
  }
}

Pose frame_in_world(const Model& model, const Workspace::Memory& memory, std::size_t frame,
                    const std::optional<BaseMotion>& base) {
  const Frame& given = model.frames()[frame];
  if (given.body < 0) return base ? base->pose * given.pose : given.pose;
  const WorldMotion& body = memory.world[static_cast<std::size_t>(given.body)];
  return Pose{body.rotation, body.position} * given.pose;
}

Pose frame_pose(const Model& model, Workspace& workspace, ConstVector q, std::size_t frame,
                const std::optional<BaseMotion>& base) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("q", q, memory.size);
  check_frame(model, frame);
  check_base(base);
  world_motion(model, memory, body_positions(model, q, memory.q), nullptr, nullptr, base);
  return frame_in_world(model, memory, frame, base);
}

void frame_poses(const Model& model, Workspace& workspace, ConstVector q, std::span<Pose> poses,
                 const std::optional<BaseMotion>& base) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("q", q, memory.size);
  check_output("poses", poses.size(), model.frames().size());
  check_base(base);
  world_motion(model, memory, body_positions(model, q, memory.q), nullptr, nullptr, base);
  for (std::size_t i = 0; i < poses.size(); ++i) poses[i] = frame_in_world(model, memory, i, base);
}

FrameMotion frame_motion(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                         ConstVector qdd, std::size_t frame, Axes axes,
                         const std::optional<BaseMotion>& base) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("q", q, memory.size);
  check_vector("qd", qd, memory.size);
  check_vector("qdd", qdd, memory.size);
  check_frame(model, frame);
  check_base(base);
  world_motion(model, memory, body_positions(model, q, memory.q), body_rates(model, qd, memory.qd),
               body_rates(model, qdd, memory.qdd), base);

  WorldMotion carrier{Eigen::Matrix3d::Identity(), Eigen::Vector3d::Zero(),
                      Eigen::Vector3d::Zero(),     Eigen::Vector3d::Zero(),
                      Eigen::Vector3d::Zero(),     Eigen::Vector3d::Zero()};
  const int body = model.frames()[frame].body;
  if (body >= 0) {
    carrier = memory.world[static_cast<std::size_t>(body)];
  } else if (base) {
    carrier = {base->pose.rotation,   base->pose.translation,     base->velocity.angular,
               base->velocity.linear, base->acceleration.angular, base->acceleration.linear};
  }
  FrameMotion motion;
  motion.pose = frame_in_world(model, memory, frame, base);
  const Eigen::Vector3d& omega = carrier.omega;
  const Eigen::Vector3d arm = motion.pose.translation - carrier.position;
  Eigen::Vector3d velocity = carrier.velocity + omega.cross(arm);
  Eigen::Vector3d acceleration =
      carrier.acceleration + carrier.alpha.cross(arm) + omega.cross(omega.cross(arm));
  if (axes == Axes::world) {
    // the twist at the world's origin and its rate: d/dt (v + p x omega)
    const Eigen::Vector3d& p = motion.pose.translation;
    acceleration += velocity.cross(omega) + p.cross(carrier.alpha);
    velocity += p.cross(omega);
  }
  motion.velocity = {omega, velocity};
  motion.acceleration = {carrier.alpha, acceleration};
  if (axes == Axes::local) {
    const Eigen::Matrix3d to_frame = motion.pose.rotation.transpose();
    motion.velocity = {to_frame * omega, to_frame * velocity};
    motion.acceleration = {to_frame * carrier.alpha, to_frame * acceleration};
  }
  return motion;
}

}  // namespace dynamics
