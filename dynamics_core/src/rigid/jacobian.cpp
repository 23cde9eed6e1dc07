// SPDX-License-Identifier: Apache-2.0
#include "rigid/kinematics_memory.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {
namespace {

using Matrix = Eigen::Ref<Eigen::MatrixXd>;

/// Column of a joint: rows 0 to 2 angular, 3 to 5 linear.
void add_column(Matrix& J, const Body& body, const Eigen::Vector3d& angular,
                const Eigen::Vector3d& linear) {
  auto column = J.col(static_cast<Eigen::Index>(body.coordinate));
  column.head<3>() += body.multiplier * angular;
  column.tail<3>() += body.multiplier * linear;
}

}  // namespace

void fill_jacobian(const Model& model, const Kinematics::Memory& memory, std::size_t frame,
                   Axes axes, Eigen::Ref<Eigen::MatrixXd>& J) noexcept {
  const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
  const Pose pose = frame_in_world(model, memory, frame);
  const Eigen::Vector3d point = axes == Axes::world ? zero : pose.translation;
  J.setZero();
  for (int b = model.frames()[frame].body; b >= 0;
       b = model.tree()[static_cast<std::size_t>(b)].parent) {
    const auto i = static_cast<std::size_t>(b);
    const WorldMotion& link = memory.bodies[i];
    const Eigen::Vector3d axis = link.axis();
    if (model.tree()[i].prismatic) {
      add_column(J, model.bodies()[i], zero, axis);
    } else {
      add_column(J, model.bodies()[i], axis, axis.cross(point - link.position));
    }
  }
  if (axes != Axes::local) return;
  const Eigen::Matrix3d to_frame = pose.rotation.transpose();
  for (Eigen::Index j = 0; j < J.cols(); ++j) {
    J.col(j).head<3>() = (to_frame * J.col(j).head<3>()).eval();
    J.col(j).tail<3>() = (to_frame * J.col(j).tail<3>()).eval();
  }
}

namespace {

void fill_jacobian_rate(const Model& model, const Kinematics::Memory& memory, std::size_t frame,
                        Axes axes, Matrix& J_rate) noexcept {
  const Eigen::Vector3d zero = Eigen::Vector3d::Zero();
  const Pose pose = frame_in_world(model, memory, frame);
  const WorldMotion& carrier = memory.carrier(model.frames()[frame]);
  // the point that the Jacobian is about, and its velocity
  Eigen::Vector3d point = zero, point_velocity = zero;
  if (axes != Axes::world) {
    point = pose.translation;
    point_velocity = carrier.velocity + carrier.omega.cross(point - carrier.position);
  }
  const Eigen::Matrix3d to_frame = pose.rotation.transpose();
  J_rate.setZero();
  for (int b = model.frames()[frame].body; b >= 0;
       b = model.tree()[static_cast<std::size_t>(b)].parent) {
    const auto i = static_cast<std::size_t>(b);
    const WorldMotion& link = memory.bodies[i];
    const Eigen::Vector3d axis = link.axis(), axis_rate = link.omega.cross(axis);
    Eigen::Vector3d linear, angular, linear_rate, angular_rate;
    if (model.tree()[i].prismatic) {
      linear = axis;
      linear_rate = axis_rate;
      angular = angular_rate = zero;
    } else {
      const Eigen::Vector3d arm = point - link.position;
      linear = axis.cross(arm);
      linear_rate = axis_rate.cross(arm) + axis.cross(point_velocity - link.velocity);
      angular = axis;
      angular_rate = axis_rate;
    }
    if (axes == Axes::local) {
      // d/dt (R^T x) = R^T (dx/dt - omega x x)
      linear_rate = to_frame * (linear_rate - carrier.omega.cross(linear));
      angular_rate = to_frame * (angular_rate - carrier.omega.cross(angular));
    }
    add_column(J_rate, model.bodies()[i], angular_rate, linear_rate);
  }
}

}  // namespace

Status try_jacobian(const Model& model, const Kinematics& kinematics, std::size_t frame, Axes axes,
                    Eigen::Ref<Eigen::MatrixXd> J) noexcept {
  Kinematics::Memory& memory = kinematics.memory();
  const Status status =
      check_query(model, memory, frame, 0).matrix("J", J, 6, memory.size).status();
  if (status == Status::ok) fill_jacobian(model, memory, frame, axes, J);
  return status;
}

Status try_jacobian(const Model& model, Workspace& workspace, ConstVector q, std::size_t frame,
                    Axes axes, Eigen::Ref<Eigen::MatrixXd> J) noexcept {
  Workspace::Memory& memory = workspace.memory();
  const Status status = check_workspace(model, memory)
                            .vector("q", q, memory.size)
                            .frame(model, frame)
                            .matrix("J", J, 6, memory.size)
                            .status();
  if (status != Status::ok) return status;
  world_poses_to(model, memory.kinematics, body_positions(model, q, memory.q),
                 model.frames()[frame]);
  fill_jacobian(model, memory.kinematics, frame, axes, J);
  return Status::ok;
}

Status try_jacobian_rate(const Model& model, const Kinematics& kinematics, std::size_t frame,
                         Axes axes, Eigen::Ref<Eigen::MatrixXd> J_rate) noexcept {
  Kinematics::Memory& memory = kinematics.memory();
  const Status status =
      check_query(model, memory, frame, 1).matrix("J_rate", J_rate, 6, memory.size).status();
  if (status == Status::ok) fill_jacobian_rate(model, memory, frame, axes, J_rate);
  return status;
}

Status try_jacobian_rate(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                         std::size_t frame, Axes axes,
                         Eigen::Ref<Eigen::MatrixXd> J_rate) noexcept {
  Workspace::Memory& memory = workspace.memory();
  const Status status = check_workspace(model, memory)
                            .vector("q", q, memory.size)
                            .vector("qd", qd, memory.size)
                            .frame(model, frame)
                            .matrix("J_rate", J_rate, 6, memory.size)
                            .status();
  if (status != Status::ok) return status;
  world_motion(model, memory.kinematics, body_positions(model, q, memory.q),
               body_rates(model, qd, memory.qd), nullptr, std::nullopt);
  fill_jacobian_rate(model, memory.kinematics, frame, axes, J_rate);
  return Status::ok;
}

void jacobian(const Model& model, const Kinematics& kinematics, std::size_t frame, Axes axes,
              Eigen::Ref<Eigen::MatrixXd> J) {
  require(try_jacobian(model, kinematics, frame, axes, J), kinematics.memory().problem, model);
}
void jacobian(const Model& model, Workspace& workspace, ConstVector q, std::size_t frame, Axes axes,
              Eigen::Ref<Eigen::MatrixXd> J) {
  require(try_jacobian(model, workspace, q, frame, axes, J), workspace.memory().problem, model);
}
void jacobian_rate(const Model& model, const Kinematics& kinematics, std::size_t frame, Axes axes,
                   Eigen::Ref<Eigen::MatrixXd> J_rate) {
  require(try_jacobian_rate(model, kinematics, frame, axes, J_rate), kinematics.memory().problem,
          model);
}
void jacobian_rate(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                   std::size_t frame, Axes axes, Eigen::Ref<Eigen::MatrixXd> J_rate) {
  require(try_jacobian_rate(model, workspace, q, qd, frame, axes, J_rate),
          workspace.memory().problem, model);
}

}  // namespace dynamics
