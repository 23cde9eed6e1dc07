// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/kinematics.hpp"

#include "rigid/kinematics_memory.hpp"
#include "rigid/recursions/joints.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {

Kinematics::Kinematics(const Model& model) : memory_(std::make_unique<Memory>(model)) {}
Kinematics::~Kinematics() = default;
Kinematics::Kinematics(Kinematics&&) noexcept = default;
Kinematics& Kinematics::operator=(Kinematics&&) noexcept = default;

namespace {

/// The world pose of body i from that of its parent, after the joint's rotation. Returns the body's
/// origin from the parent's, in the world's axes.
Eigen::Vector3d advance_pose(const TreeBody& body, const double q, const WorldMotion& parent,
                             WorldMotion& link) {
  auto at = body.prismatic ? kernel::prismatic_transform(body, q)
                           : kernel::JointTransform<double>{
                                 link.at.c, link.at.s, kernel::constant_position<double>(body)};
  // rotations about Z, X and Z
  Eigen::Vector3d x = parent.rotation.col(0), y = parent.rotation.col(1),
                  z = parent.rotation.col(2);
  const auto rotate = [](double c, double s, Eigen::Vector3d& a, Eigen::Vector3d& b) {
    const Eigen::Vector3d old = a;
    a = c * a + s * b;
    b = c * b - s * old;
  };
  if (body.has_beta) rotate(body.cos_beta, body.sin_beta, x, y);
  rotate(body.cos_alpha, body.sin_alpha, y, z);
  rotate(at.c, at.s, x, y);
  link.rotation.col(0) = x;
  link.rotation.col(1) = y;
  link.rotation.col(2) = z;
  Eigen::Vector3d r = parent.rotation * to_eigen(at.r);
  link.position = parent.position + r;
  return r;
}

WorldMotion base_at_rest() {
  const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
  return {{1.0, 0.0}, Eigen::Matrix3d::Identity(), zero, zero, zero, zero, zero};
}

}  // namespace

void world_poses_to(const Model& model, Kinematics::Memory& memory, const double* q,
                    const Frame& frame) noexcept {
  memory.base = base_at_rest();
  memory.order = -1;
  const Tree& tree = model.tree();
  std::size_t count = 0;
  for (int b = frame.body; b >= 0; b = tree[static_cast<std::size_t>(b)].parent) {
    memory.path[count++] = static_cast<std::size_t>(b);
  }
  kernel::joint_rotations(tree.data(), memory.path.data(), count, memory.bodies.data(), q);
  while (count-- > 0) {
    const std::size_t i = memory.path[count];
    const int parent = tree[i].parent;
    advance_pose(tree[i], q[i],
                 parent < 0 ? memory.base : memory.bodies[static_cast<std::size_t>(parent)],
                 memory.bodies[i]);
  }
}

void world_motion(const Model& model, Kinematics::Memory& memory, const double* q, const double* qd,
                  const double* qdd, const std::optional<BaseMotion>& base) noexcept {
  memory.base = base_at_rest();
  if (base) {
    memory.base = {{1.0, 0.0},
                   base->pose.rotation,
                   base->pose.translation,
                   base->velocity.angular,
                   base->velocity.linear,
                   base->acceleration.angular,
                   base->acceleration.linear};
  }
  memory.fingerprint = model.data().motion_fingerprint;
  memory.order = qdd != nullptr ? 2 : qd != nullptr ? 1 : 0;
  const Tree& tree = model.tree();
  kernel::joint_rotations(tree.data(), tree.size(), memory.bodies.data(), q);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    const TreeBody& body = tree[i];
    const WorldMotion& parent =
        body.parent < 0 ? memory.base : memory.bodies[static_cast<std::size_t>(body.parent)];
    WorldMotion& link = memory.bodies[i];
    const Eigen::Vector3d r = advance_pose(body, q[i], parent, link);
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
    const Eigen::Vector3d coriolis = parent.omega.cross(axis) * qd[i];
    if (body.prismatic) {
      link.acceleration += 2.0 * coriolis + axis * qdd[i];
    } else {
      link.alpha += coriolis + axis * qdd[i];
    }
  }
}

Pose frame_in_world(const Model& model, const Kinematics::Memory& memory,
                    std::size_t frame) noexcept {
  const Frame& given = model.frames()[frame];
  const WorldMotion& body = memory.carrier(given);
  return Pose{body.rotation, body.position} * given.pose;
}

Checks check_query(const Model& model, Kinematics::Memory& memory, int order) noexcept {
  constexpr const char* passes[] = {"forward_kinematics(model, kinematics, q)",
                                    "forward_kinematics(model, kinematics, q, qd)",
                                    "forward_kinematics(model, kinematics, q, qd, qdd)"};
  return Checks(memory.problem)
      .made_for(model, memory.size, memory.body_count)
      .computed(memory.order >= order, passes[order])
      .same_robot(memory.fingerprint == model.data().motion_fingerprint, "the last pass was run");
}

