// SPDX-License-Identifier: Apache-2.0
#include "simulation/implicit_inertia.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "base/eigen_index.hpp"
#include "spatial/cholesky.hpp"
#include "spatial/decompositions.hpp"

namespace dynamics {

std::vector<ImplicitInertia::Entry> ImplicitInertia::entries_of(const Eigen::MatrixXd& matrix) {
  std::vector<Entry> entries;
  for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
    for (Eigen::Index column = 0; column < matrix.cols(); ++column) {
      if (matrix(row, column) == 0.0) continue;
      entries.push_back(
          {static_cast<std::size_t>(row), static_cast<std::size_t>(column), matrix(row, column)});
    }
  }
  return entries;
}

ImplicitInertia::ImplicitInertia(const Plant& plant)
    : inertia_(eigen_index(plant.size()), eigen_index(plant.size())),
      matrix_(inertia_.rows(), inertia_.cols()),
      right_(inertia_.rows()),
      row_(plant.size(), -1) {
  free_.reserve(plant.size());
  Eigen::MatrixXd K(inertia_.rows(), inertia_.cols());
  plant.linear_forces(inertia_, K);
  damping_ = entries_of(inertia_);
  stiffness_ = entries_of(K);
}

bool ImplicitInertia::decompose(double c, std::span<const std::size_t> free) {
  c_ = c;
  free_.assign(free.begin(), free.end());
  std::fill(row_.begin(), row_.end(), Eigen::Index{-1});
  const Eigen::Index size = eigen_index(free.size());
  for (Eigen::Index b = 0; b < size; ++b) {
    const Eigen::Index j = eigen_index(free[static_cast<std::size_t>(b)]);
    row_[free[static_cast<std::size_t>(b)]] = b;
    for (Eigen::Index a = b; a < size; ++a)
      matrix_(a, b) = inertia_(eigen_index(free[static_cast<std::size_t>(a)]), j);
  }
  const auto add = [&](const std::vector<Entry>& entries, double factor) {
    for (const Entry& entry : entries) {
      const Eigen::Index a = row_[entry.row], b = row_[entry.column];
      if (a >= b && b >= 0) matrix_(a, b) += factor * entry.value;
    }
  };
  add(damping_, c);
  add(stiffness_, c * c);
  if (size == 0) return true;
  return cholesky(matrix_.topLeftCorner(size, size));
}

void ImplicitInertia::add_linear_forces(double h, Eigen::Ref<Eigen::MatrixXd> matrix) const {
  const auto add = [&](const std::vector<Entry>& entries, double factor) {
    for (const Entry& entry : entries)
      matrix(eigen_index(entry.row), eigen_index(entry.column)) += factor * entry.value;
  };
  add(damping_, h);
  add(stiffness_, h * h);
}

void ImplicitInertia::subtract_stiffness_impulse(double h, std::span<const double> qd,
                                                 Eigen::Ref<Eigen::VectorXd> impulse) const {
  for (const Entry& entry : stiffness_)
    impulse[eigen_index(entry.row)] -= h * h * entry.value * qd[entry.column];
}

void ImplicitInertia::solve_stage(std::span<double> r_q, std::span<double> r_qd) {
  const std::size_t size = free_.size();
  for (std::size_t a = 0; a < size; ++a) {
    double sum = 0.0;
    for (const std::size_t j : free_)
      sum += inertia_(eigen_index(j), eigen_index(free_[a])) * r_qd[j];
    right_[eigen_index(a)] = sum;
  }
  for (const Entry& entry : stiffness_) {
    const Eigen::Index a = row_[entry.row];
    if (a >= 0) right_[a] -= c_ * entry.value * r_q[entry.column];
  }
  const auto factor = matrix_.topLeftCorner(eigen_index(size), eigen_index(size));
  solve_cholesky(factor, right_.head(eigen_index(size)));
  for (std::size_t a = 0; a < size; ++a) {
    r_qd[free_[a]] = right_[eigen_index(a)];
    r_q[free_[a]] += c_ * right_[eigen_index(a)];
  }
}

ImplicitInertia::Rates ImplicitInertia::fastest_rates(Plant& plant) {
  Rates rates;
  if (!has_linear_forces()) return rates;
  const Eigen::Index n = inertia_.rows();
  const auto dense = [n](const std::vector<Entry>& entries) {
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
    for (const Entry& entry : entries)
      matrix(eigen_index(entry.row), eigen_index(entry.column)) = entry.value;
    return matrix;
  };
  const Eigen::MatrixXd D = dense(damping_), K = dense(stiffness_);
  const auto largest = [&](const Eigen::MatrixXd& matrix) {
    return largest_generalized_eigenvalue(matrix, inertia_);
  };
  std::mt19937 random(1);  // fixed seed: repeatable
  std::uniform_real_distribution<double> uniform(-std::numbers::pi, std::numbers::pi);
  std::vector<double> q(plant.size(), 0.0);
  constexpr int positions = 32;
  for (int k = 0; k < positions; ++k) {
    for (std::size_t i = 0; k > 0 && i < plant.joints(); ++i) {
      const Coordinate& joint = plant.model().coordinates()[i];
      const double value = uniform(random);
      q[i] = joint.prismatic ? std::clamp(value, joint.lower, joint.upper) : value;
    }
    plant.inertia_matrix(0.0, q, inertia_);
    if (!stiffness_.empty())
      rates.vibration = std::max(rates.vibration, std::sqrt(std::max(0.0, largest(K))));
    if (!damping_.empty()) rates.decay = std::max(rates.decay, largest(D));
  }
  return rates;
}

}  // namespace dynamics
