// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "dynamics_core/flexible_links.hpp"
#include "flexible/flexible_memory.hpp"
#include "flexible/recursions/inverse_dynamics.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics {
namespace {

using Complex = std::complex<double>;

/// Derivatives of the bias forces by complex-step differentiation, accurate to round-off.
class Derivatives {
 public:
  explicit Derivatives(const FlexibleModel& model)
      : model_(model),
        scratch_(model.tree()),
        q_(model.size()),
        qd_(model.size()),
        zero_(model.size()),
        forces_(model.size()) {
    const auto real = gravity_base(model);
    base_.angular_velocity = base_.angular_acceleration = spatial::zero3<Complex>();
    base_.acceleration = {Complex(real.acceleration.x), Complex(real.acceleration.y),
                          Complex(real.acceleration.z)};
  }

  void at(ConstVector q, ConstVector qd) {
    std::copy(q.begin(), q.end(), q_.begin());
    std::copy(qd.begin(), qd.end(), qd_.begin());
  }
  /// d(bias)/dq or d(bias)/dqd, all coordinates.
  Eigen::MatrixXd with_respect_to_position() { return differentiate(q_); }
  Eigen::MatrixXd with_respect_to_rate() { return differentiate(qd_); }

 private:
  Eigen::MatrixXd differentiate(std::vector<Complex>& variable) {
    constexpr double step = 1e-40;
    const auto n = static_cast<Eigen::Index>(model_.size());
    const std::size_t joints = model_.joint_count();
    Eigen::MatrixXd result(n, n);
    for (Eigen::Index k = 0; k < n; ++k) {
      Complex& entry = variable[static_cast<std::size_t>(k)];
      const Complex saved = entry;
      entry += Complex(0.0, step);
      flexible::inverse_dynamics<Complex>(
          model_.tree(), scratch_, base_, true, false, q_.data(), q_.data() + joints, qd_.data(),
          qd_.data() + joints, nullptr, nullptr, forces_.data(), forces_.data() + joints);
      entry = saved;
      for (Eigen::Index i = 0; i < n; ++i) {
        result(i, k) = forces_[static_cast<std::size_t>(i)].imag() / step;
      }
    }
    return result;
  }

  const FlexibleModel& model_;
  flexible::Scratch<Complex> scratch_;
  flexible::BaseState<Complex> base_;
  std::vector<Complex> q_, qd_, zero_, forces_;
};

}  // namespace

NaturalModes natural_modes(const FlexibleModel& model, ConstVector q, Joints joints) {
  FlexibleWorkspace workspace(model);
  const auto n = static_cast<Eigen::Index>(model.size());
  Eigen::MatrixXd M(n, n);
  inertia_matrix(model, workspace, q, M);
  Derivatives derivatives(model);
  derivatives.at(q, std::vector<double>(model.size(), 0.0));
  const Eigen::MatrixXd forces = derivatives.with_respect_to_position();
  const Eigen::MatrixXd K = 0.5 * (forces + forces.transpose());
  const Eigen::Index first =
      joints == Joints::clamped ? static_cast<Eigen::Index>(model.joint_count()) : 0;
  const Eigen::Index size = n - first;
  NaturalModes modes{Eigen::VectorXd(size), Eigen::MatrixXd::Zero(n, size)};
  if (size == 0) return modes;
  const Eigenpairs found =
      generalized_eigenpairs(K.bottomRightCorner(size, size), M.bottomRightCorner(size, size));
  if (!found.converged) {
    throw StateError("robot '" + model.rigid().name() + "'",
                     "its inertia matrix is not positive definite: a joint has no mass to move");
  }
  for (Eigen::Index i = 0; i < size; ++i) {
    const double square = found.values[i];
    modes.frequencies[i] = std::copysign(std::sqrt(std::abs(square)), square);
  }
  modes.shapes.bottomRows(size) = found.vectors;
  return modes;
}

Eigen::VectorXcd spinning_eigenvalues(const FlexibleModel& model, ConstVector q,
                                      ConstVector joint_qd) {
  check_flexible_input(model, "joint_qd", joint_qd, model.joint_count(), "one per joint");
  FlexibleWorkspace workspace(model);
  const auto n = static_cast<Eigen::Index>(model.size());
  const auto m = static_cast<Eigen::Index>(model.amplitude_count());
  Eigen::MatrixXd M(n, n);
  inertia_matrix(model, workspace, q, M);
  std::vector<double> qd(model.size(), 0.0);
  std::copy(joint_qd.begin(), joint_qd.end(), qd.begin());
  Derivatives derivatives(model);
  derivatives.at(q, qd);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(2 * m, 2 * m);
  A.topRightCorner(m, m).setIdentity();
  Eigen::MatrixXd forces(m, 2 * m);
  forces << derivatives.with_respect_to_position().bottomRightCorner(m, m),
      derivatives.with_respect_to_rate().bottomRightCorner(m, m);
  A.bottomRows(m) = -solve_linear(M.bottomRightCorner(m, m), forces);
  Eigen::VectorXcd values = general_eigenvalues(A);
  std::sort(values.begin(), values.end(), [](const Complex& a, const Complex& b) {
    return std::abs(a.imag()) < std::abs(b.imag());
  });
  return values;
}

Eigen::VectorXd static_deflection(const FlexibleModel& model, ConstVector q) {
  check_flexible_input(model, "q", q, model.size(), coordinates_hint);
  FlexibleWorkspace workspace(model);
  const auto n = static_cast<Eigen::Index>(model.size());
  const auto m = static_cast<Eigen::Index>(model.amplitude_count());
  Eigen::VectorXd x = Eigen::Map<const Eigen::VectorXd>(q.data(), n);
  if (m == 0) return x;
  Eigen::VectorXd forces(n);
  const std::vector<double> rest(model.size(), 0.0);
  Derivatives derivatives(model);
  for (int iteration = 0; iteration < 50; ++iteration) {
    static_forces(model, workspace, x, forces);
    derivatives.at(x, rest);
    const Eigen::MatrixXd K = derivatives.with_respect_to_position().bottomRightCorner(m, m);
    const Eigen::VectorXd step = solve_linear(K, forces.tail(m));
    x.tail(m) -= step;
    if (!x.allFinite()) break;
    if (step.norm() <= 1e-14 * (x.tail(m).norm() + 1e-300)) return x;
  }
  if (x.allFinite()) {
    static_forces(model, workspace, x, forces);
    derivatives.at(x, rest);
    const Eigen::MatrixXd K = derivatives.with_respect_to_position().bottomRightCorner(m, m);
    const Eigen::VectorXd step = solve_linear(K, forces.tail(m));
    if (step.norm() <= 1e-9 * x.tail(m).norm()) return x;
  }
  throw ArgumentError(
      "static deflection: Newton's method does not converge; the load is too large for the "
      "rigidity "
      "of the beams");
}

}  // namespace dynamics
