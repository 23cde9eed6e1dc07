// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <initializer_list>

#include "control/status_error.hpp"
#include "control/stock_controllers.hpp"
#include "dynamics_core/control_laws.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "spatial/symmetric_eigen.hpp"

namespace dynamics {
namespace {

using Map = Eigen::Map<const Eigen::VectorXd>;
using Vector6 = Eigen::Matrix<double, 6, 1>;
/// Six-vectors and 6 x 6 matrices of the task, or three where only the position has a stiffness.
using TaskVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
using TaskMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

Map map(ConstVector v) { return {v.data(), static_cast<Eigen::Index>(v.size())}; }

/// The stiffness of the task's directions, angular first.
TaskVector task_stiffness(const std::vector<double>& given) {
  TaskVector K(given.size() == 1 ? 3 : 6);
  if (given.size() == 1) {
    K.setConstant(given[0]);
  } else if (given.size() == 2) {
    K << given[1], given[1], given[1], given[0], given[0], given[0];
  } else if (given.size() == 6) {
    K = Map(given.data(), 6);
  } else {
    throw ArgumentError(fmt::format(
        "stiffness has {} entries; operational-space-impedance needs 1 (translational), 2 "
        "(translational, rotational) or 6 (angular first)",
        given.size()));
  }
  for (const double k : K) {
    if (!(k > 0.0) || !std::isfinite(k)) {
      throw ArgumentError(
          fmt::format("stiffness has the entry {}; every entry must be positive and finite", k));
    }
  }
  return K;
}

bool is_finite(const Twist& x) { return x.angular.allFinite() && x.linear.allFinite(); }
bool is_finite(const FrameTarget& x) {
  return x.pose.rotation.allFinite() && x.pose.translation.allFinite() && is_finite(x.velocity) &&
         is_finite(x.acceleration) && x.wrench.moment.allFinite() && x.wrench.force.allFinite();
}

}  // namespace

void check_stiffness(const std::vector<double>& stiffness) { task_stiffness(stiffness); }

struct OperationalSpaceLaw::Memory {
  Memory(const Model& robot, const OperationalSpaceOptions& options)
      : model(robot),
        frame(options.frame.empty() ? robot.end_effector() : robot.frame(options.frame)),
        damping(options.damping),
        local(options.axes == Axes::local),
        K(task_stiffness(options.stiffness)),
        root(K.cwiseSqrt()),
        actual(robot),
        desired(robot),
        workspace(robot),
        factor(robot) {
    const auto columns = static_cast<Eigen::Index>(robot.size()), rows = K.size();
    J.resize(6, columns);
    J_rate.resize(6, columns);
    J_task.resize(rows, columns);
    MJ.resize(columns, rows);
    M.resize(columns, columns);
    torques.resize(columns);
  }

