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
/// Six numbers, or three where only the position has a stiffness.
using TaskVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;

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
        kinematics(robot),
        factor(robot),
        zero(robot.size(), 0.0) {
    const auto columns = static_cast<Eigen::Index>(robot.size());
    J.resize(6, columns);
    MJ.resize(columns, K.size());
  }

  /// The forces of the task, in the axes of the stiffness; feedforward is x''_ref - J' qd - J a.
  template <int Rows>
  Status task_forces(const Vector6& error, const Vector6& rate, const Vector6& feedforward,
                     Vector6& force) noexcept;

  Model model;
  std::size_t frame;
  double damping;
  bool local;
  TaskVector K;
  Kinematics kinematics;
  InertiaFactor factor;
  std::vector<double> zero;
  Eigen::MatrixXd J, MJ;
};

template <int Rows>
Status OperationalSpaceLaw::Memory::task_forces(const Vector6& error, const Vector6& rate,
                                                const Vector6& feedforward,
                                                Vector6& force) noexcept {
  using Vector = Eigen::Matrix<double, Rows, 1>;
  using Matrix = Eigen::Matrix<double, Rows, Rows>;
  const auto J_task = J.bottomRows<Rows>();
  const Vector stiffness = K, root = stiffness.cwiseSqrt();
  // M^-1 J^T, and B = K^1/2 J M^-1 J^T K^1/2 = V diag(w^2) V^T
  MJ = J_task.transpose();
  if (const Status status = try_solve_inertia(model, factor, MJ, MJ); status != Status::ok)
    return status;
  Matrix B = J_task.lazyProduct(MJ.leftCols<Rows>());
  B = root.asDiagonal() * B * root.asDiagonal();
  Vector squares;
  Matrix modes;
  if (!symmetric_eigen(B, squares, modes)) return Status::not_finite;
  // directions that the joints cannot move have no inertia and no damping
  constexpr double smallest = 1e-10;
  Vector inverse, inverse_root;
  for (Eigen::Index i = 0; i < Rows; ++i) {
    const double square = squares[i];
    const bool movable = square > smallest * squares[Rows - 1];
    inverse[i] = movable ? 1.0 / square : 0.0;
    inverse_root[i] = movable ? 1.0 / std::sqrt(square) : 0.0;
  }
  // L = V diag(w^-2) V^T and D = 2 z V diag(w^-1) V^T with V <- K^1/2 V
  const Matrix V = root.asDiagonal() * modes;
  const Vector along = inverse.cwiseProduct(V.transpose() * feedforward.tail<Rows>());
  const Vector damped = inverse_root.cwiseProduct(V.transpose() * rate.tail<Rows>());
  force.tail<Rows>() += stiffness.cwiseProduct(error.tail<Rows>());
  force.tail<Rows>().noalias() += V * (along + 2.0 * damping * damped);
  return Status::ok;
}

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
  Memory& m = *memory_;
  const Status status = try_forward_kinematics(m.model, m.kinematics, q);
  return status == Status::ok ? try_frame_pose(m.model, m.kinematics, m.frame, pose) : status;
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
  Status status = try_forward_kinematics(m.model, m.kinematics, q, qd, qdd);
  if (status == Status::ok) {
    status = try_frame_motion(m.model, m.kinematics, m.frame, Axes::local_world_aligned, motion);
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
  if (!(posture.checked_size() == model.size()) || !(tau.checked_size() == model.size()))
    return Status::wrong_size;
  if (!is_finite(target) || !map(posture).allFinite()) return Status::not_finite;

  // motion of the frame in the world's axes without joint accelerations: its own is J' qd
  FrameMotion motion;
  const Axes axes = m.local ? Axes::local : Axes::local_world_aligned;
  for (const Status status :
       {try_forward_kinematics(model, m.kinematics, q, qd, m.zero),
        try_frame_motion(model, m.kinematics, m.frame, Axes::local_world_aligned, motion),
        try_jacobian(model, m.kinematics, m.frame, axes, m.J),
        try_decompose_inertia(model, m.factor, q)}) {
    if (status != Status::ok) return status;
  }
  const Eigen::Matrix3d& R = motion.pose.rotation;
  const Eigen::AngleAxisd rotation(Eigen::Matrix3d(target.pose.rotation * R.transpose()));
  Vector6 error, rate, feedforward, force;
  error << rotation.angle() * rotation.axis(), target.pose.translation - motion.pose.translation;
  rate << target.velocity.angular - motion.velocity.angular,
      target.velocity.linear - motion.velocity.linear;
  feedforward << target.acceleration.angular - motion.acceleration.angular,
      target.acceleration.linear - motion.acceleration.linear;
  // a wrench beside a translational stiffness has all of its moment
  force << target.wrench.moment, target.wrench.force;
  if (m.local) {  // the axes of the stiffness
    for (Vector6* const v : {&error, &rate, &feedforward, &force}) {
      v->head<3>() = (R.transpose() * v->head<3>()).eval();
      v->tail<3>() = (R.transpose() * v->tail<3>()).eval();
    }
  }
  feedforward.noalias() -= m.J.lazyProduct(map(posture));
  const Status status = m.K.size() == 6 ? m.task_forces<6>(error, rate, feedforward, force)
                                        : m.task_forces<3>(error, rate, feedforward, force);
  if (status != Status::ok) return status;
  Eigen::Map<Eigen::VectorXd>(tau.data(), m.J.cols()).noalias() += m.J.transpose() * force;
  return Status::ok;
}

}  // namespace dynamics