Checks check_query(const Model& model, Kinematics::Memory& memory, std::size_t frame,
                   int order) noexcept {
  return check_query(model, memory, order).frame(model, frame);
}

namespace {

/// Velocity of a frame at `position`, in world axes at its origin.
Twist velocity_at(const WorldMotion& carrier, const Eigen::Vector3d& position) {
  return {carrier.omega, carrier.velocity + carrier.omega.cross(position - carrier.position)};
}

/// From world axes at the frame's origin to other axes.
Twist expressed_in(Axes axes, const Pose& pose, const Twist& twist) {
  if (axes == Axes::world) {
    return {twist.angular, twist.linear + pose.translation.cross(twist.angular)};
  }
  if (axes == Axes::local_world_aligned) return twist;
  const Eigen::Matrix3d to_frame = pose.rotation.transpose();
  return {to_frame * twist.angular, to_frame * twist.linear};
}

FrameMotion motion_of(const Model& model, const Kinematics::Memory& memory, std::size_t frame,
                      Axes axes) {
  const WorldMotion& carrier = memory.carrier(model.frames()[frame]);
  const Pose pose = frame_in_world(model, memory, frame);
  const Twist velocity = velocity_at(carrier, pose.translation);
  const Eigen::Vector3d arm = pose.translation - carrier.position;
  const Twist acceleration = {carrier.alpha, carrier.acceleration + carrier.alpha.cross(arm) +
                                                 carrier.omega.cross(carrier.omega.cross(arm))};
  FrameMotion motion{pose, expressed_in(axes, pose, velocity),
                     expressed_in(axes, pose, acceleration)};
  // d/dt (v + p x omega) has v x omega too
  if (axes == Axes::world) motion.acceleration.linear += velocity.linear.cross(velocity.angular);
  return motion;
}

Status run_pass(const Model& model, Kinematics& kinematics, ConstVector q, const ConstVector* qd,
                const ConstVector* qdd, const std::optional<BaseMotion>& base) noexcept {
  Kinematics::Memory& memory = kinematics.memory();
  Checks checks(memory.problem);
  checks.made_for(model, memory.size, memory.body_count).vector("q", q, memory.size);
  if (qd != nullptr) checks.vector("qd", *qd, memory.size);
  if (qdd != nullptr) checks.vector("qdd", *qdd, memory.size);
  if (checks.base(base).status() != Status::ok) return checks.status();
  world_motion(model, memory, body_positions(model, q, memory.q),
               qd == nullptr ? nullptr : body_rates(model, *qd, memory.qd),
               qdd == nullptr ? nullptr : body_rates(model, *qdd, memory.qdd), base);
  return Status::ok;
}

}  // namespace

Status try_forward_kinematics(const Model& model, Kinematics& kinematics, ConstVector q,
                              const std::optional<BaseMotion>& base) noexcept {
  return run_pass(model, kinematics, q, nullptr, nullptr, base);
}
Status try_forward_kinematics(const Model& model, Kinematics& kinematics, ConstVector q,
                              ConstVector qd, const std::optional<BaseMotion>& base) noexcept {
  return run_pass(model, kinematics, q, &qd, nullptr, base);
}
Status try_forward_kinematics(const Model& model, Kinematics& kinematics, ConstVector q,
                              ConstVector qd, ConstVector qdd,
                              const std::optional<BaseMotion>& base) noexcept {
  return run_pass(model, kinematics, q, &qd, &qdd, base);
}

void forward_kinematics(const Model& model, Kinematics& kinematics, ConstVector q,
                        const std::optional<BaseMotion>& base) {
  require(run_pass(model, kinematics, q, nullptr, nullptr, base), kinematics.memory().problem,
          model);
}
void forward_kinematics(const Model& model, Kinematics& kinematics, ConstVector q, ConstVector qd,
                        const std::optional<BaseMotion>& base) {
  require(run_pass(model, kinematics, q, &qd, nullptr, base), kinematics.memory().problem, model);
}
void forward_kinematics(const Model& model, Kinematics& kinematics, ConstVector q, ConstVector qd,
                        ConstVector qdd, const std::optional<BaseMotion>& base) {
  require(run_pass(model, kinematics, q, &qd, &qdd, base), kinematics.memory().problem, model);
}

Status try_frame_pose(const Model& model, const Kinematics& kinematics, std::size_t frame,
                      Pose& pose) noexcept {
  const Status status = check_query(model, kinematics.memory(), frame, 0).status();
  if (status == Status::ok) pose = frame_in_world(model, kinematics.memory(), frame);
  return status;
}

