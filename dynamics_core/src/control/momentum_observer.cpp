// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "control/gains.hpp"
#include "control/status_error.hpp"
#include "dynamics_core/control_laws.hpp"
#include "dynamics_core/kinematics.hpp"
#include "dynamics_core/rigid_dynamics.hpp"
#include "rigid/generalized_momentum.hpp"
#include "spatial/symmetric_eigen.hpp"

namespace dynamics {
namespace {

Eigen::Map<const Eigen::VectorXd> as_vector(ConstVector v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

/// Eigenvalues of J J^T below this part of the largest: the frame does not move in the direction.
constexpr double smallest_kept = 1e-8;

/// x := A^-1 x with A = L L^T, if no eigenvalue of A can be below `smallest_kept`: the least one is
/// not below 1 / tr(A^-1), the largest one not above tr(A). Else false, and x is not changed.
/// tr(A^-1) is the sum of the squares of the entries of L^-1.
bool solve_regular(const Matrix6& A, Vector6& x) noexcept {
  Matrix6 L, inverse;  // of L; only the lower triangles are used
  double trace = 0.0, trace_of_inverse = 0.0;
  for (int j = 0; j < 6; ++j) {
    trace += A(j, j);
    double pivot = A(j, j);
    for (int k = 0; k < j; ++k) pivot -= L(j, k) * L(j, k);
    if (!(pivot > 0.0)) return false;
    const double scale = 1.0 / std::sqrt(pivot);
    inverse(j, j) = scale;
    for (int i = j + 1; i < 6; ++i) {
      double sum = A(i, j);
      for (int k = 0; k < j; ++k) sum -= L(i, k) * L(j, k);
      L(i, j) = sum * scale;
    }
    for (int i = 0; i < j; ++i) {
      double sum = 0.0;
      for (int k = i; k < j; ++k) sum -= L(j, k) * inverse(k, i);
      inverse(j, i) = sum * scale;
    }
    for (int i = 0; i <= j; ++i) trace_of_inverse += inverse(j, i) * inverse(j, i);
  }
  if (!(1.0 > smallest_kept * trace * trace_of_inverse)) return false;
  Vector6 y;
  for (int i = 0; i < 6; ++i) {
    y[i] = 0.0;
    for (int k = 0; k <= i; ++k) y[i] += inverse(i, k) * x[k];
  }
  for (int i = 0; i < 6; ++i) {
    x[i] = 0.0;
    for (int k = i; k < 6; ++k) x[i] += inverse(k, i) * y[k];
  }
  return true;
}

/// x := A^+ x without the eigenvectors of eigenvalues below `smallest_kept`. A is overwritten.
bool solve_singular(Matrix6& A, Vector6& x) noexcept {
  Matrix6 vectors;
  Vector6 values;
  if (!symmetric_eigen(A, values, vectors)) return false;
  Vector6 along = vectors.transpose() * x;
  for (Eigen::Index i = 0; i < 6; ++i)
    along[i] = values[i] > smallest_kept * values[5] ? along[i] / values[i] : 0.0;
  x = vectors * along;
  return true;
}

}  // namespace

struct MomentumObserver::Memory {
  Memory(const Model& robot, const MomentumObserverOptions& options)
      : model(robot),
        workspace(robot),
        scratch(robot.body_count()),
        bandwidth(per_joint("bandwidth", options.bandwidth, robot.size(), 50.0)),
        friction(options.friction) {
    for (std::size_t i = 0; i < bandwidth.size(); ++i) {
      if (bandwidth[i] > 0.0 && std::isfinite(bandwidth[i])) continue;
      throw ArgumentError(
          fmt::format("bandwidth[{}] is {}; it must be finite and positive", i, bandwidth[i]));
    }
    const auto n = static_cast<Eigen::Index>(robot.size());
    J.resize(6, n);
    for (auto* const v :
         {&q, &qd, &momentum, &drift, &next_momentum, &next_drift, &work, &external})
      v->setZero(n);
  }

  /// p = M qd and the drift C^T qd - g - friction of a state.
  Status terms(ConstVector at, ConstVector rate, Eigen::VectorXd& p,
               Eigen::VectorXd& rest) noexcept {
    for (const Status status :
         {try_generalized_momentum(model, workspace, scratch, at, rate, p, rest),
          try_gravity_forces(model, workspace, at, work)}) {
      if (status != Status::ok) return status;
    }
    rest -= work;
    if (!friction) return Status::ok;
    const Status status = try_friction_forces(model, workspace, rate, work);
    if (status != Status::ok) return status;
    rest -= work;
    return Status::ok;
  }

