// SPDX-License-Identifier: Apache-2.0
#include "dynamics_core/kinematics.hpp"
#include "rigid/workspace_memory.hpp"

namespace dynamics {
namespace {

/// The point a Jacobian is about and its velocity, in the world.
struct ReferencePoint {
  Eigen::Vector3d position, velocity;
};

}  // namespace

void jacobian(const Model& model, Workspace& workspace, ConstVector q, std::size_t frame, Axes axes,
              Eigen::Ref<Eigen::MatrixXd> J) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("q", q, memory.size);
  check_frame(model, frame);
  check_matrix("J", J.rows(), J.cols(), 6, memory.size);
  world_motion(model, memory, body_positions(model, q, memory.q), nullptr, nullptr, std::nullopt);
  const Pose pose = frame_in_world(model, memory, frame, std::nullopt);
  const Eigen::Vector3d point =
      axes == Axes::world ? Eigen::Vector3d(Eigen::Vector3d::Zero()) : pose.translation;
  J.setZero();
  for (int b = model.frames()[frame].body; b >= 0;
       b = model.tree()[static_cast<std::size_t>(b)].parent) {
    const auto i = static_cast<std::size_t>(b);
    const Body& body = model.bodies()[i];
    const WorldMotion& link = memory.world[i];
    auto column = J.col(static_cast<Eigen::Index>(body.coordinate));
    if (model.tree()[i].prismatic) {
      column.head<3>() += body.multiplier * link.axis();
    } else {
      column.head<3>() += body.multiplier * link.axis().cross(point - link.position);
      column.tail<3>() += body.multiplier * link.axis();
    }
  }
  if (axes != Axes::local) return;
  const Eigen::Matrix3d to_frame = pose.rotation.transpose();
  for (Eigen::Index j = 0; j < J.cols(); ++j) {
    J.col(j).head<3>() = (to_frame * J.col(j).head<3>()).eval();
    J.col(j).tail<3>() = (to_frame * J.col(j).tail<3>()).eval();
  }
}

void jacobian_rate(const Model& model, Workspace& workspace, ConstVector q, ConstVector qd,
                   std::size_t frame, Axes axes, Eigen::Ref<Eigen::MatrixXd> J_rate) {
  Workspace::Memory& memory = memory_for(model, workspace);
  check_vector("q", q, memory.size);
  check_vector("qd", qd, memory.size);
  check_frame(model, frame);
  check_matrix("J_rate", J_rate.rows(), J_rate.cols(), 6, memory.size);
  world_motion(model, memory, body_positions(model, q, memory.q), body_rates(model, qd, memory.qd),
               nullptr, std::nullopt);
  const Pose pose = frame_in_world(model, memory, frame, std::nullopt);
  const int carrier = model.frames()[frame].body;
  J_rate.setZero();
  if (carrier < 0) return;
  const WorldMotion& holder = memory.world[static_cast<std::size_t>(carrier)];
  ReferencePoint reference{Eigen::Vector3d::Zero(), Eigen::Vector3d::Zero()};
  if (axes != Axes::world) {
    reference = {pose.translation,
                 holder.velocity + holder.omega.cross(pose.translation - holder.position)};
  }
  const Eigen::Matrix3d to_frame = pose.rotation.transpose();
  for (int b = carrier; b >= 0; b = model.tree()[static_cast<std::size_t>(b)].parent) {
    const auto i = static_cast<std::size_t>(b);
    const Body& body = model.bodies()[i];
    const WorldMotion& link = memory.world[i];
    const Eigen::Vector3d axis = link.axis(), axis_rate = link.omega.cross(axis);
    Eigen::Vector3d linear, angular, linear_rate, angular_rate;
    if (model.tree()[i].prismatic) {
      linear = axis;
      linear_rate = axis_rate;
      angular = angular_rate = Eigen::Vector3d::Zero();
    } else {
      const Eigen::Vector3d arm = reference.position - link.position;
      linear = axis.cross(arm);
      linear_rate = axis_rate.cross(arm) + axis.cross(reference.velocity - link.velocity);
      angular = axis;
      angular_rate = axis_rate;
    }
    if (axes == Axes::local) {
      // d/dt (R^T x) = R^T (x' - omega x x)
      linear_rate = to_frame * (linear_rate - holder.omega.cross(linear));
      angular_rate = to_frame * (angular_rate - holder.omega.cross(angular));
    }
    auto column = J_rate.col(static_cast<Eigen::Index>(body.coordinate));
    column.head<3>() += body.multiplier * linear_rate;
    column.tail<3>() += body.multiplier * angular_rate;
  }
}

}  // namespace dynamics