Pose frame_pose(const Model& model, const Kinematics& kinematics, std::size_t frame) {
  Pose pose;
  require(try_frame_pose(model, kinematics, frame, pose), kinematics.memory().problem, model);
  return pose;
}

Status try_frame_pose(const Model& model, Workspace& workspace, ConstVector q, std::size_t frame,
                      Pose& pose, const std::optional<BaseMotion>& base) noexcept {
  Workspace::Memory& memory = workspace.memory();
  const Status status = check_workspace(model, memory)
                            .vector("q", q, memory.size)
                            .frame(model, frame)
                            .base(base)
                            .status();
  if (status != Status::ok) return status;
  world_motion(model, memory.kinematics, body_positions(model, q, memory.q), nullptr, nullptr,
               base);
  pose = frame_in_world(model, memory.kinematics, frame);
  return Status::ok;
}

Pose frame_pose(const Model& model, Workspace& workspace, ConstVector q, std::size_t frame,
                const std::optional<BaseMotion>& base) {
  Pose pose;
  require(try_frame_pose(model, workspace, q, frame, pose, base), workspace.memory().problem,
          model);
  return pose;
}

Status try_frame_poses(const Model& model, Workspace& workspace, ConstVector q,
                       std::span<Pose> poses, const std::optional<BaseMotion>& base) noexcept {
  Workspace::Memory& memory = workspace.memory();
  const Status status = check_workspace(model, memory)
                            .vector("q", q, memory.size)
                            .output("poses", poses.size(), model.frames().size())
                            .base(base)
                            .status();
  if (status != Status::ok) return status;
  world_motion(model, memory.kinematics, body_positions(model, q, memory.q), nullptr, nullptr,
               base);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    poses[i] = frame_in_world(model, memory.kinematics, i);
  }
  return Status::ok;
}

void frame_poses(const Model& model, Workspace& workspace, ConstVector q, std::span<Pose> poses,
                 const std::optional<BaseMotion>& base) {
  require(try_frame_poses(model, workspace, q, poses, base), workspace.memory().problem, model);
}

Status try_frame_velocity(const Model& model, const Kinematics& kinematics, std::size_t frame,
                          Axes axes, Twist& velocity) noexcept {
  Kinematics::Memory& memory = kinematics.memory();
  const Status status = check_query(model, memory, frame, 1).status();
  if (status != Status::ok) return status;
  const Pose pose = frame_in_world(model, memory, frame);
  const WorldMotion& carrier = memory.carrier(model.frames()[frame]);
  velocity = expressed_in(axes, pose, velocity_at(carrier, pose.translation));
  return Status::ok;
}

Twist frame_velocity(const Model& model, const Kinematics& kinematics, std::size_t frame,
                     Axes axes) {
  Twist velocity;
  require(try_frame_velocity(model, kinematics, frame, axes, velocity), kinematics.memory().problem,
          model);
  return velocity;
}

Status try_frame_motion(const Model& model, const Kinematics& kinematics, std::size_t frame,
                        Axes axes, FrameMotion& motion) noexcept {
  Kinematics::Memory& memory = kinematics.memory();
  const Status status = check_query(model, memory, frame, 2).status();
  if (status == Status::ok) motion = motion_of(model, memory, frame, axes);
  return status;
}

FrameMotion frame_motion(const Model& model, const Kinematics& kinematics, std::size_t frame,
                         Axes axes) {
  FrameMotion motion;
  require(try_frame_motion(model, kinematics, frame, axes, motion), kinematics.memory().problem,
          model);
  return motion;
}

Status try_frame_motion(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                        ConstVector qdd, std::size_t frame, Axes axes, FrameMotion& motion,
                        const std::optional<BaseMotion>& base) noexcept {
  Workspace::Memory& memory = workspace.memory();
  const Status status = check_workspace(model, memory)
                            .vector("q", q, memory.size)
                            .vector("qd", qd, memory.size)
                            .vector("qdd", qdd, memory.size)
                            .frame(model, frame)
                            .base(base)
                            .status();
  if (status != Status::ok) return status;
  world_motion(model, memory.kinematics, body_positions(model, q, memory.q),
               body_rates(model, qd, memory.qd), body_rates(model, qdd, memory.qdd), base);
  motion = motion_of(model, memory.kinematics, frame, axes);
  return Status::ok;
}

FrameMotion frame_motion(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                         ConstVector qdd, std::size_t frame, Axes axes,
                         const std::optional<BaseMotion>& base) {
  FrameMotion motion;
  require(try_frame_motion(model, workspace, q, qd, qdd, frame, axes, motion, base),
          workspace.memory().problem, model);
  return motion;
}

}  // namespace dynamics
