// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <optional>

#include "control/gains.hpp"
#include "control/stock_controllers.hpp"
#include "dynamics_core/inertia_matrix.hpp"
#include "dynamics_core/kinematics.hpp"
#include "spatial/symmetric_eigen.hpp"

namespace dynamics {
namespace {

using Map = Eigen::Map<const Eigen::VectorXd>;
/// Six-vectors and 6 x 6 matrices of the task, or three where only the position has a stiffness.
using TaskVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;
using TaskMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;

Map map(std::span<const double> v) { return {v.data(), static_cast<Eigen::Index>(v.size())}; }

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

class OperationalSpaceImpedance final : public Controller {
 public:
  explicit OperationalSpaceImpedance(const ControllerOptions& options)
      : options_(options), K_(task_stiffness(options.stiffness)), root_(K_.cwiseSqrt()) {}

  void start(Plant& plant, std::span<const double>, std::span<const double>) override {
    const Model& model = plant.model();
    const std::size_t n = model.size();
    if (plant.base_motion(0.0)) {
      throw ArgumentError(
          "operational-space-impedance needs a base at rest: use joint-impedance on a moving base");
    }
    frame_ = options_.frame.empty() ? model.end_effector() : model.frame(options_.frame);
    const std::vector<double> unit(n, 1.0);
    posture_ = JointGains(options_.gains, unit);
    damping_ = options_.gains.damping.empty() ? 1.0 : options_.gains.damping[0];
    const auto columns = static_cast<Eigen::Index>(n), rows = K_.size();
    memory_.emplace(model);
    J_.resize(6, columns);
    J_rate_.resize(6, columns);
    J_task_.resize(rows, columns);
    MJ_.resize(columns, rows);
    M_.resize(columns, columns);
    acceleration_.resize(columns);
    posture_torques_.resize(columns);
    zero_.assign(n, 0.0);
  }

  void torques(const ControlInput& now, std::span<double> tau) override {
    const Model& model = now.plant.model();
    const std::size_t n = tau.size();
    const auto q = now.q.first(n), qd = now.qd.first(n);
    const Eigen::Index rows = K_.size();

    // motion of the frame and its reference
    forward_kinematics(model, memory_->actual, q, qd);
    forward_kinematics(model, memory_->desired, now.q_ref, now.qd_ref, now.qdd_ref);
    constexpr Axes axes = Axes::local_world_aligned;
    const Pose pose = frame_pose(model, memory_->actual, frame_);
    const Twist velocity = frame_velocity(model, memory_->actual, frame_, axes);
    const FrameMotion target = frame_motion(model, memory_->desired, frame_, axes);
    jacobian(model, memory_->actual, frame_, axes, J_);
    jacobian_rate(model, memory_->actual, frame_, axes, J_rate_);
    J_task_ = J_.bottomRows(rows);
    const Eigen::AngleAxisd rotation(
        Eigen::Matrix3d(target.pose.rotation * pose.rotation.transpose()));
    Eigen::Matrix<double, 6, 1> error, rate, feedforward;
    error << rotation.angle() * rotation.axis(), target.pose.translation - pose.translation;
    rate << target.velocity.angular - velocity.angular, target.velocity.linear - velocity.linear;
    feedforward << target.acceleration.angular, target.acceleration.linear;
    feedforward.noalias() -= J_rate_ * map(qd);

    // M^-1 J^T, and B = K^1/2 J M^-1 J^T K^1/2 = V diag(w^2) V^T
    decompose_inertia(model, memory_->factor, q);
    MJ_ = J_task_.transpose();
    solve_inertia(model, memory_->factor, MJ_, MJ_);
    TaskMatrix B = J_task_.lazyProduct(MJ_);
    B = root_.asDiagonal() * B * root_.asDiagonal();
    TaskVector squares(rows);
    TaskMatrix modes(rows, rows);
    symmetric_eigen(B, squares, modes);
    // directions that the joints cannot move have no inertia and no damping
    constexpr double smallest = 1e-10;
    TaskVector inverse(rows), inverse_root(rows);
    for (Eigen::Index i = 0; i < rows; ++i) {
      const double square = squares[i];
      const bool movable = square > smallest * squares[rows - 1];
      inverse[i] = movable ? 1.0 / square : 0.0;
      inverse_root[i] = movable ? 1.0 / std::sqrt(square) : 0.0;
    }
    const TaskMatrix V = root_.asDiagonal() * modes;
    const auto inertia_times = [&](const TaskVector& x) -> TaskVector {
      return V * (inverse.asDiagonal() * (V.transpose() * x));
    };
    const TaskVector force =
        inertia_times(feedforward.tail(rows)) + K_.cwiseProduct(error.tail(rows)) +
        2.0 * damping_ * (V * (inverse_root.asDiagonal() * (V.transpose() * rate.tail(rows))));

    // posture: M (kp e + kd e'), without its part in the task
    for (std::size_t i = 0; i < n; ++i)
      acceleration_[static_cast<Eigen::Index>(i)] = posture_.feedback(i, now);
    inertia_matrix(model, memory_->workspace, q, M_);
    posture_torques_.noalias() = M_ * acceleration_;
    const TaskVector disturbed = J_task_.lazyProduct(acceleration_);
    posture_torques_.noalias() -= J_task_.transpose() * inertia_times(disturbed);

    now.plant.feedforward_torques(now.t, q, qd, zero_, tau);
    Eigen::Map<Eigen::VectorXd> out(tau.data(), static_cast<Eigen::Index>(n));
    out.noalias() += J_task_.transpose() * force;
    out += posture_torques_;
  }

  std::string name() const override { return "operational-space-impedance"; }
  std::string gains() const override {
    return fmt::format("stiffness {:.6g}; {}", fmt::join(options_.stiffness, ", "),
                       to_string(options_.gains));
  }

 private:
  struct Memory {
    explicit Memory(const Model& model)
        : actual(model), desired(model), workspace(model), factor(model) {}
    Kinematics actual, desired;
    Workspace workspace;
    InertiaFactor factor;
  };

  ControllerOptions options_;
  TaskVector K_, root_;
  std::size_t frame_ = 0;
  JointGains posture_;
  double damping_ = 1.0;
  std::optional<Memory> memory_;
  Eigen::MatrixXd J_, J_rate_, J_task_, MJ_, M_;
  Eigen::VectorXd acceleration_, posture_torques_;
  std::vector<double> zero_;
};

}  // namespace

std::unique_ptr<Controller> operational_space_impedance(const ControllerOptions& options) {
  return std::make_unique<OperationalSpaceImpedance>(options);
}

}  // namespace dynamics