  Model model;
  Workspace workspace;
  std::vector<kernel::MomentumScratch<double>> scratch;
  std::vector<double> bandwidth;
  bool friction;
  bool started = false;
  Eigen::Matrix<double, 6, Eigen::Dynamic> J;
  Eigen::VectorXd q, qd;            // of the last state
  Eigen::VectorXd momentum, drift;  // of the last state
  Eigen::VectorXd next_momentum, next_drift, work;
  Eigen::VectorXd external;  // r
};

MomentumObserver::MomentumObserver(const Model& model, const MomentumObserverOptions& options)
    : memory_(std::make_unique<Memory>(model, options)) {}
MomentumObserver::~MomentumObserver() = default;
MomentumObserver::MomentumObserver(MomentumObserver&&) noexcept = default;
MomentumObserver& MomentumObserver::operator=(MomentumObserver&&) noexcept = default;

void MomentumObserver::reset(ConstVector q, ConstVector qd) {
  require_ok(try_reset(q, qd), "MomentumObserver::reset");
}

Status MomentumObserver::try_reset(ConstVector q, ConstVector qd) noexcept {
  Memory& m = *memory_;
  const Status status = m.terms(q, qd, m.next_momentum, m.next_drift);
  if (status != Status::ok) return status;
  m.momentum.swap(m.next_momentum);
  m.drift.swap(m.next_drift);
  m.q = as_vector(q);
  m.qd = as_vector(qd);
  m.external.setZero();
  m.started = true;
  return Status::ok;
}

Status MomentumObserver::try_continue_from(const MomentumObserver& other) noexcept {
  const Memory& from = *other.memory_;
  if (from.external.size() != memory_->external.size()) return Status::wrong_size;
  if (!from.started) return Status::not_computed;
  const Status status = try_reset(from.q, from.qd);
  if (status == Status::ok) memory_->external = from.external;
  return status;
}

void MomentumObserver::update(double period, ConstVector q, ConstVector qd, ConstVector tau) {
  require_ok(try_update(period, q, qd, tau), "MomentumObserver::update");
}

Status MomentumObserver::try_update(double period, ConstVector q, ConstVector qd,
                                    ConstVector tau) noexcept {
  Memory& m = *memory_;
  if (!m.started) return Status::not_computed;
  if (!(period > 0.0)) return Status::out_of_range;
  if (!(tau.checked_size() == m.model.size())) return Status::wrong_size;
  if (!std::isfinite(period) || !as_vector(tau).allFinite()) return Status::not_finite;
  const Status status = m.terms(q, qd, m.next_momentum, m.next_drift);
  if (status != Status::ok) return status;
  for (Eigen::Index i = 0; i < m.external.size(); ++i) {
    const auto joint = static_cast<std::size_t>(i);
    const double mean = (m.next_momentum[i] - m.momentum[i]) / period - tau[joint] -
                        0.5 * (m.drift[i] + m.next_drift[i]);
    const double kept = std::exp(-m.bandwidth[joint] * period);
    m.external[i] = kept * m.external[i] + (1.0 - kept) * mean;
  }
  m.momentum.swap(m.next_momentum);
  m.drift.swap(m.next_drift);
  m.q = as_vector(q);
  m.qd = as_vector(qd);
  return Status::ok;
}

std::span<const double> MomentumObserver::external_torques() const {
  return {memory_->external.data(), static_cast<std::size_t>(memory_->external.size())};
}

Status MomentumObserver::try_wrench(std::size_t frame, Axes axes, Wrench& wrench) noexcept {
  Memory& m = *memory_;
  if (!m.started) return Status::not_computed;
  if (axes == Axes::world) return Status::wrong_axes;
  if (const Status status = try_jacobian(m.model, m.workspace, m.q, frame, axes, m.J);
      status != Status::ok)
    return status;
  // w = (J J^T)^+ J r, without the directions in which the frame does not move
  Matrix6 JJ = Matrix6::Zero();
  Vector6 w = Vector6::Zero();
  for (Eigen::Index i = 0; i < m.J.cols(); ++i) {
    const Vector6 column = m.J.col(i);
    JJ.noalias() += column * column.transpose();
    w += m.external[i] * column;
  }
  if (!solve_regular(JJ, w) && !solve_singular(JJ, w)) return Status::not_finite;
  wrench = {w.head<3>(), w.tail<3>()};
  return Status::ok;
}

}  // namespace dynamics
