// SPDX-License-Identifier: Apache-2.0
// Joint constraints of mechanisms with closed loops.

#include <algorithm>
#include <cmath>

#include "base/eigen_index.hpp"
#include "simulation/joint_constraints.hpp"

namespace dynamics {
namespace {

/// A correction of a state that moves a joint by more than this (rad, m, rad/s or m/s) is none: a
/// joint at its dead center moves the others without limit.
constexpr double largest_correction = 1e-6;

}  // namespace

/// M of the problem: the responses to unit forces on the joints forced_.
void JointConstraints::fill_responses(double t, Input q) {
  const auto columns = responses_.leftCols(eigen_index(forced_.size()));
  plant_->impulse_responses(t, q, forced_, columns);
  for (std::size_t k = 0; k < forced_.size(); ++k)
    problem_.M.col(eigen_index(forced_[k])) = columns.col(eigen_index(k));
}

void JointConstraints::settle(double t, Input q, Output qd) {
  forced_.clear();
  std::fill(given_.begin(), given_.end(), char{0});
  problem_.lambda.setZero();
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const bool at_rest = held_[i] != 0 || (qd[i] == 0.0 && can_be_held(i));
    if (!at_rest) continue;
    forced_.push_back(i);
    given_[i] = 1;
    problem_.w[eigen_index(i)] = 0.0;
  }
  if (forced_.empty()) return;
  fill_responses(t, q);
  Eigen::Map<Eigen::VectorXd> velocity(qd.data(), eigen_index(qd.size()));
  problem_.h = velocity;
  if (!problem_.solve_linear(given_)) return;
  if (!((problem_.w - velocity).lpNorm<Eigen::Infinity>() <= largest_correction)) return;
  velocity = problem_.w;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (std::abs(qd[i]) <= speed_tolerance) qd[i] = 0.0;
  }
}

bool JointConstraints::restore_held(double t, Output q, Output qd) {
  forced_.clear();
  std::fill(given_.begin(), given_.end(), char{0});
  problem_.h.setZero();
  problem_.lambda.setZero();
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (held_[i] == 0) continue;
    forced_.push_back(i);
    given_[i] = 1;
    problem_.w[eigen_index(i)] = held_at_[i] - q[i];
  }
  if (forced_.empty()) return false;
  has_forces_ = false;
  const auto is_small = [](const Eigen::VectorXd& change) {
    return change.lpNorm<Eigen::Infinity>() <= largest_correction;
  };
  fill_responses(t, q);
  if (problem_.solve_linear(given_) && is_small(problem_.w)) {
    for (std::size_t i = 0; i < q.size(); ++i) q[i] += problem_.w[eigen_index(i)];
  }
  const Eigen::Map<Eigen::VectorXd> velocity(qd.data(), eigen_index(qd.size()));
  problem_.h = velocity;
  problem_.lambda.setZero();
  for (const std::size_t i : forced_) problem_.w[eigen_index(i)] = 0.0;
  if (problem_.solve_linear(given_) && is_small(problem_.w - velocity))
    std::copy(problem_.w.begin(), problem_.w.end(), qd.begin());
  return true;
}

}  // namespace dynamics