  Model model;
  std::size_t frame;
  double damping;
  bool local;
  TaskVector K, root;
  Kinematics actual, desired;
  Workspace workspace;
  InertiaFactor factor;
  Eigen::MatrixXd J, J_rate, J_task, MJ, M;
  Eigen::VectorXd torques;
};

OperationalSpaceLaw::OperationalSpaceLaw(const Model& model,
                                         const OperationalSpaceOptions& options) {
  if (!(options.damping >= 0.0) || !std::isfinite(options.damping)) {
    throw ArgumentError(
        fmt::format("damping is {}; it must be finite and not negative", options.damping));
  }
  if (options.axes == Axes::world) {
    throw ArgumentError("axes of the stiffness must be local or local_world_aligned");
  }
  memory_ = std::make_unique<Memory>(model, options);
}
OperationalSpaceLaw::~OperationalSpaceLaw() = default;
OperationalSpaceLaw::OperationalSpaceLaw(OperationalSpaceLaw&&) noexcept = default;
OperationalSpaceLaw& OperationalSpaceLaw::operator=(OperationalSpaceLaw&&) noexcept = default;

std::size_t OperationalSpaceLaw::frame() const { return memory_->frame; }

Status OperationalSpaceLaw::try_pose(ConstVector q, Pose& pose) noexcept {
  return try_frame_pose(memory_->model, memory_->workspace, q, memory_->frame, pose);
}
Pose OperationalSpaceLaw::pose(ConstVector q) {
  Pose result;
  require_ok(try_pose(q, result), "OperationalSpaceLaw::pose");
  return result;
}

Status OperationalSpaceLaw::try_target(ConstVector q, ConstVector qd, ConstVector qdd,
                                       FrameTarget& target) noexcept {
  Memory& m = *memory_;
  FrameMotion motion;
  Status status = try_forward_kinematics(m.model, m.desired, q, qd, qdd);
  if (status == Status::ok) {
    status = try_frame_motion(m.model, m.desired, m.frame, Axes::local_world_aligned, motion);
  }
  if (status == Status::ok) target = {motion.pose, motion.velocity, motion.acceleration, {}};
  return status;
}
FrameTarget OperationalSpaceLaw::target(ConstVector q, ConstVector qd, ConstVector qdd) {
  FrameTarget result;
  require_ok(try_target(q, qd, qdd, result), "OperationalSpaceLaw::target");
  return result;
}

void OperationalSpaceLaw::add_torques(ConstVector q, ConstVector qd, const FrameTarget& target,
                                      ConstVector posture, MutableVector tau) {
  require_ok(try_add_torques(q, qd, target, posture, tau), "OperationalSpaceLaw::add_torques");
}

Status OperationalSpaceLaw::try_add_torques(ConstVector q, ConstVector qd,
                                            const FrameTarget& target, ConstVector posture,
                                            MutableVector tau) noexcept {
  Memory& m = *memory_;
  const Model& model = m.model;
  const Eigen::Index rows = m.K.size();
  if (!(posture.checked_size() == model.size()) || !(tau.checked_size() == model.size()))
    return Status::wrong_size;
  if (!is_finite(target) || !map(posture).allFinite()) return Status::not_finite;

  // motion of the frame, in the world's axes
  constexpr Axes axes = Axes::local_world_aligned;
  Pose pose;
  Twist velocity;
  for (const Status status : {try_forward_kinematics(model, m.actual, q, qd),
                              try_frame_pose(model, m.actual, m.frame, pose),
                              try_frame_velocity(model, m.actual, m.frame, axes, velocity),
                              try_jacobian(model, m.actual, m.frame, axes, m.J),
                              try_jacobian_rate(model, m.actual, m.frame, axes, m.J_rate),
                              try_decompose_inertia(model, m.factor, q),
                              try_inertia_matrix(model, m.workspace, q, m.M)}) {
    if (status != Status::ok) return status;
  }
  const Eigen::AngleAxisd rotation(
      Eigen::Matrix3d(target.pose.rotation * pose.rotation.transpose()));
  Vector6 error, rate, feedforward, wrench;
  error << rotation.angle() * rotation.axis(), target.pose.translation - pose.translation;
  rate << target.velocity.angular - velocity.angular, target.velocity.linear - velocity.linear;
  feedforward << target.acceleration.angular, target.acceleration.linear;
  feedforward.noalias() -= m.J_rate * map(qd);
  wrench << target.wrench.moment, target.wrench.force;

  // the same in the axes of the stiffness
  if (m.local) {
    const Eigen::Matrix3d to_frame = pose.rotation.transpose();
    for (Vector6* const v : {&error, &rate, &feedforward, &wrench}) {
      v->head<3>() = (to_frame * v->head<3>()).eval();
      v->tail<3>() = (to_frame * v->tail<3>()).eval();
    }
    for (Eigen::Index j = 0; j < m.J.cols(); ++j) {
      m.J.block<3, 1>(0, j) = (to_frame * m.J.block<3, 1>(0, j)).eval();
      m.J.block<3, 1>(3, j) = (to_frame * m.J.block<3, 1>(3, j)).eval();
    }
  }
  // a wrench beside a translational stiffness has all of its moment
  Map posture_map = map(posture);
  m.torques.noalias() = m.J.transpose() * wrench;

  // M^-1 J^T, and B = K^1/2 J M^-1 J^T K^1/2 = V diag(w^2) V^T
  m.J_task = m.J.bottomRows(rows);
  m.MJ = m.J_task.transpose();
  if (const Status status = try_solve_inertia(model, m.factor, m.MJ, m.MJ); status != Status::ok)
    return status;
  TaskMatrix B = m.J_task.lazyProduct(m.MJ);
  B = m.root.asDiagonal() * B * m.root.asDiagonal();
  TaskVector squares(rows);
  TaskMatrix modes(rows, rows);
  if (!symmetric_eigen(B, squares, modes)) return Status::not_finite;
  // directions that the joints cannot move have no inertia and no damping
  constexpr double smallest = 1e-10;
  TaskVector inverse(rows), inverse_root(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double square = squares[i];
    const bool movable = square > smallest * squares[rows - 1];
    inverse[i] = movable ? 1.0 / square : 0.0;
    inverse_root[i] = movable ? 1.0 / std::sqrt(square) : 0.0;
  }
  const TaskMatrix V = m.root.asDiagonal() * modes;
  const auto inertia_times = [&](const TaskVector& x) -> TaskVector {
    return V * (inverse.asDiagonal() * (V.transpose() * x));
  };
  TaskVector force =
      inertia_times(feedforward.tail(rows)) + m.K.cwiseProduct(error.tail(rows)) +
      2.0 * m.damping * (V * (inverse_root.asDiagonal() * (V.transpose() * rate.tail(rows))));

  // posture: M a without its part in the task
  m.torques.noalias() += m.M * posture_map;
  const TaskVector disturbed = m.J_task.lazyProduct(posture_map);
  force -= inertia_times(disturbed);
  m.torques.noalias() += m.J_task.transpose() * force;
  Eigen::Map<Eigen::VectorXd>(tau.data(), m.torques.size()) += m.torques;
  return Status::ok;
}

}  // namespace dynamics
